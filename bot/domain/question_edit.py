"""A question as somebody edits it (改题): what was typed, and the question that it makes."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from bot.domain import concept_lines
from bot.domain.question import SLOT_NAMES, Frozen, KeyPoint, Question, ReferenceAnswer, Slot

Problems = tuple[str, ...]


class PointEdit(Frozen):
    """A key point as it was typed; nothing about it need be right."""

    former_id: str | None = None
    """The key point that it changes; None for a new one."""
    says: str = ""
    slot: Slot
    weight: int = 1
    core: bool = False
    concepts: str = ""
    """The notation of `bot.domain.concept_lines`."""
    removed: bool = False


class QuestionEdit(Frozen):
    """The parts of a question that can be edited, as they were typed."""

    conclusion: str
    reason: str = ""
    premise_cost: str = ""
    points: tuple[PointEdit, ...]


def edit_of(question: Question) -> QuestionEdit:
    """Return the question as an edit that changes nothing."""
    return QuestionEdit(
        conclusion=question.reference.conclusion,
        reason=question.reference.reason,
        premise_cost=question.reference.premise_cost,
        points=tuple(
            PointEdit(
                former_id=point.id,
                says=point.says,
                slot=point.slot,
                weight=point.weight,
                core=point.core,
                concepts=concept_lines.lines_of(point.concepts),
            )
            for point in question.key_points
        ),
    )


def edited(former: Question, edit: QuestionEdit, version: int) -> Question | Problems:
    """Return the question with the edit, or what is wrong with it, a sentence each.

    A new key point gets an id that has the bank's new version in it: a later version would
    otherwise give the id of a key point that was removed to another one, and old grades with it.
    """
    if problems := (*_empty(edit), *_orphans(former, edit)):
        return problems
    try:
        points = tuple(_point(former, one, f"v{version}-{n}") for n, one in _kept(edit))
        ids = {point.id for point in points}
        return Question.model_validate(
            {
                **former.model_dump(),
                "reference": ReferenceAnswer(
                    conclusion=edit.conclusion.strip(),
                    reason=edit.reason.strip(),
                    premise_cost=edit.premise_cost.strip(),
                ),
                "key_points": points,
                "misconceptions": tuple(
                    one if one.contradicts in ids else one.model_copy(update={"contradicts": None})
                    for one in former.misconceptions
                ),
            }
        )
    except ValidationError as error:
        said = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        return (f"这道题不合题库的格式：{said}。",)


def _kept(edit: QuestionEdit) -> list[tuple[int, PointEdit]]:
    return [(n, one) for n, one in enumerate(edit.points, start=1) if not one.removed]


def _point(former: Question, edit: PointEdit, new_id: str) -> KeyPoint:
    """Return the key point as edited; one that was changed counts as accepted by somebody."""
    old = next((one for one in former.key_points if one.id == edit.former_id), None)
    groups = concept_lines.groups_of(edit.concepts)
    if old is not None and edit.concepts.strip() == concept_lines.lines_of(old.concepts).strip():
        groups = old.concepts
    point = KeyPoint(
        id=old.id if old else new_id,
        says=edit.says,
        slot=edit.slot,
        weight=edit.weight,
        core=edit.core,
        concepts=groups,
    )
    if old is not None and point.model_copy(update={"generated": old.generated}) == old:
        return old
    return point


def _empty(edit: QuestionEdit) -> Iterator[str]:
    if not edit.conclusion.strip():
        yield "参考答案的“结论”不能为空。"
    kept = _kept(edit)
    if not kept:
        yield "至少要留一个采分点。"
    for number, point in kept:
        if not point.says.strip():
            yield f"第 {number} 个采分点没有写“说什么”；不要它就勾选“删去”。"
        elif not concept_lines.groups_of(point.concepts):
            yield f"第 {number} 个采分点没有概念组；请至少写一行，每行是一组说法。"


def _orphans(former: Question, edit: QuestionEdit) -> Iterator[str]:
    present = {point.slot for _, point in _kept(edit)}
    for one in former.follow_ups:
        if present and one.aims_at not in present:
            yield (
                f"追问“{one.asks}”问的是“{SLOT_NAMES[one.aims_at]}”，请至少留一个这个槽位的采分点。"
            )
