"""The estimate by rule: each condition says in words what is missing, and what to practise."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bank import Bank
from bot.domain.coverage import CALCULATIONS, Contents
from bot.domain.progress import Graded, Series
from bot.domain.question import Slot
from bot.domain.readiness import ENOUGH, TO_PRACTISE, Readiness, readiness
from bot.domain.weakness import weakness_of
from tests.answers import services
from tests.fakes import NOON, bank, provenance, question
from tests.unit.test_progress import attempt, marks

BANK = bank(
    sections={
        "A": [question(f"A{number}") for number in range(4)],
        "B": [question(f"B{number}") for number in range(2)],
    }
)
ALL = ("A0", "A1", "A2", "B0", "B1")


def graded(question_id: str, level: int = 4, **changes: object) -> Graded:
    """Return a graded attempt."""
    return Graded(question_id, NOON, NOON.date(), marks(level=level, **changes))


def estimate(*attempts: Graded, of: Bank = BANK, due: int | None = None) -> Readiness:
    """Return the estimate from these attempts."""
    series = Series("demo", provenance(), attempts)
    history = [attempt(one.question_id) for one in attempts]
    return readiness(series, of, Contents(of).coverage(history, attempts), due_cards=due)


def unmet(found: Readiness) -> dict[str, tuple[str, ...]]:
    """Return what is missing: the condition, and the questions that it proposes."""
    return {one.id: one.question_ids for one in found.conditions if not one.met}


def test_good_answers_in_every_section_satisfy_the_rule():
    found = estimate(*map(graded, ALL))

    assert found.is_ready
    assert unmet(found) == {}


def test_too_few_answers_are_no_ground_for_an_estimate():
    found = estimate(graded("B0"), graded("B1"), graded("B0"))

    assert found.missing_answers == ENOUGH - 2
    assert not found.is_ready


def test_a_section_with_too_few_graded_questions_is_named_with_what_is_open():
    found = estimate(graded("A0"), graded("B0"), graded("B1"), graded("A3"), graded("A3"))

    assert unmet(found) == {"practised": ("A1", "A2")}
    assert "A（2/3）" in found.conditions[0].says


def test_questions_to_practise_come_from_all_sections_in_turn():
    found = estimate(graded("A0"))

    assert unmet(found)["practised"] == ("A1", "B0", "A2")


def test_the_latest_level_counts_and_the_weakest_are_proposed():
    weak = [graded("A0", 1), graded("A1", 2), graded("A2", 4), graded("A3", 3)]
    found = estimate(*map(graded, ALL), *weak, graded("A0", 5))

    assert unmet(found) == {"levels": ("A1", "A3")}
    assert "A（3.5 级）" in found.conditions[1].says


def test_a_core_point_turned_round_is_in_the_way_until_it_is_answered_better():
    wrong = graded("A0", contradicted=("A0.a",))

    assert unmet(estimate(*map(graded, ALL), wrong)) == {"contradictions": ("A0",)}
    assert unmet(estimate(*map(graded, ALL), wrong, graded("A0"))) == {}


def test_a_point_that_is_not_core_may_be_turned_round():
    found = estimate(*map(graded, ALL), graded("A0", contradicted=("A0.b",)))

    assert unmet(found) == {}


def test_overclaims_of_the_latest_answers_are_weighed():
    before = [graded("A0", overclaims=9)]
    found = estimate(*before, *[graded(one) for one in ALL * 2])
    assert unmet(found) == {}

    found = estimate(*[graded(one) for one in ALL * 2], *[graded("A1", overclaims=2)] * 2)

    assert unmet(found) == {"overclaims": ("A1",)}
    assert "0.4 处" in found.conditions[3].says


@pytest.mark.parametrize(
    ("due", "conditions", "is_ready"),
    [
        pytest.param(None, 4, True, id="no drills"),
        pytest.param(0, 5, True, id="nothing due"),
        pytest.param(3, 5, False, id="cards due"),
    ],
)
def test_due_cards_are_a_condition_for_those_who_drill(due, conditions, is_ready):
    found = estimate(*map(graded, ALL), due=due)

    assert len(found.conditions) == conditions
    assert found.is_ready is is_ready


def test_a_question_that_the_bank_lost_does_not_count():
    found = estimate(*map(graded, ALL), graded("Z9", 0, contradicted=("Z9.a",)))

    assert found.is_ready


def test_calculation_tasks_are_covered_as_families_and_not_required():
    shipped = services().bank
    family = shipped.calculations[0].id
    tasks = [graded(f"C-{family}-{seed}", seed) for seed in (1, 3, 2)]

    covered = Contents(shipped).coverage([attempt(one.question_id) for one in tasks], tasks)

    assert covered[-1].chapter.id == CALCULATIONS
    assert covered[-1].best == {family: 3}
    assert family not in covered[-1].open
    assert all(CALCULATIONS not in one.says for one in estimate(*tasks, of=shipped).conditions)


def test_a_section_of_two_files_is_one_chapter():
    chapters = Contents(services().bank).chapters

    assert [one.id for one in chapters].count("E") == 1
    assert sum(len(one.items) for one in chapters[:-1]) == len(services().bank.questions)


@given(st.lists(st.tuples(st.sampled_from(("A0", "A1", "B0", "B1", "Z")), st.integers(0, 5))))
def test_proposals_are_few_and_of_the_bank(found):
    attempts = [graded(name, level) for name, level in found] or [graded("A0")]

    for one in estimate(*attempts).conditions:
        assert len(one.question_ids) <= TO_PRACTISE
        assert all(Contents(BANK).item_of(name) for name in one.question_ids)
        assert one.says


def test_weak_slots_are_told_from_enough_recent_answers_of_the_latest_series():
    shares = {"conclusion": 0.9, "reason": 0.5, "premise_cost": 0.2, "coverage": 0.1}
    few = Series("demo", provenance(), tuple([graded("A0", shares=shares)] * 3))
    many = few._replace(attempts=few.attempts * 2)
    other = many._replace(bank_id="other")

    assert weakness_of([few], "demo").slots == ()
    assert weakness_of([other], "demo").slots == ()
    assert [one.slot for one in weakness_of([other, many], "demo").slots] == [
        Slot.PREMISE_COST, Slot.REASON,
    ]  # fmt: skip


def test_only_the_latest_level_of_a_question_makes_it_weak():
    old = graded("A0", 1)
    new = graded("A0", 4)._replace(at=NOON + timedelta(days=1))

    weakness = weakness_of([Series("demo", provenance(), (old, new, graded("A1", 2)))], "demo")

    assert not weakness.is_weak("A0")
    assert weakness.is_good("A0")
    assert weakness.is_weak("A1")
    assert not weakness.is_weak("A2")
