"""Retrieval: the bank's passages are kept in the index; a search fuses meaning and words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from bot.domain.bank import Bank
from bot.domain.passage import Hit, Part, Passage
from bot.domain.question import Frozen, Question
from bot.errors import IndexUnavailableError
from bot.ports import IndexReport, Progress, QuestionIndex

RANK_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009)."""

DEPTH = 50
"""How many passages each ranking gives to the fusion."""

LexicalSearch = Callable[[str, int], Sequence[Passage]]


class Result(Frozen):
    """A question that a search found, with the passage that matched best.

    `score` is the sum of reciprocal ranks; only its order means something.
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
        self._bank = bank
        self._index = index
        self._lexical = lexical
        self._passages = passages(bank)

    def refresh(self, progress: Progress | None = None) -> IndexReport:
        """Make the index hold the bank as it is. Raises `IndexUnavailableError`."""
        return self._index.refresh(self._bank.id, self._passages, progress)

    def refresh_quietly(self) -> bool:
        """Refresh, and say whether the index can be used; without it search goes by words."""
        try:
            self.refresh()
        except IndexUnavailableError:
            return False
        return True

    def is_current(self) -> bool:
        """Say whether the index holds the bank as it is. Raises `IndexUnavailableError`."""
        return self._index.is_current(self._bank.id, self._passages)

    def reference_of(self, question_id: str) -> tuple[Passage, ...]:
        """Return the reference passages of a question from the index.

        Raises `IndexUnavailableError`.
        """
        wanted = (Part.CONCLUSION, Part.REASON, Part.PREMISE_COST)
        found = self._index.passages_of(self._bank.id, question_id)
        return tuple(passage for passage in found if passage.part in wanted)

    def related(self, question_id: str, text: str, limit: int = 3) -> tuple[Hit, ...]:
        """Return the nearest passages of other questions, one a question.

        Raises `IndexUnavailableError`.
        """
        best: dict[str, Hit] = {}
        for hit in self._index.search(self._bank.id, text, DEPTH):
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
        rankings: list[Sequence[Passage]] = [self._lexical(text, DEPTH)]
        hits: tuple[Hit, ...] = ()
        if not by_words_only:
            with suppress(IndexUnavailableError):
                hits = self._index.search(self._bank.id, text, DEPTH)
        rankings.append([hit.passage for hit in hits])
        return fuse(rankings, limit, by_meaning=bool(hits))


def fuse(
    rankings: Sequence[Sequence[Passage]], limit: int, *, by_meaning: bool
) -> tuple[Result, ...]:
    """Fuse rankings of passages into one of questions, by reciprocal rank.

    In each ranking a question counts with its best passage alone.
    """
    scores: dict[str, float] = defaultdict(float)
    shown: dict[str, tuple[int, Passage]] = {}
    for ranking in rankings:
        seen: list[str] = []
        for passage in ranking:
            if passage.question_id in seen:
                continue
            seen.append(passage.question_id)
            rank = len(seen)
            scores[passage.question_id] += 1 / (RANK_CONSTANT + rank)
            if passage.question_id not in shown or rank < shown[passage.question_id][0]:
                shown[passage.question_id] = (rank, passage)
    best = sorted(scores, key=lambda question_id: (-scores[question_id], question_id))[:limit]
    return tuple(
        Result(
            question_id=question_id,
            passage=shown[question_id][1],
            score=scores[question_id],
            by_meaning=by_meaning,
        )
        for question_id in best
    )


def passages(bank: Bank) -> tuple[Passage, ...]:
    """Return every passage of the bank, in its order."""
    return tuple(
        passage for question in bank.questions for passage in _passages_of(bank.id, question)
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
            text=f"{follow_up.asks}{follow_up.reference}",
        )
