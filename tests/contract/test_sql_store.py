"""Every store keeps sessions in the same way; SQLite also survives what happens on a laptop."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from bot.adapters import migrations, sql_engine
from bot.adapters.sql_store import SqlStore, open_store
from bot.adapters.sql_tables import METADATA
from bot.domain.claims import AnswerError, Flag, Overclaim, PointFinding, Verdict
from bot.domain.evidence import Evidence, Match
from bot.domain.grade import CriterionScore, Grade, Provenance, Ungraded, UngradedReason
from bot.domain.session import (
    LONGEST_ANSWER,
    Answer,
    AnswerKind,
    FeedbackMode,
    Session,
    SessionPlan,
    Turn,
    begin,
)
from bot.errors import NotFoundError, SessionConflictError, StoreError
from bot.ports import SessionStore
from tests.contract.conftest import Opener

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[2]
NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
PLAN = SessionPlan(bank_id="vllm", question_ids=("Q01", "Q02", "Q03"), mode=FeedbackMode.AT_END)
STRANGE = "显存\u200b不够👩🏽‍💻\x00\u2028“引号” \\ '; DROP TABLE turns; --"


@pytest.fixture
def store(reopen: Opener) -> SessionStore:
    return reopen()


@pytest.fixture
def foreign() -> Iterator[Path]:
    """A folder with a database that the test may read but not write, even if root runs it."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = open_store(f"sqlite:///{folder / 'old.db'}")
        store.save(session())
        store.close()
        (folder / "old.db").chmod(0o444)
        folder.chmod(0o555)
        if is_root:
            os.seteuid(65534)
        yield folder
        if is_root:
            os.seteuid(0)
        folder.chmod(0o755)


def graded(score: float = 61.7, judge: str = "offline", level: int = 3) -> Grade:
    """Return a grade with something in every field."""
    evidence = Evidence(start=0, end=2, quote="显存", match=Match.CLOSE)
    return Grade(
        id="a",
        question_id="Q01",
        score=score,
        level=level,
        criteria=(CriterionScore(id="c", points=0.1 + 0.2, max=60, level=1, evidence=(evidence,)),),
        key_points=(PointFinding(id="p", verdict=Verdict.PARTLY_MET, evidence=(evidence,)),),
        overclaims=(Overclaim(start=0, end=1, quote="显", why="太满", rewrite="多数情况下"),),
        errors=(AnswerError(start=0, end=1, quote="显", why=STRANGE),),
        flags=(Flag.ECHO, Flag.CAPPED_ERROR),
        spread=1 / 3,
        provenance=Provenance(judge=judge, rubric="r@1", bank="vllm@1", tokens=7, seconds=0.25),
    )


UNGRADED = Ungraded(
    id="b",
    question_id="Q02",
    reason=UngradedReason.REPLY_INVALID,
    message="评分模型的回复无法理解。",
)


def turn(
    outcome: Grade | Ungraded | None = None, *, id: str = "s-1", follow_up_id: str | None = None
) -> Turn:
    """Return an answered turn."""
    answer = Answer(text=STRANGE, at=NOON + timedelta(seconds=61.5), seconds=61.5)
    return Turn(
        id=id,
        question_id="Q01",
        follow_up_id=follow_up_id,
        says="为什么需要分页？",
        asked_at=NOON,
        answer=answer,
        outcome=outcome,
    )


def session(id: str = "s", turns: tuple[Turn, ...] = (), begun_at: datetime = NOON) -> Session:
    """Return a new session with these turns."""
    return begin(id, PLAN, begun_at).model_copy(update={"turns": turns})


def rich(id: str = "s") -> Session:
    """Return a session with every kind of turn."""
    skipped = Answer(kind=AnswerKind.SKIPPED, at=NOON, seconds=0)
    long = Answer(text="长" * LONGEST_ANSWER, at=NOON, seconds=1e-9)
    return session(
        id,
        (
            turn(graded()),
            turn(UNGRADED, id="s-2", follow_up_id="f1"),
            turn(id="s-3").model_copy(update={"answer": skipped}),
            turn(id="s-4").model_copy(update={"answer": long}),
            turn(id="s-5").model_copy(update={"answer": None}),
        ),
    )


# PostgreSQL has no NUL in text; an answer is JSON, where it may stand.
_plain = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
_naive = NOON.replace(tzinfo=None)
_moments = st.datetimes(
    _naive.replace(year=1970), _naive.replace(year=2199), timezones=st.just(UTC)
)
_numbers = st.floats(0, 100)
_grades = st.builds(
    graded, score=_numbers, judge=st.sampled_from(["offline", "llm"]), level=st.integers(0, 4)
)
_answers = st.builds(
    Answer,
    kind=st.sampled_from(AnswerKind),
    text=st.text(),
    at=_moments,
    seconds=st.floats(0, 1e9),
)
_turns = st.builds(
    Turn,
    id=_plain,
    question_id=_plain,
    follow_up_id=st.none() | _plain,
    says=st.text(st.characters()),  # with lone surrogates
    asked_at=_moments,
    answer=st.none() | _answers,
    outcome=st.none() | st.just(UNGRADED) | _grades,
    guess=st.none() | st.integers(0, 5),
)
_turn_lists = st.lists(_turns, max_size=4).map(tuple)


class TestSessionStore:
    """What every implementation of the port promises."""

    def test_a_session_comes_back_as_it_was_saved(
        self, store: SessionStore, reopen: Opener
    ) -> None:
        saved = store.save(rich())

        assert saved == rich().model_copy(update={"revision": 1})
        assert reopen().load("s") == saved

    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(first=_turn_lists, second=_turn_lists, begun_at=_moments, end=st.none() | _moments)
    def test_whatever_is_saved_comes_back(
        self,
        store: SessionStore,
        numbers: Iterator[int],
        first: tuple[Turn, ...],
        second: tuple[Turn, ...],
        begun_at: datetime,
        end: datetime | None,
    ) -> None:
        id = f"p{next(numbers)}"

        saved = store.save(session(id, first, begun_at))

        assert store.load(id) == saved

        changed = saved.model_copy(update={"turns": second, "finished_at": end})
        saved = store.save(changed)

        assert store.load(id) == saved == changed.model_copy(update={"revision": 2})

    def test_every_time_comes_back_in_utc(self, store: SessionStore) -> None:
        abroad = NOON.astimezone(timezone(timedelta(hours=8)))

        store.save(session(begun_at=abroad))

        loaded = store.load("s").begun_at
        assert loaded == NOON
        assert loaded.utcoffset() == timedelta(0)

    def test_each_step_of_an_interview_can_be_saved(self, store: SessionStore) -> None:
        now = session()
        steps: list[Callable[[Session], Session]] = [
            lambda one: one.ask(question_id="Q01", says="问", now=NOON),
            lambda one: one.answer("答", now=NOON),
            lambda one: one.record("s-1", UNGRADED),
            lambda one: one.record("s-1", graded()),
            lambda one: one.ask(question_id="Q02", says="再问", now=NOON),
            lambda one: one.finish(NOON),
        ]

        for step in steps:
            now = store.save(step(now))

            assert store.load("s") == now

        assert now.revision == len(steps)
        assert len(now.turns) == 1

    def test_only_changed_turns_are_written(
        self, store: SessionStore, statements: list[str]
    ) -> None:
        saved = store.save(rich())
        statements.clear()

        store.save(saved.model_copy(update={"finished_at": NOON}))

        assert not any(
            "turns" in one.split("WHERE")[0] for one in statements if "SELECT" not in one
        )

    def test_an_older_revision_does_not_overwrite_a_later_one(self, store: SessionStore) -> None:
        first = store.save(session())
        later = store.save(first.model_copy(update={"turns": (turn(),)}))

        with pytest.raises(SessionConflictError, match="别处"):
            store.save(first.finish(NOON))

        assert store.load("s") == later

    def test_of_two_savers_at_once_only_one_succeeds(self, store: SessionStore) -> None:
        saved = store.save(session())

        def save(number: int) -> Session | None:
            try:
                return store.save(saved.model_copy(update={"turns": (turn(id=f"s-{number}"),)}))
            except SessionConflictError:
                return None

        with ThreadPoolExecutor(4) as pool:
            winners = [one for one in pool.map(save, range(4)) if one is not None]

        assert winners == [store.load("s")]

    def test_a_new_session_does_not_overwrite_one_of_the_same_id(self, store: SessionStore) -> None:
        saved = store.save(session())

        with pytest.raises(SessionConflictError, match="别处"):
            store.save(rich())

        assert store.load("s") == saved

    def test_a_deleted_session_is_not_saved_again(self, store: SessionStore) -> None:
        saved = store.save(rich())
        store.delete("s")

        with pytest.raises(SessionConflictError, match="删除"):
            store.save(saved)

        assert store.summaries() == ()

    def test_an_unknown_session_is_named(self, store: SessionStore) -> None:
        with pytest.raises(NotFoundError, match="'nobody'"):
            store.load("nobody")
        with pytest.raises(NotFoundError, match="'nobody'"):
            store.delete("nobody")

    def test_a_deleted_session_takes_its_turns_along(self, store: SessionStore) -> None:
        store.save(rich())
        kept = store.save(session("other", (turn(),)))

        store.delete("s")

        with pytest.raises(NotFoundError):
            store.load("s")
        assert store.load("other") == kept
        store.save(session())
        assert store.load("s").turns == ()

    def test_nobody_sees_or_changes_the_sessions_of_another_owner(
        self, store: SessionStore, reopen: Opener
    ) -> None:
        other = reopen("somebody")
        saved = store.save(rich())

        assert other.summaries() == ()
        with pytest.raises(NotFoundError):
            other.load("s")
        with pytest.raises(NotFoundError):
            other.delete("s")
        with pytest.raises(SessionConflictError):
            other.save(saved)
        with pytest.raises(SessionConflictError):
            other.save(session())
        assert store.load("s") == saved

    def test_the_latest_sessions_come_first(self, store: SessionStore) -> None:
        for day in (2, 4, 1, 3):
            store.save(session(f"day-{day}", begun_at=NOON + timedelta(days=day)))

        assert [one.id for one in store.summaries()] == ["day-4", "day-3", "day-2", "day-1"]
        assert [one.id for one in store.summaries(2)] == ["day-4", "day-3"]

    def test_a_summary_counts_what_was_answered(self, store: SessionStore) -> None:
        store.save(rich().model_copy(update={"finished_at": NOON}))

        (summary,) = store.summaries()

        assert (summary.bank_id, summary.begun_at, summary.finished_at) == ("vllm", NOON, NOON)
        assert summary.questions == 3
        assert summary.answered == 3  # neither the skipped turn nor the open one

    def test_the_mean_is_of_graded_main_answers_only(self, store: SessionStore) -> None:
        turns = (
            turn(graded(80)),
            turn(graded(5), id="s-2", follow_up_id="f1"),
            turn(graded(41), id="s-3"),
            turn(UNGRADED, id="s-4"),
        )

        store.save(session(turns=turns))

        assert store.summaries()[0].mean_score == 60.5

    @pytest.mark.parametrize(
        ("outcomes", "mean", "judge"),
        [
            pytest.param((), None, None, id="nothing answered"),
            pytest.param((UNGRADED,), None, None, id="nothing graded"),
            pytest.param((graded(0), UNGRADED), 0, "offline", id="one kind"),
            pytest.param((graded(1), graded(2, "llm")), 1.5, "mixed", id="two kinds"),
        ],
    )
    def test_a_summary_says_who_judged(
        self,
        store: SessionStore,
        outcomes: tuple[Grade | Ungraded, ...],
        mean: float | None,
        judge: str | None,
    ) -> None:
        turns = tuple(turn(one, id=f"s-{at}") for at, one in enumerate(outcomes))

        store.save(session(turns=turns))

        (summary,) = store.summaries()
        assert (summary.mean_score, summary.judge) == (mean, judge)

    def test_the_number_of_sessions_does_not_change_the_number_of_statements(
        self, store: SessionStore, statements: list[str]
    ) -> None:
        for number in range(40):
            store.save(session(f"s{number}", (turn(graded()), turn(id="s-2"))))
        statements.clear()

        assert len(store.summaries()) == 40
        assert len(statements) == 1

        store.load("s7")

        assert len(statements) == 2

    def test_opening_again_keeps_everything(self, store: SessionStore, reopen: Opener) -> None:
        saved = store.save(rich())

        assert reopen().load("s") == saved

    def test_the_migrations_make_the_tables_that_the_store_uses(self, reopen: Opener) -> None:
        from alembic.autogenerate import compare_metadata
        from alembic.migration import MigrationContext

        engine = reopen()._engine

        with engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, METADATA) == []


class TestMigrations:
    def test_the_known_head_is_alembics(self) -> None:
        from alembic.config import Config
        from alembic.script import ScriptDirectory

        config = Config()
        config.set_main_option("script_location", "bot.adapters:migrations")

        assert ScriptDirectory.from_config(config).get_current_head() == migrations.HEAD

    def test_alembic_is_imported_only_when_tables_are_missing(self, file: Path) -> None:
        script = (
            "import sys; from bot.adapters.sql_store import open_store;"
            "open_store(sys.argv[1]).close(); print('alembic' in sys.modules)"
        )

        outputs = [run(script, file).stdout.split() for _ in range(2)]

        assert outputs == [["True"], ["False"]]

    def test_migrating_is_silent(
        self, file: Path, opener: Opener, capfd: pytest.CaptureFixture[str]
    ) -> None:
        before = list(logging.root.handlers), logging.root.level

        opener(file)

        assert capfd.readouterr() == ("", "")
        assert (list(logging.root.handlers), logging.root.level) == before

    def test_tables_of_a_newer_version_are_left_alone(self, file: Path, opener: Opener) -> None:
        opener(file)
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.close()

        with pytest.raises(StoreError, match="更新版本的 mockbot"):
            opener(file)

    def test_processes_that_start_together_all_find_their_tables(self, file: Path) -> None:
        script = (
            "import sys; from alembic import command; from bot.adapters.sql_store import open_store;"
            "print('ready', flush=True); sys.stdin.readline();"
            "open_store(sys.argv[1]).close(); print('opened')"
        )
        processes = [start(script, file) for _ in range(3)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"

        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()

        assert [process.communicate(timeout=60) for process in processes] == [("opened\n", "")] * 3


class TestSqliteFile:
    def test_a_kill_right_after_saving_loses_nothing(self, file: Path, opener: Opener) -> None:
        script = (
            "import os, sys; from bot.adapters.sql_store import open_store;"
            "from bot.domain.session import Session;"
            "store = open_store(sys.argv[1]);"
            "store.save(Session.model_validate_json(sys.stdin.read()));"
            f"os.kill(os.getpid(), {int(signal.SIGTERM if os.name == 'nt' else signal.SIGKILL)})"
        )

        done = run(script, file, rich().model_dump_json(), check=False)

        assert (done.returncode != 0, done.stderr) == (True, "")
        assert opener(file).load("s") == rich().model_copy(update={"revision": 1})

    def test_every_connection_is_made_durable(self, file: Path, opener: Opener) -> None:
        with opener(file)._engine.connect() as connection:
            found = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }

        assert found == {
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
            "busy_timeout": 10_000,
        }

    def test_reading_goes_on_while_another_process_writes(
        self, file: Path, opener: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sql_engine, "BUSY_SECONDS", 0.05)
        store = opener(file)
        saved = store.save(session())
        writer = sqlite3.connect(file, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")

        assert opener(file).load("s") == saved
        with pytest.raises(StoreError, match="正被另一个程序占用"):
            store.save(saved)

        writer.close()
        store.save(saved)

    @pytest.mark.parametrize(
        "content", [pytest.param(b"hello", id="short"), pytest.param(b"hello" * 2000, id="long")]
    )
    def test_a_file_that_is_no_database_is_named_and_kept(
        self, tmp_path: Path, opener: Opener, content: bytes
    ) -> None:
        file = tmp_path / "note.txt"
        file.write_bytes(content)

        with pytest.raises(StoreError, match=r"'.*note\.txt' 已损坏或不是 SQLite 数据库；"):
            opener(file)

        assert file.read_bytes() == content

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path: Path, opener: Opener) -> None:
        (tmp_path / "file").touch()

        with pytest.raises(StoreError, match=r"无法建立数据库 '.*a\.db' 所在的文件夹"):
            opener(tmp_path / "file" / "folder" / "a.db")

    def test_an_unwritable_folder_is_named(self, foreign: Path, opener: Opener) -> None:
        with pytest.raises(StoreError, match=r"无法建立数据库 '.*a\.db' 所在的文件夹"):
            opener(foreign / "folder" / "a.db")
        with pytest.raises(StoreError, match=r"打不开数据库 '.*a\.db' ；"):
            opener(foreign / "a.db")

    def test_a_read_only_database_can_be_read(self, file: Path, opener: Opener) -> None:
        saved = opener(file).save(session())

        store = opener(f"sqlite:///file:{file}?mode=ro&uri=true".replace("%", "%25"))

        assert store.load("s") == saved
        with pytest.raises(StoreError, match="是只读的，无法写入；"):
            store.save(saved)

    def test_a_read_only_file_is_named(self, foreign: Path, opener: Opener) -> None:
        with pytest.raises(StoreError, match=r"数据库 '.*old\.db' "):
            opener(foreign / "old.db").save(session("new"))

    def test_a_full_disk_changes_nothing_and_tells_no_secrets(
        self, file: Path, opener: Opener
    ) -> None:
        store = opener(file)
        saved = store.save(session())
        event.listen(
            store._engine, "checkout", lambda raw, *_: raw.execute("PRAGMA max_page_count=8")
        )

        with pytest.raises(StoreError, match="磁盘已满") as caught:
            store.save(saved.model_copy(update={"turns": rich().turns}))

        told = "".join(traceback.format_exception(caught.value))
        assert "长长" not in told
        assert "INSERT" not in told
        assert opener(file).load("s") == saved

    def test_a_record_that_does_not_fit_is_an_error_and_tells_no_secrets(
        self, file: Path, opener: Opener
    ) -> None:
        store = opener(file)
        store.save(rich())
        with sqlite3.connect(file) as connection:
            connection.execute("""UPDATE turns SET answer = '{"text": "秘密"}'""")
        connection.close()

        with pytest.raises(StoreError, match="读不出来") as caught:
            store.load("s")

        assert "秘密" not in "".join(traceback.format_exception(caught.value))


class TestUrl:
    @pytest.mark.parametrize(
        "url",
        [
            pytest.param("sessions.db", id="a path"),
            pytest.param("", id="empty"),
            pytest.param("nosuch://u:geheim@host/base", id="an unknown database"),
            pytest.param("postgresql+psycopg://u:geheim@host:port/base", id="a wrong port"),
        ],
    )
    def test_a_wrong_url_says_how_to_write_one(self, url: str) -> None:
        with pytest.raises(StoreError, match="sqlite:///") as caught:
            SqlStore(url)

        assert "geheim" not in "".join(traceback.format_exception(caught.value))

    def test_a_missing_driver_is_named(self) -> None:
        with pytest.raises(StoreError, match="'pymysql'"):
            SqlStore("mysql+pymysql://host/base")

    def test_a_server_that_does_not_answer_is_named(self) -> None:
        pytest.importorskip("psycopg")
        password = "geheim"

        with pytest.raises(StoreError, match=r"连不上数据库 'base'（127\.0\.0\.1）；") as caught:
            open_store(f"postgresql+psycopg://u:{password}@127.0.0.1:1/base")

        assert password not in "".join(traceback.format_exception(caught.value))

    def test_making_a_store_touches_no_file(self, file: Path) -> None:
        SqlStore(f"sqlite:///{file}").close()

        assert not file.parent.exists()


def run(
    script: str, file: Path, text: str = "", *, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run Python code with the file's URL as its argument."""
    return subprocess.run(
        [sys.executable, "-c", script, f"sqlite:///{file}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "1"},
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=check,
        timeout=60,
    )


def start(script: str, file: Path) -> subprocess.Popen[str]:
    """Start Python code that talks through its standard streams."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", script, f"sqlite:///{file}"],
        cwd=ROOT,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        encoding="utf-8",
    )
