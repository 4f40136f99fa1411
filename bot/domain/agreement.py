"""Agreement (一致性) between a judge and people, and between numbers in general."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

LEVELS = 6
"""Levels go from 0 to 5."""


class Detection(NamedTuple):
    """How well a yes/no property is found; a ratio without a denominator is None."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def precision(self) -> float | None:
        """Return the share of findings that are right."""
        found = self.true_positives + self.false_positives
        return self.true_positives / found if found else None

    @property
    def recall(self) -> float | None:
        """Return the share of what is there that was found."""
        there = self.true_positives + self.false_negatives
        return self.true_positives / there if there else None

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean of precision and recall."""
        both = 2 * self.true_positives + self.false_positives + self.false_negatives
        return 2 * self.true_positives / both if both else None


def half_up(value: float) -> int:
    """Round a mean of ratings to a level; .5 goes up."""
    return int(value + 0.5)


def confusion(
    given: Sequence[int], rated: Sequence[int], size: int = LEVELS
) -> tuple[tuple[int, ...], ...]:
    """Count pairs; rows are the ratings, columns what the judge gave."""
    table = [[0] * size for _ in range(size)]
    for mine, theirs in zip(given, rated, strict=True):
        table[theirs][mine] += 1
    return tuple(tuple(row) for row in table)


def weighted_kappa(given: Sequence[int], rated: Sequence[int], size: int = LEVELS) -> float | None:
    """Return quadratic weighted kappa (QWK; Cohen 1968), 1 for perfect agreement.

    None where it is not defined: without pairs, or when both always say the same level.
    """
    table = confusion(given, rated, size)
    total = len(given)
    rows = [sum(row) for row in table]
    columns = [sum(table[row][column] for row in range(size)) for column in range(size)]
    seen = expected = 0.0
    for row in range(size):
        for column in range(size):
            weight = (row - column) ** 2
            seen += weight * table[row][column]
            expected += weight * rows[row] * columns[column] / total if total else 0.0
    return 1 - seen / expected if expected else None


def pearson(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return the product-moment correlation, None where one side does not vary."""
    if len(xs) < 2:
        return None
    mean_x, mean_y = fmean(xs), fmean(ys)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    spread = sum((x - mean_x) ** 2 for x in xs) * sum((y - mean_y) ** 2 for y in ys)
    return covariance / spread**0.5 if spread > 0 else None


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return the rank correlation, with mean ranks for ties."""
    return pearson(_ranks(xs), _ranks(ys))


def detection(found: Sequence[bool], there: Sequence[bool]) -> Detection:
    """Count how a yes/no property was found."""
    pairs = list(zip(found, there, strict=True))
    return Detection(
        sum(mine and theirs for mine, theirs in pairs),
        sum(mine and not theirs for mine, theirs in pairs),
        sum(theirs and not mine for mine, theirs in pairs),
    )


def level_at(score: float, cuts: Sequence[float]) -> int:
    """Return the level of a score, given where the levels 1 to 5 begin."""
    return bisect_right(cuts, score)


def fit_cuts(scores: Sequence[float], rated: Sequence[int]) -> tuple[float, ...]:
    """Return the cut-offs that agree best (QWK) with the ratings.

    Coordinate ascent over the midpoints between neighbouring scores, from even quantiles.
    """
    ordered = sorted(set(scores))
    places = [(low + high) / 2 for low, high in pairwise(ordered)] or [0.0]
    step = 1 / LEVELS
    cuts = [places[int(len(places) * step * at) % len(places)] for at in range(1, LEVELS)]
    cuts.sort()
    for _ in range(4):
        for at in range(LEVELS - 1):
            low = cuts[at - 1] if at else float("-inf")
            high = cuts[at + 1] if at < LEVELS - 2 else float("inf")
            options = [place for place in places if low <= place <= high] or [cuts[at]]
            cuts[at] = max(
                options,
                key=lambda place: (
                    weighted_kappa(
                        [level_at(s, [*cuts[:at], place, *cuts[at + 1 :]]) for s in scores],
                        rated,
                    )
                    or 0.0
                ),
            )
    return tuple(cuts)


def held_out_levels(
    scores: Sequence[float], rated: Sequence[int], groups: Sequence[Hashable]
) -> tuple[int, ...]:
    """Return a level for every score, with cut-offs learnt on all other groups alone."""
    levels = [0] * len(scores)
    for group in dict.fromkeys(groups):
        others = [at for at, other in enumerate(groups) if other != group]
        cuts = fit_cuts([scores[at] for at in others], [rated[at] for at in others])
        for at, mine in enumerate(groups):
            if mine == group:
                levels[at] = level_at(scores[at], cuts)
    return tuple(levels)


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda at: values[at])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for at in order[start : end + 1]:
            ranks[at] = (start + end) / 2
        start = end + 1
    return ranks
