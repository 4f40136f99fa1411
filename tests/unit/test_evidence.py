"""A judge's words are looked up in the answer: form does not count, invention is not found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.evidence import Evidence, Match, cite, locate
from bot.domain.sentence import split
from tests.strategies import answers, any_text, chinese, decorated

ANSWER = "先说结论：Prefill 把整段输入并行算完，常常偏计算受限；Decode 逐个生成，小批时卡在带宽。"


class TestLocate:
    @given(before=chinese, quote=chinese, after=chinese)
    def test_a_quote_cut_from_the_answer_is_always_found(
        self, before: str, quote: str, after: str
    ) -> None:
        answer = f"{before}，{quote}。{after}"

        found = locate(quote, answer)

        assert found is not None
        assert found.match is Match.VERIFIED
        assert answer[found.start : found.end] == found.quote
        assert found.quote.replace("，", "") == quote

    @given(answers)
    def test_every_sentence_of_an_answer_is_found_in_it(self, answer: str) -> None:
        for sentence in split(answer):
            found = locate(sentence.text, answer)

            assert found is not None
            assert found.match is Match.VERIFIED

    @given(quote=any_text | decorated | answers, answer=any_text | decorated | answers)
    def test_located_evidence_is_a_slice(self, quote: str, answer: str) -> None:
        found = locate(quote, answer)

        assert found is None or answer[found.start : found.end] == found.quote != ""

    @pytest.mark.parametrize(
        "quote",
        [
            pytest.param("prefill把整段输入并行算完", id="case and space"),
            pytest.param("Ｐｒｅｆｉｌｌ 把整段输入并行算完", id="width"),
            pytest.param("Prefill 把整段輸入並行算完", id="script"),
            pytest.param("**Prefill** 把整段输入“并行”算完", id="markdown and quotes"),
            pytest.param("Prefill，把整段输入，并行算完！", id="punctuation"),
            pytest.param("1. Prefill 把整段输入\n并行算完", id="bullet and line break"),
        ],
    )
    def test_form_does_not_count(self, quote: str) -> None:
        found = locate(quote, ANSWER)

        assert found is not None
        assert found.match is Match.VERIFIED
        assert found.quote == "Prefill 把整段输入并行算完"

    @pytest.mark.parametrize(
        "quote",
        [
            pytest.param("Prefill 把整段的输入并行算完，常常偏计算受限", id="a word added"),
            pytest.param("Prefill 把整段输入并行算完，偏计算受限", id="a word dropped"),
            pytest.param("Prefill 将整段输入并行算完，常常偏计算受限", id="a word changed"),
        ],
    )
    def test_an_edited_quote_is_close(self, quote: str) -> None:
        found = locate(quote, ANSWER)

        assert found is not None
        assert found.match is Match.CLOSE
        assert "整段输入并行算完" in found.quote
        assert ANSWER[found.start : found.end] == found.quote

    @pytest.mark.parametrize(
        "quote",
        [
            pytest.param("张量并行要在每层做一次规约", id="another subject"),
            pytest.param(
                "Prefill 逐个生成，Decode 并行算完整段输入", id="the words in another order"
            ),
            pytest.param("受限带宽", id="short and not there"),
            pytest.param("", id="empty"),
            pytest.param("，。！", id="punctuation alone"),
            pytest.param(ANSWER + "而且一定更快", id="longer than the answer"),
        ],
    )
    def test_a_quote_never_said_is_not_found(self, quote: str) -> None:
        assert locate(quote, ANSWER) is None

    @given(
        quote=st.text("甲乙丙丁戊己庚辛", min_size=1, max_size=30),
        answer=chinese,
    )
    def test_words_that_share_no_character_with_the_answer_are_never_found(
        self, quote: str, answer: str
    ) -> None:
        assert locate(quote, answer) is None

    @pytest.mark.parametrize(
        ("quote", "answer"),
        [
            pytest.param("batch=8", "当 batch>8 时", id="equal is not greater"),
            pytest.param("吞吐 50%", "吞吐 50", id="percent"),
            pytest.param("2+2", "2×2", id="plus is not times"),
        ],
    )
    def test_another_sign_is_at_best_an_edited_quote(self, quote: str, answer: str) -> None:
        found = locate(quote, answer)

        assert found is None or found.match is Match.CLOSE


class TestCite:
    @given(answer=answers, numbers=st.lists(st.integers(-3, 30)))
    def test_cited_sentences_come_once_in_order_and_unknown_numbers_are_dropped(
        self, answer: str, numbers: list[int]
    ) -> None:
        sentences = split(answer)

        cited = cite(numbers, sentences)

        wanted = [one for one in sentences if one.number in numbers]
        assert [one.quote for one in cited] == [one.text for one in wanted]
        assert all(answer[one.start : one.end] == one.quote for one in cited)


class TestOverlap:
    @given(st.integers(0, 9), st.integers(1, 5), st.integers(0, 9), st.integers(1, 5))
    def test_two_spans_overlap_when_they_share_a_character(
        self, first: int, first_length: int, second: int, second_length: int
    ) -> None:
        one = Evidence(start=first, end=first + first_length, quote="")
        other = Evidence(start=second, end=second + second_length, quote="")

        shared = set(range(one.start, one.end)) & set(range(other.start, other.end))

        assert one.overlaps(other) == other.overlaps(one) == bool(shared)
