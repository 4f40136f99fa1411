"""A rubric adds up, or says what does not; scores become levels by its cut-offs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.domain.question import Slot
from bot.domain.rubric import CalibrationCriterion, CoverageCriterion, Gates, Rubric, SlotCriterion
from tests import fakes, strategies

COVERAGE = CoverageCriterion(kind="coverage", id="coverage", title="采分点", max=60)
SLOT = SlotCriterion(kind="slot", id="reason", title="原因", max=40, slot=Slot.REASON)


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            pytest.param({"criteria": (COVERAGE,)}, "max 加起来是 60，应当是 100", id="too little"),
            pytest.param(
                {"criteria": (COVERAGE, SLOT, SLOT.model_copy(update={"id": "again"}))},
                "max 加起来是 140，应当是 100",
                id="too much",
            ),
            pytest.param({"criteria": ()}, "criteria", id="no criterion"),
            pytest.param(
                {"criteria": (COVERAGE, SLOT.model_copy(update={"id": "coverage"}))},
                "id 'coverage' 重复出现",
                id="an id twice",
            ),
            pytest.param({"levels": (10, 25, 25, 70, 85)}, "levels .*升高", id="level twice"),
            pytest.param({"levels": (25, 10, 50, 70, 85)}, "levels .*升高", id="levels fall"),
            pytest.param(
                {"levels": (0, 25, 50, 70, 85)}, "levels .*大于 0", id="level 1 for nothing"
            ),
            pytest.param({"levels": (10, 25, 50, 70, 101)}, "levels", id="level above 100"),
            pytest.param({"levels": (10, 25, 50, 70)}, "levels", id="a level missing"),
            pytest.param({"level_names": ("无", "有")}, "level_names", id="a name missing"),
            pytest.param({"version": 0}, "version", id="version"),
            pytest.param({"id": "no spaces"}, "id", id="id"),
            pytest.param({"colour": "red"}, "colour", id="unknown key"),
        ],
    )
    def test_a_rubric_that_does_not_add_up(self, changes: dict[str, object], sentence: str) -> None:
        with pytest.raises(ValidationError, match=sentence):
            fakes.rubric(**changes)

    def test_more_points_for_the_opening_than_the_slot_has(self) -> None:
        """They made the slot's points negative: a better answer got a lower score."""
        with pytest.raises(ValidationError, match="opening_points 是 12，不能大于 max 10"):
            SlotCriterion(
                kind="slot", id="r", title="原因", max=10, slot=Slot.REASON, opening_points=12
            )

    def test_a_second_error_that_raises_the_cap(self) -> None:
        with pytest.raises(ValidationError, match="more_errors 是 60，不能大于 one_error 55"):
            Gates(contradicted_core=30, no_point_met=5, one_error=55, more_errors=60)

    @pytest.mark.parametrize(
        "changes",
        [
            pytest.param({"floor": 1}, id="floor above 0"),
            pytest.param({"content_at": 0}, id="content without content"),
            pytest.param({"per_overclaim": -1}, id="overclaim that pays"),
            pytest.param({"max": 101}, id="more than 100 points"),
        ],
    )
    def test_calibration_out_of_range(self, changes: dict[str, float]) -> None:
        fields = {"kind": "calibration", "id": "c", "title": "校准", "max": 10}

        with pytest.raises(ValidationError, match=next(iter(changes))):
            CalibrationCriterion.model_validate(
                {**fields, "per_overclaim": 5, "floor": -20, **changes}
            )


class TestLevels:
    @given(strategies.rubrics(), st.floats(0, 100), st.floats(0, 100))
    def test_a_higher_score_is_never_a_lower_level(
        self, rubric: Rubric, one: float, other: float
    ) -> None:
        low, high = sorted((one, other))

        assert 0 <= rubric.level_of(low, "llm") <= rubric.level_of(high, "llm") <= 5

    @given(strategies.rubrics())
    def test_nothing_is_level_0_and_each_cut_off_begins_its_level(self, rubric: Rubric) -> None:
        assert rubric.level_of(0, "llm") == 0
        assert [rubric.level_of(cut, "llm") for cut in rubric.levels] == [1, 2, 3, 4, 5]
        assert [rubric.level_of(cut - 0.01, "llm") for cut in rubric.levels] == [0, 1, 2, 3, 4]


def test_its_name_carries_its_version() -> None:
    assert fakes.rubric(version=3).name == "structured-answer@3"


@given(strategies.rubrics())
def test_a_rubric_survives_json(rubric: Rubric) -> None:
    assert Rubric.model_validate_json(rubric.model_dump_json()) == rubric


class TestSlotsThatAQuestionDoesNotAskFor:
    def test_their_points_go_to_the_others_and_the_sum_stays_100(self) -> None:
        rubric = fakes.rubric()

        fitted = rubric.for_slots({Slot.CONCLUSION, Slot.REASON})

        assert sum(one.max for one in fitted.criteria) == pytest.approx(100)
        assert "premise_cost" not in {one.id for one in fitted.criteria}

    def test_a_question_with_all_slots_keeps_the_rubric(self) -> None:
        rubric = fakes.rubric()

        assert rubric.for_slots(set(Slot)) is rubric

    def test_a_question_with_none_of_them_keeps_the_rubric(self) -> None:
        rubric = fakes.rubric()

        assert rubric.for_slots({Slot.RESULT}) is rubric


def test_the_offline_judge_may_have_cut_offs_of_its_own() -> None:
    rubric = fakes.rubric(offline_levels=(5.0, 10.0, 20.0, 30.0, 40.0))

    assert rubric.level_of(41, "offline") == 5
    assert rubric.level_of(41, "llm") < 5


def test_without_them_both_judges_share_the_cut_offs() -> None:
    rubric = fakes.rubric()

    assert rubric.levels_for("offline") == rubric.levels_for("llm") == rubric.levels
