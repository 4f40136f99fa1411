"""The collection of questions in Chroma: each has the mean of the vectors of its passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bot.adapters.e5 import content_hash
from bot.domain.passage import Passage

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection
    from langchain_chroma import Chroma

MANY = 1000
"""So many entries are read, written or deleted at a time."""


def refresh_means(means: Collection, store: Chroma, passages: Sequence[Passage]) -> None:
    """Give every question the mean of its passages, whose vectors are in the store already."""
    wanted = _mains(passages)
    stored, hashed = hashes(means), means_of(passages)
    fresh = [name for name, hash_ in hashed.items() if stored.get(name) != hash_]
    for names in batches(fresh):
        vectors = _vectors(store, [part.id for name in names for part in wanted[name]])
        means.upsert(
            ids=names,
            embeddings=[
                np.mean([vectors[part.id] for part in wanted[name]], axis=0) for name in names
            ],
            metadatas=[{"content_hash": hashed[name]} for name in names],
        )
    for names in batches([name for name in stored if name not in wanted]):
        means.delete(ids=names)


def means_of(passages: Iterable[Passage]) -> dict[str, str]:
    """Return the hashes that the means of these passages have, by question."""
    return {name: fingerprint(parts) for name, parts in _mains(passages).items()}


def hashes(store: Chroma | Collection) -> dict[str, str]:
    """Return the content hashes of all entries by their ids."""
    found = store.get(include=["metadatas"])
    return {
        entry: str(metadata["content_hash"])
        for entry, metadata in zip(found["ids"], found["metadatas"] or (), strict=True)
    }


def fingerprint(passages: Iterable[Passage]) -> str:
    """Return what differs as soon as a passage does."""
    return content_hash("\n".join(f"{one.id} {content_hash(one.text)}" for one in passages))


def batches(ids: Sequence[str]) -> Iterator[list[str]]:
    """Give the ids in parts that one call of Chroma takes."""
    for start in range(0, len(ids), MANY):
        yield list(ids[start : start + MANY])


def _mains(passages: Iterable[Passage]) -> Mapping[str, list[Passage]]:
    """Return the passages of each question itself, by its id."""
    found: dict[str, list[Passage]] = {}
    for passage in passages:
        if passage.part.is_main:
            found.setdefault(passage.question_id, []).append(passage)
    return found


def _vectors(store: Chroma, ids: Sequence[str]) -> dict[str, np.ndarray]:
    found = [store.get(ids=some, include=["embeddings"]) for some in batches(ids)]
    return {
        entry: np.asarray(vector)
        for one in found
        for entry, vector in zip(one["ids"], one["embeddings"], strict=True)
    }
