"""From a grade to a rating of FSRS; the candidate may correct it."""

from __future__ import annotations

from bot.domain.card import Rating, Rung
from bot.domain.claims import Verdict
from bot.domain.grade import Grade
from bot.domain.pushback import Stand

HARD_FROM, GOOD_FROM, EASY_FROM = 3, 4, 5
"""The lowest levels of the follow-up rubric (合格、良好、优秀) that rate so."""

_ORDER = tuple(Rating)


def rating_of(
    given: Grade, rung: Rung, *, seconds: float, is_first: bool, stand: Stand | None = None
) -> Rating:
    """Return how well the aimed slot was answered.

    The level decides; beyond it

    - whatever is wrong, turned on its head or withdrawn is a miss,
    - a headline is good with one key point, for nobody says all of them in one sentence,
    - an overclaim, no key point in full, and a pushback not met make it hard at best,
    - easy is only what was quick enough, and not at the first review: that may be fresh memory.

    Args:
        given: The grade of the answer, or of answer and reply together.
        rung: The rung that the card was asked at.
        seconds: How long the candidate took.
        is_first: Whether the card was never reviewed before.
        stand: How the answer came through the pushback, where there was one.
    """
    is_turned = any(one.verdict is Verdict.CONTRADICTED for one in given.key_points)
    if given.errors or is_turned or (stand and not stand.holds):
        return Rating.AGAIN
    is_met = any(one.verdict is Verdict.MET and one.evidence for one in given.key_points)
    rating = _by_level(given.level)
    if rung is Rung.HEADLINE and is_met:
        rating = _at_least(rating, Rating.GOOD)
    if given.overclaims or not is_met or (stand and not all(stand)):
        rating = _at_most(rating, Rating.HARD)
    if is_first or seconds > rung.seconds:
        rating = _at_most(rating, Rating.GOOD)
    return rating


def _by_level(level: int) -> Rating:
    if level >= EASY_FROM:
        return Rating.EASY
    if level >= GOOD_FROM:
        return Rating.GOOD
    return Rating.HARD if level >= HARD_FROM else Rating.AGAIN


def _at_least(rating: Rating, other: Rating) -> Rating:
    return max(rating, other, key=_ORDER.index)


def _at_most(rating: Rating, other: Rating) -> Rating:
    return min(rating, other, key=_ORDER.index)
