"""The report as a file: one menu; a file is made when it is asked for."""

from __future__ import annotations

from datetime import tzinfo
from functools import partial

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import Session
from bot.services.reporting import escape_markdown
from bot.services.reporting.files import ReportForm
from bot.ui.words import t

_LABELS = {
    ReportForm.PDF: "PDF",
    ReportForm.HTML: "HTML（可打印）",
    ReportForm.MARKDOWN: "Markdown",
    ReportForm.CSV: "CSV（逐轮评分）",
    ReportForm.JSON: "JSON（可再导入）",
}


def report_downloads(services: Services, session: Session, zone: tzinfo) -> None:
    """Show the menu with every form of the report."""
    with st.popover(t("下载报告"), icon=":material/download:", width="stretch"):
        problem = services.pdf_printer.problem
        if problem is not None:
            st.caption(escape_markdown(t(problem)))
        for form, label in _LABELS.items():
            if form is ReportForm.PDF and problem is not None:
                continue
            st.download_button(
                t(label),
                data=partial(services.report_files.write, session, form, zone),
                file_name=form.file_name(session),
                mime=form.mime,
                key=f"download-{form}",
                icon=":material/description:",
                width="stretch",
                on_click="ignore",
            )
