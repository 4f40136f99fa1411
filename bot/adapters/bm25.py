"""Search by words: BM25 over the passages of one bank."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from bot.adapters.words import words
from bot.domain.passage import Passage

if TYPE_CHECKING:
    from bm25s import BM25


class Bm25:
    """Ranks passages by the words they share with a text; built at the first search."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        """Take the passages."""
        self._passages = passages
        self._lock = Lock()

    def search(self, text: str, limit: int) -> tuple[Passage, ...]:
        """Return passages that share a word with the text, the best first."""
        asked = words(text)
        with self._lock:
            if not asked or not self._cut:
                return ()
            scores = self._index.get_scores(asked)
        ranked = sorted(range(len(self._cut)), key=lambda at: -float(scores[at]))[:limit]
        return tuple(self._cut[at][0] for at in ranked if scores[at] > 0)

    @cached_property
    def _index(self) -> BM25:
        from bm25s import BM25

        index = BM25()
        index.index([found for _, found in self._cut], show_progress=False)
        return index

    @cached_property
    def _cut(self) -> list[tuple[Passage, list[str]]]:
        """The passages that have words, for without any BM25 divides by zero."""
        cut = ((passage, words(passage.text)) for passage in self._passages)
        return [(passage, found) for passage, found in cut if found]
