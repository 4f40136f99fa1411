"""A session's questions are drawn by a seed, spread over the sections, and never twice."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.question import Difficulty
from bot.domain.selection import matching, select
from bot.errors import NotFoundError
from tests import fakes

SIZES = {"A": 4, "B": 1, "C": 3, "D": 2, "E": 5, "F": 4}
LEVELS = tuple(Difficulty)
BANK = fakes.bank(
    sections={
        section: [
            fakes.question(f"{section}{number}", difficulty=LEVELS[number % 3])
            for number in range(size)
        ]
        for section, size in SIZES.items()
    }
)


def draw(count: int, seed: int = 1, **filters: object) -> tuple[str, ...]:
    return select(BANK, count=count, rng=random.Random(seed), **filters)


class TestSelect:
    @given(st.integers(1, 40), st.integers())
    def test_it_draws_as_many_as_were_wanted_or_there_are_and_none_twice(
        self, count: int, seed: int
    ) -> None:
        drawn = draw(count, seed)

        assert len(drawn) == min(count, len(BANK.questions))
        assert len(set(drawn)) == len(drawn)

    @given(st.integers(1, 40), st.integers())
    def test_the_same_seed_draws_the_same_questions(self, count: int, seed: int) -> None:
        assert draw(count, seed) == draw(count, seed)

    def test_other_seeds_draw_other_questions(self) -> None:
        assert len({draw(5, seed) for seed in range(20)}) > 15

    @given(st.integers(1, 40), st.integers())
    def test_no_section_gets_two_more_than_one_that_still_has_questions(
        self, count: int, seed: int
    ) -> None:
        drawn = [question_id[0] for question_id in draw(count, seed)]

        for section, size in SIZES.items():
            if drawn.count(section) < size:
                assert max(map(drawn.count, SIZES)) <= drawn.count(section) + 1

    def test_a_short_interview_can_reach_every_section(self) -> None:
        """Taking the sections in order, three questions never came from D, E or F."""
        reached = {question_id[0] for seed in range(40) for question_id in draw(3, seed)}

        assert reached == set(SIZES)

    @given(st.integers())
    def test_every_question_can_come(self, seed: int) -> None:
        assert set(draw(99, seed)) == {question.id for question in BANK.questions}


class TestFilters:
    @given(
        sections=st.sets(st.sampled_from(sorted(SIZES)), min_size=1),
        difficulties=st.sets(st.sampled_from(LEVELS), min_size=1),
        seed=st.integers(),
    )
    def test_only_fitting_questions_come(
        self, sections: set[str], difficulties: set[Difficulty], seed: int
    ) -> None:
        fitting = matching(BANK, sections=sections, difficulties=difficulties)
        if not fitting:
            return

        drawn = draw(99, seed, sections=sections, difficulties=difficulties)

        assert sorted(drawn) == sorted(fitting)
        for question_id in drawn:
            assert BANK.section_of(question_id).id in sections
            assert BANK.find(question_id).difficulty in difficulties

    def test_no_filter_means_all(self) -> None:
        assert len(matching(BANK)) == sum(SIZES.values())

    def test_filters_that_nothing_fits_say_so(self) -> None:
        with pytest.raises(NotFoundError, match="没有符合条件的题目"):
            draw(3, sections={"B"}, difficulties={Difficulty.HARD})

    def test_an_unknown_section_fits_nothing(self) -> None:
        with pytest.raises(NotFoundError, match="放宽章节或难度"):
            draw(3, sections={"Z"})
