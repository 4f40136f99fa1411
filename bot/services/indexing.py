"""Retrieval: the bank's passages are kept in the index; a search fuses meaning and words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from bot.domain.bank import Bank
from bot.domain.diagram import without_diagrams
from bot.domain.passage import Entry, Hit, Near, Part, Passage, WordHit
from bot.domain.question import Frozen, Question
from bot.errors import IndexUnavailableError
from bot.ports import IndexReport, Progress, QuestionIndex

DEPTH = 50
"""How many hits each ranking gives to the fusion."""

FALL = 0.04
"""A question whose cosine is so much below the nearest one's gets no point for its meaning.

The cosines of e5 lie close together: in a bank of one field nearly all of them within 0.1.
"""

LexicalSearch = Callable[[str, int], Sequence[WordHit]]

_SIGNS = re.compile(r"\{[^{}]*\}|[~(|)]")
"""What is no word in a spelling of a concept."""


class Result(Frozen):
    """A question that a search found, with the passage that matched best.

    `score` is 0–1 for words and 0–1 for meaning, together; only its order means something.
    """

    question_id: str
    passage: Passage
    score: float
    by_meaning: bool
    """Whether the dense index took part, or words alone."""


class Retrieval:
    """Finds questions and passages of one bank."""

    def __init__(self, *, bank: Bank, index: QuestionIndex, lexical: LexicalSearch) -> None:
        """Take the bank, its index, and a search by words."""
        self.bank_id = bank.id
        self.index = index
        self.lexical = lexical
        self._passages = passages(bank)
        self._answers = {
            one.question_id: one for one in self._passages if one.part is Part.CONCLUSION
        }

    def refresh(self, progress: Progress | None = None) -> IndexReport:
        """Make the index hold the bank as it is. Raises `IndexUnavailableError`."""
        return self.index.refresh(self.bank_id, self._passages, progress)

    def refresh_quietly(self) -> bool:
        """Refresh, and say whether the index can be used; without it search goes by words."""
        try:
            self.refresh()
        except IndexUnavailableError:
            return False
        return True

    def is_current(self) -> bool:
        """Say whether the index holds the bank as it is. Raises `IndexUnavailableError`."""
        return self.index.is_current(self.bank_id, self._passages)

    def reference_of(self, question_id: str) -> tuple[Passage, ...]:
        """Return the reference passages of a question from the index.

        Raises `IndexUnavailableError`.
        """
        wanted = (Part.CONCLUSION, Part.REASON, Part.PREMISE_COST)
        found = self.index.passages_of(self.bank_id, question_id)
        return tuple(passage for passage in found if passage.part in wanted)

    def related(self, question_id: str, text: str, limit: int = 3) -> tuple[Hit, ...]:
        """Return the nearest passages of other questions, one a question.

        Raises `IndexUnavailableError`.
        """
        best: dict[str, Hit] = {}
        for hit in self.index.search(self.bank_id, text, DEPTH):
            if hit.passage.question_id != question_id:
                best.setdefault(hit.passage.question_id, hit)
        return tuple(best.values())[:limit]

    def search(
        self, text: str, limit: int = 10, *, by_words_only: bool = False
    ) -> tuple[Result, ...]:
        """Return the questions that fit the text best, by words and meaning.

        Without an index the words alone decide, and the results say so.
        """
        if not text.strip():
            return ()
        hits = self.lexical(text, DEPTH)
        near: tuple[Near, ...] = ()
        if not by_words_only:
            with suppress(IndexUnavailableError):
                near = self.index.nearest(self.bank_id, text, DEPTH)
        shown = {hit.question_id: hit.passage for hit in hits}
        # An index that is not yet refreshed may know questions that the bank has lost.
        found = [one for one in fuse(hits, near) if one[0] in self._answers]
        return tuple(
            Result(
                question_id=question_id,
                passage=shown.get(question_id, self._answers[question_id]),
                score=score,
                by_meaning=bool(near),
            )
            for question_id, score in found[:limit]
        )


def fuse(hits: Sequence[WordHit], near: Sequence[Near]) -> list[tuple[str, float]]:
    """Return the questions with their scores, best first: words and meaning count alike.

    A convex combination of scores keeps how far the best is ahead, which ranks alone do not
    (Bruch, Gai, Ingber, TOIS 2023).
    """
    scores: dict[str, float] = defaultdict(float)
    for hit in hits:
        scores[hit.question_id] += hit.score
    for one in near:
        behind = near[0].similarity - one.similarity
        if behind < FALL:
            scores[one.question_id] += 1 - behind / FALL
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))


def passages(bank: Bank) -> tuple[Passage, ...]:
    """Return every passage of the bank, in its order."""
    return tuple(
        passage for question in bank.questions for passage in _passages_of(bank.id, question)
    )


def entries(bank: Bank) -> Iterator[Entry]:
    """Give what a search by words looks at, question by question."""
    for question in bank.questions:
        spellings = dict.fromkeys(
            spelling
            for point in question.key_points
            for group in point.concepts
            for spelling in group
        )
        more = (
            *(point.says for point in question.key_points),
            *(f"{one.says}。{one.why}" for one in question.misconceptions),
            *(_SIGNS.sub("。", one) for one in spellings),
        )
        yield Entry(
            question_id=question.id,
            passages=tuple(_passages_of(bank.id, question)),
            topics="、".join(bank.titles_of(question)),
            more="。".join(more),
        )


def _passages_of(bank_id: str, question: Question) -> Iterator[Passage]:
    reference = question.reference
    texts = [
        (Part.STEM, question.stem),
        (Part.CONCLUSION, reference.conclusion),
        (Part.REASON, reference.reason),
        (Part.PREMISE_COST, reference.premise_cost),
    ]
    for part, text in texts:
        if not text:
            continue
        yield Passage(
            id=f"{bank_id}/{question.id}/{part.value}",
            bank_id=bank_id,
            question_id=question.id,
            part=part,
            text=text,
        )
    for follow_up in question.follow_ups:
        yield Passage(
            id=f"{bank_id}/{question.id}/{follow_up.id}",
            bank_id=bank_id,
            question_id=question.id,
            part=Part.FOLLOW_UP,
            text=f"{follow_up.asks}{without_diagrams(follow_up.reference)}",
        )
