"""From a missing premise to a drill by keyboard alone, and back to the question."""

import re

import pytest
from playwright.sync_api import Page, expect

from bot.domain.card import Rating
from tests.browser.conftest import StartServer
from tests.browser.interviewing import send

pytestmark = pytest.mark.browser

WITHOUT_PREMISE = "KV 让历史不必重算。因为每步只为新 token 做投影。"
PREMISE = "代价是显存占用随上下文增长。"
CARD = "small/S01/premise_cost"
PHONE = {"width": 390, "height": 844}
FOCUSED = "document.activeElement.dataset.testid === 'stChatInputTextArea'"


def test_a_missing_premise_is_drilled_by_keyboard_and_then_said(
    page: Page, start_server: StartServer
):
    server = start_server()
    store = server.services.store
    session = server.services.interviews.begin_with(("S01",), follow_ups=0)
    page.goto(f"{server.address}/?session={session.id}")
    send(page, WITHOUT_PREMISE)

    page.get_by_role("link", name="练没说到的要点").click()
    expect(page.get_by_test_id("stMetric").filter(has_text="今天到期")).to_contain_text("1")
    page.get_by_role("button", name="开始训练").click()
    expect(page.get_by_text("在什么条件下成立，要付出什么代价？")).to_be_visible()
    page.wait_for_function(FOCUSED)  # nobody has to click into the input

    page.reload()
    page.wait_for_function(FOCUSED)
    page.keyboard.type("不知道具体的代价。")
    page.keyboard.press("Enter")

    expect(page.get_by_text("没有说到：代价是显存随上下文增长")).to_be_visible()
    expect(page.get_by_text("评级：重来（按评分，可以改） · 下次：1 分钟后")).to_be_visible()
    missed = store.drills.card(CARD).standing

    page.keyboard.press("3")

    expect(page.get_by_text("评级：答对（自己改的） · 下次：10 分钟后")).to_be_visible()
    corrected = store.drills.card(CARD).standing
    assert (missed.reps, corrected.reps) == (1, 1)
    assert corrected.schedule.due > missed.schedule.due
    drill = store.drills.load(re.findall(r"drill=(\w+)", page.url)[0])
    assert [one.final for one in drill.reviews] == [Rating.GOOD]

    page.keyboard.press("Enter")

    expect(page.get_by_text(re.compile(r"^第 2 / 10 张|· 第 2 / 10 张"))).to_be_visible()
    page.wait_for_function(FOCUSED)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.get_by_role("button", name="结束训练").click()
    page.get_by_role("button", name="再答原题").click()
    send(page, WITHOUT_PREMISE + PREMISE)

    expect(page.get_by_text("＋ 前提/代价：没有 → 清楚")).to_be_visible()
