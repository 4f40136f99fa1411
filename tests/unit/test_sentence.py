"""An answer is cut into numbered sentences, whatever its punctuation, and nothing is lost."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.sentence import LONG, SHORTEST_CUT, split
from tests.strategies import answers, any_text, chinese, decimals, decorated

texts = any_text | decorated | answers


def texts_of(text: str) -> list[str]:
    return [one.text for one in split(text)]


class TestEverySplit:
    @given(texts)
    def test_each_sentence_is_a_slice(self, text: str) -> None:
        for one in split(text):
            assert text[one.start : one.end] == one.text

    @given(texts)
    def test_sentences_are_numbered_in_order_and_do_not_overlap(self, text: str) -> None:
        sentences = split(text)

        assert [one.number for one in sentences] == list(range(1, len(sentences) + 1))
        for one, following in itertools.pairwise(sentences):
            assert one.start < one.end <= following.start

    @given(texts)
    def test_every_letter_and_digit_lies_in_a_sentence(self, text: str) -> None:
        covered = {at for one in split(text) for at in range(one.start, one.end)}

        assert {found.start() for found in re.finditer(r"\w", text)} <= covered

    @given(texts)
    def test_no_sentence_is_without_a_letter_or_digit_or_has_space_around(self, text: str) -> None:
        for one in split(text):
            assert re.search(r"\w", one.text)
            assert one.text == one.text.strip()

    @given(chinese, decimals, chinese)
    def test_a_decimal_is_never_cut(self, before: str, number: str, after: str) -> None:
        text = f"{before}约 {number} ms{after}。{number}倍{before}，{number}。{after}"

        pieces = texts_of(text)

        assert sum(piece.count(number) for piece in pieces) == text.count(number)


class TestPunctuated:
    @pytest.mark.parametrize(
        ("text", "sentences"),
        [
            pytest.param(
                "并行计算。逐个生成！是吗？", ["并行计算。", "逐个生成！", "是吗？"], id="Chinese"
            ),
            pytest.param(
                "It is parallel. Is it? Yes!", ["It is parallel.", "Is it?", "Yes!"], id="English"
            ),
            pytest.param(
                "first token.然后逐个生成",
                ["first token.", "然后逐个生成"],
                id="point before Chinese",
            ),
            pytest.param("TTFT 是 21.5 ms。", ["TTFT 是 21.5 ms。"], id="decimal"),
            pytest.param("用 v0.8.5 测过。", ["用 v0.8.5 测过。"], id="version"),
            pytest.param("看 a.py 和 b.c 的实现", ["看 a.py 和 b.c 的实现"], id="file name"),
            pytest.param(
                "他说“一定更快。”其实不是。", ["他说“一定更快。”", "其实不是。"], id="closing quote"
            ),
            pytest.param("先写；再读;最后释放", ["先写；", "再读;", "最后释放"], id="semicolons"),
            pytest.param("并行……逐个", ["并行……", "逐个"], id="ellipsis"),
            pytest.param("真的吗？！对。", ["真的吗？！", "对。"], id="two marks"),
            pytest.param("- 并行\n- 逐个", ["- 并行", "- 逐个"], id="lines"),
            pytest.param("并行\r\n逐个", ["并行", "逐个"], id="Windows lines"),
            pytest.param("，，。。\n  …", [], id="marks alone"),
            pytest.param("", [], id="empty"),
        ],
    )
    def test_it_is_cut_at_its_marks(self, text: str, sentences: list[str]) -> None:
        assert texts_of(text) == sentences


class TestSpeech:
    def test_short_speech_is_one_sentence(self) -> None:
        text = "预填充是一次把整段输入并行算完解码是一个一个往外蹦"

        assert texts_of(text) == [text]

    def test_long_speech_is_cut_before_a_connective(self) -> None:
        first = "预填充阶段它是把用户输入的整段提示词一次性地送进模型里面并行地算完并且把每一层的键值都写进缓存里面"
        second = "然后解码阶段就是每一步只生成一个新的词它要把权重和历史键值都重新读一遍才能往下走"

        assert texts_of(first + second) == [first, second]

    def test_a_comma_is_a_better_place_than_a_connective(self) -> None:
        first = "预填充阶段它是把用户输入的整段提示词一次性地送进模型里面然后并行地算完，"
        second = "并且把每一层的键值都按照块写进缓存里面供后面的解码阶段一步一步地去读取使用直到生成结束为止"

        assert texts_of(first + second) == [first, second]

    @given(st.lists(chinese, min_size=2, max_size=12))
    def test_speech_with_connectives_is_never_left_in_one_long_piece(
        self, parts: list[str]
    ) -> None:
        text = "然后".join(parts)

        for one in split(text):
            assert len(one.text) <= LONG + SHORTEST_CUT

    @given(st.lists(chinese, min_size=1, max_size=12))
    def test_a_soft_cut_leaves_no_scrap(self, parts: list[str]) -> None:
        pieces = texts_of("，".join(parts))

        assert len(pieces) == 1 or min(len(piece) for piece in pieces) >= SHORTEST_CUT

    @given(st.text("显存带宽权重", min_size=LONG, max_size=4 * LONG))
    def test_speech_without_any_place_to_cut_stays_whole(self, text: str) -> None:
        assert texts_of(text) == [text]
