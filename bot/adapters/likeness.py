"""Texts compared by meaning: cosines of their embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bot.adapters.e5 import content_hash
from bot.ports import Pair, Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

BATCH = 8
ROWS = 256
"""So many texts are compared with all others at a time."""


class PassageEmbeddings(Protocol):
    """Embeds texts as vectors of length 1."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text."""
        ...


class EmbeddedLikeness:
    """Compares by cosine; keeps the vectors it has made, as banks are compared with again."""

    def __init__(self, embeddings: PassageEmbeddings) -> None:
        """Take the embeddings."""
        self._embeddings = embeddings
        self._made: dict[str, NDArray[np.float32]] = {}

    def pairs(
        self, texts: Sequence[str], others: Sequence[str], at_least: float, progress: Progress
    ) -> tuple[Pair, ...]:
        """Return the pairs that are at least so similar."""
        self._make([*texts, *others], progress)
        if not texts or not others:
            return ()
        left, right = self._matrix(texts), self._matrix(others)
        found: list[Pair] = []
        for start in range(0, len(texts), ROWS):
            cosines = left[start : start + ROWS] @ right.T
            for first, second in zip(*np.nonzero(cosines >= at_least), strict=True):
                similarity = float(cosines[first, second])
                found.append(Pair(start + int(first), int(second), similarity))
        return tuple(found)

    def _make(self, texts: Sequence[str], progress: Progress) -> None:
        missing = [one for one in dict.fromkeys(texts) if content_hash(one) not in self._made]
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            for text, vector in zip(batch, self._embeddings.embed_documents(batch), strict=True):
                self._made[content_hash(text)] = np.array(vector, dtype=np.float32)
            progress(min(start + BATCH, len(missing)), len(missing))

    def _matrix(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._made[content_hash(text)] for text in texts])
