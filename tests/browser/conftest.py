"""The product in a real server and a real browser, both on this machine alone."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, Playwright, Request, expect

from bot.bootstrap import Services
from bot.settings import Settings
from tests.conftest import SMALL_BANK
from tests.serving import comes_up, free_port

ROOT = Path(__file__).parents[2]
CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

expect.set_options(timeout=20_000)  # other work may share the machine


class Server(NamedTuple):
    """A running product, and the same product in this process, over the same data."""

    address: str
    process: subprocess.Popen[bytes]
    services: Services

    def kill(self) -> None:
        """End the server as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.services.store.close()


StartServer = Callable[..., Server]


def start(
    data_dir: Path,
    log: Path,
    *,
    judge_waits_for: Path | None = None,
    variables: Mapping[str, str] | None = None,
    port: int | None = None,
) -> Server:
    """Start the product and wait until it is up; its judge may wait for a file to appear."""
    port = port or free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit"]
    if judge_waits_for is not None:
        runner = Path(__file__).with_name("held_judge_server.py")
        command = [sys.executable, str(runner), str(judge_waits_for)]
    command += ["run", "app.py", f"--server.port={port}", "--server.address=127.0.0.1"]
    environment = {name: value for name, value in os.environ.items() if name[:4] != "BOT_"}
    environment |= SMALL_BANK | {"BOT_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT)}
    environment |= variables or {}
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*command, "--server.headless=true"],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    server = Server(address, process, _services(data_dir))
    if comes_up(address, process):
        return server
    server.kill()
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8')}")


def _services(data_dir: Path) -> Services:
    corpus_dir, bank = Path(SMALL_BANK["BOT_CORPUS_DIR"]), SMALL_BANK["BOT_BANK"]
    return Services(Settings(_env_file=None, data_dir=data_dir, corpus_dir=corpus_dir, bank=bank))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for tests that do not mind what other tests left in it."""
    folder = tmp_path_factory.mktemp("server")
    running = start(folder / "data", folder / "log")
    yield running
    running.kill()


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Start servers of the test's own, all on one data folder."""
    running: list[Server] = []

    def start_one(
        *, judge_waits_for: Path | None = None, variables: Mapping[str, str] | None = None
    ) -> Server:
        data_dir, log = tmp_path / "data", tmp_path / "log"
        running.append(start(data_dir, log, judge_waits_for=judge_waits_for, variables=variables))
        return running[-1]

    yield start_one
    for one in running:
        one.kill()


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, object], playwright: Playwright
) -> dict[str, object]:
    """Use the system's Chromium, or playwright's own; without either there is nothing to test."""
    if CHROMIUM.exists():
        return browser_type_launch_args | {"executable_path": CHROMIUM, "args": QUIET}
    if Path(playwright.chromium.executable_path).exists():
        return browser_type_launch_args | {"args": QUIET}
    pytest.skip("no Chromium: apt-get install chromium, or playwright install chromium")


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, object]) -> dict[str, object]:
    """Be a Chinese visitor on an ordinary screen."""
    return browser_context_args | {"locale": "zh-CN", "viewport": {"width": 1280, "height": 900}}


@pytest.fixture
def hosts(page: Page) -> set[str]:
    """Collect the hosts that the page asks for anything."""
    asked: set[str] = set()

    def note(request: Request) -> None:
        if request.url.startswith(("http:", "https:", "ws:", "wss:")):
            asked.add(request.url.split("/")[2].split(":")[0])

    page.on("request", note)
    page.on("websocket", lambda socket: asked.add(socket.url.split("/")[2].split(":")[0]))
    return asked
