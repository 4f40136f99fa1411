"""A question bank (题库): sections of questions, terms, and families of calculation tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from bot.domain.family import CalculationFamily, family_and_seed, instantiate
from bot.domain.question import Frozen, Identifier, Question, Term, Text, unique
from bot.errors import NotFoundError

CALCULATIONS_TITLE = "计算题"


class Section(Frozen):
    """A chapter of a bank."""

    id: Identifier
    title: Text


class SectionFile(Frozen):
    """The content of one `corpus/<bank>/<section>.yaml`."""

    bank: Identifier
    section: Section
    questions: Annotated[tuple[Question, ...], Field(min_length=1)]


class Topic(Frozen):
    """What questions are about, with the name that people read and search for (考点)."""

    id: Identifier
    title: Text


class Figure(Frozen):
    """A number, unit, version or formula that a question must go on telling (数据)."""

    question: Identifier
    spellings: Annotated[tuple[Text, ...], Field(min_length=1)]
    """One of them stands there, whatever its width, case and spacing."""
    key_point: Identifier | None = None
    """The key point that tells it; without one, the reference answer does."""


class BankFile(Frozen):
    """The content of `corpus/<bank>/bank.yaml`: what holds for the whole bank."""

    bank: Identifier
    version: Annotated[int, Field(ge=1)]
    """The version of the whole bank; raise it when a question changes."""
    title: Text
    topics: tuple[Topic, ...] = ()
    terms: tuple[Term, ...] = ()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        unique("topics", (topic.id for topic in self.topics))
        unique("terms", (term.id for term in self.terms))
        return self


class CalculationFile(Frozen):
    """The content of `corpus/<bank>/calculations.yaml`."""

    bank: Identifier
    families: Annotated[tuple[CalculationFamily, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        unique("families", (family.id for family in self.families))
        return self


class FigureFile(Frozen):
    """The content of `corpus/<bank>/figures.yaml`."""

    bank: Identifier
    figures: Annotated[tuple[Figure, ...], Field(min_length=1)]


class Bank(Frozen):
    """A whole question bank (题库), its sections in order."""

    id: Identifier
    version: int
    title: Text
    terms: tuple[Term, ...]
    sections: Annotated[tuple[SectionFile, ...], Field(min_length=1)]
    calculations: tuple[CalculationFamily, ...] = ()
    topics: tuple[Topic, ...] = ()
    figures: tuple[Figure, ...] = ()

    @property
    def name(self) -> str:
        """The bank with its version, as grades quote it: `vllm@1`."""
        return f"{self.id}@{self.version}"

    @property
    def questions(self) -> tuple[Question, ...]:
        """All written questions, in the order of the bank; calculation tasks are drawn."""
        return tuple(question for part in self.sections for question in part.questions)

    def titles_of(self, question: Question) -> tuple[str, ...]:
        """Return the topics of a question as people read them, by their ids where unnamed."""
        titles = {topic.id: topic.title for topic in self.topics}
        return tuple(titles.get(topic, topic) for topic in question.topics)

    def find(self, question_id: str) -> Question:
        """Return the question, or raise `NotFoundError`.

        An id such as `C-KV-7` names a task of a calculation family, which is made anew from it.
        """
        for question in self.questions:
            if question.id == question_id:
                return question
        drawn = self._drawn(question_id)
        if drawn is not None:
            return instantiate(*drawn)
        raise NotFoundError(
            f"题库 {self.id!r} 里没有题目 {question_id!r}；用 `mockbot search` 可以查找题目。"
        )

    def part_of(self, question_id: str) -> SectionFile | None:
        """Return the section with its questions that holds a written question, if one does."""
        for part in self.sections:
            if any(question.id == question_id for question in part.questions):
                return part
        return None

    def with_questions(self, changed: Mapping[str, Question]) -> Bank:
        """Return the bank with some questions in the places of those with the same ids."""
        parts = tuple(
            part.model_copy(
                update={"questions": tuple(changed.get(one.id, one) for one in part.questions)}
            )
            for part in self.sections
        )
        return self.model_copy(update={"sections": parts})

    def section_of(self, question_id: str) -> Section:
        """Return the section that holds the question, or raise `NotFoundError`."""
        part = self.part_of(question_id)
        if part is not None:
            return part.section
        drawn = self._drawn(question_id)
        if drawn is not None:
            return Section(id=drawn[0].id, title=CALCULATIONS_TITLE)
        raise NotFoundError(f"题库 {self.id!r} 里没有题目 {question_id!r}。")

    def _drawn(self, question_id: str) -> tuple[CalculationFamily, int] | None:
        family_id, seed = family_and_seed(question_id)
        for family in self.calculations:
            if family.id == family_id:
                return family, seed
        return None
