"""Search by words, with the real segmenter and the real BM25."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.adapters.bm25 import Bm25
from bot.adapters.words import TermWords, words
from bot.domain.passage import Entry, Part, Passage
from bot.domain.question import Term

pytestmark = pytest.mark.contract

TEXTS = (
    "显存里放着模型权重和键值缓存，上下文越长缓存越大",
    "分块预填充把长的 prompt 切成小块，和解码一起进一个批",
    "PagedAttention 用块表管理 KV cache，减少显存碎片",
    "张量并行的每层都有 all-reduce，跨机时通信变慢",
    "TTFT 看首个 token，TPOT 看之后每个 token 的间隔",
)


def entry(question_id: str, *texts: str, topics: str = "", more: str = "") -> Entry:
    """Return a question with a passage a text."""
    return Entry(
        question_id=question_id,
        passages=tuple(
            Passage(
                id=f"b/{question_id}/{part.value}",
                bank_id="b",
                question_id=question_id,
                part=part,
                text=text,
            )
            for part, text in zip(Part, texts, strict=False)
        ),
        topics=topics,
        more=more,
    )


ENTRIES = tuple(entry(f"Q{n}", text) for n, text in enumerate(TEXTS, start=1))


@pytest.fixture(scope="module")
def search() -> Bm25:
    return Bm25(ENTRIES)


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
    assert first(Bm25(ENTRIES[:1]), "权重") == "Q1"


def test_a_bank_without_passages_finds_nothing() -> None:
    assert Bm25(()).search("权重", 5) == ()


def test_passages_without_a_word_do_no_harm() -> None:
    empty = entry("Q1", "……")

    assert Bm25((empty,)).search("权重", 5) == ()
    assert first(Bm25((empty, ENTRIES[1])), "解码") == "Q2"
    assert first(Bm25((ENTRIES[1], empty)), "解码") == "Q2"


class TestScores:
    def test_the_best_scores_1_and_the_others_less(self, search: Bm25) -> None:
        scores = [hit.score for hit in search.search("显存 缓存 碎片", 5)]

        assert scores[0] == 1
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score < 1 for score in scores[1:])

    def test_words_that_stand_together_count_more(self) -> None:
        apart = entry("Q1", "显存不够", "网络通信", "碎片很多")
        together = entry("Q2", "显存碎片", "网络通信", "不够很多")

        assert first(Bm25((apart, together)), "显存碎片") == "Q2"

    def test_words_of_several_passages_add_up(self) -> None:
        one = entry("Q1", "显存不够", "今天天气")
        both = entry("Q2", "显存不够", "碎片很多")

        assert first(Bm25((one, both)), "显存 碎片") == "Q2"

    def test_the_passage_that_shares_most_is_shown(self) -> None:
        search = Bm25((*ENTRIES, entry("Q6", "网络通信", "键值缓存的碎片", "今天天气")))

        shown = {hit.question_id: hit.passage.text for hit in search.search("键值碎片", 5)}

        assert shown["Q6"] == "键值缓存的碎片"

    def test_equals_come_in_the_order_of_the_bank(self) -> None:
        same = [entry(name, "显存碎片") for name in ("Q2", "Q1", "Q3")]

        found = Bm25((*same, *ENTRIES)).search("碎片", 3)

        assert [hit.question_id for hit in found] == ["Q2", "Q1", "Q3"]

    @pytest.mark.parametrize("limit", [0, 1, 3, 5, 50])
    def test_the_first_of_many_are_those_of_all(self, search: Bm25, limit: int) -> None:
        whole = search.search("显存 缓存 prompt token 通信", 5)

        assert search.search("显存 缓存 prompt token 通信", limit) == whole[:limit]


class TestMore:
    def test_a_question_is_found_by_its_topics_and_shows_a_text(self) -> None:
        search = Bm25((*ENTRIES, entry("Q6", "发给谁", topics="负载均衡")))

        (hit,) = search.search("负载均衡", 5)

        assert (hit.question_id, hit.passage.text) == ("Q6", "发给谁")

    def test_a_question_is_found_by_what_people_do_not_read(self) -> None:
        search = Bm25((*ENTRIES, entry("Q6", "发给谁", more="爆显存。溢出")))

        assert first(search, "溢出") == "Q6"


class TestTermWords:
    TERMS = (
        Term(id="tp", says="TP", spellings=("TP", "张量并行", "tensor parallel")),
        Term(id="kv", says="KV", spellings=("KV", "键值"), slips=("可微",)),
        Term(id="limit", says="受限", spellings=("(吃|受)~算力",)),
    )

    @pytest.mark.parametrize(
        ("text", "named"),
        [
            pytest.param("张量并行", ["{tp}"], id="chinese"),
            pytest.param("开 TP 以后", ["{tp}"], id="abbreviation"),
            pytest.param("tensor parallel 的 kv", ["{tp}", "{kv}"], id="english"),
            pytest.param("張量並行", ["{tp}"], id="traditional"),
            pytest.param("two TPs", ["{tp}"], id="plural"),
            pytest.param("http TPOT kvs8", ["{kv}"], id="inside-another-word"),
            pytest.param("tpu", [], id="goes-on"),
            pytest.param("键值与键值", ["{kv}", "{kv}"], id="twice"),
            pytest.param("可微", [], id="misheard"),
            pytest.param("吃算力", [], id="a-pattern-names-nothing"),
            pytest.param("", [], id="empty"),
        ],
    )
    def test_a_text_names_terms_by_any_spelling(self, text: str, named: list[str]) -> None:
        found = TermWords(self.TERMS)(text)

        assert [word for word in found if word.startswith("{")] == named
        assert found[: len(found) - len(named)] == words(text)

    def test_a_term_is_found_by_another_spelling(self) -> None:
        search = Bm25((entry("Q1", "开 TP=8 会怎样"), ENTRIES[0]), TermWords(self.TERMS))

        assert first(search, "tensor parallel") == "Q1"


def test_many_may_search_at_once() -> None:
    search = Bm25(ENTRIES)
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
