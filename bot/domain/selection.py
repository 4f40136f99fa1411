"""Which questions a session asks: filtered, spread over the sections, in a seeded order."""

from __future__ import annotations

import random
from collections.abc import Collection

from bot.domain.bank import Bank
from bot.domain.family import LARGEST_SEED, task_id
from bot.domain.question import Difficulty
from bot.errors import NotFoundError


def matching(
    bank: Bank, *, sections: Collection[str] = (), difficulties: Collection[Difficulty] = ()
) -> tuple[str, ...]:
    """Return the ids of the questions in these sections and difficulties; empty means all."""
    return tuple(
        question.id
        for part in bank.sections
        if not sections or part.section.id in sections
        for question in part.questions
        if not difficulties or question.difficulty in difficulties
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
