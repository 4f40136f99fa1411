"""Our schedule is the library's, rating by rating; the library is the reference, not a fake."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import fsrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.fsrs_scheduler import FsrsScheduler
from bot.domain.card import Rating, Schedule
from tests.fakes import NOON

LIBRARY = fsrs.Scheduler(enable_fuzzing=False)

moments = st.integers(0, 10**8).map(lambda seconds: NOON + timedelta(seconds=seconds))

histories = st.lists(
    st.tuples(st.sampled_from(Rating), st.integers(0, 60 * 60 * 24 * 200)), max_size=25
)
"""Ratings, each with the seconds that have passed since the one before."""


def by_library(begun: datetime, history: list[tuple[Rating, int]]) -> list[fsrs.Card]:
    """Return the library's own cards of a history."""
    card, now, cards = fsrs.Card(card_id=1, due=begun), begun, []
    for rating, seconds in history:
        now += timedelta(seconds=seconds)
        card, _ = LIBRARY.review_card(card, fsrs.Rating[rating.name.title()], review_datetime=now)
        cards.append(card)
    return cards


def by_us(begun: datetime, history: list[tuple[Rating, int]]) -> list[Schedule]:
    """Return our schedules of the same history, each stored and read again in between."""
    schedule, now, schedules = Schedule(due=begun), begun, []
    for rating, seconds in history:
        now += timedelta(seconds=seconds)
        schedule = FsrsScheduler().review(schedule, rating, now)
        schedule = Schedule.model_validate_json(schedule.model_dump_json())
        schedules.append(schedule)
    return schedules


@given(moments, histories)
def test_a_history_is_that_of_the_library(
    begun: datetime, history: list[tuple[Rating, int]]
) -> None:
    for mine, theirs in zip(by_us(begun, history), by_library(begun, history), strict=True):
        assert mine.due == theirs.due
        assert mine.state.name.title() == theirs.state.name
        assert mine.step == theirs.step
        assert mine.stability == theirs.stability
        assert mine.difficulty == theirs.difficulty
        assert mine.last_review == theirs.last_review


@pytest.mark.parametrize(
    ("names", "days"),
    [
        pytest.param(
            "3333331133333",
            [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21],
            id="good, missed twice, good again",
        ),
        pytest.param("2222", [0, 0, 0, 0], id="always hard"),
    ],
)
def test_whole_histories_give_these_intervals(names: str, days: list[int]) -> None:
    schedule, now, intervals = Schedule(due=NOON), NOON, []
    for name in names:
        schedule = FsrsScheduler().review(schedule, tuple(Rating)[int(name) - 1], now)
        intervals.append((schedule.due - now).days)
        now = schedule.due

    assert intervals == days


def test_the_zone_of_the_review_makes_no_difference() -> None:
    abroad = NOON.astimezone(ZoneInfo("Asia/Shanghai"))

    assert FsrsScheduler().review(Schedule(due=NOON), Rating.GOOD, abroad) == (
        FsrsScheduler().review(Schedule(due=NOON), Rating.GOOD, NOON)
    )


def test_a_long_interval_is_the_same_every_time() -> None:
    schedule = Schedule(due=NOON)
    for days in range(6):
        schedule = FsrsScheduler().review(schedule, Rating.EASY, NOON + timedelta(days=days * 90))

    again = {
        FsrsScheduler().review(schedule, Rating.EASY, NOON + timedelta(days=900)).due
        for _ in range(20)
    }

    assert len(again) == 1
