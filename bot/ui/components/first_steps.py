"""The first minute: one question at once, how scores come about, and how to connect a model."""

from __future__ import annotations

import random

import streamlit as st

from bot.bootstrap import Services
from bot.domain import selection
from bot.domain.question import Difficulty
from bot.domain.session import FeedbackMode
from bot.ui import navigation, state
from bot.ui.words import t


def first_steps(services: Services) -> None:
    """Offer a question to try, and lead to what a new user asks next. Raises `BankError`."""
    levels = _levels(services)
    with st.container(border=True, key="first-steps"):
        left, right = st.columns([3, 1], vertical_alignment="center")
        left.markdown(
            t("**先试一题**：一道中等难度的题，用几句话作答，马上看到得分和依据；不需要密钥。")
        )
        if right.button(t("试答一题"), key="try", type="primary", width="stretch"):
            _try(services, levels)
        with st.container(horizontal=True):
            st.page_link(
                navigation.SCORING,
                label=t("看三份作答各得几分"),
                icon=":material/rule:",
                width="content",
            )
            if not services.models.is_set:
                st.page_link(
                    navigation.SETTINGS,
                    label=t("连接大模型（可选）"),
                    icon=":material/settings:",
                    width="content",
                )


def _levels(services: Services) -> tuple[Difficulty, ...]:
    """Return medium, or nothing, which means any, if the bank has no such question."""
    medium = (Difficulty.MEDIUM,)
    return medium if selection.matching(services.bank, difficulties=medium) else ()


def _try(services: Services, levels: tuple[Difficulty, ...]) -> None:
    """Begin an interview of one question."""
    session = state.begin_once(
        services.clock,
        lambda: services.interviews.begin(
            count=1,
            rng=random.Random(),  # noqa: S311 - a draw of questions, no secret
            difficulties=levels,
            mode=FeedbackMode.AFTER_EACH,
            follow_ups=0,
        ),
    )
    state.open_session(session)
    st.rerun()
