"""A card is due when its time has come: never lost, never twice."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.fsrs_scheduler import FsrsScheduler
from bot.domain.card import LEECH, REST, CardState, Rating, Rung, Schedule, Standing
from tests.drilling import aim, card, miss
from tests.fakes import NOON

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")

zones = st.sampled_from(
    [UTC, SHANGHAI, NEW_YORK, ZoneInfo("Europe/Berlin"), ZoneInfo("Pacific/Kiritimati")]
)
moments = st.integers(0, 10**8).map(lambda seconds: NOON + timedelta(seconds=seconds))
ratings = st.sampled_from(Rating)


def days_apart(last: datetime, days: int) -> Schedule:
    """Return the schedule of a card that was put off for days."""
    return Schedule(
        due=last + timedelta(days=days),
        state=CardState.REVIEW,
        step=None,
        stability=float(days),
        difficulty=5.0,
        last_review=last,
    )


class TestWhenACardIsDue:
    def test_minutes_are_kept_to_the_minute(self) -> None:
        schedule = Schedule(due=NOON + timedelta(minutes=10), last_review=NOON)

        assert not schedule.is_due(NOON + timedelta(minutes=9, seconds=59), SHANGHAI)
        assert schedule.is_due(NOON + timedelta(minutes=10), SHANGHAI)

    def test_what_falls_due_this_evening_may_be_answered_this_morning(self) -> None:
        evening = datetime(2026, 11, 30, 21, tzinfo=SHANGHAI)
        schedule = days_apart(evening, 1)

        assert schedule.is_due(datetime(2026, 12, 1, 9, 30, tzinfo=SHANGHAI), SHANGHAI)

    def test_crossing_midnight_in_the_middle_of_a_drill_does_not_ask_twice(self) -> None:
        schedule = days_apart(datetime(2026, 11, 30, 23, 55, tzinfo=SHANGHAI), 1)

        assert not schedule.is_due(datetime(2026, 12, 1, 0, 5, tzinfo=SHANGHAI), SHANGHAI)

    def test_a_day_of_25_hours_does_not_ask_twice(self) -> None:
        # The clocks of New York are set back on 1 November: 24 hours later it is still that day.
        begun = datetime(2026, 11, 1, 0, 30, tzinfo=NEW_YORK)
        schedule = days_apart(begun.astimezone(UTC), 1)
        assert schedule.due.astimezone(NEW_YORK).date() == begun.date()

        assert not schedule.is_due(datetime(2026, 11, 1, 9, tzinfo=NEW_YORK), NEW_YORK)

    def test_a_day_of_23_hours_does_not_lose_a_card(self) -> None:
        begun = datetime(2026, 3, 7, 23, 30, tzinfo=NEW_YORK)
        schedule = days_apart(begun.astimezone(UTC), 1)

        days = [
            now.date()
            for hour in range(48)
            if schedule.is_due(
                now := (begun + timedelta(hours=hour)).astimezone(NEW_YORK), NEW_YORK
            )
        ]

        assert days[0] == date(2026, 3, 8)
        assert schedule.due.astimezone(NEW_YORK).date() == date(2026, 3, 9)

    @given(moments, zones, st.integers(1, 400))
    def test_a_card_falls_on_the_day_that_is_so_many_days_after_its_review(
        self, last: datetime, zone: ZoneInfo, days: int
    ) -> None:
        expected = last.astimezone(zone).date() + timedelta(days=days)

        assert days_apart(last, days).falls_on(zone) == expected

    def test_a_flight_over_the_date_line_does_not_ask_twice(self) -> None:
        schedule = days_apart(datetime(2026, 11, 30, 10, tzinfo=NEW_YORK).astimezone(UTC), 1)

        assert not schedule.is_due(datetime(2026, 12, 1, 0, 30, tzinfo=SHANGHAI), SHANGHAI)

    @given(moments, zones, st.integers(1, 400), st.integers(0, 60 * 24 * 500))
    def test_a_card_put_off_for_days_is_due_at_its_time_at_the_latest_and_not_before_a_rest(
        self, last: datetime, zone: ZoneInfo, days: int, minutes: int
    ) -> None:
        schedule = days_apart(last, days)
        now = last + timedelta(minutes=minutes)

        if now >= schedule.due:
            assert schedule.is_due(now, zone)
        if now < schedule.due and (
            now - last < REST or now.astimezone(zone).date() <= last.astimezone(zone).date()
        ):
            assert not schedule.is_due(now, zone)

    @given(moments, zones, st.integers(1, 400))
    def test_a_clock_set_back_before_the_review_does_not_ask_again(
        self, last: datetime, zone: ZoneInfo, days: int
    ) -> None:
        assert not days_apart(last, days).is_due(last - timedelta(hours=1), zone)

    @given(moments, zones, st.lists(ratings, min_size=1, max_size=12))
    def test_whatever_the_history_each_review_is_asked_once_and_the_next_comes(
        self, begun: datetime, zone: ZoneInfo, history: list[Rating]
    ) -> None:
        schedule, now = Schedule(due=begun), begun
        for rating in history:
            assert schedule.is_due(now, zone)

            schedule = FsrsScheduler().review(schedule, rating, now)

            assert schedule.due > now
            assert not schedule.is_due(now, zone)
            assert schedule.is_due(schedule.due, zone)
            now = schedule.due


class TestTheLadder:
    @pytest.mark.parametrize(
        ("rung", "rating", "then"),
        [
            (Rung.HEADLINE, Rating.GOOD, Rung.FULL),
            (Rung.FULL, Rating.EASY, Rung.PUSHBACK),
            (Rung.PUSHBACK, Rating.GOOD, Rung.PUSHBACK),
            (Rung.PUSHBACK, Rating.AGAIN, Rung.FULL),
            (Rung.HEADLINE, Rating.AGAIN, Rung.HEADLINE),
            (Rung.FULL, Rating.HARD, Rung.FULL),
        ],
    )
    def test_good_goes_up_again_goes_down_hard_stays(
        self, rung: Rung, rating: Rating, then: Rung
    ) -> None:
        assert rung.moved(rating) is then

    def test_each_rung_has_30_seconds_more(self) -> None:
        assert [rung.seconds for rung in Rung] == [30, 60, 90]


class TestStanding:
    def test_a_review_is_counted_and_the_first_one_remembered(self) -> None:
        later = NOON + timedelta(days=1)
        once = card().standing.reviewed(Rating.GOOD, Schedule(due=later), NOON)
        twice = once.reviewed(Rating.HARD, Schedule(due=later), later)

        assert (twice.reps, twice.lapses, twice.begun_at) == (2, 0, NOON)

    def test_only_what_was_answered_before_can_lapse(self) -> None:
        first = card().standing.reviewed(Rating.AGAIN, Schedule(due=NOON), NOON)

        assert first.lapses == 0
        assert first.reviewed(Rating.AGAIN, Schedule(due=NOON), NOON).lapses == 1

    def test_a_card_that_lapsed_often_is_a_leech(self) -> None:
        assert not card(lapses=LEECH - 1).is_leech
        assert card(lapses=LEECH).is_leech


class TestMissedAgain:
    LATER = NOON + timedelta(days=3)

    def test_the_same_answer_changes_nothing(self) -> None:
        mine = card()

        assert mine.missed_again(card()) == mine

    def test_a_later_miss_makes_a_drilled_card_due_and_counts_as_a_lapse(self) -> None:
        schedule = days_apart(NOON, 20)
        mine = card(schedule=schedule, reps=3)

        after = mine.missed_again(card(missed=miss(self.LATER, "t-1")))

        assert after.standing.schedule == schedule.model_copy(update={"due": self.LATER})
        assert (after.standing.lapses, after.standing.reps) == (1, 3)
        assert after.miss == miss(self.LATER, "t-1")

    def test_the_points_missed_before_stay_and_new_ones_join_them(self) -> None:
        mine = card(aims=aim(aim().slot, "c", "d"))
        found = card(aims=aim(aim().slot, "e"), missed=miss(self.LATER))

        assert mine.missed_again(found).aim.points == ("c", "d", "e")

    def test_a_miss_from_before_the_last_drill_does_not_call_the_card_back(self) -> None:
        drilled = days_apart(self.LATER, 20)
        mine = card(schedule=drilled, reps=1)

        after = mine.missed_again(card(missed=miss(NOON + timedelta(hours=1), "t-1")))

        assert after.standing == mine.standing

    def test_a_card_of_the_bank_becomes_ones_own_and_due(self) -> None:
        mine = card(is_own=False, due=NOON)
        assert mine.is_new

        after = mine.missed_again(card(missed=miss(self.LATER)))

        assert not after.is_new
        assert after.standing.schedule.due == NOON

    def test_the_bank_does_not_take_a_card_of_ones_own_back(self) -> None:
        mine = card()

        assert mine.missed_again(card(is_own=False)) == mine


def test_a_reset_card_begins_anew_but_keeps_what_it_aims_at() -> None:
    mine = card(lapses=6, reps=9, rung=Rung.PUSHBACK)

    after = mine.reset(NOON)

    assert after.standing == Standing(schedule=Schedule(due=NOON))
    assert (after.aim, after.miss) == (mine.aim, mine.miss)
