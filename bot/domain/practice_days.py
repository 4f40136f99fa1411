"""The days on which one practised (练习天数), in the candidate's own calendar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta, tzinfo
from typing import NamedTuple

from bot.domain.progress import Attempt, local_day


class PracticeDays(NamedTuple):
    """How many answers each of the last days saw, oldest first, and the run up to today."""

    days: tuple[tuple[date, int], ...]
    run: int
    """Days in a row with an answer; it is not broken before today is over."""

    @property
    def practised(self) -> int:
        """Return on how many of the days there was an answer."""
        return sum(count > 0 for _, count in self.days)


def practice_days(
    attempts: Iterable[Attempt], *, today: date, zone: tzinfo, days: int = 28
) -> PracticeDays:
    """Count the answers of the last days of the candidate's calendar, graded or not."""
    counts = Counter(local_day(one.at, zone) for one in attempts)
    shown = tuple(
        (day, counts[day]) for day in (today - timedelta(days=ago) for ago in range(days))
    )
    last = today if counts[today] else today - timedelta(days=1)
    run = 0
    while counts[last - timedelta(days=run)]:
        run += 1
    return PracticeDays(shown[::-1], run)
