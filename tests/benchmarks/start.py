"""Process start to first question on screen, beside a bare Streamlit page started the same way.

`python tests/benchmarks/start.py [rounds]` prints the medians and their ratio; the target is 1.5.
Both pages are opened in turns, so that a busy machine slows both, and after one run each that
compiles what they import: the first start after an installation is not measured. The tables of the
database are there, as at every later start; the last line has a data folder that is new.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
MOCKBOT = Path(sys.executable).with_name("mockbot")
MOCKBOT_SERVE = (str(MOCKBOT), "serve")
TARGET = 1.5
HELLO = 'import streamlit as st\n\nst.title("Hello")\nst.button("Go")\n'
PATIENCE_SECONDS = 60


class Times(NamedTuple):
    """Seconds from the start of the process, and what the browser had to do."""

    listening: float
    page: float
    question: float
    kilobytes: float
    """Fetched by the browser until the question is there, bodies as they came over the wire."""
    long_tasks: float
    """Milliseconds in which the browser's main thread was blocked for 50 or more at a time."""


def main() -> int:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        hello = folder / "hello.py"
        hello.write_text(HELLO, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        kept = folder / "kept"
        subprocess.run(
            [str(MOCKBOT), "sessions"],
            env={**os.environ, "BOT_DATA_DIR": str(kept)},
            check=True,
            capture_output=True,
        )
        app = _streamlit(ROOT / "app.py")
        with contextlib.closing(browser):
            measured = [
                (
                    _bare(browser, hello),
                    _ours(browser, app, shutil.copytree(kept, folder / f"a{number}")),
                    _ours(browser, MOCKBOT_SERVE, shutil.copytree(kept, folder / f"b{number}")),
                    _ours(browser, app, folder / f"c{number}"),
                )
                for number in range(rounds + 1)
            ][1:]
    columns = [list(times) for times in zip(*measured, strict=True)]
    bare = _median(columns[0])
    titles = ("bare page", "streamlit run app.py", "mockbot serve", "run, new data folder")
    print(
        f"{'seconds, median of ' + str(rounds):24}  listens    page  question   page ×  question ×"
        "     kB   kB ×  long ms  long ×"
    )
    for title, times in zip(titles, map(_median, columns), strict=True):
        print(
            f"{title:24}  {times.listening:7.2f} {times.page:7.2f}  {times.question:8.2f}"
            f"  {times.page / bare.page:7.2f}  {times.question / bare.page:10.2f}"
            f"  {times.kilobytes:6.0f}  {times.kilobytes / bare.kilobytes:5.2f}"
            f"  {times.long_tasks:7.0f}  {times.long_tasks / max(bare.long_tasks, 1):6.2f}"
        )
    print(f"target: question × ≤ {TARGET}")
    return 0


def _median(times: Sequence[Times]) -> Times:
    return Times(*(statistics.median(values) for values in zip(*times, strict=True)))


def _streamlit(script: Path) -> tuple[str, ...]:
    return ("-m", "streamlit", "run", str(script), "--server.headless", "true")


def _bare(browser: Browser, script: Path) -> Times:
    command = (*_streamlit(script), "--browser.gatherUsageStats", "false")
    with _opened(browser, command, {}) as (page, begun, listening):
        page.get_by_role("button", name="Go").wait_for()
        shown = time.perf_counter() - begun
        return Times(listening, shown, shown, *_weight(page))


def _ours(browser: Browser, command: Sequence[str], data: Path) -> Times:
    with _opened(browser, command, {"BOT_DATA_DIR": str(data)}) as (page, begun, listening):
        button = page.get_by_role("button", name="开始面试")
        button.wait_for()
        shown = time.perf_counter() - begun
        button.click()
        page.get_by_text("第 1/3 题").wait_for()
        asked = time.perf_counter() - begun
        return Times(listening, shown, asked, *_weight(page))


_WATCH = """
window.longTasks = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.longTasks += one.duration;
}).observe({ type: 'longtask', buffered: true });
"""


def _weight(page: Page) -> tuple[float, float]:
    """Return kilobytes fetched and milliseconds of long tasks."""
    fetched = page.evaluate(
        "performance.getEntriesByType('resource').reduce((sum, one) => sum + one.transferSize, 0)"
    )
    return float(fetched) / 1000, float(page.evaluate("window.longTasks"))


@contextlib.contextmanager
def _opened(
    browser: Browser, command: Sequence[str], variables: dict[str, str]
) -> Iterator[tuple[Page, float, float]]:
    """Start a server and open its page; give the page, the start, and when the server listened."""
    port = _free_port()
    page = browser.new_page(locale="zh-CN")
    page.add_init_script(_WATCH)
    begun = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, **variables, "STREAMLIT_SERVER_PORT": str(port), "BOT_PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, begun)
        listening = time.perf_counter() - begun
        page.goto(f"http://127.0.0.1:{port}", wait_until="commit")
        yield page, begun, listening
    finally:
        page.close()
        server.send_signal(signal.SIGTERM)
        server.wait(PATIENCE_SECONDS)


def _wait_for(port: int, begun: float) -> None:
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if time.perf_counter() - begun > PATIENCE_SECONDS:
            raise TimeoutError(f"no server on port {port}")
        time.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
