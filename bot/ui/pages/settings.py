"""The settings of this user: models and voice, interviews, rubrics, data."""

from __future__ import annotations

import streamlit as st

from bot.services.reporting import escape_markdown
from bot.ui import chosen, state
from bot.ui.components.error_box import error_box
from bot.ui.components.interview_settings import interview_settings_form
from bot.ui.components.model_settings import model_settings_form
from bot.ui.components.rubric_editor import rubric_editor
from bot.ui.words import t

PARTS = {
    "models": "模型与语音",
    "interview": "面试",
    "rubrics": "评分标准",
    "data": "数据",
}


def show() -> None:
    """Show the part of the settings that was chosen."""
    base = state.shared_services()
    state.show_flash()
    st.title(t("设置"))
    for sentence in chosen.faults(base):
        st.warning(escape_markdown(t(sentence)), icon=":material/warning:")
    part = st.segmented_control(
        t("哪一部分"),
        list(PARTS),
        default="models",
        format_func=lambda one: t(PARTS[one]),
        key="settings.part",
        label_visibility="collapsed",
        required=True,
    )
    match part:
        case "interview":
            interview_settings_form(base)
        case "rubrics":
            rubric_editor(base)
        case "data":
            from bot.ui.components.data_settings import data_settings

            data_settings(base)
        case _:
            model_settings_form(base)


with error_box():
    show()
