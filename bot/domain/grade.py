"""A grade (评分结果): findings weighed by a rubric, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from bot.domain.claims import (
    AnswerError,
    Findings,
    Flag,
    Overclaim,
    PointFinding,
    SlotFinding,
    Verdict,
)
from bot.domain.evidence import Evidence
from bot.domain.question import Frozen
from bot.domain.rubric import (
    CalibrationCriterion,
    CoverageCriterion,
    JudgeKind,
    Rubric,
    SlotCriterion,
)
from bot.domain.target import Target
from bot.domain.usage import Usage


class Provenance(Frozen):
    """Who graded, with what; grades that differ in it are not comparable (评分来源)."""

    judge: JudgeKind
    model: str | None = None
    method: str | None = None
    prompt_version: str | None = None
    rubric: str
    based_on: str | None = None
    """The shipped rubric that a user's own `rubric` stood in for."""
    bank: str
    tokens: int = 0
    """All that the grade cost; `usage` splits it, and is empty in grades stored before it was kept."""
    usage: Usage = Usage()
    seconds: float = 0.0

    def comparable(self, other: Provenance) -> bool:
        """Say whether two grades may be set side by side as numbers.

        Questions of different kinds have different rubrics; of one rubric the version must agree,
        and a user's own one is another than that which it stands in for.
        """
        if self._weighed_like == other._weighed_like and self.rubric != other.rubric:
            return False
        ignored = {"tokens", "usage", "seconds", "method", "rubric", "based_on"}
        return self.model_dump(exclude=ignored) == other.model_dump(exclude=ignored)

    @property
    def _weighed_like(self) -> str:
        """Return the shipped rubric for what was graded."""
        return self.based_on or self.rubric.partition("@")[0]


class CriterionScore(Frozen):
    """What one criterion earned: `points` of `max`, level 0–2, and where."""

    id: str
    points: float
    max: float
    level: int
    evidence: tuple[Evidence, ...] = ()


class Grade(Frozen):
    """The graded answer; its JSON is the form that `mockbot grade --json` prints."""

    id: str
    question_id: str
    status: Literal["graded"] = "graded"
    score: float
    level: int
    criteria: tuple[CriterionScore, ...]
    key_points: tuple[PointFinding, ...]
    overclaims: tuple[Overclaim, ...]
    errors: tuple[AnswerError, ...]
    flags: tuple[Flag, ...]
    spread: float | None = None
    confidence: float | None = None
    """How sure the judge was of its verdicts, 0–1, where the model's endpoint lets that be told."""
    provenance: Provenance

    @property
    def is_hollow(self) -> bool:
        """Whether there is an answer with nothing wrong in it, and no key point even in part."""
        return (
            Flag.NO_CONTENT not in self.flags
            and not self.errors
            and bool(self.key_points)
            and all(point.verdict is Verdict.NOT_MET for point in self.key_points)
        )


class BetterAnswer(Frozen):
    """The candidate's answer put into 结论 → 原因 → 前提/代价; what was added stands in 【】."""

    conclusion: str
    reason: str
    premise_cost: str
    model: str
    prompt_version: str


class UngradedReason(StrEnum):
    """Why an answer has no grade (未评分)."""

    JUDGE_UNAVAILABLE = "judge_unavailable"
    REPLY_INVALID = "reply_invalid"
    BAD_INPUT = "bad_input"


class Ungraded(Frozen):
    """No grade could be made; never a score of 0."""

    id: str
    question_id: str
    status: Literal["ungraded"] = "ungraded"
    reason: UngradedReason
    message: str


Outcome = Annotated[Grade | Ungraded, Field(discriminator="status")]


def grade(
    answer_id: str, target: Target, rubric: Rubric, findings: Findings, provenance: Provenance
) -> Grade:
    """Weigh the findings into a grade.

    A met point without evidence earns nothing, and a slot counts only where its sentences also
    carry a met or partly met key point: the score rests on the answer, not on the judge's word.
    """
    rubric = rubric.for_slots({point.slot for point in target.key_points})
    coverage = _coverage(target, rubric, findings)
    proved = tuple(
        one
        for point in findings.points
        if point.verdict in (Verdict.MET, Verdict.PARTLY_MET)
        for one in point.evidence
    )
    criteria = tuple(
        _criterion(criterion, coverage, findings, proved) for criterion in rubric.criteria
    )
    limit, capped = _cap(target, rubric, findings, has_point=coverage > 0)
    earned = sum(one.points for one in criteria)
    score = round(min(max(earned, 0.0), limit, 100.0), 1)
    flags = (*findings.flags, *((capped,) if capped is not None and earned > limit else ()))
    return Grade(
        id=answer_id,
        question_id=target.id,
        score=score,
        level=rubric.level_of(score, provenance.judge),
        criteria=criteria,
        key_points=findings.points,
        overclaims=findings.overclaims,
        errors=findings.errors,
        flags=tuple(dict.fromkeys(flags)),
        provenance=provenance,
    )


def _coverage(target: Target, rubric: Rubric, findings: Findings) -> float:
    """Return the weighted share 0–1 of key points met with evidence.

    A share that was measured counts instead, as soon as one point is met at least partly.
    """
    partly = next(
        (one.partly for one in rubric.criteria if isinstance(one, CoverageCriterion)), 0.5
    )
    worth = {Verdict.MET: 1.0, Verdict.PARTLY_MET: partly}
    weights = {target.point_id(point): point.weight for point in target.key_points}
    earned = sum(
        weights[point.id] * worth.get(point.verdict, 0.0)
        for point in findings.points
        if point.evidence
    )
    if earned and findings.coverage is not None:
        return findings.coverage
    return earned / sum(weights.values())


def _criterion(
    criterion: CoverageCriterion | SlotCriterion | CalibrationCriterion,
    coverage: float,
    findings: Findings,
    proved: Sequence[Evidence],
) -> CriterionScore:
    match criterion:
        case CoverageCriterion():
            share = min(1.0, coverage / criterion.full_at)
            return CriterionScore(
                id=criterion.id,
                points=round(criterion.max * share, 2),
                max=criterion.max,
                level=0 if share == 0 else 1 if share < 0.6 else 2,
                evidence=tuple(dict.fromkeys(proved)),
            )
        case SlotCriterion():
            found = next((one for one in findings.slots if one.slot == criterion.slot), None)
            return _slot(criterion, found, findings.opening_ends, proved)
        case CalibrationCriterion():
            content = criterion.max * min(1.0, coverage / criterion.content_at)
            count = len(findings.overclaims)
            points = max(content - criterion.per_overclaim * count, criterion.floor)
            level = 0 if points <= 0 else 1 if count or content < criterion.max else 2
            return CriterionScore(
                id=criterion.id,
                points=round(points, 2),
                max=criterion.max,
                level=level,
                evidence=tuple(
                    Evidence(start=one.start, end=one.end, quote=one.quote, match=one.match)
                    for one in findings.overclaims
                ),
            )


def _slot(
    criterion: SlotCriterion,
    found: SlotFinding | None,
    opening_ends: int,
    proved: Sequence[Evidence],
) -> CriterionScore:
    carried = found is not None and any(
        mine.overlaps(other) for mine in found.evidence for other in proved
    )
    if found is None or not carried:
        return CriterionScore(id=criterion.id, points=0.0, max=round(criterion.max, 2), level=0)
    share = (0.0, criterion.partial, 1.0)[found.level] if found.share is None else found.share
    first = any(one.start < opening_ends for one in found.evidence)
    available = criterion.max if first else criterion.max - criterion.opening_points
    return CriterionScore(
        id=criterion.id,
        points=round(available * share, 2),
        max=round(criterion.max, 2),
        level=found.level,
        evidence=found.evidence if found.level else (),
    )


def _cap(
    target: Target, rubric: Rubric, findings: Findings, *, has_point: bool
) -> tuple[float, Flag | None]:
    """Return the highest total that the gates allow and the gate that sets it."""
    core = {target.point_id(point) for point in target.key_points if point.core}
    caps: list[tuple[float, Flag]] = []
    if any(p.verdict is Verdict.CONTRADICTED and p.id in core for p in findings.points):
        caps.append((rubric.gates.contradicted_core, Flag.CAPPED_CONTRADICTION))
    if findings.errors:
        limit = rubric.gates.one_error if len(findings.errors) == 1 else rubric.gates.more_errors
        caps.append((limit, Flag.CAPPED_ERROR))
    if len(findings.overclaims) > 1:
        caps.append((rubric.gates.more_overclaims, Flag.CAPPED_OVERCLAIMS))
    if not has_point:
        caps.append((rubric.gates.no_point_met, Flag.CAPPED_NO_POINT))
    return min(caps, default=(100.0, None), key=lambda cap: cap[0])
