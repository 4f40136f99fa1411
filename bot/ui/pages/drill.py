"""The follow-up drill: weaknesses and follow-ups, one card after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from functools import partial

import streamlit as st

from bot.bootstrap import Services
from bot.domain.deck import Queue
from bot.domain.drill import MOST_CARDS, MOST_MINUTES, Drill, Goal, tally
from bot.domain.review import Review
from bot.errors import NotFoundError, SessionConflictError
from bot.services.drill_texts import (
    NOTHING_DUE,
    RATING_NAMES,
    RUNG_NAMES,
    aim_name,
    place,
    when,
)
from bot.services.reporting import minutes
from bot.ui import navigation, state
from bot.ui.components.again import again_button
from bot.ui.components.answer_clock import answer_clock
from bot.ui.components.answer_input import answer_input, put_back_unless_stored
from bot.ui.components.deck_list import add_follow_ups, deck_list, leeches
from bot.ui.components.drill_card import (
    clock_target,
    gap_card,
    question_card,
    rating_buttons,
)
from bot.ui.components.error_box import error_box
from bot.ui.components.focus import focus_answer
from bot.ui.components.resuming import resume_drill
from bot.ui.words import t

UNITS = {"cards": "张卡片", "minutes": "分钟"}


def show() -> None:
    """Show the drill that the address names, or the deck."""
    services = state.services()
    state.show_flash()
    services.models.begin()
    name = state.drill_id()
    if name is None:
        _home(services)
        return
    try:
        drill = services.store.drills.load(name)
    except NotFoundError:
        state.leave_drill()
        st.warning(t("没有找到这次训练；下面可以开始新的。"), icon=":material/search_off:")
        _home(services)
        return
    _drill(services, drill)


def _home(services: Services) -> None:
    st.title(t("追问训练"))
    st.caption(
        t(
            "面试里没说到的要点会变成卡片，按遗忘规律安排复习。每张卡片只问一点、只评这一点："
            "{rungs}。",
            rungs=" → ".join(map(t, RUNG_NAMES.values())),
        )
    )
    services.drills.deck.collect()
    now, zone = services.clock.now(), state.zone()
    cards = services.drills.deck.cards()
    waiting = services.drills.deck.queue(zone, cards)
    if not cards:
        st.info(
            t("还没有卡片。做一场面试，没说到的要点会自动成为卡片；也可以直接加入题库的追问。"),
            icon=":material/style:",
        )
        st.page_link(navigation.INTERVIEW, label=t("开始一场面试"), icon=":material/forum:")
        add_follow_ups(services)
        return
    _counts(waiting, now, zone)
    _offer_unfinished(services, now)
    _begin(services, waiting, now, zone)
    leeches(services, waiting.leeches)
    st.divider()
    add_follow_ups(services)
    deck_list(services, cards, now=now, zone=zone)


def _counts(waiting: Queue, now: datetime, zone: tzinfo) -> None:
    _metrics(
        {
            t("今天到期"): len(waiting.due),
            t("新卡"): len(waiting.new),
            t("顽固"): len(waiting.leeches),
        }
    )
    if waiting.soon:
        soonest = t(when(waiting.soon[0].standing.schedule, now, zone))
        st.caption(
            t(
                "另有 {count} 张今天稍后到期，最近的一张：{soonest}。",
                count=len(waiting.soon),
                soonest=soonest,
            )
        )


def _metrics(counts: Mapping[str, int]) -> None:
    """Show counts side by side, on a phone too, where columns would stand below each other."""
    with st.container(horizontal=True, gap="large"):
        for name, count in counts.items():
            st.metric(name, count, width="content")


def _offer_unfinished(services: Services, now: datetime) -> None:
    drill = services.store.drills.open_drill()
    if drill is None:
        return
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.info(
        t("有一次没做完的训练（{place}）。", place=t(place(drill, now))), icon=":material/restore:"
    )
    if right.button(t("继续"), width="stretch", key="drill.resume"):
        resume_drill(services, drill)
        state.open_drill(drill)
        st.rerun()


def _begin(services: Services, waiting: Queue, now: datetime, zone: tzinfo) -> None:
    left, middle, right = st.columns([2, 2, 3], vertical_alignment="bottom")
    unit = middle.selectbox(
        t("单位"), list(UNITS), format_func=lambda one: t(UNITS[one]), key="drill.unit"
    )
    most = MOST_CARDS if unit == "cards" else MOST_MINUTES
    amount = left.number_input(t("练多少"), 1, most, 10, key=f"drill.amount.{unit}")
    is_empty = not (waiting.due or waiting.new)
    if right.button(t("开始训练"), type="primary", width="stretch", disabled=is_empty):
        goal = Goal(cards=int(amount)) if unit == "cards" else Goal(minutes=int(amount))
        state.open_drill(services.drills.begin(goal, zone))
        st.rerun()
    if is_empty:
        st.caption(t(NOTHING_DUE))


def _drill(services: Services, drill: Drill) -> None:
    now, zone = services.clock.now(), state.zone()
    _header(services, drill, now)
    review = drill.last
    if drill.waiting:
        _grade(services, drill)
    elif drill.is_finished or review is None:
        _summary(services, drill, now, zone)
    elif review.is_open:
        with error_box():
            question_card(services, review)
        _ask(services, drill, review, now)
    else:
        _answered(services, drill, review, now, zone)


def _header(services: Services, drill: Drill, now: datetime) -> None:
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown(t("**追问训练** · {place}", place=t(place(drill, now))))
    if drill.is_finished:
        if right.button(t("回到卡组"), key="drill.leave", width="stretch"):
            state.leave_drill()
            st.rerun()
    elif right.button(t("结束训练"), key="drill.finish", width="stretch"):
        _step(lambda: services.drills.finish(drill))


def _grade(services: Services, drill: Drill) -> None:
    """Grade what waits; also the way back after a crash between answer and grade."""
    review = drill.waiting[0]
    with error_box():
        question_card(services, review)
    # Takes the place of the input: what is typed there now would be lost.
    st.chat_input(t("评分中……"), key=_input_key(review), disabled=True)
    with st.spinner(t("评分中……")), state.grading_lock(drill.id):
        current = services.store.drills.load(drill.id)  # a run before this one may be done
        _step(lambda: services.drills.grade_waiting(current))


def _ask(services: Services, drill: Drill, review: Review, now: datetime) -> None:
    answer_clock(
        elapsed=review.seconds + max(0.0, (now - review.open_since).total_seconds()),
        key=f"clock-{_input_key(review)}",
        target=clock_target(review.rung),
    )
    with st.container(horizontal=True):
        if st.button(t("不知道"), key=f"dont-know-{_input_key(review)}"):
            _step(lambda: services.drills.dont_know(drill))
        if not review.needs_reply and st.button(t("跳过"), key=f"skip-{review.id}"):
            _step(lambda: services.drills.skip(drill))
        focus_answer(key=f"focus-{_input_key(review)}")
    placeholder = t("请回应") if review.needs_reply else t("请作答")
    text = answer_input(
        t("{placeholder}（Enter 发送，Shift+Enter 换行）", placeholder=placeholder),
        key=_input_key(review),
    )
    if text is not None:
        act = services.drills.reply if review.needs_reply else services.drills.answer
        with put_back_unless_stored(_input_key(review), text):
            _step(lambda: act(drill, text))


def _answered(
    services: Services, drill: Drill, review: Review, now: datetime, zone: tzinfo
) -> None:
    with error_box():
        question_card(services, review)
        gap_card(services, review)
    # Pinned: what to do next stays in sight, however long the feedback is.
    with st.bottom:
        with error_box():
            if review.outcome is not None:
                chosen = rating_buttons(services, review, now=now, zone=zone)
                if chosen is not None:
                    _step(partial(services.drills.rate, drill, review.id, chosen))
        with st.container(horizontal=True):
            if st.button(t("下一张"), key=f"next-{review.id}", type="primary", shortcut="Enter"):
                _step(lambda: services.drills.go_on(drill, zone))
            is_ungraded = review.outcome is not None and review.grade is None
            if is_ungraded and st.button(
                t("重新评分"), key=f"regrade-{review.id}", icon=":material/refresh:"
            ):
                with st.spinner(t("评分中……")):
                    _step(lambda: services.drills.regrade(drill, review.id))


def _summary(services: Services, drill: Drill, now: datetime, zone: tzinfo) -> None:
    counted = tally(drill.reviews)
    if not counted.cards:
        st.info(t("这次训练没有练完任何卡片。"), icon=":material/info:")
    else:
        st.success(
            t(
                "练了 {cards} 张，用时 {minutes}。",
                cards=counted.cards,
                minutes=t(minutes(counted.seconds)),
            ),
            icon=":material/flag:",
        )
        _metrics({t(RATING_NAMES[rating]): count for rating, count in counted.by_rating.items()})
    if counted.skipped or counted.ungraded:
        st.caption(
            t(
                "跳过 {skipped} 张，未评分 {ungraded} 张；它们仍然到期。",
                skipped=counted.skipped,
                ungraded=counted.ungraded,
            )
        )
    for review in drill.rated:
        _line(services, review, now, zone)


def _line(services: Services, review: Review, now: datetime, zone: tzinfo) -> None:
    if review.after is None or review.final is None:
        return
    left, right = st.columns([4, 2], vertical_alignment="center")
    due = t(when(review.after.schedule, now, zone))
    left.markdown(
        t(
            "**{aim_name}**　{rating} · 下次：{due}",
            aim_name=t(aim_name(review.aim)),
            rating=t(RATING_NAMES[review.final]),
            due=due,
        )
    )
    with right:
        again_button(
            services.for_bank(review.aim.bank_id),
            review.aim.question_id,
            key=f"again-{review.id}",
            label=t("再答原题"),
        )


def _input_key(review: Review) -> str:
    return f"{'reply' if review.needs_reply or review.reply else 'answer'}-{review.id}"


def _step(act: Callable[[], Drill]) -> None:
    """Store the step, then run again: an answer is shown and kept before it is graded."""
    try:
        act()
    except SessionConflictError:
        state.flash(t("这次训练在别处有了新进度，已为你载入。"))
    st.rerun()


with error_box():
    show()
