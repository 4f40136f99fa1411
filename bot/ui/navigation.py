"""The pages and how they are reached."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from bot.ui import sign_in, state
from bot.ui.components.error_box import error_box
from bot.ui.words import t

_PAGES = Path(__file__).parent / "pages"

INTERVIEW = _PAGES / "interview.py"
REPORT = _PAGES / "report.py"
DRILL = _PAGES / "drill.py"
SESSIONS = _PAGES / "sessions.py"
PROGRESS = _PAGES / "progress.py"
PLAN = _PAGES / "plan.py"
BANK = _PAGES / "bank.py"
IMPORTING = _PAGES / "importing.py"
SCORING = _PAGES / "scoring.py"
SETTINGS = _PAGES / "settings.py"
ADMIN = _PAGES / "admin.py"


def page() -> StreamlitPage:
    """Return the page that the address names; what is used most stands first in the menu."""
    return st.navigation(
        {
            "": [
                st.Page(INTERVIEW, title=t("面试"), icon=":material/forum:", default=True),
                st.Page(DRILL, title=t("追问训练"), icon=":material/fitness_center:"),
                st.Page(PLAN, title=t("备考计划"), icon=":material/checklist:"),
                st.Page(BANK, title=t("题库"), icon=":material/search:"),
            ],
            t("复盘"): [
                st.Page(REPORT, title=t("报告"), icon=":material/assessment:"),
                st.Page(SESSIONS, title=t("记录"), icon=":material/history:"),
                st.Page(PROGRESS, title=t("进步"), icon=":material/trending_up:"),
            ],
            t("更多"): [
                st.Page(SCORING, title=t("评分说明"), icon=":material/rule:"),
                st.Page(IMPORTING, title=t("导入"), icon=":material/upload_file:"),
                st.Page(SETTINGS, title=t("设置"), icon=":material/settings:"),
                *_for_admins(),
            ],
        },
        position="hidden" if state.is_shared() and state.visitor() is None else "top",
    )


def run(page: StreamlitPage) -> None:
    """Run the page, for whoever may see it."""
    who = state.visitor()
    if who is not None:
        with error_box():
            state.note_visit(who)
        sign_in.bar(who)
    elif state.is_shared():
        sign_in.show()
        return
    page.run()


def _for_admins() -> list[StreamlitPage]:
    if not state.is_admin():
        return []
    return [st.Page(ADMIN, title=t("用量"), icon=":material/monitoring:")]
