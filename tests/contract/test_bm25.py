"""Search by words, with the real segmenter and the real BM25."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.adapters.bm25 import Bm25
from bot.adapters.words import words
from bot.domain.passage import Part, Passage

pytestmark = pytest.mark.contract

TEXTS = (
    "显存里放着模型权重和键值缓存，上下文越长缓存越大",
    "分块预填充把长的 prompt 切成小块，和解码一起进一个批",
    "PagedAttention 用块表管理 KV cache，减少显存碎片",
    "张量并行的每层都有 all-reduce，跨机时通信变慢",
    "TTFT 看首个 token，TPOT 看之后每个 token 的间隔",
)
PASSAGES = tuple(
    Passage(id=f"b/Q{n}/stem", bank_id="b", question_id=f"Q{n}", part=Part.STEM, text=text)
    for n, text in enumerate(TEXTS, start=1)
)


@pytest.fixture(scope="module")
def search() -> Bm25:
    return Bm25(PASSAGES)


def first(search: Bm25, text: str) -> str:
    """Return the question that a search puts first."""
    return search.search(text, 5)[0].question_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("显存碎片", "Q3", id="chinese"),
        pytest.param("跨机通信为什么慢", "Q4", id="a-question"),
        pytest.param("TTFT", "Q5", id="abbreviation"),
        pytest.param("ttft", "Q5", id="in-small-letters"),
        pytest.param("ＴＴＦＴ", "Q5", id="full-width"),
        pytest.param("KV cache", "Q3", id="english-words"),
        pytest.param("PagedAttention", "Q3", id="name"),
        pytest.param("kv cache 的块表", "Q3", id="mixed"),
        pytest.param("張量並行的通信", "Q4", id="traditional"),
        pytest.param("顯存裡的權重", "Q1", id="traditional-variants"),
        pytest.param("显存，权重！", "Q1", id="punctuation"),
        pytest.param("**张量并行**", "Q4", id="markdown"),
        pytest.param("张\u200b量\u200b并\u200b行", "Q4", id="zero-width"),
    ],
)
def test_the_passage_with_the_words_comes_first(search: Bm25, text: str, expected: str) -> None:
    assert first(search, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t", id="space"),
        pytest.param("？！，。", id="punctuation"),
        pytest.param("🙂🙂", id="emoji"),
        pytest.param("的了是和与在", id="stop-words"),
        pytest.param("请你说一下这是什么", id="politeness"),
    ],
)
def test_a_text_without_a_word_finds_nothing(search: Bm25, text: str) -> None:
    assert search.search(text, 5) == ()


@pytest.mark.parametrize("text", ["量子纠缠", "quantum", "饺子馅 recipe"])
def test_unknown_words_find_nothing(search: Bm25, text: str) -> None:
    assert search.search(text, 5) == ()


def test_unknown_words_do_not_disturb_known_ones(search: Bm25) -> None:
    assert first(search, "饺子 张量并行") == "Q4"


def test_only_passages_that_share_a_word_are_found(search: Bm25) -> None:
    found = search.search("TPOT", 5)

    assert [one.question_id for one in found] == ["Q5"]


def test_there_are_no_more_results_than_asked_for(search: Bm25) -> None:
    assert len(search.search("显存", 1)) == 1
    assert len(search.search("显存 token prompt 通信", 2)) == 2


def test_the_same_text_finds_the_same_in_the_same_order(search: Bm25) -> None:
    assert search.search("显存 缓存 token", 5) == search.search("显存 缓存 token", 5)


def test_a_bank_of_one_passage_can_be_searched() -> None:
    assert first(Bm25(PASSAGES[:1]), "权重") == "Q1"


def test_a_bank_without_passages_finds_nothing() -> None:
    assert Bm25(()).search("权重", 5) == ()


def test_passages_without_a_word_do_no_harm() -> None:
    empty = PASSAGES[0].model_copy(update={"text": "……"})

    assert Bm25((empty,)).search("权重", 5) == ()
    assert first(Bm25((empty, PASSAGES[1])), "解码") == "Q2"


def test_many_may_search_at_once() -> None:
    search = Bm25(PASSAGES)
    asked = ["显存碎片", "跨机通信", "TTFT"] * 10

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: first(search, text), asked))

    assert found == ["Q3", "Q4", "Q5"] * 10


def test_a_long_text_is_searched_too(search: Bm25) -> None:
    assert search.search("张量并行的通信" * 3000, 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("键值缓存", {"键值", "缓存"}, id="chinese"),
        pytest.param("用 KV cache", {"用", "kv", "cache"}, id="english"),
        pytest.param("權重", {"权重"}, id="traditional"),
        pytest.param("", set(), id="empty"),
    ],
)
def test_words_are_folded_and_cut(text: str, expected: set[str]) -> None:
    assert expected <= set(words(text))
    assert "" not in words(text)
