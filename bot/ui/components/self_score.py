"""Self-score (自评) on the page: the guess before the grade, and how guesses met grades."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from bot.domain.rubric import Rubric
from bot.domain.self_score import GuessLine, difference_name, self_score_of
from bot.domain.session import Session, Turn
from bot.ui.words import t

DECLINED: Literal["declined"] = "declined"


def guess_prompt(rubric: Rubric, turn: Turn) -> int | Literal["declined"] | None:
    """Ask for the expected level; return it, `DECLINED`, or None while there is no answer yet."""
    with st.container(border=True, key=f"guess-{turn.id}"):
        st.markdown(t("**你觉得这次回答是几级？**"))
        level = st.segmented_control(
            t("自评等级"),
            range(len(rubric.level_names)),
            format_func=lambda one: f"{one} {t(rubric.level_names[one])}",
            key=f"guess-level-{turn.id}",
            label_visibility="collapsed",
        )
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.caption(t("选了就看评分。自评只用来看你估得准不准，不影响得分。"))
        declined = right.button(t("不自评"), key=f"guess-declined-{turn.id}", width="stretch")
    return DECLINED if declined else level


def guess_caption(turn: Turn) -> None:
    """Show on the card how the guess met the grade, if there is one."""
    if turn.guess is None or turn.grade is None:
        return
    met = t(difference_name(turn.guess - turn.grade.level))
    st.caption(t(":material/psychology: 自评 {guess} 级 · {met}", guess=turn.guess, met=met))


def self_score_summary(session: Session) -> None:
    """Show how well the candidate knows themselves; nothing without a guess that was graded."""
    found = self_score_of(session)
    if found is None:
        return
    st.subheader(t("自评与评分"))
    st.markdown(t("共 {count} 次自评。{says}", count=len(found.lines), says=t(found.says)))
    first, second, third = st.columns(3)
    first.metric(t("平均差"), t("{mean_difference:+.1f} 级", mean_difference=found.mean_difference))
    second.metric(t("完全一致"), f"{found.exact:.0%}")
    third.metric(t("相差不超过 1 级"), f"{found.within_one:.0%}")
    st.table([_row(one) for one in found.lines], border="horizontal", hide_index=True)


def _row(line: GuessLine) -> dict[str, str]:
    return {
        t("题目"): line.question_id,
        t("自评"): t("{guess} 级", guess=line.guess),
        t("评分"): t("{level} 级", level=line.level),
        t("相差"): t(difference_name(line.difference)),
    }
