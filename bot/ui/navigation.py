"""The pages and how they are reached."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

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


def page() -> StreamlitPage:
    """Return the page that the address names."""
    return st.navigation(
        [
            st.Page(INTERVIEW, title="面试", icon=":material/forum:", default=True),
            st.Page(REPORT, title="报告", icon=":material/assessment:"),
            st.Page(DRILL, title="追问训练", icon=":material/fitness_center:"),
            st.Page(SESSIONS, title="记录", icon=":material/history:"),
            st.Page(PROGRESS, title="进步", icon=":material/trending_up:"),
            st.Page(PLAN, title="备考计划", icon=":material/checklist:"),
            st.Page(BANK, title="题库", icon=":material/search:"),
            st.Page(IMPORTING, title="导入", icon=":material/upload_file:"),
            st.Page(SCORING, title="评分说明", icon=":material/rule:"),
        ],
        position="top",
    )
