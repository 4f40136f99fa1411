"""How near two clauses are in meaning: the cosine of their embeddings, rescaled."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import numpy as np

LOWEST, RANGE = 0.82, 0.14
"""Cosines of this model for clauses that say the same and for those that do not lie in between."""


class QueryEmbeddings(Protocol):
    """Embeds search texts as vectors of length 1."""

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        ...


class EmbeddedCloseness:
    """Compares clauses by cosine, both as search texts; 0 for unrelated and 1 for the same."""

    def __init__(self, embeddings: QueryEmbeddings) -> None:
        """Take the embeddings."""
        self._vector = lru_cache(maxsize=4096)(lambda text: np.array(embeddings.embed_query(text)))

    def __call__(self, one: str, other: str) -> float:
        """Return how near they are, 0–1."""
        cosine = float(self._vector(one) @ self._vector(other))
        return min(1.0, max(0.0, (cosine - LOWEST) / RANGE))
