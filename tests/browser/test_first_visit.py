"""The first minute of a visitor: in their own language, and at a question within one click."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server

pytestmark = pytest.mark.browser


def test_a_question_is_one_click_away(page: Page, server: Server):
    page.goto(server.address)

    page.get_by_role("button", name="试答一题").click()

    expect(page.get_by_text("第 1 / 1 题")).to_be_visible()
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()


def test_an_english_visitor_reads_english_and_may_choose_chinese(browser: Browser, server: Server):
    context = browser.new_context(locale="en-US", viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(server.address)
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("LLM inference mock interview")
    expect(page.locator("html")).to_have_attribute("lang", "en")

    page.get_by_role("button", name="中文").click()

    expect(title).to_have_text("大模型推理模拟面试")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")

    page.goto(f"{server.address}/scoring")

    expect(title).to_have_text("评分说明")
    context.close()
