"""A session's questions are drawn by a seed, spread over the sections, and never twice."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.yaml_banks import read_bank
from bot.domain.question import Difficulty, Kind, Slot
from bot.domain.record import QuestionRecord, RecordState
from bot.domain.selection import BankFilter, filtered, matching, select, shelves
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


def shown(wanted: BankFilter, records: Mapping[str, QuestionRecord] | None = None) -> list[str]:
    found = filtered(shelves(MIXED), wanted, records or {})
    return [question.id for shelf in found for question in shelf.questions]


REASONS = (fakes.key_point("a", Slot.CONCLUSION), fakes.key_point("b", Slot.REASON))
PLANS = (fakes.key_point("a", Slot.BASELINE),)
MIXED = fakes.bank(
    sections={
        "A": [
            fakes.question("A1", difficulty=Difficulty.EASY),
            fakes.question("A2", points=REASONS),
        ],
        "B": [
            fakes.question("B1", kind=Kind.DESIGN, points=PLANS).model_copy(
                update={"topics": ("routing", "phases")}
            )
        ],
    }
)
RECORDS = {
    "A1": QuestionRecord(
        question_id="A1",
        answers=1,
        best_level=2,
        latest_level=2,
        overclaimed=True,
        latest_at=fakes.NOON,
    )
}


class TestBankFilter:
    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            pytest.param({}, ["A1", "A2", "B1"], id="nothing"),
            pytest.param({"sections": ("B",)}, ["B1"], id="section"),
            pytest.param({"topics": ("routing", "nothing")}, ["B1"], id="any of the topics"),
            pytest.param({"difficulties": (Difficulty.EASY,)}, ["A1"], id="difficulty"),
            pytest.param({"kinds": (Kind.DESIGN,)}, ["B1"], id="kind"),
            pytest.param({"slots": (Slot.PREMISE_COST, Slot.BASELINE)}, ["A1", "B1"], id="slots"),
            pytest.param({"records": (RecordState.NEW,)}, ["A2", "B1"], id="never answered"),
            pytest.param({"records": (RecordState.WEAK,)}, ["A1"], id="weak"),
            pytest.param({"records": (RecordState.OVERCLAIMED,)}, ["A1"], id="overclaimed"),
            pytest.param(
                {"records": (RecordState.NEW, RecordState.WEAK)},
                ["A1", "A2", "B1"],
                id="either of two records",
            ),
            pytest.param(
                {"sections": ("A",), "slots": (Slot.PREMISE_COST,), "records": (RecordState.NEW,)},
                [],
                id="all fields at once",
            ),
        ],
    )
    def test_it_shows_what_fits_every_field(
        self, wanted: dict[str, object], expected: list[str]
    ) -> None:
        narrowed = BankFilter.model_validate(wanted)

        assert shown(narrowed, RECORDS) == expected
        assert narrowed.restrictions == len(wanted)

    def test_a_shelf_without_a_fitting_question_is_not_shown(self) -> None:
        found = filtered(shelves(MIXED), BankFilter(sections=("B",)), {})

        assert [shelf.title for shelf in found] == ["B 章节 B"]


class TestShelves:
    def test_files_of_one_section_share_a_shelf(self) -> None:
        first, second = fakes.question("E1"), fakes.question("E2")
        halves = (
            fakes.bank(sections={"E": [first]}).sections
            + fakes.bank(sections={"E": [second]}).sections
        )

        (shelf,) = shelves(MIXED.model_copy(update={"sections": halves}))

        assert shelf.questions == (first, second)

    def test_calculation_families_stand_last_with_one_task_each(self) -> None:
        bank = read_bank(Path(__file__).parents[2] / "corpus" / "vllm")

        *written, drawn = shelves(bank)

        assert sum(len(shelf.questions) for shelf in written) == len(bank.questions)
        assert drawn.title == "计算题"
        assert len(drawn.questions) == len(bank.calculations)
        assert all(bank.find(one.id) == one for one in drawn.questions)
