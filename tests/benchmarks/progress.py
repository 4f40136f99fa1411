"""How long the page 进步 takes to open with 10 and with 1 000 stored sessions of 5 questions.

`python tests/benchmarks/progress.py` stores both in a temporary folder and prints the medians and
their ratio: of the whole page in a simulated browser, and of reading the history alone. The times
are of the processor, which other work on the machine does not change.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from bot.bootstrap import Services  # noqa: E402
from bot.domain.progress import series_of  # noqa: E402
from bot.settings import Settings  # noqa: E402
from tests.histories import histories  # noqa: E402

ROUNDS = 15


def main() -> int:
    """Store, open and print."""
    with tempfile.TemporaryDirectory() as folder:
        places = {count: Path(folder) / str(count) for count in (10, 1000)}
        for count, place in places.items():
            _store(place, count)
        pages = {count: _page(place) for count, place in places.items()}
        reads = {count: _reading(place) for count, place in places.items()}
        _tell("page", pages)
        _tell("history", reads)
    return 0


def _store(place: Path, count: int) -> None:
    store = Services(Settings(_env_file=None, data_dir=place)).store
    for session in histories(sessions=count, until=datetime.now(UTC)):
        store.save(session)
    store.close()


def _page(place: Path) -> float:
    """Return the median of a run of the page, in ms; the first run imports and connects."""
    import streamlit as st

    st.cache_resource.clear()
    os.environ["BOT_DATA_DIR"] = str(place)
    at = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    at.switch_page("bot/ui/pages/progress.py")

    def run() -> None:
        at.run()
        assert not at.exception
        assert not at.error

    return _median(run)


def _reading(place: Path) -> float:
    attempts = Services(Settings(_env_file=None, data_dir=place)).store.attempts
    return _median(lambda: series_of(attempts.all(), UTC))


def _median(act: Callable[[], object]) -> float:
    act()
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        act()
        times.append((time.process_time() - begun) * 1000)
    return statistics.median(times)


def _tell(name: str, medians: dict[int, float]) -> None:
    few, many = medians[10], medians[1000]
    print(f"{name:8} 10: {few:6.1f} ms   1000: {many:6.1f} ms   ratio {many / few:.2f}")


if __name__ == "__main__":
    sys.exit(main())
