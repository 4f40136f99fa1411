"""The feedback under an answer of the interview: its card, and what can be done with it."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import AnswerKind, Session, Turn
from bot.ui.components.again import again_button, again_of
from bot.ui.components.comparison import comparison_with
from bot.ui.components.grade_card import grade_card
from bot.ui.words import t


def feedback(services: Services, session: Session, turn: Turn) -> None:
    """Show the card of an answered turn, and beside an earlier answer what has changed.

    Only after the end a question can be answered again: nobody shall leave an interview by accident.
    """
    answered = [one.id for one in session.turns if one.answer is not None]
    latest = turn.id == answered[-1] and not session.is_finished
    only = len(answered) == 1  # who tries one question shall see what became of it
    with st.expander(_title(turn), expanded=latest or only, icon=":material/fact_check:"):
        grade_card(services, turn)
        if session.is_finished and turn.follow_up_id is None:
            again_button(services, turn.question_id, key=f"again-{turn.id}", earlier=again_of(turn))
    if session.plan.again is not None and turn.follow_up_id is None and turn.grade is not None:
        with st.expander(t("与上次作答比较"), expanded=True, icon=":material/compare_arrows:"):
            comparison_with(services, turn, session.plan.again)


def _title(turn: Turn) -> str:
    if turn.grade is not None:
        return t("反馈：{score:g} 分 · {level} 级", score=turn.grade.score, level=turn.grade.level)
    return t("参考答案") if turn.answer and turn.answer.kind is AnswerKind.SKIPPED else t("反馈")
