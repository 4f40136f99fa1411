"""Comparison (对比): two graded answers to one question side by side, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from rapidfuzz import fuzz

from bot.domain.claims import AnswerError, Overclaim, Verdict
from bot.domain.evidence import Evidence
from bot.domain.folding import fold
from bot.domain.grade import Grade, Provenance
from bot.domain.question import Frozen, KeyPoint, Slot
from bot.domain.rubric import Rubric, SlotCriterion
from bot.domain.session import Turn
from bot.domain.target import Target
from bot.errors import SessionStateError

ALIKE = 75.0
"""From this similarity (0–100, rapidfuzz ratio of the folded quotes) on, two faults are one."""

FaultT = TypeVar("FaultT", Overclaim, AnswerError)

_RANK = {Verdict.CONTRADICTED: 0, Verdict.NOT_MET: 1, Verdict.PARTLY_MET: 2, Verdict.MET: 3}


class Change(StrEnum):
    """What became of a slot or key point in the later answer."""

    GAINED = "gained"
    LOST = "lost"
    SAME = "same"


class SlotChange(Frozen):
    """The level 0–2 of a slot in both answers, with its evidence."""

    slot: Slot
    before: int
    after: int
    evidence_before: tuple[Evidence, ...] = ()
    evidence_after: tuple[Evidence, ...] = ()

    @property
    def change(self) -> Change:
        """Say whether the slot is better filled, worse, or as before."""
        return _change(self.before, self.after)


class PointChange(Frozen):
    """The verdicts on one key point in both answers, with their evidence."""

    id: str
    says: str
    slot: Slot
    before: Verdict
    after: Verdict
    evidence_before: tuple[Evidence, ...] = ()
    evidence_after: tuple[Evidence, ...] = ()

    @property
    def change(self) -> Change:
        """Say whether the verdict is better, worse, or as before."""
        return _change(_RANK[self.before], _RANK[self.after])


class Faults(Frozen, Generic[FaultT]):
    """Overclaims or errors by what became of them; `kept` are quoted as in the later answer."""

    gone: tuple[FaultT, ...] = ()
    new: tuple[FaultT, ...] = ()
    kept: tuple[FaultT, ...] = ()


class Comparison(Frozen):
    """Two graded answers to one question, follow-ups left out."""

    earlier: Turn
    later: Turn
    slots: tuple[SlotChange, ...]
    points: tuple[PointChange, ...]
    points_note: str | None
    """Why key points are missing here, in a sentence."""
    overclaims: Faults[Overclaim]
    errors: Faults[AnswerError]
    difference: float | None
    """Points of 100 that the later answer has more; None where scores are not comparable."""
    difference_note: str | None
    """Why there is no difference, in a sentence."""


def compare(
    earlier: Turn,
    later: Turn,
    *,
    target: Target,
    rubric: Rubric,
    targets: Mapping[str, Target] | None = None,
) -> Comparison:
    """Compare two graded main answers to the same question.

    Args:
        earlier: the answer that was given first.
        later: the answer that was given after it.
        target: the question as it is now, for the names of key points.
        rubric: the rubric of the question, which knows the slots of its criteria.
        targets: the question as it was, by the bank's name with version (`vllm@3`). Answers that
            were graded by different versions are compared only in key points that say the same in
            both; without both versions, in none.

    Raises:
        SessionStateError: the answers are to different questions, are follow-ups, or lack a grade.
    """
    first, second = _graded(earlier), _graded(later)
    if earlier.question_id != later.question_id:
        raise SessionStateError("两次作答不是同一道题，不能比较；请选同一道题的两次作答。")
    known = _comparable_points(first.provenance, second.provenance, target, targets or {})
    note = _difference_note(first.provenance, second.provenance)
    points = _points(first, second, known)
    return Comparison(
        earlier=earlier,
        later=later,
        slots=_slots(first, second, rubric),
        points=points,
        points_note=_points_note(first.provenance, second.provenance, len(points)),
        overclaims=_faults(first.overclaims, second.overclaims),
        # The explanation of an error is that of the misconception, however it was put.
        errors=_faults(first.errors, second.errors, same_reason=True),
        difference=None if note else round(second.score - first.score, 1),
        difference_note=note,
    )


def _graded(turn: Turn) -> Grade:
    if turn.follow_up_id is not None:
        raise SessionStateError("追问不参与比较；请选题目本身的作答。")
    if turn.grade is None:
        raise SessionStateError(f"轮次 {turn.id!r} 没有评分，不能比较；请先重新评分。")
    return turn.grade


def _change(before: int, after: int) -> Change:
    if before == after:
        return Change.SAME
    return Change.GAINED if after > before else Change.LOST


def _slots(first: Grade, second: Grade, rubric: Rubric) -> tuple[SlotChange, ...]:
    before = {one.id: one for one in first.criteria}
    after = {one.id: one for one in second.criteria}
    return tuple(
        SlotChange(
            slot=criterion.slot,
            before=before[criterion.id].level,
            after=after[criterion.id].level,
            evidence_before=before[criterion.id].evidence,
            evidence_after=after[criterion.id].evidence,
        )
        for criterion in rubric.criteria
        if isinstance(criterion, SlotCriterion) and criterion.id in before and criterion.id in after
    )


def _by_id(target: Target) -> dict[str, KeyPoint]:
    return {target.point_id(point): point for point in target.key_points}


def _comparable_points(
    first: Provenance, second: Provenance, target: Target, targets: Mapping[str, Target]
) -> dict[str, KeyPoint]:
    """Return the key points that meant the same to both grades, by their full ids."""
    after = _by_id(targets.get(second.bank, target))
    if first.bank == second.bank:
        return after
    if first.bank not in targets or second.bank not in targets:
        return {}
    before = _by_id(targets[first.bank])
    return {
        name: point
        for name, point in after.items()
        if name in before and before[name].says == point.says
    }


def _points(first: Grade, second: Grade, known: Mapping[str, KeyPoint]) -> tuple[PointChange, ...]:
    before = {one.id: one for one in first.key_points}
    after = {one.id: one for one in second.key_points}
    return tuple(
        PointChange(
            id=name,
            says=point.says,
            slot=point.slot,
            before=before[name].verdict,
            after=after[name].verdict,
            evidence_before=before[name].evidence,
            evidence_after=after[name].evidence,
        )
        for name, point in known.items()
        if name in before and name in after
    )


def _points_note(first: Provenance, second: Provenance, compared: int) -> str | None:
    if first.bank == second.bank:
        return None
    versions = f"两次评分用的题库版本不同（{first.bank}、{second.bank}）"
    if compared == 0:
        return f"{versions}，采分点不逐条比较。"
    return f"{versions}，只比较内容没有变的 {compared} 个采分点。"


def _difference_note(first: Provenance, second: Provenance) -> str | None:
    if first.comparable(second):
        return None
    parts = {
        "评分者": (first.judge, first.model) != (second.judge, second.model),
        "提示词版本": first.prompt_version != second.prompt_version,
        "评分标准": first.rubric != second.rubric,
        "题库版本": first.bank != second.bank,
    }
    names = "、".join(name for name, differs in parts.items() if differs) or "评分来源"
    return f"两次的{names}不同，分数不能直接相减。"


def _faults(
    before: Sequence[FaultT], after: Sequence[FaultT], *, same_reason: bool = False
) -> Faults[FaultT]:
    """Pair faults off, the most alike quotes first; each is paired once.

    With `same_reason` two faults with one explanation are the same, in whatever words.
    """
    pairs = sorted(
        (
            (alike, at, to)
            for at, old in enumerate(before)
            for to, new in enumerate(after)
            if (alike := _likeness(old, new, same_reason=same_reason)) >= ALIKE
        ),
        key=lambda pair: -pair[0],
    )
    old_left, new_left = set(range(len(before))), set(range(len(after)))
    for _, at, to in pairs:
        if at in old_left and to in new_left:
            old_left.remove(at)
            new_left.remove(to)
    return Faults(
        gone=tuple(before[at] for at in sorted(old_left)),
        new=tuple(after[to] for to in sorted(new_left)),
        kept=tuple(one for to, one in enumerate(after) if to not in new_left),
    )


def _likeness(old: FaultT, new: FaultT, *, same_reason: bool) -> float:
    if same_reason and old.why == new.why:
        return 100.0
    return fuzz.ratio(fold(old.quote).text, fold(new.quote).text)
