"""The main journeys, in both languages, on a desk and on a phone."""

import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.i18n.catalogue import CHINESE, ENGLISH, Language, translated
from tests.browser.conftest import Server, StartServer
from tests.browser.reach import TOO_WIDE
from tests.contract.quirk_server import QuirkServer

pytestmark = pytest.mark.browser

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
LOCALES: dict[Language, str] = {CHINESE: "zh-CN", ENGLISH: "en-US"}
WITHOUT_PREMISE = "KV 让历史不必重算。因为每步只为新 token 做投影。"
DOCUMENT = "问：什么是投机解码？\n答：先由小模型起草几个 token，再由大模型一次验证。\n"

Say = Callable[..., str]


@pytest.fixture
def endpoint() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_a_new_visitor_gets_from_the_first_page_to_a_model_of_their_own(
    browser: Browser,
    start_server: StartServer,
    endpoint: QuirkServer,
    language: Language,
    screen: dict[str, int],
):
    server = start_server()
    context = browser.new_context(locale=LOCALES[language], viewport=screen)
    page = context.new_page()
    say = partial(_said, language)

    session_id = _first_answer(page, server, say)
    _report(page, server, say, session_id)
    _drill(page, server, say)
    _import(page, server, say)
    _endpoint(page, server, say, endpoint)
    context.close()


def _first_answer(page: Page, server: Server, say: Say) -> str:
    page.goto(server.address)
    expect(page.get_by_role("heading", level=1)).to_have_text(say("大模型推理模拟面试"))
    _fits(page)

    page.get_by_role("button", name=say("试答一题")).click()

    expect(page.get_by_text(say("第 1 / 1 题"))).to_be_visible()
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    box.fill(WITHOUT_PREMISE)
    box.press("Enter")

    feedback = page.locator("[class*=st-key-grade-]").first
    expect(feedback).to_contain_text(say("离线评分 · 不判断事实对错"))
    _fits(page)
    return page.url.rpartition("session=")[2]


def _report(page: Page, server: Server, say: Say, session_id: str) -> None:
    page.goto(f"{server.address}/report?session={session_id}")

    expect(page.get_by_role("heading", level=1)).to_have_text(say("复盘报告"))
    expect(page.get_by_test_id("stTable").first).to_be_visible()
    _fits(page)


def _drill(page: Page, server: Server, say: Say) -> None:
    page.goto(f"{server.address}/drill")

    page.get_by_role("button", name=say("开始训练")).click()

    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    box.fill("代价是显存占用随上下文增长。")
    box.press("Enter")
    expect(page.get_by_role("button", name=say("下一张"))).to_be_visible()
    _fits(page)


def _import(page: Page, server: Server, say: Say) -> None:
    page.goto(f"{server.address}/importing")
    page.get_by_role("tab", name=say("粘贴文字")).click()
    text = page.locator(".st-key-import-text textarea")
    text.fill(DOCUMENT)
    text.blur()

    page.get_by_role("button", name=say("预览"), exact=True).click()

    expect(page.get_by_text("什么是投机解码？").first).to_be_visible(timeout=60_000)
    _fits(page)


def _endpoint(page: Page, server: Server, say: Say, endpoint: QuirkServer) -> None:
    page.goto(f"{server.address}/settings")
    page.get_by_role("combobox", name=say("模型接口")).click()
    page.get_by_role("option", name=say("其他兼容 OpenAI 的接口")).click()
    page.get_by_label(say("接口地址"), exact=True).fill(endpoint.url)
    page.get_by_label(say("模型名"), exact=True).fill("obliging")

    page.get_by_role("button", name=say("测试连接")).click()

    # The client library takes its seconds to load, on a busy machine many.
    expect(page.get_by_text(say("测试通过。"))).to_be_visible(timeout=90_000)
    _fits(page)


def _said(language: Language, text: str, **values: object) -> str:
    found = translated(text, language, **values)
    assert language == CHINESE or not re.search("[\u4e00-\u9fff]", found), f"not translated: {text}"
    return found


def _fits(page: Page) -> None:
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    assert page.evaluate(TOO_WIDE) == []
