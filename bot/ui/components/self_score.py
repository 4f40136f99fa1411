"""Self-score (自评) on the page: the guess before the grade, and how guesses met grades."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from bot.domain.rubric import Rubric
from bot.domain.self_score import GuessLine, difference_name, self_score_of
from bot.domain.session import Session, Turn

DECLINED: Literal["declined"] = "declined"


def guess_prompt(rubric: Rubric, turn: Turn) -> int | Literal["declined"] | None:
    """Ask for the expected level; return it, `DECLINED`, or None while there is no answer yet."""
    with st.container(border=True, key=f"guess-{turn.id}"):
        st.markdown("**你觉得这次回答是几级？**")
        level = st.segmented_control(
            "自评等级",
            range(len(rubric.level_names)),
            format_func=lambda one: f"{one} {rubric.level_names[one]}",
            key=f"guess-level-{turn.id}",
            label_visibility="collapsed",
        )
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.caption("选了就看评分。自评只用来看你估得准不准，不影响得分。")
        declined = right.button("不自评", key=f"guess-declined-{turn.id}", width="stretch")
    return DECLINED if declined else level


def guess_caption(turn: Turn) -> None:
    """Show on the card how the guess met the grade, if there is one."""
    if turn.guess is None or turn.grade is None:
        return
    met = difference_name(turn.guess - turn.grade.level)
    st.caption(f":material/psychology: 自评 {turn.guess} 级 · {met}")


def self_score_summary(session: Session) -> None:
    """Show how well the candidate knows themselves; nothing without a guess that was graded."""
    found = self_score_of(session)
    if found is None:
        return
    st.subheader("自评与评分")
    st.markdown(f"共 {len(found.lines)} 次自评。{found.says}")
    first, second, third = st.columns(3)
    first.metric("平均差", f"{found.mean_difference:+.1f} 级")
    second.metric("完全一致", f"{found.exact:.0%}")
    third.metric("相差不超过 1 级", f"{found.within_one:.0%}")
    st.table([_row(one) for one in found.lines], border="horizontal", hide_index=True)


def _row(line: GuessLine) -> dict[str, str]:
    return {
        "题目": line.question_id,
        "自评": f"{line.guess} 级",
        "评分": f"{line.level} 级",
        "相差": difference_name(line.difference),
    }
