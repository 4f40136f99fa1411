"""Charts of progress: lines, heat maps and bars that can be read on a phone and without colours.

Altair is imported by the functions: it takes long, and only one page draws with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import streamlit as st

from bot.domain.progress import Point, Step, begin_of
from bot.ui.words import t

if TYPE_CHECKING:
    import altair as alt

COLOURS = ("#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#8C8C8C")
"""Told apart with any kind of colour vision (Okabe and Ito); lines differ in dashes as well."""

DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (4, 4), (10, 4), (1, 3))

COLUMNS = 8
"""A heat map shows so many of the latest periods: more would be too narrow on a phone."""

WIDEST_NAME = 96
"""Pixels for the names of rows."""

Points = Mapping[str, Sequence[Point]]

STEP_NAMES = {Step.DAY: "天", Step.WEEK: "周", Step.MONTH: "月"}


def line_chart(points: Points, step: Step) -> None:
    """Show shares 0–1 over time, one line a name; a single period shows as points."""
    import altair as alt

    names = list(points)
    rows = [
        {
            "name": name,
            "period": _label(one.begins, step),
            "share": one.mean,
            "answers": one.answers,
        }
        for name, found in points.items()
        for one in found
    ]
    # What is below 0 lies on the axis; the tooltip tells the number.
    y = alt.Y("share:Q", scale=alt.Scale(domain=[0, 1], clamp=True), axis=alt.Axis(format="%"))
    chart = (
        alt.Chart({"values": rows})
        .mark_line(point={"size": 45, "filled": True}, strokeWidth=2)
        .encode(
            x=_time(_labels(points, step)),
            y=y.title(None),
            color=alt.Color(
                "name:N",
                sort=names,
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
                legend=alt.Legend(orient="bottom", title=None, columns=3, symbolType="stroke"),
            ),
            strokeDash=alt.StrokeDash(
                "name:N",
                sort=names,
                scale=alt.Scale(domain=names, range=[list(one) for one in DASHES[: len(names)]]),
                legend=None,
            ),
            tooltip=_tooltip("share", t("得分率"), ".0%"),
        )
        .properties(height=260)
    )
    _draw(chart, t("各维度得分率随时间的变化"))


def heat_map(points: Points, step: Step) -> None:
    """Show mean scores 0–100, a row a name and a column a period; each cell has its number."""
    import altair as alt

    labels = _labels(points, step)[-COLUMNS:]
    rows = [
        {"name": name, "period": label, "mean": round(one.mean), "answers": one.answers}
        for name, found in points.items()
        for one in found
        if (label := _label(one.begins, step)) in labels
    ]
    base = alt.Chart({"values": rows}).encode(
        x=_time(labels),
        y=alt.Y(
            "name:N",
            sort=list(points),
            scale=alt.Scale(domain=list(points)),
            axis=alt.Axis(title=None, labelLimit=WIDEST_NAME, domain=False, ticks=False),
        ),
        tooltip=_tooltip("mean", t("平均分"), ".0f"),
    )
    cells = base.mark_rect(cornerRadius=3, stroke="#8884", strokeWidth=1).encode(
        color=alt.Color("mean:Q", scale=alt.Scale(domain=[0, 100], scheme="blues"), legend=None)
    )
    dark = alt.datum["mean"] > 55
    numbers = base.mark_text(fontSize=13).encode(
        text="mean:Q", color=alt.condition(dark, alt.value("#fff"), alt.value("#111"))
    )
    chart = (cells + numbers).properties(height=max(90, 34 * len(points) + 30))
    _draw(chart, t("平均分随时间的变化，每格一个时段"))


def bar_chart(points: Sequence[Point], step: Step, limit: float) -> None:
    """Show how many overclaims an answer had on average, with the limit as a line."""
    import altair as alt

    held = {"": points}
    rows = [
        {"period": _label(one.begins, step), "mean": round(one.mean, 2), "answers": one.answers}
        for one in points
    ]
    bars = (
        alt.Chart({"values": rows})
        .mark_bar(color=COLOURS[2], cornerRadiusEnd=3, size=14)
        .encode(
            x=_time(_labels(held, step)),
            y=alt.Y("mean:Q", title=None, scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=4)),
            tooltip=_tooltip("mean", t("每次作答"), ".2f", named=False),
        )
    )
    rule = (
        alt.Chart({"values": [{"limit": limit}]})
        .mark_rule(strokeDash=[4, 4], color="#8C8C8C")
        .encode(y="limit:Q")
    )
    _draw((bars + rule).properties(height=160), t("每次作答的绝对化断言数随时间的变化"))


def _draw(chart: alt.Chart | alt.LayerChart, says: str) -> None:
    st.altair_chart(chart.configure_view(stroke=None), width="stretch", alt=says)


def _time(labels: list[str]) -> alt.X:
    """Return the axis of the periods, those without an answer included: a gap should be seen."""
    import altair as alt

    return alt.X(
        "period:O",
        sort=labels,
        scale=alt.Scale(domain=labels),
        axis=alt.Axis(title=None, labelAngle=0, labelOverlap="greedy", labelSeparation=6),
    )


def _tooltip(value: str, title: str, form: str, *, named: bool = True) -> list[Any]:
    import altair as alt

    names = [alt.Tooltip("name:N", title=t("名称"))] if named else []
    return [
        *names,
        alt.Tooltip("period:O", title=t("时间")),
        alt.Tooltip(f"{value}:Q", title=title, format=form),
        alt.Tooltip("answers:Q", title=t("作答次数")),
    ]


def _labels(points: Points, step: Step) -> list[str]:
    begins = [one.begins for found in points.values() for one in found]
    day, last = min(begins), max(begins)
    labels = []
    while day <= last:
        labels.append(_label(day, step))
        days = {Step.DAY: 1, Step.WEEK: 7, Step.MONTH: 32}[step]
        day = begin_of(day + timedelta(days=days), step)
    return labels


def _label(begins: date, step: Step) -> str:
    return f"{begins:%Y-%m}" if step is Step.MONTH else f"{begins:%m-%d}"
