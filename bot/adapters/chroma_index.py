"""The question index in Chroma, embedded or a server, through langchain-chroma.

Two collections per bank and embedding, so that another embedding can never meet vectors of the
wrong dimension: one of passages, keyed by their ids, and one of questions, each with the mean of
the vectors of its stem and reference. Entries carry the hash of their content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from bot.adapters.chroma_means import batches, fingerprint, hashes, means_of, refresh_means
from bot.adapters.e5 import DIMENSION, EMBEDDING_ID, content_hash
from bot.domain.passage import Hit, Near, Part, Passage
from bot.errors import IndexUnavailableError
from bot.ports import IndexReport, Progress

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from langchain_chroma import Chroma

FINGERPRINT = "fingerprint"
"""Under this name a collection of questions keeps what its passages were."""

BATCH = 64
"""So many passages are embedded between two writes, each of which costs about 25 ms of its own."""


class CountingEmbeddings(Protocol):
    """Embeddings in langchain's form that count where their vectors came from."""

    computed: int
    reused: int

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each passage."""
        ...

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a search text."""
        ...


class ChromaIndex:
    """A question index in a folder or on a server, opened at the first use.

    Embedded Chroma keeps one client of a folder for the life of a process.
    """

    def __init__(
        self, place: Path | str, embeddings: CountingEmbeddings, *, space: str = ""
    ) -> None:
        """Take the folder, made when missing, or the address of a server, and the embeddings.

        Banks of the same name in different spaces do not meet.
        """
        self._place = place
        self._space = space
        self._embeddings = embeddings
        self._lock = RLock()
        self._collections: dict[str, Chroma] = {}
        self._means: dict[str, Collection] = {}

    def refresh(
        self, bank_id: str, passages: Sequence[Passage], progress: Progress | None = None
    ) -> IndexReport:
        """Embed what is new or changed, drop what is gone."""
        with self._lock, _explained(self._place):
            wanted = fingerprint(passages)
            if self._fingerprint(bank_id) == wanted:
                return IndexReport(embedded=0, reused=0, unchanged=len(passages), removed=0)
            self._questions(bank_id).modify(metadata={FINGERPRINT: ""})
            report = self._refresh(bank_id, passages, progress)
            self._questions(bank_id).modify(metadata={FINGERPRINT: wanted})
            return report

    def _refresh(
        self, bank_id: str, passages: Sequence[Passage], progress: Progress | None
    ) -> IndexReport:
        store = self._collection(bank_id)
        stored = hashes(store)
        wanted = {passage.id: passage for passage in passages}
        gone = [entry for entry in stored if entry not in wanted]
        fresh = [
            passage
            for passage in wanted.values()
            if stored.get(passage.id) != content_hash(passage.text)
        ]
        computed, reused = self._embeddings.computed, self._embeddings.reused
        for start in range(0, len(fresh), BATCH):
            batch = fresh[start : start + BATCH]
            store.add_texts(
                texts=[passage.text for passage in batch],
                metadatas=[_metadata(passage) for passage in batch],
                ids=[passage.id for passage in batch],
            )
            if progress is not None:
                progress(min(start + BATCH, len(fresh)), len(fresh))
        for some in batches(gone):
            store.delete(ids=some)
        refresh_means(self._questions(bank_id), store, tuple(wanted.values()))
        return IndexReport(
            embedded=self._embeddings.computed - computed,
            reused=self._embeddings.reused - reused,
            unchanged=len(wanted) - len(fresh),
            removed=len(gone),
        )

    def is_current(self, bank_id: str, passages: Sequence[Passage]) -> bool:
        """Say whether a refresh would change nothing."""
        with self._lock, _explained(self._place):
            kept = self._fingerprint(bank_id)
            if kept:
                return kept == fingerprint(passages)
            # The last refresh was cut short, or of an earlier release.
            return hashes(self._collection(bank_id)) == {
                passage.id: content_hash(passage.text) for passage in passages
            } and hashes(self._questions(bank_id)) == means_of(passages)

    def passages_of(self, bank_id: str, question_id: str) -> tuple[Passage, ...]:
        """Return the passages of one question, in the order of `Part`."""
        with self._lock, _explained(self._place):
            found = self._collection(bank_id).get(where={"question_id": question_id})
        passages = [
            _passage(bank_id, entry, metadata, text)
            for entry, metadata, text in zip(
                found["ids"], found["metadatas"], found["documents"], strict=True
            )
        ]
        order = list(Part)
        return tuple(sorted(passages, key=lambda one: (order.index(one.part), one.id)))

    def search(self, bank_id: str, text: str, limit: int) -> tuple[Hit, ...]:
        """Return the nearest passages, nearest first."""
        with self._lock, _explained(self._place):
            store = self._collection(bank_id)
            found = store.similarity_search_with_score(text, k=limit)
        return tuple(
            Hit(
                passage=_passage(
                    bank_id, str(document.id), document.metadata, document.page_content
                ),
                similarity=1 - float(distance),
            )
            for document, distance in found
        )

    def nearest(self, bank_id: str, text: str, limit: int) -> tuple[Near, ...]:
        """Return the nearest questions, nearest first."""
        with self._lock, _explained(self._place):
            found = self._questions(bank_id).query(
                query_embeddings=self._embeddings.embed_query(text),
                n_results=limit,
                include=["distances"],
            )
        distances = found["distances"] or [[]]
        return tuple(
            Near(question_id=name, similarity=1 - float(distance))
            for name, distance in zip(found["ids"][0], distances[0], strict=True)
        )

    def drop(self, bank_id: str) -> None:
        """Forget a bank. Raises `IndexUnavailableError`."""
        with self._lock, _explained(self._place):
            kept = {one.name for one in self._client.list_collections()}
            for kind in ("bank", "questions"):
                name = f"{kind}-{self._named(bank_id)}"
                if name in kept:
                    self._client.delete_collection(name)
            self._collections.pop(bank_id, None)
            self._means.pop(bank_id, None)

    def _fingerprint(self, bank_id: str) -> object:
        """Return what the last whole refresh left: to compare all entries would read them all."""
        self._questions(bank_id)
        kept = self._client.get_collection(
            f"questions-{self._named(bank_id)}", embedding_function=None
        )
        return (kept.metadata or {}).get(FINGERPRINT)

    def _questions(self, bank_id: str) -> Collection:
        if bank_id not in self._means:
            self._means[bank_id] = self._client.get_or_create_collection(
                f"questions-{self._named(bank_id)}",
                configuration={"hnsw": {"space": "cosine"}},
                embedding_function=None,
            )
        return self._means[bank_id]

    def _collection(self, bank_id: str) -> Chroma:
        if bank_id not in self._collections:
            from langchain_chroma import Chroma

            self._collections[bank_id] = Chroma(
                collection_name=f"bank-{self._named(bank_id)}",
                # Duck-typed: only embed_documents and embed_query are called.
                embedding_function=self._embeddings,  # type: ignore[arg-type]
                client=self._client,
                collection_configuration={"hnsw": {"space": "cosine"}},
            )
        return self._collections[bank_id]

    def _named(self, bank_id: str) -> str:
        space = f"{self._space}." if self._space else ""
        return re.sub(r"[^a-zA-Z0-9._-]", "-", f"{space}{bank_id}-{EMBEDDING_ID}-{DIMENSION}")

    @cached_property
    def _client(self) -> ClientAPI:
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False)
        if isinstance(self._place, str):
            parts = urlsplit(self._place)
            is_safe = parts.scheme == "https"
            return chromadb.HttpClient(
                host=parts.hostname or "",
                port=parts.port or (443 if is_safe else 80),
                ssl=is_safe,
                settings=settings,
            )
        self._place.mkdir(parents=True, exist_ok=True)
        if not os.access(self._place, os.W_OK):
            raise PermissionError(13, "没有写权限")
        return chromadb.PersistentClient(str(self._place), settings=settings)


@contextmanager
def _explained(place: Path | str) -> Iterator[None]:
    """Turn whatever Chroma raises into our error: its own types differ between releases."""
    try:
        yield
    except IndexUnavailableError:
        raise
    except Exception as error:
        advice = (
            "可以删除这个文件夹后运行 `mockbot index` 重建。"
            if isinstance(place, Path)
            else "请检查 BOT_CHROMA_URL 与服务器，然后运行 `mockbot index`。"
        )
        told = place if isinstance(place, Path) else urlsplit(place).netloc.rpartition("@")[2]
        raise IndexUnavailableError(
            f"检索索引打不开（{told}：{type(error).__name__}）；面试与评分不受影响。{advice}"
        ) from error


def _metadata(passage: Passage) -> dict[str, str]:
    return {
        "question_id": passage.question_id,
        "part": passage.part.value,
        "content_hash": content_hash(passage.text),
    }


def _passage(bank_id: str, entry: str, metadata: dict[str, object], text: str) -> Passage:
    return Passage(
        id=entry,
        bank_id=bank_id,
        question_id=str(metadata["question_id"]),
        part=Part(str(metadata["part"])),
        text=text,
    )
