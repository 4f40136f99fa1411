"""A report that was exported as JSON, taken back into the records."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.ui import navigation, state
from bot.ui.components.error_box import error_box
from bot.ui.words import t


def report_import(services: Services) -> None:
    """Show the form and, below it, what the import did."""
    with st.popover(t("导入报告"), icon=":material/upload_file:", width="stretch"):
        # A form: an upload alone must not import again whenever the page is drawn.
        with st.form("report-import", clear_on_submit=True, border=False):
            file = st.file_uploader(t("从“下载报告”得到的 JSON 文件"), type="json")
            sent = st.form_submit_button(t("导入"), icon=":material/upload_file:", width="stretch")
        if sent and file is None:
            st.warning(t("请先选择文件。"), icon=":material/upload_file:")
        elif sent and file is not None:
            with error_box():
                taken = services.report_files.take(file.getvalue())
                st.success(t(taken.says), icon=":material/check_circle:")
                st.page_link(
                    navigation.REPORT,
                    label=t("看报告"),
                    icon=":material/assessment:",
                    query_params={state.SESSION: taken.session.id},
                )
