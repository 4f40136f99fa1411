"""A study plan (备考计划): questions picked for a posting or résumé, each with its reasons."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from bot.domain.question import Frozen, Text

FEWEST, MOST = 5, 20
"""How many questions a plan may be asked for."""

LONGEST_TEXT = 50_000
"""Characters of a posting or résumé; a long one has a tenth of it."""


class ReasonKind(StrEnum):
    """Where a reason comes from."""

    TEXT = "text"
    """The posting or résumé says something that the question is about."""
    WEAK_SLOT = "weak_slot"
    """One's own answers are weak in a slot that the question asks for."""
    WEAK_ANSWER = "weak_answer"
    """One's own latest answer to the question was weak."""
    ADDED = "added"
    """It was added by hand."""


class Reason(Frozen):
    """Why a question was picked, in words."""

    kind: ReasonKind
    says: Text


class Pick(Frozen):
    """A question of the plan."""

    question_id: str
    reasons: Annotated[tuple[Reason, ...], Field(min_length=1)]


ADDED = Reason(kind=ReasonKind.ADDED, says="手动加入")


class StudyPlan(Frozen):
    """Questions in the order in which they will be asked; each edit returns a new plan."""

    id: str
    bank_id: str
    made_at: AwareDatetime
    title: Text
    picks: tuple[Pick, ...]
    by_meaning: bool
    """Whether the search went by meaning, or by words alone."""
    text: str | None = None
    """The posting or résumé; it is personal, and stored only if that was asked for."""

    @property
    def question_ids(self) -> tuple[str, ...]:
        """Return the questions in order."""
        return tuple(pick.question_id for pick in self.picks)

    def without(self, question_id: str) -> StudyPlan:
        """Return the plan without this question."""
        return self._with(pick for pick in self.picks if pick.question_id != question_id)

    def moved(self, question_id: str, by: int) -> StudyPlan:
        """Return the plan with the question so many places further down, or up if below 0."""
        at = self.question_ids.index(question_id)
        picks = list(self.picks)
        pick = picks.pop(at)
        picks.insert(max(0, at + by), pick)
        return self._with(picks)

    def added(self, question_id: str) -> StudyPlan:
        """Return the plan with a question more at its end, unless it is in the plan already."""
        if question_id in self.question_ids:
            return self
        return self._with((*self.picks, Pick(question_id=question_id, reasons=(ADDED,))))

    def to_keep(self, *, with_text: bool) -> StudyPlan:
        """Return the plan as it may be stored."""
        return self if with_text else self.model_copy(update={"text": None})

    def _with(self, picks: Iterable[Pick]) -> StudyPlan:
        return self.model_copy(update={"picks": tuple(picks)})
