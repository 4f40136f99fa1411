"""Search by words: BM25 over the questions of one bank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.adapters.words import words
from bot.domain.passage import Entry, WordHit

if TYPE_CHECKING:
    from bm25s import BM25
    from numpy.typing import NDArray

CANDIDATES = 200
"""So many questions, the best as one text, have their passages compared: all of a usual bank."""

Words = Callable[[str], list[str]]


class _Built(NamedTuple):
    """The same words twice: a question as one text, and cut into its passages."""

    whole: BM25
    parts: BM25
    starts: NDArray[np.intp]
    """Where the passages of each question begin, and the end; its topics stand behind them."""


class Bm25:
    """Ranks questions by the words they share with a text; built at the first search.

    Half of a score is what a question shares with the text all in all, half what its best passage
    does: the first finds words that stand far apart, the second rewards those that stand together.
    """

    def __init__(self, entries: Sequence[Entry], cut: Words = words) -> None:
        """Take the questions, and what cuts a text into words."""
        self._entries = entries
        self._cut = cut
        self._lock = Lock()

    def search(self, text: str, limit: int) -> tuple[WordHit, ...]:
        """Return questions that share a word with the text, the best first."""
        asked = self._cut(text)
        with self._lock:
            if not asked or self._built is None:
                return ()
            built = self._built
        whole = built.whole.get_scores(asked)
        found = np.sort(_best(whole, max(limit, CANDIDATES)))
        if not len(found):
            return ()
        lengths = built.starts[found + 1] - built.starts[found]
        begins = np.cumsum(lengths) - lengths
        places = np.arange(lengths.sum()) + np.repeat(built.starts[found] - begins, lengths)
        parts = _scores_at(built.parts, asked, places)
        scores = _scaled(whole[found]) + _scaled(np.maximum.reduceat(parts, begins))
        return tuple(
            self._hit(
                self._entries[found[at]], float(scores[at] / scores.max()), parts[begins[at] :]
            )
            for at in _best(scores, limit)
        )

    @staticmethod
    def _hit(entry: Entry, score: float, parts: NDArray[np.float32]) -> WordHit:
        best = int(parts[: len(entry.passages)].argmax())
        return WordHit(question_id=entry.question_id, score=score, passage=entry.passages[best])

    @cached_property
    def _built(self) -> _Built | None:
        """The index, or nothing where there is no word: BM25 would divide by zero."""
        parts = [
            [self._cut(text) for text in (*(one.text for one in entry.passages), entry.topics)]
            for entry in self._entries
        ]
        whole = [
            [word for part in cut for word in part] + self._cut(entry.more)
            for entry, cut in zip(self._entries, parts, strict=True)
        ]
        if not any(map(any, parts)):
            return None
        starts = np.cumsum([0, *map(len, parts)])
        return _Built(_index(whole), _index([part for cut in parts for part in cut]), starts)


def _index(texts: list[list[str]]) -> BM25:
    from bm25s import BM25

    index = BM25()
    index.index(texts, show_progress=False)
    return index


def _scores_at(index: BM25, asked: list[str], places: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the scores of some texts alone, in rising order; to score all would take longer."""
    columns = index.scores
    found = np.zeros(len(places), dtype=np.float32)
    for token in index.get_tokens_ids(asked):
        here = slice(*columns["indptr"][token : token + 2])
        texts, weights = columns["indices"][here], columns["data"][here]
        at = np.minimum(np.searchsorted(texts, places), len(texts) - 1)
        found += np.where(texts[at] == places, weights[at], 0)
    return found


def _scaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores with the best as 1."""
    return scores / scores.max() if scores.any() else scores


def _best(scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Return where the best scores above 0 are, best first, equals in order."""
    likely = np.flatnonzero(scores > scores.max() / 2)
    if len(likely) < limit:
        likely = np.flatnonzero(scores)
    if len(likely) > limit:
        least = np.partition(scores[likely], -limit)[-limit] if limit else np.inf
        likely = likely[scores[likely] >= least]
    return likely[np.argsort(-scores[likely], kind="stable")][:limit]
