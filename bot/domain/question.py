"""A question bank (题库): questions with reference answers, key points, misconceptions and follow-ups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from bot.errors import NotFoundError

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]

Groups = Annotated[
    tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...], Field(min_length=1)
]
"""All-of groups of any-of spellings; `bot.offline.spelling` explains what a spelling may contain."""


class Slot(StrEnum):
    """The part of a structured answer that a key point belongs to (结构槽位)."""

    CONCLUSION = "conclusion"
    REASON = "reason"
    PREMISE_COST = "premise_cost"
    REQUIREMENTS = "requirements"
    ESTIMATE = "estimate"
    BASELINE = "baseline"
    APPROACH = "approach"
    COST = "cost"
    VERIFICATION = "verification"
    RESULT = "result"
    UNIT = "unit"
    FORMULA = "formula"
    ASSUMPTION = "assumption"


class Kind(StrEnum):
    """What a question asks for; it decides which rubric applies."""

    EXPLAIN = "explain"
    CALCULATE = "calculate"
    DESIGN = "design"


class Difficulty(StrEnum):
    """How hard a question is meant to be (难度)."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


SLOTS_OF_KIND: dict[Kind, tuple[Slot, ...]] = {
    Kind.EXPLAIN: (Slot.CONCLUSION, Slot.REASON, Slot.PREMISE_COST),
    Kind.DESIGN: (
        Slot.REQUIREMENTS,
        Slot.ESTIMATE,
        Slot.BASELINE,
        Slot.APPROACH,
        Slot.COST,
        Slot.VERIFICATION,
    ),
    Kind.CALCULATE: (Slot.RESULT, Slot.UNIT, Slot.FORMULA, Slot.ASSUMPTION),
}
"""The slots in the order in which a good answer goes through them."""


class Frozen(BaseModel):
    """A value: strict about its fields, never changed after it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Term(Frozen):
    """A term of the field with the ways people write, say and mishear it (术语).

    A spelling of a concept may refer to it as `{id}`.
    """

    id: Identifier
    says: Text
    spellings: Annotated[tuple[Text, ...], Field(min_length=1)]
    slips: tuple[Text, ...] = ()
    """What speech recognition makes of it."""


class KeyPoint(Frozen):
    """One thing that a complete answer says (采分点)."""

    id: Identifier
    says: Text
    slot: Slot
    weight: Annotated[int, Field(ge=1, le=5)] = 1
    core: bool = False
    """Contradicting a core key point caps the whole grade."""
    concepts: Groups = Field(description="All-of groups of any-of spellings.")
    generated: bool = False
    """Whether code or a model made it (自动生成), and nobody has accepted it yet."""


class Misconception(Frozen):
    """A known wrong belief (误区); all groups of `patterns` within one sentence show it."""

    says: Text
    why: Text
    contradicts: Identifier | None = None
    """The key point it turns on its head, if there is one."""
    patterns: Groups


class FollowUp(Frozen):
    """A probe into one slot of the answer (追问)."""

    id: Identifier
    asks: Text
    aims_at: Slot
    reference: Text
    key_points: Annotated[tuple[KeyPoint, ...], Field(min_length=1)]


class ReferenceAnswer(Frozen):
    """A full answer, for people and for feedback (参考答案).

    An imported answer that could not be told apart stands in `conclusion` alone.
    """

    conclusion: Text
    reason: str = ""
    premise_cost: str = ""

    @property
    def joined(self) -> str:
        """The three parts as one running answer."""
        return "".join((self.conclusion, self.reason, self.premise_cost))


class Question(Frozen):
    """One question of a bank (题目)."""

    id: Identifier
    stem: Text
    kind: Kind = Kind.EXPLAIN
    difficulty: Difficulty
    topics: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    reference: ReferenceAnswer
    key_points: Annotated[tuple[KeyPoint, ...], Field(min_length=1)]
    misconceptions: tuple[Misconception, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    sources: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        _unique("key_points", (point.id for point in self.key_points))
        _unique("follow_ups", (follow_up.id for follow_up in self.follow_ups))
        allowed = SLOTS_OF_KIND[self.kind]
        for point in self.key_points:
            if point.slot not in allowed:
                raise ValueError(
                    f"key_points: {point.id!r} has slot {point.slot.value!r}, "
                    f"but a question of kind {self.kind.value!r} has {', '.join(allowed)}"
                )
        present = {point.slot for point in self.key_points}
        for follow_up in self.follow_ups:
            if follow_up.aims_at not in present:
                raise ValueError(
                    f"follow_ups: {follow_up.id!r} aims at slot {follow_up.aims_at.value!r}, "
                    "which no key point of the question has"
                )
            _unique(f"follow_ups.{follow_up.id}.key_points", (p.id for p in follow_up.key_points))
        ids = {point.id for point in self.key_points}
        for misconception in self.misconceptions:
            if misconception.contradicts is not None and misconception.contradicts not in ids:
                raise ValueError(
                    f"misconceptions: {misconception.says!r} contradicts "
                    f"{misconception.contradicts!r}, which is no key point of the question"
                )
        return self


class Section(Frozen):
    """A chapter of a bank."""

    id: Identifier
    title: Text


class SectionFile(Frozen):
    """The content of one `corpus/<bank>/<section>.yaml`."""

    bank: Identifier
    section: Section
    questions: Annotated[tuple[Question, ...], Field(min_length=1)]


class BankFile(Frozen):
    """The content of `corpus/<bank>/bank.yaml`: what holds for the whole bank."""

    bank: Identifier
    version: Annotated[int, Field(ge=1)]
    """The version of the whole bank; raise it when a question changes."""
    title: Text
    terms: tuple[Term, ...] = ()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        _unique("terms", (term.id for term in self.terms))
        return self


class Bank(Frozen):
    """A whole question bank (题库), its sections in order."""

    id: Identifier
    version: int
    title: Text
    terms: tuple[Term, ...]
    sections: Annotated[tuple[SectionFile, ...], Field(min_length=1)]

    @property
    def name(self) -> str:
        """The bank with its version, as grades quote it: `vllm@1`."""
        return f"{self.id}@{self.version}"

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, in the order of the bank."""
        return tuple(question for part in self.sections for question in part.questions)

    def find(self, question_id: str) -> Question:
        """Return the question, or raise `NotFoundError`."""
        for question in self.questions:
            if question.id == question_id:
                return question
        raise NotFoundError(
            f"题库 {self.id!r} 里没有题目 {question_id!r}；用 `mockbot search` 可以查找题目。"
        )

    def section_of(self, question_id: str) -> Section:
        """Return the section that holds the question, or raise `NotFoundError`."""
        for part in self.sections:
            if any(question.id == question_id for question in part.questions):
                return part.section
        raise NotFoundError(f"题库 {self.id!r} 里没有题目 {question_id!r}。")


def _unique(field: str, ids: Iterable[str]) -> None:
    repeated = sorted(name for name, count in Counter(ids).items() if count > 1)
    if repeated:
        raise ValueError(f"{field}: the id {repeated[0]!r} is used more than once")
