"""Evaluation: a judge really grades rated answers, and its agreement with people is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.domain.agreement import (
    Detection,
    confusion,
    detection,
    half_up,
    held_out_levels,
    spearman,
    weighted_kappa,
)
from bot.domain.bank import Bank
from bot.domain.claims import AnswerError, Overclaim
from bot.domain.evidence import locate
from bot.domain.grade import Grade, Ungraded
from bot.domain.question import Frozen
from bot.domain.target import target_of
from bot.services.grading import Grader

WITHOUT = ("wrong", "mid_minus")
"""Types that only somebody who knows the facts can tell; QWK is given without them too."""

SLOTS = ("conclusion", "reason", "premise_cost")


class Rating(BaseModel):
    """What one rater said."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    level: Annotated[int, Field(ge=0, le=5)]
    conclusion: Annotated[int, Field(ge=0, le=2)] | None = None
    reason: Annotated[int, Field(ge=0, le=2)] | None = None
    premise_cost: Annotated[int, Field(ge=0, le=2)] | None = None
    overclaims: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class RatedAnswer(BaseModel):
    """One line of a gold file: an answer with its ratings."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    question_id: str
    type: str = "answer"
    answer: str
    note: str = ""
    ratings: Annotated[tuple[Rating, ...], Field(min_length=1)]

    @property
    def level(self) -> float:
        """Return the mean level of the raters."""
        return fmean(rating.level for rating in self.ratings)

    @property
    def has_overclaim(self) -> bool:
        """Say whether any rater marked an overclaim."""
        return any(rating.overclaims for rating in self.ratings)


class TypeRow(Frozen):
    """The answers of one type: mean level of the judge beside the raters'."""

    type: str
    answers: int
    rated: float
    given: float | None
    at_most_one: float | None
    """The share that the judge put at level 1 or below."""


class Case(Frozen):
    """One answer as it was rated and graded."""

    id: str
    question_id: str
    type: str
    answer: str
    note: str
    rated: float
    outcome: Annotated[Grade | Ungraded, Field(discriminator="status")]


class Evaluation(Frozen):
    """Everything that `mockbot evaluate` prints; None stands where a figure is not defined."""

    answers: int
    ungraded: float
    qwk: float | None
    qwk_without: float | None
    exact: float | None
    within_one: float | None
    spearman: float | None
    length_qwk: float | None
    similarity_qwk: float | None
    overclaims: Detection
    overclaims_with_errors: Detection
    """As above, with wrong statements counted too: where a false absolute belongs is debatable."""
    overclaim_spans: Detection
    """Single spans, matched by overlap with any span that a rater marked."""
    fault_spans: Detection
    """As above, spans of overclaims and of wrong statements taken together."""
    slot_agreement: dict[str, float | None]
    slot_qwk: dict[str, float | None]
    types: tuple[TypeRow, ...]
    confusion: tuple[tuple[int, ...], ...]
    seconds: float
    tokens: float
    judge: str
    cases: tuple[Case, ...]

    @property
    def worst(self) -> tuple[Case, ...]:
        """Return the graded cases, the largest disagreement first."""
        graded = [case for case in self.cases if isinstance(case.outcome, Grade)]
        return tuple(
            sorted(
                graded,
                key=lambda case: (
                    -abs(case.outcome.level - case.rated) if isinstance(case.outcome, Grade) else 0
                ),
            )
        )


Similarity = Callable[[str, str], float]
"""How much of the reference (second) an answer (first) has, 0–1."""


def evaluate(
    answers: Sequence[RatedAnswer],
    bank: Bank,
    grader: Grader,
    similarity: Similarity,
    progress: Callable[[], None] | None = None,
) -> Evaluation:
    """Grade all answers and compare. Raises `NotFoundError` for an unknown question."""
    cases = []
    for one in answers:
        target = target_of(bank.find(one.question_id))
        cases.append(
            Case(
                id=one.id,
                question_id=one.question_id,
                type=one.type,
                answer=one.answer,
                note=one.note,
                rated=one.level,
                outcome=grader.grade(one.id, target, one.answer),
            )
        )
        if progress is not None:
            progress()
    graded = [
        (one, case, case.outcome)
        for one, case in zip(answers, cases, strict=True)
        if isinstance(case.outcome, Grade)
    ]
    given = [grade.level for _, _, grade in graded]
    rated = [half_up(one.level) for one, _, _ in graded]
    plain = [at for at, (one, _, _) in enumerate(graded) if one.type not in WITHOUT]
    gaps = [abs(mine - theirs) for mine, theirs in zip(given, rated, strict=True)]
    references = {
        one.question_id: target_of(bank.find(one.question_id)).reference for one in answers
    }
    return Evaluation(
        answers=len(answers),
        ungraded=1 - len(graded) / len(answers) if answers else 0.0,
        qwk=weighted_kappa(given, rated),
        qwk_without=weighted_kappa([given[at] for at in plain], [rated[at] for at in plain]),
        exact=fmean(gap == 0 for gap in gaps) if gaps else None,
        within_one=fmean(gap <= 1 for gap in gaps) if gaps else None,
        spearman=spearman(
            [grade.score for _, _, grade in graded], [one.level for one, _, _ in graded]
        ),
        length_qwk=_baseline(answers, lambda one: float(len(one.answer))),
        similarity_qwk=_baseline(
            answers, lambda one: similarity(one.answer, references[one.question_id])
        ),
        overclaims=detection(
            [bool(grade.overclaims) for _, _, grade in graded],
            [one.has_overclaim for one, _, _ in graded],
        ),
        overclaims_with_errors=detection(
            [bool(grade.overclaims or grade.errors) for _, _, grade in graded],
            [
                one.has_overclaim or any(rating.errors for rating in one.ratings)
                for one, _, _ in graded
            ],
        ),
        overclaim_spans=_spans(graded, lambda said: said.overclaims),
        fault_spans=_spans(graded, lambda said: (*said.overclaims, *said.errors)),
        slot_agreement={slot: _slot(graded, slot, exact=True) for slot in SLOTS},
        slot_qwk={slot: _slot(graded, slot, exact=False) for slot in SLOTS},
        types=tuple(_type_rows(cases)),
        confusion=confusion(given, rated),
        seconds=fmean(grade.provenance.seconds for _, _, grade in graded) if graded else 0.0,
        tokens=fmean(grade.provenance.tokens for _, _, grade in graded) if graded else 0.0,
        judge=graded[0][2].provenance.judge if graded else "",
        cases=tuple(cases),
    )


def _baseline(
    answers: Sequence[RatedAnswer], measure: Callable[[RatedAnswer], float]
) -> float | None:
    """Return the QWK of one number alone, its cut-offs learnt on the other questions."""
    rated = [half_up(one.level) for one in answers]
    levels = held_out_levels(
        [measure(one) for one in answers], rated, [one.question_id for one in answers]
    )
    return weighted_kappa(levels, rated)


def _type_rows(cases: Sequence[Case]) -> list[TypeRow]:
    rows = []
    for name in dict.fromkeys(case.type for case in cases):
        mine = [case for case in cases if case.type == name]
        levels = [case.outcome.level for case in mine if isinstance(case.outcome, Grade)]
        rows.append(
            TypeRow(
                type=name,
                answers=len(mine),
                rated=fmean(case.rated for case in mine),
                given=fmean(levels) if levels else None,
                at_most_one=fmean(level <= 1 for level in levels) if levels else None,
            )
        )
    return rows


def _slot(
    graded: Sequence[tuple[RatedAnswer, Case, Grade]], slot: str, *, exact: bool
) -> float | None:
    given: list[int] = []
    rated: list[int] = []
    for one, _, grade in graded:
        levels = [value for r in one.ratings if (value := getattr(r, slot)) is not None]
        found = next((c.level for c in grade.criteria if c.id == slot), None)
        if levels and found is not None:
            given.append(found)
            rated.append(half_up(fmean(levels)))
    if not given:
        return None
    if exact:
        return fmean(mine == theirs for mine, theirs in zip(given, rated, strict=True))
    return weighted_kappa(given, rated, size=3)


def _spans(
    graded: Sequence[tuple[RatedAnswer, Case, Grade]],
    faults: Callable[[Rating | Grade], Sequence[str | Overclaim | AnswerError]],
) -> Detection:
    """Match spans by overlap; a span that any rater marked counts as there."""
    right = wrong = missed = 0
    for one, _, grade in graded:
        marked = {
            (place.start, place.end)
            for rating in one.ratings
            for quote in faults(rating)
            if (place := locate(str(quote), one.answer)) is not None
        }
        found = [(own.start, own.end) for own in faults(grade) if not isinstance(own, str)]
        hits = sum(_meets(own, marked) for own in found)
        right, wrong = right + hits, wrong + len(found) - hits
        missed += sum(not _meets(place, found) for place in marked)
    return Detection(right, wrong, missed)


def _meets(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    start, end = span
    return any(start < stop and begin < end for begin, stop in others)
