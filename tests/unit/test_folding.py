"""Folding gives texts that differ only in form one form, and remembers where each character stood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.folding import fold
from tests.strategies import any_text, chinese, decorated

texts = any_text | decorated


class TestOneForm:
    @pytest.mark.parametrize(
        ("written", "folded"),
        [
            pytest.param("ＫＶ　Ｃａｃｈｅ", "kv cache", id="full width"),
            pytest.param("KV Cache", "kv cache", id="case"),
            pytest.param("預填充階段並行計算", "预填充阶段并行计算", id="traditional script"),
            pytest.param("用 KV  cache 存 K", "用kv cache存k", id="space beside Chinese"),
            pytest.param("a \t\n b", "a b", id="a run of space between words"),
            pytest.param("并\u200b行\ufeff计\u00ad算", "并行计算", id="zero width"),
            pytest.param("“并行”和'串行'「各自」", "并行和串行各自", id="quotes"),
            pytest.param("用**前缀缓存**和`KV`", "用前缀缓存和kv", id="markdown"),
            pytest.param("延迟：20ｍｓ？", "延迟:20ms?", id="punctuation keeps its meaning"),
            pytest.param("① 甲", "1甲", id="circled number"),
        ],
    )
    def test_form_does_not_count(self, written: str, folded: str) -> None:
        assert fold(written).text == folded

    @pytest.mark.parametrize(
        "written",
        [
            pytest.param("- 并行\n- 串行", id="dash"),
            pytest.param("• 并行\n· 串行", id="dot"),
            pytest.param("1. 并行\n2. 串行", id="number and point"),
            pytest.param("1、并行\n2、串行", id="number and Chinese comma"),
            pytest.param("1）并行\n2）串行", id="number and bracket"),
            pytest.param("（1）并行\n（2）串行", id="number in brackets"),
            pytest.param("１．并行\n２．串行", id="full width"),
            pytest.param("**1. 并行**\n**2. 串行**", id="bold"),
            pytest.param("> - 并行\n> - 串行", id="in a quotation"),
            pytest.param("  - 并行\n    1. 串行", id="indented"),
        ],
    )
    def test_bullets_do_not_count(self, written: str) -> None:
        assert fold(written).text == "并行串行"

    @pytest.mark.parametrize(
        ("written", "folded"),
        [
            pytest.param("1.5 倍左右", "1.5倍左右", id="decimal"),
            pytest.param("大约\n21.5 ms", "大约21.5 ms", id="decimal in the second line"),
            pytest.param("-5% 的差别", "-5%的差别", id="minus"),
            pytest.param("+3 个点", "+3个点", id="plus"),
        ],
    )
    def test_a_number_at_the_start_of_a_line_is_no_bullet(self, written: str, folded: str) -> None:
        assert fold(written).text == folded

    @pytest.mark.parametrize(
        ("written", "folded"),
        [
            pytest.param("2*32*128", "2*32*128", id="product of numbers"),
            pytest.param("num_layers*num_kv_heads", "num_layers*num_kv_heads", id="of names"),
            pytest.param("20~30 ms", "20~30 ms", id="range"),
            pytest.param("20～30 ms", "20~30 ms", id="range in full width"),
            pytest.param("batch>8 时", "batch>8时", id="comparison"),
        ],
    )
    def test_an_operator_between_numbers_does_not_vanish(self, written: str, folded: str) -> None:
        """20~30 ms is not 2030 ms."""
        assert fold(written).text == folded

    @given(texts)
    def test_folding_twice_is_folding_once(self, text: str) -> None:
        once = fold(text).text

        assert fold(once).text == once

    @given(chinese)
    def test_plain_chinese_stays_as_it_is(self, text: str) -> None:
        assert fold(text).text == text

    @given(decorated)
    def test_no_quote_and_no_wide_space_is_left(self, text: str) -> None:
        folded = fold(text).text

        assert not set(folded) & set("“”‘’「」'\"`#\u3000\u200b\ufeff\n\t")
        assert "  " not in folded
        assert folded == folded.strip(" ")


class TestOffsets:
    @given(texts)
    def test_each_folded_character_has_an_offset_and_they_never_decrease(self, text: str) -> None:
        folded = fold(text)

        assert len(folded.offsets) == len(folded.text)
        assert list(folded.offsets) == sorted(folded.offsets)
        assert all(0 <= offset < len(text) for offset in folded.offsets)

    @given(texts)
    def test_each_offset_leads_to_the_character_it_came_from(self, text: str) -> None:
        folded = fold(text)

        for char, offset in zip(folded.text, folded.offsets, strict=True):
            original = text[offset]
            alone = fold(f"甲{original}甲").text
            between_words = fold(f"a{original}a").text
            assert char in alone or char in between_words

    @given(before=decorated, inside=chinese, after=decorated, data=st.data())
    def test_a_span_of_the_folded_text_is_a_slice_of_the_original(
        self, before: str, inside: str, after: str, data: st.DataObject
    ) -> None:
        text = f"{before}甲乙丙{inside}丁戊己{after}"
        folded = fold(text)
        at = folded.text.index(f"甲乙丙{inside}丁戊己") + 3
        first = data.draw(st.integers(0, len(inside) - 1))
        last = data.draw(st.integers(first + 1, len(inside)))

        start, end = folded.span(at + first, at + last)

        assert text[start:end] == inside[first:last]

    def test_a_span_covers_what_lies_hidden_inside(self) -> None:
        text = "先“并\u200b行”再说"
        folded = fold(text)

        start, end = folded.span(1, 3)

        assert text[start:end] == "并\u200b行"

    def test_one_character_that_folds_to_two_maps_to_itself(self) -> None:
        text = "21㎳内"
        folded = fold(text)

        start, end = folded.span(folded.text.index("ms"), folded.text.index("ms") + 2)

        assert text[start:end] == "㎳"


def test_long_rows_of_blank_lines_and_bullets_are_folded_at_once() -> None:
    rows = ["\n" * 20_000, "- " * 10_000, "1." * 10_000, " \n" * 10_000]

    folded = [fold(row).text for row in rows]

    assert folded[0] == folded[3] == ""
