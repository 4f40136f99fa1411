"""The settings in a real browser: an endpoint is tried and used, a rubric is changed, data deleted."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import StartServer
from tests.browser.interviewing import asked, send
from tests.contract.quirk_server import QuirkServer, Seen

pytestmark = pytest.mark.browser

CANARY = "sk-canary-77a1"


def key_of(seen: Seen) -> str:
    """Return the key that a request came with."""
    return {name.lower(): value for name, value in seen.headers.items()}["authorization"]


@pytest.fixture
def endpoint() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()


def test_an_endpoint_is_tried_and_grades_and_the_key_is_gone_with_the_page(
    page: Page, start_server: StartServer, endpoint: QuirkServer
):
    server = start_server(variables={"BOT_JUDGE_EXAM": "override"})
    page.goto(f"{server.address}/settings")
    page.get_by_role("combobox", name="模型接口").click()
    page.get_by_role("option", name="其他兼容 OpenAI 的接口").click()
    page.get_by_label("接口地址", exact=True).fill(endpoint.url)
    page.get_by_label("模型名", exact=True).fill("obliging")
    key = page.get_by_role("textbox", name="密钥", exact=False).first
    key.fill(CANARY)
    key.press("Tab")  # to the button beside it, which is no reason to lose the key

    page.get_by_role("button", name="测试连接").click()

    # The client library takes its seconds to load, on a busy machine many.
    expect(page.get_by_text("测试通过。")).to_be_visible(timeout=90_000)
    expect(page.get_by_text(re.compile("✓ 结构化输出"))).to_be_visible()
    page.get_by_role("button", name="保存并使用").click()
    expect(page.get_by_text("已保存。")).to_be_visible()
    expect(page.get_by_role("textbox", name="密钥", exact=False).first).to_have_value("")

    page.get_by_role("link", name="面试").click()
    page.get_by_role("button", name="开始面试").click()
    expect(asked(page)).to_have_count(1)
    send(page, "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。")
    expect(page.get_by_text(re.compile("模型评分 · obliging"))).to_be_visible()
    assert all(key_of(one) == f"Bearer {CANARY}" for one in endpoint.of("obliging"))

    page.goto(f"{server.address}/settings")  # another browser session, with the same user
    expect(page.get_by_label("模型名", exact=True)).to_have_value("obliging")
    assert CANARY not in page.content()


def test_all_data_is_deleted_after_the_word_was_typed(page: Page, start_server: StartServer):
    server = start_server()
    session = server.services.interviews.begin_with(("S01",))
    page.goto(f"{server.address}/settings")
    page.get_by_test_id("stButtonGroup").get_by_text("数据", exact=True).click()
    page.get_by_role("button", name="删除我的全部数据").click()
    dialog = page.get_by_role("dialog", name="删除我的全部数据？")

    dialog.get_by_role("button", name="全部删除").click()

    expect(dialog.get_by_text("没有删除")).to_be_visible()
    assert server.services.store.load(session.id) == session

    dialog.get_by_role("textbox").fill("删除")
    dialog.get_by_role("button", name="全部删除").click()

    expect(page.get_by_text("已删除你的全部数据。")).to_be_visible()
    assert server.services.store.summaries() == ()
