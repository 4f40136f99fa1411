"""Takes whole interviews in processes that are killed at a given step, and goes on with them.

`python -m tests.contract.kill_driver FOLDER` reads lines `NAME STEP` and for each starts a process
that begins the interview of that name, or goes on with it, and kills itself at its step of that
number; with step 0 it lives. What it says for each is `NAME STEPS STATUS`. A step is a statement or
a commit of the database, or a moment before or after the judge was asked.

The processes are forks of this one, which has imported everything, but shares no connection.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine, event

from bot.adapters.sql_store import open_store
from bot.bootstrap import Services
from bot.domain.session import Session, Turn
from bot.domain.target import Target
from bot.offline.interviewer import OfflineInterviewer
from bot.ports import Judge, Judgement
from bot.services.interviewing import Interviews
from bot.settings import Settings
from tests.conftest import SMALL_BANK
from tests.fakes import NOON

DATABASE, STORED, JUDGED, REPORT = "sessions.db", "stored.txt", "judged.txt", "report.json"
SAYINGS = (
    "历史的键和值不必重算，因为直接读取缓存；代价是显存随上下文增长。",
    "不一定减半，因为每层都有集合通信。",
    "结论是看批次大小。原因是读取权重的开销被分摊，前提是显存够用。",
)


class StillClock:
    """A clock that stands still: however often an interview breaks off, its times are the same."""

    def now(self) -> datetime:
        return NOON

    def elapsed(self) -> float:
        return 0.0


class NotedJudge:
    """Notes in a file, before it judges, what it is asked about."""

    def __init__(self, judge: Judge, folder: Path, step: Callable[[], None]) -> None:
        self.identity = judge.identity
        self._judge, self._folder, self._step = judge, folder, step

    def judge(self, target: Target, answer: str) -> Judgement:
        self._step()
        note(self._folder / JUDGED, answer)
        found = self._judge.judge(target, answer)
        self._step()
        return found


def says(turn: Turn) -> str:
    """Return the answer to a turn, which no other turn gets."""
    number = int(turn.id.rpartition("-")[2])
    return f"{SAYINGS[number % len(SAYINGS)]}（第 {number} 轮）"


def take(folder: Path, kill_at: int) -> int:
    """Take the interview to its end, unless killed; return how many steps that took."""
    steps = 0

    def step(*_: object) -> None:
        nonlocal steps
        steps += 1
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    services = Services(
        Settings(
            _env_file=None,
            data_dir=folder,
            corpus_dir=Path(SMALL_BANK["BOT_CORPUS_DIR"]),
            bank=SMALL_BANK["BOT_BANK"],
        )
    )
    services.commons.__dict__["clock"] = StillClock()
    interviews = Interviews(
        bank=services.bank,
        grader=services.grader_with(NotedJudge(services.offline_judge, folder, step)),
        store=services.store,
        interviewer=OfflineInterviewer(),
        clock=services.clock,
    )
    event.listen(Engine, "before_cursor_execute", step)
    event.listen(Engine, "commit", step)
    session = _latest(services) or interviews.begin(count=3, rng=random.Random(7), follow_ups=1)
    while not session.is_finished:
        if session.current is not None:
            said = says(session.current)
            session = interviews.answer(session, said)
            note(folder / STORED, said)
        elif session.waiting:
            session = interviews.grade_waiting(session)
        else:
            session = interviews.go_on(session)
    report = services.report(session).model_dump_json().replace(session.id, "ID")
    (folder / REPORT).write_text(report, encoding="utf-8")
    return steps


def note(file: Path, text: str) -> None:
    """Add a line that a kill does not take back."""
    with file.open("a", encoding="utf-8") as opened:
        opened.write(f"{text}\n")


def _latest(services: Services) -> Session | None:
    found = services.store.summaries(1)
    return services.store.load(found[0].id) if found else None


def main() -> int:
    """Serve the lines of the standard input."""
    root = Path(sys.argv[1])
    template = root / "template.db"
    open_store(f"sqlite:///{template}").close()
    for line in sys.stdin:
        name, kill_at = line.split()
        folder = root / name
        if not folder.exists():
            folder.mkdir()
            shutil.copy(template, folder / DATABASE)
        told, tells = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(tells, str(take(folder, int(kill_at))).encode())
            os._exit(0)
        os.close(tells)
        _, status = os.waitpid(child, 0)
        with os.fdopen(told) as opened:
            steps = opened.read() or "-"
        sys.stdout.write(f"{name} {steps} {os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
