"""Guesses of one's level stand beside the grades; without a guess nothing is said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.grade import Ungraded, UngradedReason
from bot.domain.self_score import SelfScore, difference_name, self_score_of
from bot.domain.session import Session, SessionPlan, begin
from tests import fakes
from tests.fakes import NOON

UNGRADED = Ungraded(
    id="x", question_id="Q01", reason=UngradedReason.JUDGE_UNAVAILABLE, message="连不上。"
)
GRADE = fakes.graded(fakes.question())
LEVELS = st.integers(0, 5)


def guessed(pairs: Sequence[tuple[int | None, int | None]]) -> Session:
    """Return a session with a turn for each guess and level; None for a missing one."""
    ids = tuple(f"Q{number:02}" for number in range(1, len(pairs) + 1))
    plan = SessionPlan(bank_id="demo", question_ids=ids or ("Q01",), self_score=True)
    session = begin("s", plan, NOON)
    for question_id, (guess, level) in zip(ids, pairs, strict=True):
        session = session.ask(question_id=question_id, says="说", now=NOON)
        session = session.answer("并行", now=NOON)
        turn_id = session.turns[-1].id
        if guess is not None:
            session = session.guess(turn_id, guess)
        outcome = UNGRADED if level is None else GRADE.model_copy(update={"level": level})
        session = session.record(turn_id, outcome)
    return session


def self_score(*pairs: tuple[int | None, int | None]) -> SelfScore:
    found = self_score_of(guessed(pairs))
    assert found is not None
    return found


def test_guesses_are_compared_with_the_graded_levels():
    found = self_score((4, 3), (5, 3), (3, 3), (2, 3))

    assert [one.difference for one in found.lines] == [1, 2, 0, -1]
    assert [one.question_id for one in found.lines] == ["Q01", "Q02", "Q03", "Q04"]
    assert found.mean_difference == 0.5
    assert (found.exact, found.within_one) == (0.25, 0.75)


@pytest.mark.parametrize("pairs", [[], [(None, 3)], [(4, None)], [(None, None), (None, 2)]])
def test_without_a_guess_that_was_graded_nothing_is_said(
    pairs: list[tuple[int | None, int | None]],
):
    assert self_score_of(guessed(pairs)) is None


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        pytest.param([(4, 2)], "平均高估 2.0 级。次数还少，只作参考。", id="one guess"),
        pytest.param([(4, 2), (4, 3), (3, 3)], "平均高估 1.0 级。作答没有你感觉", id="too high"),
        pytest.param([(1, 3), (2, 3), (3, 4)], "平均低估 1.3 级。你说到的比", id="too low"),
        pytest.param([(3, 3), (4, 3), (2, 3)], "没有明显高估或低估。你对自己", id="close"),
        pytest.param([(5, 3), (1, 3), (3, 3)], "没有明显高估或低估。时高时低", id="both ways"),
        pytest.param([(5, 0), (3, 4), (4, 5)], "平均高估 1.0 级。时高时低", id="one far off"),
    ],
)
def test_a_sentence_says_what_it_means(pairs: list[tuple[int, int]], says: str):
    assert says in self_score(*pairs).says


def test_a_difference_has_a_name():
    assert [difference_name(one) for one in (-2, 0, 1)] == ["低估 2 级", "一致", "高估 1 级"]


@given(st.lists(st.tuples(LEVELS, LEVELS), min_size=1, max_size=8))
def test_shares_and_mean_fit_together(pairs: list[tuple[int, int]]):
    found = self_score(*pairs)

    assert -5 <= found.mean_difference <= 5
    assert 0 <= found.exact <= found.within_one <= 1
    assert (found.exact == 1) == all(guess == level for guess, level in pairs)
    mirrored = self_score(*((level, guess) for guess, level in pairs))
    assert mirrored.mean_difference == -found.mean_difference
    assert mirrored.within_one == found.within_one
