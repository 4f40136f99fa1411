"""Two page processes on one database behind nginx; one is killed in the middle of an interview."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from bot.adapters.sql_store import open_store
from tests.browser.conftest import Server, start
from tests.browser.interviewing import answered, asked, send
from tests.contract.conftest import database, numbers
from tests.contract.conftest import server as postgres
from tests.serving import free_port

pytestmark = [pytest.mark.browser, pytest.mark.slow]

__all__ = ["database", "numbers"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session", name="server")
def _postgres() -> Iterator[str]:
    yield from postgres.__wrapped__()


@pytest.fixture
def pages(tmp_path: Path, database: str) -> Iterator[list[Server]]:
    """Two processes that share a database and nothing else."""
    variables = {"BOT_DATABASE_URL": database, "STREAMLIT_SERVER_COOKIE_SECRET": "the same"}
    running = [
        start(tmp_path / f"data-{number}", tmp_path / f"log-{number}", variables=variables)
        for number in (1, 2)
    ]
    yield running
    for one in running:
        one.kill()


@pytest.fixture
def address(tmp_path: Path, pages: list[Server]) -> Iterator[str]:
    """The one address, served by nginx with the configuration of `deploy/`."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        pytest.skip("no nginx: apt-get install nginx")
    port = free_port()
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    for number, page in enumerate(pages, start=1):
        text = text.replace(f"page-{number}:8501", page.address.removeprefix("http://"))
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    text = text.replace("/run/nginx.pid", str(tmp_path / "nginx.pid"))
    file = tmp_path / "nginx.conf"
    file.write_text(text, encoding="utf-8")
    command = [nginx, "-c", str(file), "-e", str(tmp_path / "nginx.log"), "-g", "daemon off;"]
    user = "user root; " if os.getuid() == 0 else ""
    command[-1] = f"{user}daemon off;"
    running = subprocess.Popen(command)
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    running.send_signal(signal.SIGTERM)
    running.wait()


def has_visitor(page: Server) -> bool:
    """Say whether a browser is connected to the process."""
    port = page.address.rpartition(":")[2]
    listed = Path("/proc/net/tcp").read_text(encoding="ascii")
    return bool(re.search(rf":{int(port):04X} [0-9A-F]+:[0-9A-F]{{4}} 01 ", listed))


def test_the_candidate_goes_on_when_their_process_is_killed(
    page: Page,
    pages: list[Server],
    address: str,
    database: str,
) -> None:
    told: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            told.append(message.text)

    page.on("console", note)
    page.goto(address)
    page.get_by_role("button", name="开始面试").click()
    expect(page.get_by_text("第 1 / 3 题")).to_be_visible()
    page.wait_for_url(re.compile(r"session=\w+"))
    session_id = page.url.rpartition("session=")[2]
    send(page, "历史的键值不必重算，直接从显存读取，代价是占用显存。")
    expect(answered(page)).to_have_count(1)
    expect(asked(page)).to_have_count(2)
    (mine,) = [one for one in pages if has_visitor(one)]

    mine.process.send_signal(signal.SIGKILL)
    mine.process.wait()
    begun = time.monotonic()
    expect(answered(page)).to_have_count(1)
    (other,) = [one for one in pages if one is not mine]
    while not has_visitor(other):
        assert time.monotonic() - begun < 30, "the page did not come back"
        page.wait_for_timeout(100)
    seconds = time.monotonic() - begun
    skip = page.get_by_role("button", name="跳过")
    expect(skip).to_be_enabled()
    send(page, "不一定减半，每层都有集合通信，跨机时会变慢。")
    expect(answered(page)).to_have_count(2)

    store = open_store(database)
    while len(graded := [turn for turn in store.load(session_id).turns if turn.grade]) < 2:
        assert time.monotonic() - begun < 60, "the answers were not graded"
        page.wait_for_timeout(100)
    store.close()
    assert len({turn.id for turn in graded}) == 2
    assert told == []
    logging.getLogger(__name__).info("on the other process after %.1f s", seconds)
