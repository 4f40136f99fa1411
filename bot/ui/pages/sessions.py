"""Past sessions."""

from __future__ import annotations

from functools import partial

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import SessionSummary
from bot.ui import navigation, state
from bot.ui.components.error_box import error_box
from bot.ui.components.report_import import report_import
from bot.ui.components.resuming import resume_session
from bot.ui.words import dialog, t

JUDGES = {"offline": "离线评分", "llm": "模型评分", "mixed": "评分来源不同"}


def show() -> None:
    """List the past sessions, newest first."""
    services = state.services()
    state.show_flash()
    st.title(t("面试记录"))
    left, right = st.columns(2)
    with right:
        report_import(services)
    found = services.store.summaries()
    if not found:
        st.info(t("还没有面试记录。"), icon=":material/history:")
        st.page_link(navigation.INTERVIEW, label=t("开始第一场面试"), icon=":material/forum:")
        return
    with left:
        _export(services)
    for summary in found:
        _row(services, summary)


def _export(services: Services) -> None:
    """Offer all grades as one table."""
    st.download_button(
        t("导出全部评分（CSV）"),
        data=partial(services.report_files.grades, state.zone()),
        file_name="mock-interview-grades.csv",
        mime="text/csv",
        icon=":material/table:",
        width="stretch",
        on_click="ignore",
    )


def _row(services: Services, summary: SessionSummary) -> None:
    zone = state.zone()
    ended = summary.finished_at is not None
    with st.container(border=True):
        left, right = st.columns([5, 3], vertical_alignment="center")
        score = (
            t("没有评分")
            if summary.mean_score is None
            else t("平均 {mean_score:.1f} 分", mean_score=summary.mean_score)
        )
        left.markdown(
            f"**{summary.begun_at.astimezone(zone):%Y-%m-%d %H:%M}** · "
            f"{t('已结束') if ended else t('进行中')} · {score}"
        )
        left.caption(
            t(
                "{questions} 道题，作答 {answered} 次 · {judge} · {id}",
                questions=summary.questions,
                answered=summary.answered,
                judge=t(JUDGES.get(summary.judge or "", "—")),
                id=summary.id,
            )
        )
        query = {state.SESSION: summary.id}
        with right, st.container(horizontal=True, vertical_alignment="center"):
            if ended:
                st.page_link(
                    navigation.REPORT,
                    label=t("看报告"),
                    icon=":material/assessment:",
                    query_params=query,
                )
            elif st.button(
                t("继续作答"),
                key=f"resume-{summary.id}",
                type="tertiary",
                icon=":material/forum:",
            ):
                resume_session(services, services.store.load(summary.id))
                st.switch_page(navigation.INTERVIEW, query_params=query)
            if st.button(
                t("删除"), key=f"delete-{summary.id}", type="tertiary", icon=":material/delete:"
            ):
                _confirm_delete(summary.id)


@dialog("删除这场面试？")
def _confirm_delete(session_id: str) -> None:
    st.write(t("作答与评分会一起删除，不能恢复。"))
    if st.button(t("删除"), type="primary", key="delete.yes"):
        with error_box():
            state.services().delete_session(session_id)
            state.flash(t("已删除。"))
            st.rerun()


with error_box():
    show()
