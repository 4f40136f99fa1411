"""Which questions are shown or asked: filtered; for a session spread over the sections, by a seed."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from typing import NamedTuple

from bot.domain.bank import CALCULATIONS_TITLE, Bank, Section
from bot.domain.family import LARGEST_SEED, instantiate, task_id
from bot.domain.question import Difficulty, Frozen, Kind, Question, Slot
from bot.domain.record import FIRST_SEED, QuestionRecord, RecordState
from bot.errors import NotFoundError

CALCULATIONS = "calculations"
"""The id of the shelf of calculation tasks."""


class Shelf(NamedTuple):
    """A section with its questions, also where several files share it."""

    section: Section
    questions: tuple[Question, ...]

    @property
    def title(self) -> str:
        """Return what the section is called in lists, `A 基础`."""
        if self.section.id == CALCULATIONS:
            return self.section.title
        return f"{self.section.id} {self.section.title}"


class BankFilter(Frozen):
    """What to show of a bank; an empty field means all, several values of one field mean any."""

    sections: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    difficulties: tuple[Difficulty, ...] = ()
    slots: tuple[Slot, ...] = ()
    """Slots of key points, of which a question has at least one."""
    kinds: tuple[Kind, ...] = ()
    records: tuple[RecordState, ...] = ()

    @property
    def restrictions(self) -> int:
        """Return how many fields leave something out."""
        return sum(bool(value) for _, value in self)

    def admits(
        self, section_id: str, question: Question, record: QuestionRecord | None = None
    ) -> bool:
        """Say whether a question of that section, with that record, is shown."""
        states = frozenset({RecordState.NEW}) if record is None else record.states
        return (
            (not self.sections or section_id in self.sections)
            and (not self.difficulties or question.difficulty in self.difficulties)
            and (not self.kinds or question.kind in self.kinds)
            and (not self.topics or not set(self.topics).isdisjoint(question.topics))
            and (not self.slots or any(one.slot in self.slots for one in question.key_points))
            and (not self.records or not states.isdisjoint(self.records))
        )


def shelves(bank: Bank) -> tuple[Shelf, ...]:
    """Return all questions by section, and at the end one task of each calculation family."""
    found: dict[str, Shelf] = {}
    for part in bank.sections:
        held = found.get(part.section.id, Shelf(part.section, ()))
        found[part.section.id] = held._replace(questions=held.questions + part.questions)
    tasks = tuple(instantiate(family, FIRST_SEED) for family in bank.calculations)
    drawn = Shelf(Section(id=CALCULATIONS, title=CALCULATIONS_TITLE), tasks)
    return (*found.values(), *((drawn,) if tasks else ()))


def filtered(
    held: Collection[Shelf], wanted: BankFilter, records: Mapping[str, QuestionRecord]
) -> tuple[Shelf, ...]:
    """Return the shelves with what the filter admits, without those that are empty then."""
    found = (
        shelf._replace(
            questions=tuple(
                one
                for one in shelf.questions
                if wanted.admits(shelf.section.id, one, records.get(one.id))
            )
        )
        for shelf in held
    )
    return tuple(shelf for shelf in found if shelf.questions)


def matching(
    bank: Bank, *, sections: Collection[str] = (), difficulties: Collection[Difficulty] = ()
) -> tuple[str, ...]:
    """Return the ids of the questions in these sections and difficulties; empty means all."""
    wanted = BankFilter(sections=tuple(sections), difficulties=tuple(difficulties))
    return tuple(
        question.id
        for part in bank.sections
        for question in part.questions
        if wanted.admits(part.section.id, question)
    )


def select(
    bank: Bank,
    *,
    count: int,
    rng: random.Random,
    sections: Collection[str] = (),
    difficulties: Collection[Difficulty] = (),
) -> tuple[str, ...]:
    """Draw `count` questions, taking turns between the sections; fewer when there are fewer.

    Raises `NotFoundError` when no question fits.
    """
    fitting = matching(bank, sections=sections, difficulties=difficulties)
    if not fitting:
        raise NotFoundError("没有符合条件的题目；请放宽章节或难度。")
    piles: dict[str, list[str]] = {}
    for question_id in rng.sample(fitting, len(fitting)):
        piles.setdefault(bank.section_of(question_id).id, []).append(question_id)
    # Drawn too: otherwise a short interview would never reach the later sections.
    order = rng.sample(sorted(piles), len(piles))
    drawn: list[str] = []
    while len(drawn) < min(count, len(fitting)):
        for section_id in order:
            if piles[section_id] and len(drawn) < count:
                drawn.append(piles[section_id].pop())
    return tuple(drawn)


def draw_calculations(bank: Bank, *, count: int, rng: random.Random) -> tuple[str, ...]:
    """Draw `count` calculation tasks; no family comes again before all of them came.

    Raises `NotFoundError` when the bank has none.
    """
    if count and not bank.calculations:
        raise NotFoundError(f"题库 {bank.id!r} 里没有计算题；请把计算题数设为 0。")
    families = [family.id for family in bank.calculations]
    drawn: list[str] = []
    while len(drawn) < count:
        for family_id in rng.sample(families, min(len(families), count - len(drawn))):
            drawn.append(task_id(family_id, rng.randint(1, LARGEST_SEED)))
    return tuple(drawn)
