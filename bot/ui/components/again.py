"""Answering again (再答): the button that asks one question once more."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import AgainOf, Turn, session_id_of
from bot.ui import navigation, state
from bot.ui.words import t


def again_button(
    services: Services,
    question_id: str,
    *,
    key: str,
    earlier: AgainOf | None = None,
    label: str = "再答一次",
) -> None:
    """Show a button that begins a session of this one question, and goes there.

    What was answered is then compared with `earlier`, or with the latest graded answer to the
    question if there is one. `services` are those over the bank of the question.
    """
    if not st.button(t(label), key=key, icon=":material/replay:"):
        return
    with st.spinner(t("正在出题……")):
        now = services.clock.now()
        session = services.interviews.begin_with(
            (question_id,),
            follow_ups=0,
            again=earlier or services.comparisons.latest(question_id, now),
        )
    st.switch_page(navigation.INTERVIEW, query_params={state.SESSION: session.id})


def again_of(turn: Turn) -> AgainOf | None:
    """Return by what to compare an answer with this one, or None where it has no grade."""
    return stored_at(turn.id) if turn.grade is not None else None


def stored_at(turn_id: str) -> AgainOf:
    """Return where a turn is stored: its id begins with that of its session."""
    return AgainOf(session_id=session_id_of(turn_id), turn_id=turn_id)
