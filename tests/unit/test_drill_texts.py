"""How drills speak of time and progress."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.domain.card import CardState, Rating, Schedule
from bot.domain.drill import Drill, Goal
from bot.domain.pushback import Stand
from bot.domain.review import Moved
from bot.services.drill_texts import place, stand_lines, when
from tests.drilling import card
from tests.fakes import NOON, graded, question

NEW_YORK = ZoneInfo("America/New_York")


def days(number: int, last: datetime = NOON) -> Schedule:
    due = last + timedelta(days=number)
    return Schedule(due=due, state=CardState.REVIEW, step=None, last_review=last)


@pytest.mark.parametrize(
    ("schedule", "says"),
    [
        (Schedule(due=NOON - timedelta(days=1)), "现在"),
        (Schedule(due=NOON + timedelta(seconds=20)), "1 分钟后"),
        (Schedule(due=NOON + timedelta(minutes=9, seconds=30)), "10 分钟后"),
        (Schedule(due=NOON + timedelta(hours=3)), "今天晚些时候"),
        (days(1), "明天"),
        (days(2), "后天"),
        (days(3), "3 天后"),
        (days(59), "59 天后"),
        (days(91), "约 3 个月后"),
    ],
)
def test_the_next_time_is_said_as_people_say_it(schedule: Schedule, says: str) -> None:
    assert when(schedule, NOON, UTC) == says


def test_tomorrow_is_tomorrow_although_the_day_has_23_hours() -> None:
    # 24 hours after half past eleven in the evening it is the day after tomorrow.
    evening = datetime(2026, 3, 7, 23, 30, tzinfo=NEW_YORK).astimezone(UTC)

    assert when(days(1, evening), evening, NEW_YORK) == "明天"


def drill(**goal: int) -> Drill:
    begun = Drill(id="d", goal=Goal.model_validate(goal), begun_at=NOON)
    return begun.ask(card(), aim=card().aim, says="？", now=NOON)


def rated(one: Drill) -> Drill:
    before = card().standing
    after = before.reviewed(Rating.GOOD, Schedule(due=NOON), NOON)
    told = one.answer("因为", now=NOON)
    moved = Moved(before=before, after=after)
    return told.record("d-1", graded(question()), rating=Rating.GOOD, moved=moved)


def test_the_place_in_a_drill_counts_the_card_that_is_shown() -> None:
    first = drill(cards=3)
    assert place(first, NOON) == "第 1 / 3 张"
    assert place(rated(first), NOON) == "第 1 / 3 张"

    second = rated(first).ask(card("l"), aim=card().aim, says="？", now=NOON)
    assert place(second, NOON) == "第 2 / 3 张"
    assert place(second.finish(NOON), NOON) == "已结束，练了 1 张"


def test_a_timed_drill_says_how_long_it_goes_on() -> None:
    timed = rated(drill(minutes=5))

    assert place(timed, NOON + timedelta(seconds=90)) == "已练 1 张 · 还剩 4 分钟"
    assert place(timed, NOON + timedelta(minutes=9)) == "已练 1 张 · 时间已到，答完这张结束"


def test_each_side_of_a_stand_is_said_and_nothing_of_a_reply_that_was_none() -> None:
    held = Stand(replies=True, holds=True, limits=True, measured=True)
    fell = Stand(replies=True, holds=False, limits=False, measured=False)

    assert [good for good, _ in stand_lines(held)] == [True, True, True]
    assert {one for _, one in stand_lines(held)}.isdisjoint(one for _, one in stand_lines(fell))
    assert list(stand_lines(held._replace(replies=False))) == [(False, "没有回应质疑")]
