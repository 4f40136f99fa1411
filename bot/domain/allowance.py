"""How often somebody may ask: an allowance that fills up again with time (限流)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

_HOUR = timedelta(hours=1)


class Allowance(NamedTuple):
    """What is left, and when that was so."""

    left: float
    at: datetime


class Taken(NamedTuple):
    """The allowance after a try, and how long to wait where nothing was left."""

    kept: Allowance
    wait: timedelta | None


def take(kept: Allowance | None, *, per_hour: int, now: datetime) -> Taken:
    """Take one of `per_hour`, which is also the most that can be saved up.

    A clock that went back neither gives nor takes anything.
    """
    left = float(per_hour)
    if kept is not None:
        passed = max(timedelta(), now - kept.at)
        left = min(left, kept.left + per_hour * (passed / _HOUR))
    if left < 1:
        return Taken(Allowance(left, now), _HOUR * ((1 - left) / per_hour))
    return Taken(Allowance(left - 1, now), None)
