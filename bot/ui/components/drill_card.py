"""The card of a drill: its question before the answer, and the gap after it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

import streamlit as st

from bot.bootstrap import Services
from bot.domain.card import Rating, Rung
from bot.domain.claims import Verdict
from bot.domain.grade import Grade, Ungraded
from bot.domain.review import Review
from bot.domain.target import Target
from bot.services.drill_texts import (
    RATING_NAMES,
    SUPERSEDED,
    aim_name,
    rung_name,
    stand_lines,
    when,
)
from bot.services.reporting import VERDICT_NAMES, escape_markdown, judge_label, minutes
from bot.ui.components.diagram import text_with_diagrams
from bot.ui.components.highlight import Mark, highlighted, merged, quoted
from bot.ui.words import t

INTERVIEWER = ":material/record_voice_over:"
CANDIDATE = ":material/person:"
_MISSING = (Verdict.CONTRADICTED, Verdict.NOT_MET, Verdict.PARTLY_MET)


def question_card(services: Services, review: Review) -> None:
    """Show where the card comes from, its question, and what was said so far."""
    st.caption(f"{t(aim_name(review.aim))} · {t(rung_name(review.rung))}")
    stem = services.drills.question_of(review).stem
    st.markdown(t(":gray[原题]　{stem}", stem=escape_markdown(stem)))
    with st.chat_message("assistant", avatar=INTERVIEWER):
        st.markdown(escape_markdown(review.says))
    if review.answer is None or review.outcome is not None:
        return
    with st.chat_message("user", avatar=CANDIDATE):
        st.html(highlighted(review.answer.text, ()))
    if review.pushback is not None:
        with st.chat_message("assistant", avatar=INTERVIEWER):
            st.markdown(escape_markdown(review.pushback))


def gap_card(services: Services, review: Review) -> None:
    """Show what an answered card earned, what is missing, and what it should have been."""
    if review.is_skipped:
        st.info(t("已跳过，这张卡片仍然到期。"), icon=":material/skip_next:")
        return
    if review.superseded:
        st.warning(t(SUPERSEDED), icon=":material/sync_problem:")
        return
    target = services.drills.target_of(review)
    match review.outcome:
        case Grade() as given:
            _evidence(review, given)
            _stand(services, review)
            _missing(given, target)
            _faults(given)
        case Ungraded() as reason:
            st.warning(
                t("未评分：{message}", message=escape_markdown(t(reason.message))),
                icon=":material/pending:",
            )
            st.html(highlighted(review.text, ()))
        case None:
            st.info(t("作答已保存，正在等待评分。"), icon=":material/hourglass_top:")
            return
    with st.container(border=True):
        st.caption(t("这一部分的参考"))
        text_with_diagrams(target.reference, key=f"reference-{target.id}", label=t("参考图"))


def rating_buttons(
    services: Services, review: Review, *, now: datetime, zone: tzinfo
) -> Rating | None:
    """Show the four ratings with the day that each gives; return one that was chosen anew."""
    chosen: Rating | None = None
    st.markdown(_next_time(review, now=now, zone=zone))
    schedules = services.drills.preview(review)
    with st.container(horizontal=True, key="drill-ratings"):
        for number, rating in enumerate(Rating, start=1):
            is_final = review.final is rating
            label = f"{t(RATING_NAMES[rating])} · {t(when(schedules[rating], now, zone))}"
            pressed = st.button(
                label,
                key=f"rate-{review.id}-{rating.value}",
                type="primary" if is_final else "secondary",
                shortcut=str(number),
            )
            if pressed and not is_final:
                chosen = rating
    return chosen


def clock_target(rung: Rung) -> tuple[float, float]:
    """Return the seconds between which an answer at this rung should end."""
    return rung.seconds / 2, rung.seconds


def _next_time(review: Review, *, now: datetime, zone: tzinfo) -> str:
    """Return how the card was rated and when it comes again."""
    if review.after is None or review.final is None:
        return t("没有评分；请对照参考自己选评级。")
    due = t(when(review.after.schedule, now, zone))
    by = t("自己改的") if review.corrected is not None else t("按评分，可以改")
    step = review.after.rung - review.rung
    moved = (
        t(
            " · {moved}到{rung}",
            moved=t("升") if step > 0 else t("降"),
            rung=t(rung_name(review.after.rung)),
        )
        if step
        else ""
    )
    return t(
        "评级：**{rating}**（{by}） · 下次：**{due}**{moved}",
        rating=t(RATING_NAMES[review.final]),
        by=by,
        due=due,
        moved=moved,
    )


def _missing(given: Grade, target: Target) -> None:
    says = {target.point_id(point): point.says for point in target.key_points}
    lines = [
        t(
            "- {verdict}：**{says}**",
            verdict=t(VERDICT_NAMES[verdict]),
            says=escape_markdown(says[one.id]),
        )
        for verdict in _MISSING
        for one in given.key_points
        if one.verdict is verdict
    ]
    met = [
        t(
            "- {verdict}：{says}",
            verdict=t(VERDICT_NAMES[one.verdict]),
            says=escape_markdown(says[one.id]),
        )
        for one in given.key_points
        if one.verdict is Verdict.MET
    ]
    st.markdown(f"**{t('还缺什么') if lines else t('都说到了')}**")
    st.markdown("\n".join((*lines, *met)))


def _evidence(review: Review, given: Grade) -> None:
    marks = [
        Mark(one.start, one.end, "good" if point.verdict is Verdict.MET else "part", t("说到"))
        for point in given.key_points
        if point.verdict in (Verdict.MET, Verdict.PARTLY_MET)
        for one in point.evidence
    ]
    bad = [Mark(one.start, one.end, "bad", t("绝对化")) for one in given.overclaims]
    bad += [Mark(one.start, one.end, "bad", t("错误")) for one in given.errors]
    with st.chat_message("user", avatar=CANDIDATE):
        st.html(highlighted(review.text, merged(marks, bad=bad)))
        st.caption(
            t(
                "用时 {minutes}（限 {seconds} 秒） · {score:g} 分 · {judge_label}",
                minutes=t(minutes(review.seconds)),
                seconds=review.rung.seconds,
                score=given.score,
                judge_label=t(judge_label(given.provenance)),
            )
        )


def _faults(given: Grade) -> None:
    faults: Sequence[tuple[str, str, str]] = [
        *((one.quote, t(one.why), one.rewrite) for one in given.overclaims),
        *((one.quote, t(one.why), "") for one in given.errors),
    ]
    if faults:
        st.markdown(t("**说过头或说错的**"))
        st.html(quoted(faults))


def _stand(services: Services, review: Review) -> None:
    stand = services.drills.stand_of(review)
    if stand is None:
        return
    st.markdown(t("**面对质疑**　{pushback}", pushback=escape_markdown(review.pushback or "")))
    st.markdown(
        "  \n".join(
            f"{':material/check_circle:' if good else ':material/warning:'} {t(line)}"
            for good, line in stand_lines(stand)
        )
    )
