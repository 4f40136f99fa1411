"""Takes the pictures in `docs/images/`: an interview with real answers, seen in a real browser.

Run it from the checkout: `python tools/screenshots.py`. It needs Chromium and a Chinese font, and
leaves nothing behind but the pictures. The answers are given in the past, so that the clock and
the times in the pictures are those of somebody who speaks, not of a script.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from bot.bootstrap import Services
from bot.domain.session import Session
from bot.offline.interviewer import OfflineInterviewer
from bot.services.interviewing import Interviews
from bot.settings import Settings

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
CHROMIUM = Path("/usr/bin/chromium")
QUESTIONS = ("Q04", "Q01", "Q08")

GOOD = (
    "先说结论：对每层结构相同的全注意力模型，KV 显存约等于 2 × 层数 × KV heads × head_dim × "
    "每个元素的字节数 × token 总数，与 token 数成正比。"
    "原因是每个 token 在每一层都要存一份 K 和一份 V，所以前面乘 2；"
    "比如 32 层、8 个 KV heads、head_dim 128、BF16 两个字节，每 token 就是 128 KiB，"
    "8192 个 token 大约 1 GiB。"
    "前提是这只是逻辑量：实际占用要按 block 取整，前缀共享会更省；"
    "换成 MLA 或滑动窗口要按真实状态重算，KV 量化还要算上 scale 元数据。"
)
OVERCLAIMING = (
    "Prefill 是把整段 prompt 一次前向并行算完，同时写好各层的 KV；"
    "Decode 是每一步只生成一个 token，要依赖前面已有的 KV。"
    "因为大 Prefill 一次读权重能摊给很多行，计算强度高，一般偏计算受限。"
    "所以只要把 batch 开大，Decode 吞吐一定会翻倍，任何模型都能这样提速，没有任何副作用。"
)
THIN = "因为吞吐高不代表延迟好，还要看 P99。"
ANSWERS = {
    "Q04": (GOOD, 84),
    "Q04.f1": ("公式给的是逻辑量，实际按 block 取整，尾块有空位；引擎还会预先划出整个 KV 池。", 58),
    "Q04.f2": ("各因子是线性的：8 变 32 是 4 倍，也就是 512 KiB；FP8 减半，大约 64 KiB。", 52),
    "Q04.f3": ("不能直接套。MLA 存的是压缩后的 latent；滑动窗口只保留窗口内的 token。", 55),
    "Q01": (OVERCLAIMING, 72),
    "Q01.f1": ("不一定。中间片段只写好这一段的 KV，最后一片跑完才有首 token 的 logits。", 47),
    "Q01.f2": ("因为每步都要把权重和历史 KV 从显存读一遍，卡在带宽，算力大半闲着。", 44),
    "Q01.f3": ("要看情况。权重读取摊给更多请求，可能转向计算受限；上下文长时 KV 仍卡带宽。", 61),
    "Q08": (THIN, 21),
}
DONT_KNOW = ("不知道", 9)
DRAFT = "先说结论：tokens/s 变高和用户体验变好是两回事，在线服务更该看 Goodput……"


class PastClock:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        """Begin at `now`."""
        self._now = now

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self._now

    def elapsed(self) -> float:
        """Return no time: grading takes none here."""
        return 0.0

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)


def main() -> None:
    """Prepare the sessions, start the product, take the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        services = Services(Settings(_env_file=None, data_dir=Path(folder)))
        under_way = _interview(services, questions=2)
        finished = _interview(services, questions=3)
        services.store.close()
        with _server(Path(folder)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM if CHROMIUM.exists() else None,
                args=["--no-sandbox", "--disable-gpu"],
            )
            _take(browser, address, under_way, finished)
            browser.close()
    for path in sorted(IMAGES.glob("*.png")):
        print(path.relative_to(ROOT), path.stat().st_size // 1024, "KiB")


def _interview(services: Services, *, questions: int) -> Session:
    """Return a session with this many questions answered, the last one asked 47 seconds ago."""
    clock = PastClock(datetime.now(UTC))
    interviews = Interviews(
        bank=services.bank,
        grader=services.grader,
        store=services.store,
        interviewer=OfflineInterviewer(),
        clock=clock,
    )
    clock.wait(-600)
    session = interviews.begin_with(QUESTIONS, follow_ups=1)
    while (turn := session.current) and len(session.asked) <= questions:
        text, seconds = ANSWERS.get(turn.target_id, DONT_KNOW)
        clock.wait(seconds)
        session = interviews.answer(session, text)
        if len(session.asked) == questions and turn.follow_up_id:
            clock.wait((datetime.now(UTC) - clock.now()).total_seconds() - 47)
        session = interviews.go_on(interviews.grade_waiting(session))
    return session


@contextmanager
def _server(data_dir: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    command += ["--server.address=127.0.0.1", "--server.headless=true"]
    environment = {name: value for name, value in os.environ.items() if name[:4] != "BOT_"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment | {"BOT_DATA_DIR": str(data_dir)}
    ) as process:
        try:
            _wait_for(f"{address}/_stcore/health")
            yield address
        finally:
            process.terminate()


def _wait_for(url: str) -> None:
    for _ in range(150):
        try:
            urllib.request.urlopen(url).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the server did not start")


def _take(browser: Browser, address: str, under_way: Session, finished: Session) -> None:
    page = _page(browser, width=1280, height=1000)
    _open_interview(page, address, under_way)
    page.get_by_test_id("stChatInputTextArea").fill(DRAFT)
    page.screenshot(path=IMAGES / "interview.png")

    page = _page(browser, width=1280, height=2600)
    page.goto(f"{address}/?session={finished.id}")
    card = page.get_by_test_id("stExpander").filter(has_text="绝对化断言").first
    card.locator("summary").first.click()
    expect(card.get_by_text("采分点", exact=False).first).to_be_visible()
    _settle(page)
    card.evaluate("one => one.scrollIntoView({block: 'center'})")
    box = card.bounding_box()
    assert box is not None
    page.screenshot(
        path=IMAGES / "feedback.png",
        clip={"x": 0, "y": box["y"] - 24, "width": 1280, "height": box["height"] + 48},
    )

    page = _page(browser, width=1280, height=1500)
    page.goto(f"{address}/report?session={finished.id}")
    expect(page.get_by_text("逐轮反馈")).to_be_visible(timeout=30_000)
    _settle(page)
    page.screenshot(path=IMAGES / "report.png")

    page = _page(browser, width=390, height=844)
    _open_interview(page, address, under_way)
    page.screenshot(path=IMAGES / "phone.png")


def _open_interview(page: Page, address: str, session: Session) -> None:
    """Open the session and scroll to its open question."""
    page.goto(f"{address}/?session={session.id}")
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_visible(timeout=30_000)
    _settle(page)
    page.get_by_role("button", name="重复问题").scroll_into_view_if_needed()


def _settle(page: Page) -> None:
    """Wait until nothing is loading any more."""
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=30_000)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=30_000)


def _page(browser: Browser, *, width: int, height: int) -> Page:
    return browser.new_page(
        locale="zh-CN", color_scheme="light", viewport={"width": width, "height": height}
    )


if __name__ == "__main__":
    main()
