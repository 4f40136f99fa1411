"""Bad days, each with the real part: one sentence, nothing answered is lost, and it goes on after."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.adapters import chroma_index, sql_engine
from bot.adapters.chroma_index import ChromaIndex
from bot.bootstrap import Services
from bot.domain.claims import Claims
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.session import Session
from bot.errors import IndexUnavailableError, SessionConflictError, SessionStateError, StoreError
from bot.offline.interviewer import OfflineInterviewer
from bot.services.interviewing import Interviews
from bot.settings import Settings
from tests.benchmarks.made_up import StandIn
from tests.conftest import ROOT, SMALL_BANK
from tests.contract import quirk_server
from tests.contract.quirk_server import Answer, Quirk, QuirkServer, Seen, failing, judges, refusal
from tests.fakes import CannedJudge

pytestmark = pytest.mark.contract

ANSWER = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"

Make = Callable[..., Services]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes the product over the small bank, in a folder that the test may break."""
    made: list[Services] = []

    def make_one(**changes: Any) -> Services:
        fields: dict[str, Any] = {
            "data_dir": tmp_path / "data",
            "corpus_dir": Path(SMALL_BANK["BOT_CORPUS_DIR"]),
            "bank": SMALL_BANK["BOT_BANK"],
        }
        made.append(Services(Settings(_env_file=None, **(fields | changes))))
        return made[-1]

    yield make_one
    for one in made:
        if "chat" in one.models.__dict__:
            one.models.chat.close()  # type: ignore[attr-defined]
        if "store" in one.__dict__:
            one.store.close()


def one_sentence(error: Exception | str) -> str:
    """Return what is told, having seen that a person can read it."""
    said = str(error)
    assert said.endswith("。")
    assert "\n" not in said
    assert "Traceback" not in said
    assert len(said) < 300
    return said


def texts(session: Session) -> list[str]:
    return [turn.answer.text for turn in session.turns if turn.answer is not None]


class Moody:
    """A model of the quirk server whose mood a test changes."""

    def __init__(self) -> None:
        self.quirk: Quirk = judges(0.97)
        self._since = 0

    def __call__(self, seen: Seen, number: int) -> Answer:
        return self.quirk(seen, number - self._since)

    def becomes(self, quirk: Quirk, server: QuirkServer) -> None:
        """Answer so from now on; the quirk counts its requests from 1."""
        self._since = len(server.of("moody"))
        self.quirk = quirk


def slow(_seen: Seen, _number: int) -> Answer:
    return Answer(delay=0.4, body={})


def revoked(_seen: Seen, _number: int) -> Answer:
    return refusal("Incorrect API key provided", 401, "invalid_api_key")


def flapping(seen: Seen, number: int) -> Answer:
    return refusal("upstream error", 503) if number % 2 else judges(0.97)(seen, number)


class TestEndpoint:
    @pytest.fixture
    def server(self) -> Iterator[QuirkServer]:
        running = QuirkServer()
        yield running
        running.close()
        gc.collect()  # an open connection would warn

    @pytest.fixture
    def moody(self, monkeypatch: pytest.MonkeyPatch) -> Moody:
        found = Moody()
        monkeypatch.setitem(quirk_server.QUIRKS, "moody", found)
        return found

    @pytest.fixture
    def services(
        self, make: Make, server: QuirkServer, moody: Moody, monkeypatch: pytest.MonkeyPatch
    ) -> Services:
        services = make(
            model="moody",
            openai_base_url=server.url,
            openai_api_key=SecretStr("sk-canary-key-4Hq"),
            judge_exam="override",
            model_timeout=0.2,
        )
        monkeypatch.setattr(services.models.chat, "_sleep", lambda _seconds: None)
        return services

    @pytest.mark.parametrize(
        ("fault", "says"),
        [
            pytest.param(failing(99, 503), "HTTP 503", id="down"),
            pytest.param(slow, "BOT_MODEL_TIMEOUT", id="slow"),
            pytest.param(revoked, "OPENAI_API_KEY", id="wrong key"),
        ],
    )
    def test_a_fault_in_the_middle_leaves_the_answer_ungraded_and_the_interview_goes_on(
        self, services: Services, moody: Moody, server: QuirkServer, fault: Quirk, says: str
    ) -> None:
        interviews = services.interviews
        session = interviews.begin_with(("S01", "S02"), follow_ups=0)
        session = interviews.go_on(interviews.grade_waiting(interviews.answer(session, ANSWER)))
        assert isinstance(session.turns[0].outcome, Grade)

        moody.becomes(fault, server)
        session = interviews.go_on(interviews.grade_waiting(interviews.answer(session, ANSWER)))

        ungraded = session.turns[1].outcome
        assert isinstance(ungraded, Ungraded)
        assert ungraded.reason is UngradedReason.JUDGE_UNAVAILABLE
        assert says in one_sentence(ungraded.message)
        assert "canary" not in ungraded.message
        assert session.is_finished
        assert texts(services.store.load(session.id)) == [ANSWER, ANSWER]
        assert services.report(session).score is not None

        moody.becomes(judges(0.97), server)
        session = interviews.regrade(session, session.turns[1].id)

        graded = session.turns[1].grade
        assert graded is not None
        assert graded.provenance.judge == "llm"
        assert services.store.load(session.id) == session

    def test_a_fault_while_asking_is_not_noticed_for_the_bank_has_words_of_its_own(
        self, services: Services, moody: Moody, server: QuirkServer
    ) -> None:
        moody.becomes(revoked, server)

        session = services.interviews.begin_with(("S01",), follow_ups=0)

        assert services.bank.find("S01").stem in session.turns[0].says

    def test_an_endpoint_that_flaps_grades_every_answer(
        self, services: Services, moody: Moody, server: QuirkServer
    ) -> None:
        moody.becomes(flapping, server)
        interviews = services.interviews
        session = interviews.begin_with(("S01", "S02", "S03"), follow_ups=0)

        while not session.is_finished:
            session = interviews.go_on(interviews.grade_waiting(interviews.answer(session, ANSWER)))

        assert [turn.grade is not None for turn in session.turns] == [True] * 3
        assert {turn.grade.provenance.judge for turn in session.turns if turn.grade} == {"llm"}


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
connection.close()
"""


@contextmanager
def held(database: Path) -> Iterator[Callable[[], None]]:
    """Let another process hold the database until it is told to let go."""
    command = [sys.executable, "-c", HOLDER, str(database)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        stdin = process.stdin

        def let_go() -> None:
            if not stdin.closed:
                stdin.close()

        yield let_go
        let_go()
        process.wait()


class TestLockedDatabase:
    def test_an_answer_waits_for_another_program_and_is_stored(self, make: Make) -> None:
        services = make()
        session = services.interviews.begin_with(("S01",), follow_ups=0)

        with held(services.settings.data_dir / "sessions.db") as let_go:
            begun = time.monotonic()
            timer = threading.Timer(0.3, let_go)
            timer.start()
            answered = services.interviews.answer(session, ANSWER)
            waited = time.monotonic() - begun
            timer.join()

        assert waited >= 0.3
        assert texts(services.store.load(session.id)) == [ANSWER]
        assert services.interviews.grade_waiting(answered).turns[0].grade is not None

    def test_a_program_that_does_not_let_go_is_named_and_nothing_is_half_stored(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sql_engine, "BUSY_SECONDS", 0.1)
        services = make()
        interviews = services.interviews
        session = interviews.begin_with(("S01",), follow_ups=0)

        with held(services.settings.data_dir / "sessions.db"):
            with pytest.raises(StoreError, match="正被另一个程序占用") as caught:
                interviews.answer(session, ANSWER)
            assert services.store.load(session.id) == session

        one_sentence(caught.value)
        graded = interviews.grade_waiting(interviews.answer(session, ANSWER))
        assert services.store.load(session.id) == graded

    def test_a_hundred_writers_of_one_process_all_get_their_turn(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # So short that SQLite's own waiting would turn most of them away.
        monkeypatch.setattr(sql_engine, "BUSY_SECONDS", 0.02)
        services = make()
        begun = [services.interviews.begin_with(("S01",), follow_ups=0) for _ in range(100)]

        with ThreadPoolExecutor(100) as threads:
            stored = list(threads.map(lambda one: services.interviews.answer(one, one.id), begun))

        assert [texts(services.store.load(one.id)) for one in stored] == [[one.id] for one in begun]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.name == "nt" or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine does not let root mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Fill the disk to the last byte."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError:
            return filler


class TestDisk:
    def test_a_full_disk_is_said_and_the_answer_is_taken_once_there_is_room(
        self, make: Make, small_disk: Path
    ) -> None:
        services = make(data_dir=small_disk)
        interviews = services.interviews
        session = interviews.begin_with(("S01", "S02"), follow_ups=0)
        session = interviews.go_on(interviews.grade_waiting(interviews.answer(session, ANSWER)))
        long = ANSWER * 400

        filler = fill(small_disk)
        with pytest.raises(StoreError, match="磁盘已满") as caught:
            interviews.answer(session, long)

        assert ANSWER not in one_sentence(caught.value)
        assert services.store.load(session.id) == session
        with services.store._engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        filler.unlink()
        answered = interviews.answer(session, long)
        assert texts(services.store.load(session.id)) == [ANSWER, long]
        assert interviews.grade_waiting(answered).turns[1].grade is not None

    def test_a_full_disk_is_said_when_the_database_is_made(
        self, make: Make, small_disk: Path
    ) -> None:
        services = make(data_dir=small_disk / "data")
        filler = fill(small_disk)

        with pytest.raises(StoreError) as caught:
            _ = services.store

        assert "sessions.db" in one_sentence(caught.value)
        filler.unlink()
        assert services.store.summaries() == ()

    def test_a_disk_that_became_read_only_is_said_and_nothing_is_lost(
        self, make: Make, small_disk: Path
    ) -> None:
        first = make(data_dir=small_disk)
        session = first.interviews.begin_with(("S01",), follow_ups=0)
        first.store.close()
        self._remount(small_disk, "ro")
        second = make(data_dir=small_disk)

        with pytest.raises(StoreError) as caught:
            second.interviews.answer(second.store.load(session.id), ANSWER)

        assert "sessions.db" in one_sentence(caught.value)
        self._remount(small_disk, "rw")
        third = make(data_dir=small_disk)
        answered = third.interviews.answer(third.store.load(session.id), ANSWER)
        assert texts(third.store.load(answered.id)) == [ANSWER]

    def _remount(self, folder: Path, how: str) -> None:
        gc.collect()  # a file that is still open for writing would forbid it
        subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def over_half(file: Path) -> None:
    """Write noise over the middle of a file."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(size // 3)
        opened.write(b"\xa5" * (size // 3))


def cut_off(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with an index."""
    folder = tmp_path_factory.mktemp("whole")
    with_index(folder).retrieval.refresh()
    return folder


class TestIndex:
    """The same index, broken in one way after another; each is a folder of its own."""

    @pytest.mark.parametrize(
        "damage",
        [
            pytest.param(over_half, id="noise in the middle"),
            pytest.param(lambda file: file.write_bytes(b"x" * 9000), id="another file"),
            pytest.param(cut_off, id="cut off"),
        ],
    )
    def test_a_damaged_index_is_one_sentence_and_the_search_goes_on_by_words(
        self, tmp_path: Path, whole: Path, damage: Callable[[Path], None]
    ) -> None:
        shutil.copytree(whole, tmp_path / "data")
        damage(tmp_path / "data" / "chroma" / "chroma.sqlite3")
        services = with_index(tmp_path / "data")

        found = services.retrieval.search("键值缓存")

        assert found
        assert not any(one.by_meaning for one in found)
        with pytest.raises(IndexUnavailableError) as caught:
            services.retrieval.reference_of("S01")
        said = one_sentence(caught.value)
        assert str(tmp_path / "data" / "chroma") in said
        assert "mockbot index" in said
        session = services.interviews.begin_with(("S01",), follow_ups=0)
        session = services.interviews.grade_waiting(services.interviews.answer(session, ANSWER))
        assert session.turns[0].grade is not None
        services.store.close()

    @pytest.mark.parametrize("lost", ["chroma.sqlite3", "vectors"])
    def test_files_that_are_gone_are_made_again_by_a_refresh(
        self, tmp_path: Path, whole: Path, lost: str
    ) -> None:
        shutil.copytree(whole, tmp_path / "data")
        chroma = tmp_path / "data" / "chroma"
        if lost == "vectors":
            for folder in [one for one in chroma.iterdir() if one.is_dir()]:
                shutil.rmtree(folder)
        else:
            (chroma / lost).unlink()
        services = with_index(tmp_path / "data")
        assert services.retrieval.search("键值缓存")

        services.retrieval.refresh()

        assert services.retrieval.is_current()
        assert all(one.by_meaning for one in services.retrieval.search("键值缓存"))

    def test_an_index_of_another_embedding_is_left_alone_and_a_new_one_is_made_beside_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as earlier:
            earlier.setattr(chroma_index, "EMBEDDING_ID", "another-model")
            earlier.setattr(chroma_index, "DIMENSION", 8)
            with_index(tmp_path / "data", Short()).retrieval.refresh()
        services = with_index(tmp_path / "data")

        assert not services.retrieval.is_current()
        assert not any(one.by_meaning for one in services.retrieval.search("键值缓存"))

        report = services.retrieval.refresh()

        assert report.embedded > 0
        assert all(one.by_meaning for one in services.retrieval.search("键值缓存"))

    def test_vectors_of_another_length_under_the_same_name_are_one_sentence(
        self, tmp_path: Path
    ) -> None:
        with_index(tmp_path / "data", Short()).retrieval.refresh()
        services = with_index(tmp_path / "data")

        found = services.retrieval.search("键值缓存")

        assert found
        assert not any(one.by_meaning for one in found)
        with pytest.raises(IndexUnavailableError) as caught:
            services.retrieval.related("S01", "键值缓存")
        one_sentence(caught.value)

    @pytest.mark.slow
    def test_the_rebuild_that_is_advised_works(self, tmp_path: Path, whole: Path) -> None:
        shutil.copytree(whole, tmp_path / "data")
        over_half(tmp_path / "data" / "chroma" / "chroma.sqlite3")

        shutil.rmtree(tmp_path / "data" / "chroma")
        environment = os.environ | SMALL_BANK | {"BOT_DATA_DIR": str(tmp_path / "data")}
        command = [sys.executable, "-m", "bot.cli.main"]
        if (mockbot := Path(sys.executable).with_name("mockbot")).exists():
            command = [str(mockbot)]
        for act, says in ((["index"], "新计算"), (["search", "键值缓存"], "S0")):
            done = subprocess.run(
                [*command, *act], env=environment, cwd=ROOT, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            assert says in done.stdout


class Short:
    """Vectors of eight numbers."""

    computed = reused = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.computed += len(texts)
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(len(text) % (at + 2)) + 1.0 for at in range(8)]


def with_index(data_dir: Path, embeddings: StandIn | Short | None = None) -> Services:
    """Return the product over the small bank, whose index has cheap vectors."""
    services = Services(
        Settings(
            _env_file=None,
            data_dir=data_dir,
            corpus_dir=Path(SMALL_BANK["BOT_CORPUS_DIR"]),
            bank=SMALL_BANK["BOT_BANK"],
        )
    )
    services.parts.__dict__["index"] = ChromaIndex(data_dir / "chroma", embeddings or StandIn())
    return services


class TestTwoTabs:
    @pytest.fixture
    def judge(self) -> CannedJudge:
        return CannedJudge(Claims())

    @pytest.fixture
    def interviews(self, make: Make, judge: CannedJudge) -> Interviews:
        services = make()
        return Interviews(
            bank=services.bank,
            grader=services.grader_with(judge),
            store=services.store,
            interviewer=OfflineInterviewer(),
            clock=services.clock,
        )

    def test_of_a_double_submit_one_answer_is_stored_and_graded_once(
        self, interviews: Interviews, judge: CannedJudge
    ) -> None:
        session = interviews.begin_with(("S01", "S02"), follow_ups=0)

        def send(text: str) -> Session | SessionConflictError:
            try:
                return interviews.answer(session, text)
            except SessionConflictError as error:
                return error

        with ThreadPoolExecutor(8) as tabs:
            came = list(tabs.map(send, [ANSWER] * 8))

        stored = [one for one in came if isinstance(one, Session)]
        assert len(stored) == 1
        after = interviews.go_on(interviews.grade_waiting(stored[0]))
        assert texts(after) == [ANSWER]
        assert len(judge.asked) == 1
        assert all(
            "刷新" in one_sentence(one) for one in came if isinstance(one, SessionConflictError)
        )

    def test_an_old_tab_neither_overwrites_nor_answers_the_next_question(
        self, interviews: Interviews, judge: CannedJudge
    ) -> None:
        old = interviews.begin_with(("S01", "S02"), follow_ups=0)
        new = interviews.go_on(interviews.grade_waiting(interviews.answer(old, ANSWER)))

        for step in (
            lambda: interviews.answer(old, "旧标签页里的话。"),
            lambda: interviews.skip(old),
            lambda: interviews.dont_know(old),
            lambda: interviews.finish(old),
        ):
            with pytest.raises(SessionConflictError):
                step()

        assert interviews._store.load(old.id) == new
        done = interviews.go_on(interviews.grade_waiting(interviews.answer(new, ANSWER)))
        assert done.is_finished
        assert texts(done) == [ANSWER, ANSWER]
        assert len(judge.asked) == 2
        with pytest.raises(SessionStateError):
            interviews.answer(done, ANSWER)
