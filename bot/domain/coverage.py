"""Coverage (覆盖): how much of a bank was answered, by section, and how well at best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bot.domain.bank import CALCULATIONS_TITLE, Bank
from bot.domain.family import family_and_seed
from bot.domain.progress import Attempt, Graded

CALCULATIONS = "calculations"
"""The id of a section that stands for all calculation families."""


class Chapter(NamedTuple):
    """A section as a whole, whatever number of files holds it; of calculations, the families."""

    id: str
    title: str
    items: tuple[str, ...]
    """The ids of its questions, or of the calculation families."""


class Covered(NamedTuple):
    """What of a chapter was answered."""

    chapter: Chapter
    answered: frozenset[str]
    """The items that were answered, graded or not."""
    best: Mapping[str, int]
    """The best level of each item that was graded."""

    @property
    def open(self) -> tuple[str, ...]:
        """Return the items that were not answered yet, in the bank's order."""
        return tuple(one for one in self.chapter.items if one not in self.answered)


class Contents:
    """Knows where in a bank the questions stand; made once, asked for thousands of answers."""

    def __init__(self, bank: Bank) -> None:
        """Take the bank."""
        titles: dict[str, str] = {}
        held: dict[str, list[str]] = defaultdict(list)
        self._topics: dict[str, tuple[str, ...]] = {}
        for part in bank.sections:
            titles.setdefault(part.section.id, part.section.title)
            held[part.section.id] += [question.id for question in part.questions]
            self._topics |= {question.id: question.topics for question in part.questions}
        self._questions = {item: chapter for chapter, items in held.items() for item in items}
        self._families = frozenset(family.id for family in bank.calculations)
        self.chapters = tuple(Chapter(one, titles[one], tuple(held[one])) for one in titles)
        if bank.calculations:
            families = tuple(family.id for family in bank.calculations)
            self.chapters += (Chapter(CALCULATIONS, CALCULATIONS_TITLE, families),)

    def item_of(self, question_id: str) -> str | None:
        """Return the question itself or its calculation family; None when the bank has neither."""
        if question_id in self._questions:
            return question_id
        family_id, _ = family_and_seed(question_id)
        return family_id if family_id in self._families else None

    def chapter_of(self, question_id: str) -> tuple[str, ...]:
        """Return the id of its chapter, for `by_group`; nothing when the bank lost the question."""
        if question_id in self._questions:
            return (self._questions[question_id],)
        return (CALCULATIONS,) if self.item_of(question_id) else ()

    def topics_of(self, question_id: str) -> tuple[str, ...]:
        """Return its topics, for `by_group`; calculation tasks have none."""
        return self._topics.get(question_id, ())

    def coverage(
        self, attempts: Iterable[Attempt], graded: Iterable[Graded]
    ) -> tuple[Covered, ...]:
        """Return what was answered of each chapter, with the best levels of one series."""
        items = (self.item_of(one.question_id) for one in attempts)
        answered = {item for item in items if item is not None}
        best: dict[str, int] = {}
        for one in graded:
            item = self.item_of(one.question_id)
            if item is not None:
                best[item] = max(one.marks.level, best.get(item, 0))
        return tuple(
            Covered(
                chapter,
                frozenset(answered.intersection(chapter.items)),
                {item: best[item] for item in chapter.items if item in best},
            )
            for chapter in self.chapters
        )
