"""Two answers to one question side by side (对比), and what changed between them."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from bot.bootstrap import Services
from bot.domain.claims import AnswerError, Overclaim
from bot.domain.comparison import Change, Comparison, Faults, PointChange
from bot.domain.evidence import Evidence
from bot.domain.grade import Grade
from bot.domain.question import SLOT_NAMES
from bot.domain.session import AgainOf, Turn
from bot.errors import NotFoundError, SessionStateError
from bot.services.reporting import VERDICT_NAMES, escape_markdown, judge_label
from bot.ui import state
from bot.ui.components.highlight import Mark, highlighted, merged, quoted
from bot.ui.words import t

_SIGNS = {
    Change.GAINED: ":green[**＋**]",
    Change.LOST: ":red[**－**]",
    Change.SAME: "＝",
}
_LEVELS = ("没有", "部分", "清楚")
_ORDER = (Change.GAINED, Change.LOST, Change.SAME)


def comparison_with(services: Services, later: Turn, earlier: AgainOf) -> None:
    """Show a graded answer beside an earlier one, or why that cannot be shown."""
    try:
        found = services.comparisons.with_earlier(later, earlier)
    except (NotFoundError, SessionStateError) as error:
        st.caption(f":material/info: {escape_markdown(t(str(error)))}")
        return
    with st.container(key=f"comparison-{later.id}"):
        _changes(found)
        left, right = st.columns(2)
        with left:
            _side(found, found.earlier, t("上一次"))
        with right:
            _side(found, found.later, t("这一次"))


def _changes(found: Comparison) -> None:
    if found.difference is None:
        st.caption(f":material/balance: {t(found.difference_note or '')}")
    else:
        st.markdown(t("**得分 {signed}**", signed=_signed(found.difference)))
    slots = [
        t(
            "{signs} {slot}：{moved}",
            signs=_SIGNS[one.change],
            slot=t(SLOT_NAMES[one.slot]),
            moved=_moved(t(_LEVELS[one.before]), t(_LEVELS[one.after])),
        )
        for change in _ORDER
        for one in found.slots
        if one.change is change
    ]
    _list(t("槽位"), slots)
    moved = [one for one in found.points if one.change is not Change.SAME]
    same = [one for one in found.points if one.change is Change.SAME]
    if found.points_note is not None:
        st.caption(f":material/info: {t(found.points_note)}")
    if found.points:
        _list(t("采分点"), [_point(one) for one in sorted(moved, key=_place)] or [t("没有变化")])
    if moved and same:
        with st.expander(t("没有变化的采分点（{count}）", count=len(same))):
            st.markdown("  \n".join(_point(one) for one in same))
    _faults(t("绝对化断言"), found.overclaims)
    _faults(t("事实错误"), found.errors)


def _signed(difference: float) -> str:
    if difference == 0:
        return t("不变")
    return f"{t('＋') if difference > 0 else t('－')}{abs(difference):g}"


def _list(title: str, lines: list[str]) -> None:
    if lines:
        st.markdown("  \n".join((f"**{title}**", *lines)))


def _place(one: PointChange) -> int:
    return _ORDER.index(one.change)


def _point(one: PointChange) -> str:
    verdicts = _moved(t(VERDICT_NAMES[one.before]), t(VERDICT_NAMES[one.after]))
    return t(
        "{signs} {says}（{verdicts}）",
        signs=_SIGNS[one.change],
        says=escape_markdown(one.says),
        verdicts=verdicts,
    )


def _moved(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _faults(title: str, found: Faults[Overclaim] | Faults[AnswerError]) -> None:
    lines = [
        *((one.quote, t("＋ 不再出现"), "") for one in found.gone),
        *((one.quote, t("－ 新出现"), "") for one in found.new),
        *((one.quote, t("＝ 仍然在"), "") for one in found.kept),
    ]
    if lines:
        st.markdown(f"**{title}**")
        st.html(quoted(lines))


def _side(found: Comparison, turn: Turn, title: str) -> None:
    if turn.answer is None or turn.grade is None:
        return
    zone = state.zone()
    st.markdown(
        t(
            "**{title}** · {score:g} 分 · {level} 级",
            title=title,
            score=turn.grade.score,
            level=turn.grade.level,
        )
    )
    st.caption(
        f"{turn.answer.at.astimezone(zone):%Y-%m-%d %H:%M} · {t(judge_label(turn.grade.provenance))}"
    )
    marks = list(_evidence(found, is_later=turn is found.later))
    st.html(highlighted(turn.answer.text, merged(marks, bad=_bad(turn.grade))))


def _evidence(found: Comparison, *, is_later: bool) -> Iterator[Mark]:
    """Give the evidence of the slots; what only this answer has is signed."""
    for one in found.slots:
        level, evidence = (
            (one.after, one.evidence_after) if is_later else (one.before, one.evidence_before)
        )
        own = Change.GAINED if is_later else Change.LOST
        sign = (t("＋") if is_later else t("－")) if one.change is own else ""
        for place in evidence:
            yield _mark(place, "good" if level == 2 else "part", f"{sign}{t(SLOT_NAMES[one.slot])}")


def _mark(place: Evidence, tone: str, label: str) -> Mark:
    return Mark(place.start, place.end, tone, label)


def _bad(given: Grade) -> list[Mark]:
    over = [Mark(one.start, one.end, "bad", t("绝对化")) for one in given.overclaims]
    return over + [Mark(one.start, one.end, "bad", t("错误")) for one in given.errors]
