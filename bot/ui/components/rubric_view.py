"""A rubric told in words: weights, gates and levels."""

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
from bot.services.reporting import escape_markdown
from bot.ui.words import t


def rubric_view(rubric: Rubric) -> None:
    """Show what earns how many points, the gates and the levels."""
    st.table(
        [
            {
                t("维度"): escape_markdown(t(one.title)),
                t("分值"): f"{one.max:g}",
                t("怎样得分"): _earned_by(one),
            }
            for one in rubric.criteria
        ],
        border="horizontal",
        hide_index=True,
    )
    gates = rubric.gates
    st.markdown(
        t(
            "封顶：核心采分点说反，总分不超过 {contradicted_core:g}；"
            "一处事实错误不超过 {one_error:g}，多处不超过 {more_errors:g}；"
            "不止一处绝对化断言不超过 {more_overclaims:g}；"
            "一个采分点也没说到不超过 {no_point_met:g}。",
            contradicted_core=gates.contradicted_core,
            one_error=gates.one_error,
            more_errors=gates.more_errors,
            more_overclaims=gates.more_overclaims,
            no_point_met=gates.no_point_met,
        )
    )
    st.markdown(t("等级：{levels}", levels=_levels(rubric, rubric.levels)))
    if rubric.offline_levels is not None:
        st.markdown(
            t(
                "离线评分的等级：{levels}。"
                "离线评分只认得题库里写到的说法，同样的答案得分偏低，所以等级线单独校准。",
                levels=_levels(rubric, rubric.offline_levels),
            )
        )


def _levels(rubric: Rubric, cuts: Sequence[float]) -> str:
    return " · ".join(
        t(
            "{level} {name}（{from_score}）",
            level=level,
            name=escape_markdown(t(name)),
            from_score="0" if level == 0 else f"≥ {cuts[level - 1]:g}",
        )
        for level, name in enumerate(rubric.level_names)
    )


def _earned_by(criterion: Criterion) -> str:
    match criterion:
        case CoverageCriterion():
            return t(
                "说到的采分点（按权重）；部分说到算 {partly:.0%}，达到 {full_at:.0%} 即满分",
                partly=criterion.partly,
                full_at=criterion.full_at,
            )
        case SlotCriterion():
            opening = (
                t(
                    "；其中 {opening_points:g} 分要求放在前两句",
                    opening_points=criterion.opening_points,
                )
                if criterion.opening_points
                else ""
            )
            return t(
                "这一部分说清楚得满分，只说到一点得 {partial:.0%}{opening}",
                partial=criterion.partial,
                opening=opening,
            )
        case CalibrationCriterion():
            return t(
                "说到的采分点达到 {content_at:.0%}（不足按比例给分）且没有绝对化断言得满分；"
                "每处绝对化扣 {per_overclaim:g} 分，最低 {floor:g} 分",
                content_at=criterion.content_at,
                per_overclaim=criterion.per_overclaim,
                floor=criterion.floor,
            )
