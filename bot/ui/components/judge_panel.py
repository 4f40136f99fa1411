"""The judge of the model: how it did in its exam, and what the models cost this month."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap.models import Models
from bot.domain.exam import ExamResult
from bot.services.budgeting import money_says
from bot.services.reporting import escape_markdown
from bot.ui import state
from bot.ui.components.model_status import model_status
from bot.ui.words import t


def judge_panel() -> None:
    """Show who grades now; with a model set, also its exam and the month's cost."""
    models = state.services().models
    st.subheader(t("现在由谁评分"))
    model_status()
    if models.is_set:
        _exam(models)
        _month(models)


def _exam(models: Models) -> None:
    result = models.exam_result
    st.markdown(t("**评分考核**"))
    st.caption(
        t(
            "模型的评分算数之前，先评 {count} 份等级范围已知的作答；"
            "至少 {pass_at} 份合理，且{must_pass}必须合理。",
            count=len(models.exam.probes),
            pass_at=models.exam.pass_at,
            must_pass=t("、").join(_must_pass(models)),
        )
    )
    if result is not None:
        _result(models, result)
    if models.exam_run.failure is not None and not models.exam_run.is_running:
        st.warning(
            t("上一次考核没有完成：{failure}", failure=escape_markdown(t(models.exam_run.failure))),
            icon=":material/pending:",
        )
    if st.button(
        t("开始考核") if result is None else t("重新考核"),
        key="exam.begin",
        icon=":material/quiz:",
        disabled=models.busy_says is not None or models.spending.closed_because() is not None,
    ):
        models.retry()
        st.rerun()


def _result(models: Models, result: ExamResult) -> None:
    name = escape_markdown(models.judge_chat.name)
    zone = state.zone()
    at = f"{result.at.astimezone(zone):%Y-%m-%d %H:%M}"
    if result.passed:
        st.success(
            t(
                "模型 {name} 通过了评分考核（{score}，{at}）。",
                name=name,
                score=result.score,
                at=at,
            ),
            icon=":material/check:",
        )
    else:
        st.warning(
            t(
                "模型 {name} 未通过评分考核（{score}，{at}）。",
                name=name,
                score=result.score,
                at=at,
            ),
            icon=":material/gpp_maybe:",
        )
    with st.expander(t("逐份结果"), expanded=not result.passed):
        st.table(
            [
                {
                    t("考核作答"): escape_markdown(t(one.title)),
                    t("结果"): t(
                        "{verdict}：{says}",
                        verdict=t("合理") if one.passed else t("不合理"),
                        says=escape_markdown(t(one.says)),
                    ),
                }
                for one in result.results
            ],
            border="horizontal",
            hide_index=True,
        )


def _must_pass(models: Models) -> tuple[str, ...]:
    titles = {probe.id: probe.title for probe in models.exam.probes}
    return tuple(f"“{titles[name]}”" for name in models.exam.must_pass)


def _month(models: Models) -> None:
    spent = models.spending.this_month()
    st.markdown(t("**本月用量**"))
    st.caption(t("本月的所有调用：评分与考核、面试官的措辞、改写，也含没有得出结果的调用。"))
    if spent:
        st.table(
            [
                {
                    t("模型"): escape_markdown(model),
                    t("输入"): f"{usage.prompt:,}",
                    t("其中缓存"): f"{usage.cached:,}",
                    t("输出"): f"{usage.reply:,}",
                    **({t("花费"): t(money_says(models.price.of(usage)))} if models.price else {}),
                }
                for model, usage in spent.items()
            ],
            border="horizontal",
            hide_index=True,
        )
    else:
        st.caption(t("还没有用量。"))
    if models.spending.budget_says is not None:
        st.caption(t(models.spending.budget_says))
