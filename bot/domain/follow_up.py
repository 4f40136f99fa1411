"""Which follow-up (追问) to ask: aimed at the weakest part of the answer, never asked twice."""

from __future__ import annotations

from collections.abc import Collection

from bot.domain.claims import Verdict
from bot.domain.grade import Grade
from bot.domain.question import FollowUp, Question, Slot
from bot.domain.rubric import Rubric, SlotCriterion


def weakest_slots(question: Question, rubric: Rubric, given: Grade) -> tuple[Slot, ...]:
    """Return the slots worth probing, the most urgent first.

    Contradiction > overclaim > missing premise or cost > missing reason > missing key point.
    """
    points = {f"{question.id}.{point.id}": point for point in question.key_points}
    # A grade from an earlier version of the bank may name a key point that is gone.
    found = [(points[one.id], one.verdict) for one in given.key_points if one.id in points]
    level_of = {one.id: one.level for one in given.criteria}
    lacking = [
        criterion.slot
        for criterion in reversed(rubric.criteria)
        if isinstance(criterion, SlotCriterion) and level_of.get(criterion.id, 0) < 2
    ]
    contradicted = [point.slot for point, verdict in found if verdict is Verdict.CONTRADICTED]
    # An overclaim is answered with the condition under which the claim holds.
    limits = [slot for slot in (Slot.PREMISE_COST, Slot.COST, Slot.ASSUMPTION) if given.overclaims]
    empty = [slot for slot in lacking if level_of.get(_criterion_id(rubric, slot), 0) == 0]
    missing = [
        point.slot
        for point, verdict in sorted(found, key=lambda one: -one[0].weight)
        if verdict is not Verdict.MET
    ]
    return tuple(dict.fromkeys([*contradicted, *limits, *empty, *lacking, *missing]))


def choose(
    question: Question, rubric: Rubric, given: Grade | None, asked: Collection[str]
) -> FollowUp | None:
    """Return the follow-up that aims at the weakest slot, or None when nothing is left to ask.

    Without a grade (the answer could not be graded) the bank's order decides.
    """
    left = [one for one in question.follow_ups if one.id not in asked]
    if given is None or not left:
        return left[0] if left else None
    for slot in weakest_slots(question, rubric, given):
        for follow_up in left:
            if follow_up.aims_at is slot:
                return follow_up
    return left[0]


def _criterion_id(rubric: Rubric, slot: Slot) -> str:
    return next(
        (one.id for one in rubric.criteria if isinstance(one, SlotCriterion) and one.slot is slot),
        slot.value,
    )
