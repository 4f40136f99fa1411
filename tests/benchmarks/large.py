"""How a search of a very large bank compares with one of the shipped bank, without a model.

`python -m tests.benchmarks.large [questions]` (100 000 by default) builds both indexes with the same
stand-in for the embedding, searches both for the same texts in turn, and prints the times. The
target for the ratio of the 95th percentiles is 3.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil

from bot.adapters.bm25 import Bm25
from bot.adapters.chroma_index import ChromaIndex
from bot.adapters.words import TermWords
from bot.bootstrap import Services
from bot.domain.bank import Bank
from bot.services.indexing import DEPTH, Retrieval, entries
from bot.settings import Settings
from tests import paraphrases
from tests.benchmarks import made_up

TARGET = 3
ROUNDS = 2


def main() -> int:
    """Build, search and print."""
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    texts = [*paraphrases.read().asked.values(), *made_up.texts(60)]
    with tempfile.TemporaryDirectory() as folder:
        small = _built(Services(Settings(_env_file=None)).bank, Path(folder) / "small")
        large = _built(made_up.bank(questions, slots=1), Path(folder) / "large")
        print(f"resident: {psutil.Process().memory_info().rss / 2**20:.0f} MiB")
        ways: dict[str, Callable[[Retrieval, str], object]] = {
            "both": lambda retrieval, text: retrieval.search(text),
            "words": lambda retrieval, text: retrieval.lexical(text, DEPTH),
            "meaning": lambda retrieval, text: retrieval.index.nearest(
                retrieval.bank_id, text, DEPTH
            ),
        }
        for name, way in ways.items():
            times = [
                (_seconds(way, small, text), _seconds(way, large, text)) for text in texts * ROUNDS
            ]
            few, many = np.percentile(np.array(times) * 1000, (50, 95), axis=0).T
            print(
                f"{name:8} shipped: median {few[0]:6.2f} ms, p95 {few[1]:6.2f} ms;"
                f" {questions}: median {many[0]:6.2f} ms, p95 {many[1]:6.2f} ms;"
                f" p95 {many[1] / few[1]:.2f} × (target {TARGET})"
            )
    return 0


def _built(bank: Bank, folder: Path) -> Retrieval:
    """Return the search of a bank, its index built, and say how long that took."""
    begun = time.perf_counter()
    retrieval = Retrieval(
        bank=bank,
        index=ChromaIndex(folder, made_up.StandIn()),
        lexical=Bm25(tuple(entries(bank)), TermWords(bank.terms)).search,
    )
    made = time.perf_counter() - begun
    begun = time.perf_counter()
    retrieval.refresh()
    built = time.perf_counter() - begun
    begun = time.perf_counter()
    current = retrieval.is_current()
    checked = time.perf_counter() - begun
    begun = time.perf_counter()
    retrieval.search("显存", by_words_only=True)
    print(
        f"{bank.id}: passages {made:.1f} s, index {built:.1f} s, check {checked:.2f} s ({current}),"
        f" words {time.perf_counter() - begun:.1f} s"
    )
    return retrieval


def _seconds(way: Callable[[Retrieval, str], object], retrieval: Retrieval, text: str) -> float:
    begun = time.perf_counter()
    way(retrieval, text)
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
