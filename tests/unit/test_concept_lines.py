"""Concept groups are written as lines and read back without a change of meaning."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.concept_lines import groups_of, lines_of, tight

PLAIN = (
    st.text(st.sampled_from("甲乙丙 aKV~(|){}、，,-_./"), min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda one: one and " /" not in one and "/ " not in one and one != "/")
)


@given(st.lists(st.lists(PLAIN, min_size=1, max_size=4).map(tuple), min_size=1, max_size=4))
def test_what_was_written_is_read_back(groups: list[tuple[str, ...]]) -> None:
    assert groups_of(lines_of(groups)) == tuple(groups)


def test_a_group_is_a_line_and_spellings_are_parted_by_slashes() -> None:
    assert lines_of([("不必重算", "免去重算"), ("K/V",)]) == "不必重算 / 免去重算\nK/V"


def test_empty_lines_and_spellings_are_left_out() -> None:
    assert groups_of("\n 甲 /  / 乙 \r\n\n / \n/丙/\n") == (("甲", "乙"), ("/丙/",))


def test_a_line_break_or_a_spaced_slash_inside_a_spelling_does_not_part_it() -> None:
    assert lines_of([("首\ntoken", "prompt / 提示")]) == "首 token / prompt/提示"


def test_a_slash_that_perhaps_was_meant_to_part_two_spellings_is_told() -> None:
    groups = [("不必重算/不用重算", "K/V", "TTFT / TPOT", "(一|/|二)"), ("prompt/提示",)]

    assert list(tight(groups)) == ["不必重算/不用重算", "prompt/提示"]
