"""Spaced repetition by FSRS: the library computes, our values go in and come out."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from bot.domain.card import CardState, Rating, Schedule

if TYPE_CHECKING:
    import fsrs


class FsrsScheduler:
    """Schedules with FSRS's own parameters and steps; implements `DrillScheduler`.

    Intervals are not fuzzed: a corrected rating has to give the day that it would have given at
    once, and a history can be computed again.
    """

    def review(self, schedule: Schedule, rating: Rating, at: datetime) -> Schedule:
        """Return the schedule after a review at the time `at`."""
        import fsrs

        card = fsrs.Card(
            card_id=0,  # without one it would sleep to make up its own; only its log repeats it
            state=fsrs.State[schedule.state.name.title()],
            step=schedule.step,
            stability=schedule.stability,
            difficulty=schedule.difficulty,
            due=schedule.due,
            last_review=schedule.last_review,
        )
        moment = at.astimezone(UTC)  # any other zone is refused, equal to UTC or not
        after, _log = self._scheduler.review_card(
            card, fsrs.Rating[rating.name.title()], review_datetime=moment
        )
        return Schedule(
            due=after.due,
            state=CardState[after.state.name.upper()],
            step=after.step,
            stability=after.stability,
            difficulty=after.difficulty,
            last_review=after.last_review,
        )

    @cached_property
    def _scheduler(self) -> fsrs.Scheduler:
        import fsrs

        return fsrs.Scheduler(enable_fuzzing=False)
