"""Answers are cut where their marks begin and end, and nothing that no reader sees goes through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.report_document import Mark, Piece, pieces, printable

TEXT = "并行计算，所以一定更快。"

marks = st.lists(
    st.builds(
        Mark,
        st.integers(-2, 40),
        st.integers(-2, 40),
        st.sampled_from(["good", "part", "bad"]),
        st.sampled_from(["结论", "原因", "绝对化"]),
    ),
    max_size=6,
)


class TestPieces:
    def test_without_marks_the_answer_is_one_piece(self) -> None:
        assert pieces(TEXT, ()) == (Piece(TEXT),)
        assert pieces("", ()) == ()

    def test_a_mark_gets_its_label_where_it_ends(self) -> None:
        assert pieces(TEXT, [Mark(0, 5, "good", "结论")]) == (
            Piece("并行计算，", "good", ("结论",)),
            Piece("所以一定更快。"),
        )

    def test_marks_on_the_same_words_share_a_piece_and_the_strongest_tone_wins(self) -> None:
        found = pieces(TEXT, [Mark(0, 12, "part", "结论"), Mark(0, 12, "good", "原因")])

        assert found == (Piece(TEXT, "good", ("结论", "原因")),)

    def test_a_fault_within_evidence_is_told_apart_from_it(self) -> None:
        found = pieces(TEXT, [Mark(0, 12, "good", "结论"), Mark(7, 9, "bad", "绝对化")])

        assert found == (
            Piece("并行计算，所以", "good"),
            Piece("一定", "bad", ("绝对化",)),
            Piece("更快。", "good", ("结论",)),
        )

    def test_neighbours_of_one_criterion_are_one_stretch(self) -> None:
        found = pieces(TEXT, [Mark(0, 5, "good", "结论"), Mark(5, 12, "good", "结论")])

        assert found == (Piece(TEXT, "good", ("结论",)),)

    @pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (5, 3), (10, 13), (99, 100)])
    def test_a_mark_that_does_not_lie_in_the_answer_is_left_out(self, start: int, end: int) -> None:
        assert pieces(TEXT, [Mark(start, end, "good", "结论")]) == (Piece(TEXT),)

    @given(st.text(max_size=40) | st.text("a\r\n\u202e\x00", max_size=12), marks)
    def test_the_pieces_are_the_answer(self, text: str, found: list[Mark]) -> None:
        assert "".join(piece.text for piece in pieces(text, found)) == printable(text)

    @given(st.text("ab", max_size=20), marks)
    def test_every_mark_in_the_answer_is_shown_with_its_label(
        self, text: str, found: list[Mark]
    ) -> None:
        inside = {one.label for one in found if 0 <= one.start < one.end <= len(text)}

        made = pieces(text, found)

        assert {label for piece in made for label in piece.ends} == inside
        assert any(piece.tone for piece in made) == bool(inside)


class TestPrintable:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            pytest.param("a\r\nb\rc\nd\te", "a\nb\nc\nd\te", id="line breaks and tabs"),
            pytest.param("a\x00b\x1b[31mc\x7f", "a\ufffdb\ufffd[31mc\ufffd", id="controls"),
            pytest.param("\u202eabc\u202c\u2066d\u2069", "abcd", id="directions"),
            pytest.param("a\ud800b\uffff", "a\ufffdb\ufffd", id="no characters"),
            pytest.param("零\u200b宽 👍🏽 𠮷", "零\u200b宽 👍🏽 𠮷", id="what is text stays"),
        ],
    )
    def test_what_no_reader_sees_is_taken_out_or_told(self, text: str, shown: str) -> None:
        assert printable(text) == shown

    @given(st.text(st.characters(), max_size=60))
    def test_it_can_be_written_and_stays_as_it_is(self, text: str) -> None:
        shown = printable(text)

        shown.encode("utf-8")
        assert printable(shown) == shown
