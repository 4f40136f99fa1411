"""Memory of the process after thousands of grades: it must not grow.

`python -m tests.benchmarks.memory [grades]` prints the resident set and what Python holds, after a
first round that fills the caches, and after all grades (10 000 by default).
"""

from __future__ import annotations

import gc
import itertools
import sys
import time
import tracemalloc

import psutil

from bot.bootstrap import Services
from bot.settings import Settings
from tests.benchmarks.answers import mixed


def main() -> int:
    """Grade and print."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    services = Services(Settings(_env_file=None))
    answers = mixed(services.bank)
    process = psutil.Process()
    for one in answers * 3:
        services.grader.grade("warm", one.target, one.answer)
    gc.collect()
    first = process.memory_info().rss
    begun = time.process_time()
    for number, one in enumerate(itertools.islice(itertools.cycle(answers), wanted)):
        # No two answers are the same, as in life: a cache without a bound would show.
        services.grader.grade("a", one.target, f"{one.answer}第{number}次")
    seconds = time.process_time() - begun
    gc.collect()
    last = process.memory_info().rss

    tracemalloc.start()
    for round_ in range(2):
        for number, one in enumerate(answers):
            services.grader.grade("a", one.target, f"{one.answer}第{round_}{number}轮")
        gc.collect()
        if round_ == 0:
            held = tracemalloc.get_traced_memory()[0]
    grown = tracemalloc.get_traced_memory()[0] - held

    print(f"{wanted} grades in {seconds:.1f} s of one core: {wanted / seconds:.0f} a second")
    print(f"resident: {first / 2**20:.1f} MiB after warm-up, {last / 2**20:.1f} MiB at the end")
    print(f"held by Python: {grown / 1024:+.0f} KiB over one more round of {len(answers)} grades")
    return 0


if __name__ == "__main__":
    sys.exit(main())
