"""How well paraphrased stems are found in the shipped bank, and how long a search of it takes.

`python -m tests.benchmarks.search` builds an index in a temporary folder and prints a table of what
words, meaning, and both together put first or among the first three, then medians of times.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bot.bootstrap import Services
from bot.settings import Settings
from tests import paraphrases

TEXTS = (
    "KV 显存怎么算",
    "Prefill 和 Decode 的区别",
    "为什么 TTFT 会突然变高",
    "张量并行的通信代价",
    "投机解码什么时候变慢",
    "how does PagedAttention avoid fragmentation",
    "抢占和重算",
    "前缀缓存命中率低怎么排查",
    "量化以后质量下降怎么办",
    "多卡部署怎么选并行方式",
)


def main() -> int:
    """Build, search and print."""
    with tempfile.TemporaryDirectory() as folder:
        services = Services(Settings(_env_file=None, data_dir=Path(folder)))
        retrieval = services.retrieval
        begun = time.perf_counter()
        report = retrieval.refresh()
        print(f"index: {time.perf_counter() - begun:.1f} s ({report})")
        begun = time.perf_counter()
        retrieval.refresh()
        print(f"index again: {(time.perf_counter() - begun) * 1000:.0f} ms")
        retrieval.search(TEXTS[0])  # the segmenter loads its dictionary once
        given = paraphrases.read()
        for name, wanted in (("paraphrases", given.asked), ("held out", given.held_out)):
            table = paraphrases.found_by(
                wanted, services.bank.id, retrieval.lexical, retrieval.index
            )
            for way, share in table.items():
                print(f"{len(wanted)} {name:12} by {way:8} {share}")
        _tell("by meaning and words", lambda text: retrieval.search(text))
        _tell("by words only", lambda text: retrieval.search(text, by_words_only=True))
        _tell("related passages", lambda text: retrieval.related("Q01", text))
        _tell("reference of a question", lambda _: retrieval.reference_of("Q01"))
    return 0


def _tell(name: str, act: Callable[[str], object]) -> None:
    times = []
    for text in TEXTS * 5:
        begun = time.perf_counter()
        act(text)
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    p95 = times[int(len(times) * 0.95)]
    print(f"{name:26} median {statistics.median(times):6.1f} ms, p95 {p95:6.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
