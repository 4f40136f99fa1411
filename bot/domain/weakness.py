"""Where one's own answers are weak (薄弱环节), told from the latest grades of one series."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from bot.domain.progress import Graded, Series, latest_of
from bot.domain.question import Slot

RECENT = 20
"""So many of the latest answers are looked at."""

ENOUGH = 4
"""A slot needs so many of them before it is called weak."""

WEAK_SHARE = 0.6
"""A slot is weak below it, as in reports."""

WEAK_LEVEL = 2
"""An answer is weak up to it: 3 passes."""

GOOD_LEVEL = 4
"""A question answered on it needs no practice for now."""

_SLOTS = {slot.value: slot for slot in Slot}


class WeakSlot(NamedTuple):
    """A slot that earns little: its mean share 0–1 over so many answers."""

    slot: Slot
    share: float
    answers: int


class Weakness(NamedTuple):
    """The slots that earn little, the weakest first, and the latest level of each question."""

    slots: tuple[WeakSlot, ...] = ()
    levels: Mapping[str, int] = {}

    def is_weak(self, question_id: str) -> bool:
        """Say whether the latest answer to the question was weak."""
        return self.levels.get(question_id, GOOD_LEVEL) <= WEAK_LEVEL

    def is_good(self, question_id: str) -> bool:
        """Say whether the latest answer to the question needs no practice."""
        return self.levels.get(question_id, 0) >= GOOD_LEVEL


def weakness_of(series: Sequence[Series], bank_id: str) -> Weakness:
    """Return where the bank's latest series is weak; nothing is weak without one."""
    attempts = next((one.attempts for one in series if one.bank_id == bank_id), ())
    levels = {name: one.marks.level for name, one in latest_of(attempts).items()}
    return Weakness(_weak_slots(attempts[-RECENT:]), levels)


def _weak_slots(recent: Sequence[Graded]) -> tuple[WeakSlot, ...]:
    shares: dict[Slot, list[float]] = defaultdict(list)
    for one in recent:
        for name, share in one.marks.shares.items():
            if name in _SLOTS:
                shares[_SLOTS[name]].append(share)
    found = (WeakSlot(slot, fmean(all_), len(all_)) for slot, all_ in shares.items())
    weak = [one for one in found if one.answers >= ENOUGH and one.share < WEAK_SHARE]
    return tuple(sorted(weak, key=lambda one: one.share))
