"""Takes the pictures in `docs/images/`: every page with real answers, seen in a real browser.

Run it from the checkout: `python tools/screenshots.py [NAME …]`. It needs Chromium and a Chinese
font, and leaves nothing behind but the pictures: `report.png` on a desk, `report-phone.png` on a
phone, `report.en.png` and `report-phone.en.png` in English. The answers are given in the past, so
that the clock and the times in the pictures are those of somebody who speaks, not of a script.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

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
DAYS_AGO = (12, 9, 8, 5, 3, 2, 1)
"""When the interviews before the last ones were; the last question of each was left out."""

POSTING = (
    "岗位职责：负责大模型推理服务的性能优化，熟悉 vLLM 的调度与显存管理；\n"
    "定位线上 TTFT 与 ITL 的抖动，建设 KV Cache 的分层与跨机复用；\n"
    "任职要求：理解 TP、PP、EP 等并行方式和集合通信，会用 profiler 分析 GPU 瓶颈。"
)
DOCUMENT = (
    "问：什么是投机解码？\n答：先由小模型起草几个 token，再由大模型一次验证；接受得多才会快。\n"
    "追问：接受率低时会怎样？\n\n"
    "问：为什么要做 KV 量化？\n答：为了在同样的显存里放下更多的 token；代价是误差和反量化的开销。\n"
)
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


class Look(NamedTuple):
    """Who looks: with which screen, in which language, and how the files are called."""

    width: int
    height: int
    locale: str
    suffix: str


LOOKS = (
    Look(1280, 900, "zh-CN", ""),
    Look(390, 844, "zh-CN", "-phone"),
    Look(1280, 900, "en-US", ".en"),
    Look(390, 844, "en-US", "-phone.en"),
)


def main() -> None:
    """Start the product, take the first picture, prepare the sessions, take the other pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:] or ["first-visit", *SHOTS]
    with (
        tempfile.TemporaryDirectory() as folder,
        _server(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM if CHROMIUM.exists() else None,
            args=["--no-sandbox", "--disable-gpu"],
        )
        if "first-visit" in wanted:
            _take(browser, "first-visit", lambda page: _first_visit(page, address))
        services = Services(Settings(_env_file=None, data_dir=Path(folder)))
        for days in DAYS_AGO:
            _interview(services, questions=2, days_ago=days)
        finished = _interview(services, questions=3)
        under_way = _interview(services, questions=2)
        services.store.close()
        for name, shot in SHOTS.items():
            if name in wanted:
                session = under_way if name == "interview" else finished
                _take(browser, name, lambda page: shot(page, address, session))  # noqa: B023
        browser.close()
    for path in sorted(IMAGES.glob("*.png")):
        print(path.relative_to(ROOT), path.stat().st_size // 1024, "KiB")


def _interview(services: Services, *, questions: int, days_ago: int = 0) -> Session:
    """Return a session with this many questions answered, the last one asked 47 seconds ago.

    One of earlier days was ended there.
    """
    now = datetime.now(UTC) - timedelta(days=days_ago)
    clock = PastClock(now)
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
            clock.wait((now - clock.now()).total_seconds() - 47)
        session = interviews.go_on(interviews.grade_waiting(session))
    return interviews.finish(session) if days_ago else session


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


def _take(browser: Browser, name: str, show: Callable[[Page], Locator | None]) -> None:
    """Take the picture of a page, or of one part of it, for everybody who looks."""
    for look in LOOKS:
        page = browser.new_page(
            locale=look.locale,
            color_scheme="light",
            viewport={"width": look.width, "height": look.height},
        )
        part = show(page)
        path = IMAGES / f"{name}{look.suffix}.png"
        if part is None:
            page.screenshot(path=path)
        else:
            part.screenshot(path=path)
        page.close()
        # A page has few colours; this makes the file a third.
        Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)


def _open(page: Page, address: str, path: str = "") -> None:
    page.goto(f"{address}/{path}")
    expect(page.locator(".stMain h1, .stMain h3, .stMain .stMarkdown").first).to_be_visible(
        timeout=30_000
    )
    _settle(page)


def _first_visit(page: Page, address: str) -> None:
    _open(page, address)
    expect(page.get_by_test_id("stForm")).to_be_visible(timeout=30_000)
    _settle(page)


def _interview_page(page: Page, address: str, session: Session) -> None:
    _open(page, address, f"?session={session.id}")
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_visible(timeout=30_000)
    box.fill(DRAFT)
    page.locator("[class*=st-key-repeat-]").scroll_into_view_if_needed()


def _feedback(page: Page, address: str, session: Session) -> Locator:
    """Show the card of the answer that overclaims."""
    page.set_viewport_size({"width": page.viewport_size["width"], "height": 2600})  # type: ignore[index]
    _open(page, address, f"?session={session.id}")
    overclaims = page.locator("mark[style*=wavy]")
    card = page.get_by_test_id("stExpander").filter(has=overclaims).first
    card.locator("summary").first.click()
    expect(card.locator("[class*=st-key-grade-]")).to_be_visible()
    _settle(page)
    return card


def _report(page: Page, address: str, session: Session) -> None:
    _open(page, address, f"report?session={session.id}")
    expect(page.get_by_test_id("stTable").first).to_be_visible(timeout=30_000)


def _plan(page: Page, address: str, _: Session) -> None:
    _open(page, address, "plan")
    page.locator(".st-key-plan-text textarea").fill(POSTING)
    page.get_by_test_id("stFormSubmitButton").locator("button").click()
    picks = page.locator("[class*=st-key-pick-]")
    expect(picks.first).to_be_visible(timeout=90_000)
    _settle(page)
    page.get_by_role("heading", level=3).first.evaluate("one => one.scrollIntoView()")
    page.mouse.wheel(0, -80)


def _import(page: Page, address: str, _: Session) -> None:
    _open(page, address, "importing")
    page.get_by_role("tab").nth(1).click()
    box = page.locator(".st-key-import-text textarea")
    box.fill(DOCUMENT)
    box.blur()
    _settle(page)
    page.locator(".st-key-import-preview-button button").click()
    expect(page.get_by_test_id("stAlert").first).to_be_visible(timeout=90_000)
    _settle(page)


def _page(path: str) -> Callable[[Page, str, Session], None]:
    """Return how a page is shown that needs nothing but its address."""
    return lambda page, address, _: _open(page, address, path)


SHOTS: Mapping[str, Callable[[Page, str, Session], Locator | None]] = {
    "interview": _interview_page,
    "feedback": _feedback,
    "drill": _page("drill"),
    "report": _report,
    "progress": _page("progress"),
    "plan": _plan,
    "bank": _page("bank"),
    "import": _import,
    "scoring": _page("scoring"),
    "settings": _page("settings"),
}


def _settle(page: Page) -> None:
    """Wait until nothing is loading any more."""
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0, timeout=30_000)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=30_000)
    expect(page.locator("[data-stale=true]")).to_have_count(0, timeout=30_000)
    page.wait_for_timeout(500)  # charts and fonts


if __name__ == "__main__":
    main()
