"""What a new interview begins with, as this user likes it."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import Persona
from bot.ui import chosen, state
from bot.ui.words import t

PERSONAS = {Persona.GENTLE: "温和", Persona.NEUTRAL: "中性", Persona.PRESSING: "压力"}


def interview_settings_form(base: Services) -> None:
    """Show the form; what it saves are initial values, to be changed before each interview."""
    saved = chosen.preferences(base)
    with st.form("settings.interview", enter_to_submit=False):
        st.caption(t("这些是新面试的初始值，开始之前都可以再改。"))
        questions = st.number_input(t("题数"), 1, 60, saved.questions)
        persona = st.radio(
            t("面试官风格（不影响评分）"),
            list(PERSONAS),
            index=list(PERSONAS).index(saved.persona),
            format_func=lambda one: t(PERSONAS[one]),
            horizontal=True,
        )
        self_score = st.checkbox(t("先自评再看分"), saved.self_score)
        read_aloud = st.checkbox(t("自动读题"), saved.read_aloud)
        if st.form_submit_button(t("保存"), type="primary", icon=":material/save:"):
            update = {
                "questions": int(questions),
                "persona": persona,
                "self_score": self_score,
                "read_aloud": read_aloud,
            }
            chosen.save(base, saved.model_copy(update=update))
            state.flash(t("已保存。"))
            st.rerun()
