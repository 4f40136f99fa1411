"""What the stored sessions say about a question (我的记录): how often it was answered, and how well."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from pydantic import AwareDatetime

from bot.domain.family import family_and_seed, task_id
from bot.domain.question import Frozen

WEAK_BELOW = 3
"""A latest level below this one is worth another try."""

FIRST_SEED = 1
"""The task that stands for its family of calculation tasks in lists."""


class RecordState(StrEnum):
    """How a question stands with the candidate; several may hold."""

    NEW = "new"
    ANSWERED = "answered"
    WEAK = "weak"
    OVERCLAIMED = "overclaimed"


class QuestionRecord(Frozen):
    """The answers that one question of one bank has had; follow-ups and skipped turns do not count."""

    question_id: str
    answers: int
    best_level: int | None
    """0–5; None while no answer is graded."""
    latest_level: int | None
    """Of the latest graded answer."""
    overclaimed: bool
    """Whether the latest graded answer promised too much."""
    latest_at: AwareDatetime
    """When the question was asked last."""

    @property
    def states(self) -> frozenset[RecordState]:
        """Return what a filter can look for."""
        found = {RecordState.ANSWERED}
        if self.latest_level is not None and self.latest_level < WEAK_BELOW:
            found.add(RecordState.WEAK)
        if self.overclaimed:
            found.add(RecordState.OVERCLAIMED)
        return frozenset(found)


class PastAnswer(Frozen):
    """One answer that was given to a question; score and level are None while it is not graded."""

    session_id: str
    question_id: str
    asked_at: AwareDatetime
    score: float | None
    level: int | None
    judge: str | None


def by_family(
    records: Mapping[str, QuestionRecord], families: Collection[str]
) -> dict[str, QuestionRecord]:
    """Return the records with those of all tasks of each family joined under its first task."""
    joined: dict[str, QuestionRecord] = {}
    for question_id, record in records.items():
        family, _ = family_and_seed(question_id)
        name = task_id(family, FIRST_SEED) if family in families and family else question_id
        other = joined.get(name)
        joined[name] = record if other is None else _joined(name, other, record)
    return joined


def _joined(name: str, first: QuestionRecord, second: QuestionRecord) -> QuestionRecord:
    earlier, later = sorted((first, second), key=lambda one: one.latest_at)
    graded = later if later.latest_level is not None else earlier
    levels = [one for one in (first.best_level, second.best_level) if one is not None]
    return QuestionRecord(
        question_id=name,
        answers=first.answers + second.answers,
        best_level=max(levels, default=None),
        latest_level=graded.latest_level,
        overclaimed=graded.overclaimed,
        latest_at=later.latest_at,
    )
