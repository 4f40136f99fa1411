"""A grade becomes a rating of FSRS."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.card import Rating, Rung
from bot.domain.claims import PointFinding, Verdict
from bot.domain.grade import Grade
from bot.domain.pushback import Stand
from bot.domain.rating import rating_of
from tests.fakes import graded, question, span
from tests.strategies import error, overclaim

HELD = Stand(replies=True, holds=True, limits=True, measured=True)
ORDER = tuple(Rating)


def told(level: int, *verdicts: Verdict, **changes: object) -> Grade:
    """Return a grade of this level with points of these verdicts."""
    points = tuple(
        PointFinding(id=f"Q01.{number}", verdict=one, evidence=(span(),))
        for number, one in enumerate(verdicts or (Verdict.MET,))
    )
    return graded(question()).model_copy(
        update={"level": level, "key_points": points, "overclaims": (), "errors": (), **changes}
    )


def rated(
    given: Grade,
    rung: Rung = Rung.FULL,
    *,
    seconds: float = 20,
    is_first: bool = False,
    stand: Stand | None = None,
) -> Rating:
    return rating_of(given, rung, seconds=seconds, is_first=is_first, stand=stand)


@pytest.mark.parametrize(
    ("level", "rating"),
    [
        (0, Rating.AGAIN),
        (1, Rating.AGAIN),
        (2, Rating.AGAIN),
        (3, Rating.HARD),
        (4, Rating.GOOD),
        (5, Rating.EASY),
    ],
)
def test_the_level_of_the_aimed_part_decides(level: int, rating: Rating) -> None:
    assert rated(told(level)) is rating


def test_one_point_is_enough_for_a_headline_only() -> None:
    one_of_three = told(2, Verdict.MET, Verdict.NOT_MET, Verdict.NOT_MET)

    assert rated(one_of_three, Rung.HEADLINE) is Rating.GOOD
    assert rated(one_of_three, Rung.FULL) is Rating.AGAIN


def test_half_a_point_is_hard_however_high_the_level() -> None:
    assert rated(told(4, Verdict.PARTLY_MET)) is Rating.HARD


@pytest.mark.parametrize("rung", Rung)
def test_what_is_wrong_is_a_miss(rung: Rung) -> None:
    assert rated(told(5, errors=(error(),)), rung) is Rating.AGAIN
    assert rated(told(5, Verdict.MET, Verdict.CONTRADICTED), rung) is Rating.AGAIN


def test_an_overclaim_makes_it_hard_at_best() -> None:
    assert rated(told(5, overclaims=(overclaim(),))) is Rating.HARD


def test_easy_is_neither_the_first_time_nor_out_of_time() -> None:
    assert rated(told(5), is_first=True) is Rating.GOOD
    assert rated(told(5), seconds=61) is Rating.GOOD
    assert rated(told(5), Rung.PUSHBACK, seconds=61, stand=HELD) is Rating.EASY


def test_a_withdrawn_claim_is_a_miss_and_any_other_failing_under_pushback_is_hard() -> None:
    for name in Stand._fields:
        stand = HELD._replace(**{name: False})
        expected = Rating.AGAIN if name == "holds" else Rating.HARD

        assert rated(told(5), Rung.PUSHBACK, stand=stand) is expected, name


@given(
    st.integers(0, 4),
    st.sampled_from(Rung),
    st.lists(st.sampled_from(Verdict), min_size=1, max_size=4),
    st.booleans(),
    st.floats(0, 200),
)
def test_a_higher_level_never_rates_worse(
    level: int, rung: Rung, verdicts: list[Verdict], is_first: bool, seconds: float
) -> None:
    lower, higher = (
        rated(told(one, *verdicts), rung, seconds=seconds, is_first=is_first)
        for one in (level, level + 1)
    )

    assert ORDER.index(higher) >= ORDER.index(lower)


def test_every_rating_can_be_earned() -> None:
    earned = {rated(told(level), rung) for level, rung in itertools.product(range(6), Rung)}

    assert earned == set(Rating)
