"""Questions that say nearly the same (近似重复): shown before an import, never dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.domain.bank import Bank
from bot.ports import Likeness, Progress
from bot.services.drafts import Draft, Duplicate, stem_key

ALIKE = 0.94
"""Cosines of this embedding lie in 0.75–1. Measured on the 60 questions of the source document
against the shipped bank, which asks the same in other words: 58 of the 60 pairs reach it, and 1 of
the 3 540 pairs of different questions."""

COMPARED = 60
"""So many characters of the answer are compared along with the stem; a stem alone tells less."""

MOST_COMPARED = 500
"""Above this, comparing by meaning takes minutes; equal stems are still found."""


class _Other(NamedTuple):
    bank_id: str | None
    question_id: str
    stem: str
    text: str


def duplicates(
    drafts: Sequence[Draft], banks: Sequence[Bank], likeness: Likeness, progress: Progress
) -> tuple[Duplicate, ...]:
    """Return, for each draft, the nearest question of each bank and of the document before it."""
    mine = [_Other(None, one.id, one.stem, _text(one.stem, one.answer)) for one in drafts]
    theirs = [
        _Other(bank.id, one.id, one.stem, _text(one.stem, one.reference.joined))
        for bank in banks
        for one in bank.questions
    ]
    found = dict(_equal(mine, theirs))
    if len(mine) <= MOST_COMPARED:
        others = [*mine, *theirs]
        pairs = likeness.pairs(
            [one.text for one in mine], [one.text for one in others], ALIKE, progress
        )
        for pair in sorted(pairs, key=lambda one: -one.similarity):
            if pair.second < len(mine) and pair.second >= pair.first:
                continue
            other = others[pair.second]
            key = mine[pair.first].question_id, other.bank_id
            found.setdefault(key, _duplicate(mine[pair.first], other, pair.similarity))
    order = {one.question_id: at for at, one in enumerate(mine)}
    return tuple(sorted(found.values(), key=lambda one: (order[one.draft_id], one.bank_id or "")))


def _text(stem: str, answer: str) -> str:
    return stem + answer[:COMPARED]


_Key = tuple[str, str | None]


def _equal(mine: Sequence[_Other], theirs: Sequence[_Other]) -> Iterator[tuple[_Key, Duplicate]]:
    """Give the drafts whose stems are the same but for width, case and marks."""
    seen: dict[tuple[str | None, str], _Other] = {}
    for one in theirs:
        seen.setdefault((one.bank_id, stem_key(one.stem)), one)
    banks = dict.fromkeys(one.bank_id for one in theirs)
    for one in mine:
        key = stem_key(one.stem)
        for bank_id in (None, *banks):
            if other := seen.get((bank_id, key)):
                yield (one.question_id, bank_id), _duplicate(one, other, 1.0)
        seen.setdefault((None, key), one)


def _duplicate(one: _Other, other: _Other, similarity: float) -> Duplicate:
    return Duplicate(
        draft_id=one.question_id,
        bank_id=other.bank_id,
        question_id=other.question_id,
        stem=other.stem,
        similarity=round(similarity, 3),
    )
