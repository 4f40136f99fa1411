"""Guessing one's level while the judge works, and answering a question again."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, StartServer
from tests.browser.interviewing import send

pytestmark = pytest.mark.browser

WITHOUT_PREMISE = "KV 让历史不必重算，任何模型都能更快。因为每步只为新 token 做投影。"
WITH_PREMISE = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"
SAME_EDGE = (
    "([one, other, edge]) =>"
    " one.getBoundingClientRect()[edge] === other.getBoundingClientRect()[edge]"
)
PHONE = {"width": 390, "height": 844}


def wait_for_the_end(page: Page) -> None:
    """Wait until the interview is over, and its page without the input, which is drawn anew."""
    expect(page.get_by_text("面试结束：")).to_be_visible()
    expect(page.get_by_test_id("stChatInput")).to_have_count(0)


def test_a_level_can_be_guessed_while_the_answer_is_graded_and_is_kept(
    page: Page, start_server: StartServer, tmp_path: Path
):
    gate = tmp_path / "gate"
    server = start_server(judge_waits_for=gate)
    session = server.services.interviews.begin_with(("S01",), follow_ups=0, self_score=True)
    page.goto(f"{server.address}/?session={session.id}")
    send(page, WITH_PREMISE)
    expect(page.get_by_text("你觉得这次回答是几级？")).to_be_visible()
    expect(page.get_by_text("评分中……")).to_be_visible()

    page.get_by_role("radio", name="3 合格").click()
    gate.touch()

    wait_for_the_end(page)
    expect(page.get_by_text("自评 3 级 · 低估 2 级")).to_be_visible()
    stored = server.services.store.load(session.id)
    assert [turn.guess for turn in stored.turns] == [3]
    assert stored.revision == 5  # begun, answered, graded once, guessed, ended


def test_answering_again_with_the_premise_shows_the_gained_slot(page: Page, server: Server):
    session = server.services.interviews.begin_with(("S01",), follow_ups=0)
    page.goto(f"{server.address}/?session={session.id}")
    send(page, WITHOUT_PREMISE)
    wait_for_the_end(page)

    page.get_by_role("button", name="再答一次").click()
    expect(page).not_to_have_url(f"{server.address}/?session={session.id}")
    send(page, WITH_PREMISE)
    wait_for_the_end(page)

    comparison = page.locator("[class*=st-key-comparison-]")
    expect(comparison.get_by_text("＋ 前提/代价：没有 → 清楚")).to_be_visible()
    expect(comparison.get_by_text("＋ 不再出现")).to_contain_text("任何模型都能更快")
    expect(comparison.locator("mark", has_text="代价是显存占用")).to_have_count(1)
    sides = [comparison.get_by_text(title).element_handle() for title in ("上一次", "这一次")]
    page.wait_for_function(SAME_EDGE, arg=[*sides, "top"])  # side by side

    page.set_viewport_size(PHONE)

    page.wait_for_function(SAME_EDGE, arg=[*sides, "left"])  # one above the other
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
