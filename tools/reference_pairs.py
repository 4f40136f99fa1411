"""Grades the reference of every question as an answer to every other one: it should earn little.

`python tools/reference_pairs.py` lists the pairs above level 1 with the key points that were met, and
counts them. Some references do overlap; a key point that many of them meet has concepts so loose that
common words are enough.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from bot.bootstrap import Services
from bot.domain.claims import Verdict
from bot.domain.grade import Grade
from bot.domain.target import target_of
from bot.settings import Settings

MOST_LEVEL = 1
OFTEN = 6
"""A key point that so many references of other questions meet is worth a look."""


class Pair(NamedTuple):
    """The reference of `given`, graded as an answer to `asked`."""

    asked: str
    given: str
    grade: Grade

    @property
    def met(self) -> list[str]:
        """The key points of `asked` that were met."""
        return [one.id for one in self.grade.key_points if one.verdict is Verdict.MET]


def pairs(services: Services) -> list[Pair]:
    """Return all pairs of two questions."""
    targets = [target_of(question) for question in services.bank.questions]
    found = []
    for asked in targets:
        for other in targets:
            if asked is other:
                continue
            given = services.offline_grader.grade("pair", asked, other.reference)
            if isinstance(given, Grade):
                found.append(Pair(asked.id, other.id, given))
    return found


def main() -> int:
    """Grade all pairs and print those that earn too much."""
    settings = Settings(_env_file=None, corpus_dir=Path(sys.argv[1]) if sys.argv[1:] else None)
    services = Services(settings)
    found = pairs(services)
    high = [one for one in found if one.grade.level > MOST_LEVEL]
    for one in sorted(high, key=lambda one: (-one.grade.level, -one.grade.score)):
        print(
            f"{one.asked} <- {one.given}  level {one.grade.level}  {one.grade.score:4.1f}"
            f"  {' '.join(one.met)}"
        )
    says = {
        target_of(question).point_id(point): point.says
        for question in services.bank.questions
        for point in question.key_points
    }
    often = Counter(point for one in found for point in one.met)
    print()
    for point, times in often.most_common():
        if times >= OFTEN:
            print(f"{point}  met by {times} other references: {says[point]}")
    print(f"\n{len(high)} of {len(found)} pairs above level {MOST_LEVEL}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
