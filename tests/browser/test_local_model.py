"""A visitor takes an interview that a real small model asks and grades; by hand, for it is slow."""

import os
import re
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bot.domain.grade import Grade
from tests.browser.conftest import StartServer
from tests.browser.interviewing import send

pytestmark = [pytest.mark.browser, pytest.mark.live]

MODEL = Path(os.environ.get("MOCKBOT_TEST_MODELS", "")) / "chat.gguf"
SLOW = 900_000
"""Milliseconds; two busy cores write a few tokens a second."""


def test_a_whole_interview_with_a_model_of_this_machine(page: Page, start_server: StartServer):
    if not MODEL.is_file():
        pytest.skip("MOCKBOT_TEST_MODELS names no folder with chat.gguf")
    pytest.importorskip("xllamacpp")
    server = start_server(variables={"BOT_MODEL": f"local:{MODEL}", "BOT_JUDGE_EXAM": "override"})
    begun = time.monotonic()

    page.goto(server.address)
    # The page does not wait for the model; while it loads, it says so.
    expect(page.get_by_role("button", name="开始面试")).to_be_visible()
    shown = time.monotonic() - begun
    expect(page.get_by_text(re.compile("由模型 chat.gguf 评分"))).to_be_visible(timeout=SLOW)
    loaded = time.monotonic() - begun
    page.get_by_role("spinbutton", name="题数").fill("2")
    page.get_by_role("spinbutton", name="每题追问（最多）").fill("0")
    page.get_by_role("button", name="开始面试").click()
    for number, text in (
        (1, "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"),
        (2, "不一定。要看并发、带宽和显存，吞吐上升时延迟可能变差。"),
    ):
        expect(page.get_by_text(f"第 {number} / 2 题")).to_be_visible(timeout=SLOW)
        send(page, text)
        graded = page.get_by_text(re.compile("^反馈"))
        expect(graded).to_have_count(number, timeout=SLOW)

    expect(page.get_by_text("面试结束：")).to_be_visible(timeout=SLOW)
    session = server.services.store.load(page.url.rpartition("session=")[2])
    sys.stderr.write(f"\npage {shown:.1f} s, model {loaded:.1f} s\n")
    for turn in session.turns:
        assert isinstance(turn.outcome, Grade), turn.outcome
        assert turn.answer is not None
        made = turn.outcome.provenance
        assert (made.judge, made.model) == ("llm", "chat.gguf")
        assert turn.outcome.confidence is not None
        for criterion in turn.outcome.criteria:
            for one in criterion.evidence:
                assert turn.answer.text[one.start : one.end] == one.quote
        sys.stderr.write(
            f"{turn.says!r}: {turn.outcome.score:g}, {made.usage}, {made.seconds:.1f} s, "
            f"confidence {turn.outcome.confidence}\n"
        )
    page.get_by_role("link", name="查看完整报告").click()
    expect(page.get_by_text("本场评分用量：")).to_be_visible(timeout=SLOW)
