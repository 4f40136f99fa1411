"""How an answer is scored, told from the rubric file itself."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from bot.domain.rubric import (
    CalibrationCriterion,
    CoverageCriterion,
    Criterion,
    Rubric,
    SlotCriterion,
)
from bot.ui import state
from bot.ui.components.error_box import error_box
from bot.ui.components.judge_panel import judge_panel

# The rubric of most questions; it is shown first.
MAIN = "structured-answer"


def show() -> None:
    """Explain the rubric, the levels, and what the offline judge cannot see."""
    services = state.services()
    st.title("评分说明")
    st.markdown(
        "评分者只说**事实**：每个采分点说到没有、在哪一句；分数由代码按评分标准算出，"
        "每一分都能在你的原话里找到依据。"
    )
    judge_panel()
    st.subheader("评分标准")
    for rubric in sorted(services.rubrics.values(), key=lambda one: one.id != MAIN):
        with st.expander(f"{rubric.title}（{rubric.name}）", expanded=rubric.id == MAIN):
            _rubric(rubric)
    st.subheader("为什么准确比有把握更重要")
    st.markdown(
        "“上了 PD 分离吞吐就翻倍”听起来有底气，却经不起一句“什么负载下？”。"
        "带条件的结论是工程判断，没有条件的结论是口号。"
        "所以绝对化断言每处扣分；“不一定”“在……条件下”、定义性的“每个 token 都要写 KV”、"
        "安全要求“必须等传输完成”都不扣。语气自信或谦虚本身既不加分也不扣分。"
    )
    st.subheader("离线评分看不到什么")
    st.markdown(
        "离线评分不联网、不用模型：它在作答里寻找每个采分点的各种说法、已知误区和绝对化的句式。"
        "它**不判断事实对错**：一句流利但错误的话，如果题库没有收录这种误区，它看不出来；"
        "一个正确但说法很少见的答案，它也可能漏掉。在 168 份评过分的作答上（评分者是语言模型），12 份流利而说反的有 1 份被评到 3 级以上，"
        "12 份只错一处的有 9 份被评到 4 级以上。"
        "所以离线分数适合看结构、看漏了什么，不适合当最终评价。"
    )


def _rubric(rubric: Rubric) -> None:
    st.table(
        [
            {"维度": one.title, "分值": f"{one.max:g}", "怎样得分": _earned_by(one)}
            for one in rubric.criteria
        ],
        border="horizontal",
        hide_index=True,
    )
    gates = rubric.gates
    st.markdown(
        f"封顶：核心采分点说反，总分不超过 {gates.contradicted_core:g}；"
        f"一处事实错误不超过 {gates.one_error:g}，多处不超过 {gates.more_errors:g}；"
        f"一个采分点也没说到不超过 {gates.no_point_met:g}。"
    )
    st.markdown(f"等级：{_levels(rubric, rubric.levels)}")
    if rubric.offline_levels is not None:
        st.markdown(
            f"离线评分的等级：{_levels(rubric, rubric.offline_levels)}。"
            "离线评分只认得题库里写到的说法，同样的答案得分偏低，所以等级线单独校准。"
        )


def _levels(rubric: Rubric, cuts: Sequence[float]) -> str:
    return " · ".join(
        f"{level} {name}（{'0' if level == 0 else f'≥ {cuts[level - 1]:g}'}）"
        for level, name in enumerate(rubric.level_names)
    )


def _earned_by(criterion: Criterion) -> str:
    match criterion:
        case CoverageCriterion():
            return (
                f"说到的采分点（按权重）；部分说到算 {criterion.partly:.0%}，"
                f"达到 {criterion.full_at:.0%} 即满分"
            )
        case SlotCriterion():
            opening = (
                f"；其中 {criterion.opening_points:g} 分要求放在前两句"
                if criterion.opening_points
                else ""
            )
            return f"这一部分说清楚得满分，只说到一点得 {criterion.partial:.0%}{opening}"
        case CalibrationCriterion():
            return (
                f"有实际内容且没有绝对化断言；每处绝对化扣 {criterion.per_overclaim:g} 分，"
                f"最低 {criterion.floor:g} 分"
            )


with error_box():
    show()
