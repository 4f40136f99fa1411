"""An allowance fills up with time, and never above what an hour gives."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.allowance import Allowance, take
from tests.fakes import NOON

HOUR = timedelta(hours=1)


def test_the_first_hour_is_given_whole_and_then_one_waits() -> None:
    kept, taken = None, []
    for _ in range(4):
        found = take(kept, per_hour=3, now=NOON)
        kept = found.kept
        taken.append(found.wait)

    assert taken == [None, None, None, HOUR / 3]


def test_after_the_wait_one_can_be_taken() -> None:
    used_up = Allowance(0, NOON)

    assert take(used_up, per_hour=60, now=NOON + timedelta(minutes=1)).wait is None
    wait = take(used_up, per_hour=60, now=NOON + timedelta(seconds=30)).wait
    assert wait == timedelta(seconds=30)


def test_asking_while_nothing_is_left_does_not_push_the_wait_away() -> None:
    kept = Allowance(0, NOON)
    for seconds in range(10, 60, 10):
        kept = take(kept, per_hour=60, now=NOON + timedelta(seconds=seconds)).kept

    assert take(kept, per_hour=60, now=NOON + timedelta(seconds=61)).wait is None


def test_a_clock_that_goes_back_gives_nothing() -> None:
    assert take(Allowance(0.5, NOON), per_hour=60, now=NOON - HOUR).wait == timedelta(seconds=30)


@given(st.lists(st.integers(0, 4000), min_size=1, max_size=200), st.integers(1, 50))
def test_never_more_than_two_hours_worth_in_any_hour(gaps: list[int], per_hour: int) -> None:
    kept, now, done = None, NOON, []
    for seconds in gaps:
        now += timedelta(seconds=seconds)
        found = take(kept, per_hour=per_hour, now=now)
        kept = found.kept
        if found.wait is None:
            done.append(now)

    assert all(sum(at <= one < at + HOUR for one in done) <= 2 * per_hour for at in done)
