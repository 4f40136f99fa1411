"""The parts of a grade that explain it: score, criteria, evidence, key points and faults."""

from __future__ import annotations

import streamlit as st

from bot.domain.claims import Verdict
from bot.domain.grade import Grade
from bot.domain.rubric import Rubric
from bot.domain.target import Target
from bot.services.reporting import NO_POINT_SAID, SLOT_NAMES, VERDICT_NAMES, escape_markdown
from bot.ui.components.highlight import Mark, highlighted, merged, quoted
from bot.ui.words import t

_ICONS = {
    Verdict.MET: ":material/check_circle:",
    Verdict.PARTLY_MET: ":material/adjust:",
    Verdict.NOT_MET: ":material/radio_button_unchecked:",
    Verdict.CONTRADICTED: ":material/warning:",
}
_ORDER = (Verdict.CONTRADICTED, Verdict.NOT_MET, Verdict.PARTLY_MET, Verdict.MET)
_ALL, _OVERCLAIMS = "全部", "绝对化与错误"


def score_line(given: Grade, rubric: Rubric) -> None:
    """Show score and level."""
    st.markdown(
        t(
            "#### {score:g} 分 · {level} 级 {level_name}",
            score=given.score,
            level=given.level,
            level_name=t(rubric.level_names[given.level]),
        )
    )


def criteria_bars(given: Grade, rubric: Rubric) -> None:
    """Show what each criterion earned, as a bar with its points."""
    titles = {one.id: one.title for one in rubric.criteria}
    for one in given.criteria:
        share = min(1.0, max(0.0, one.points / one.max if one.max else 0.0))
        st.progress(share, text=f"{t(titles.get(one.id, one.id))}　{one.points:g} / {one.max:g}")
    if sum(one.points for one in given.criteria) < 0:
        st.caption(t("各项合计为负，总分按 0 分计。"))


def marked_answer(given: Grade, rubric: Rubric, text: str, *, key: str) -> None:
    """Show the answer with its evidence; one criterion can be chosen by buttons with the key."""
    titles = {one.id: one.title for one in rubric.criteria if one.kind != "calibration"}
    bad = [*given.overclaims, *given.errors]
    views = [_ALL, *(titles[one.id] for one in given.criteria if one.id in titles and one.evidence)]
    if bad:
        views.append(_OVERCLAIMS)
    st.markdown(t("**你的作答与依据**"))
    chosen: str | None = _ALL
    if len(views) > 1:
        chosen = st.segmented_control(
            t("查看依据"),
            views,
            default=_ALL,
            key=key,
            label_visibility="collapsed",
            format_func=t,
        )
    chosen = chosen or _ALL
    marks = [Mark(one.start, one.end, "bad", t("绝对化")) for one in given.overclaims]
    marks += [Mark(one.start, one.end, "bad", t("错误")) for one in given.errors]
    if chosen != _OVERCLAIMS:
        picked = [
            Mark(
                evidence.start,
                evidence.end,
                "good" if one.level == 2 else "part",
                t(titles[one.id]),
            )
            for one in given.criteria
            if one.id in titles and chosen in (_ALL, titles[one.id])
            for evidence in one.evidence
        ]
        marks = merged(picked) if chosen != _ALL else merged(picked, bad=marks)
    st.html(highlighted(text, marks))


def points_list(given: Grade, target: Target) -> None:
    """Show the verdict of each key point, what is wrong or missing first."""
    points = {target.point_id(point): point for point in target.key_points}
    met = sum(point.verdict is Verdict.MET for point in given.key_points)
    st.markdown(t("**采分点**（说到 {met} / {count}）", met=met, count=len(given.key_points)))
    if given.is_hollow:
        st.markdown(t(NO_POINT_SAID))
    lines = []
    for verdict in _ORDER:
        for found in given.key_points:
            if found.verdict is verdict:
                point = points.get(found.id)
                lines.append(
                    t(
                        "{icon} {verdict}：",
                        icon=_ICONS[verdict],
                        verdict=t(VERDICT_NAMES[verdict]),
                    )
                    + (
                        t(
                            "{says}（{slot}）",
                            says=escape_markdown(point.says),
                            slot=t(SLOT_NAMES[point.slot]),
                        )
                        if point
                        else t("采分点 {point_id}，题库里已经没有它", point_id=found.id)
                    )
                )
    st.markdown("  \n".join(lines))


def faults_list(given: Grade) -> None:
    """Show the overclaims and errors, if there are any."""
    if given.overclaims:
        st.markdown(t("**绝对化断言**"))
        st.html(quoted([(one.quote, t(one.why), one.rewrite) for one in given.overclaims]))
    if given.errors:
        st.markdown(t("**事实错误**"))
        st.html(quoted([(one.quote, t(one.why), "") for one in given.errors]))
