"""The other pages, and all of them on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from bot.errors import NotFoundError
from tests.browser.conftest import Server
from tests.browser.interviewing import asked, begin_beside, go_to, send
from tests.browser.reach import TOO_WIDE

pytestmark = pytest.mark.browser


def test_no_page_is_wider_than_a_phone(page: Page, server: Server):
    page.set_viewport_size({"width": 390, "height": 844})
    session_id = begin_beside(page, server)
    send(page, "不必重算；" + "extremely" * 60 + "；任何模型都能更快，没有任何副作用。")
    expect(asked(page)).to_have_count(2)
    expect(page.get_by_role("timer", name="作答用时")).to_be_in_viewport()
    assert page.evaluate(TOO_WIDE) == []

    for path, heading in (
        ("", "大模型推理模拟面试"),
        (f"report?session={session_id}", "复盘报告"),
        ("drill", "追问训练"),
        ("sessions", "面试记录"),
        ("bank", "题库"),
        ("scoring", "评分说明"),
    ):
        page.goto(f"{server.address}/{path}")
        expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        for closed in page.locator("details:not([open]) > summary:visible").all()[:2]:
            closed.click()
        assert page.evaluate(TOO_WIDE) == [], path or "setup"


def test_the_menu_can_be_reached_on_a_phone(page: Page, server: Server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server.address)

    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("link", name="题库").click()

    expect(page.get_by_role("heading", name="题库", level=1)).to_be_visible()


def test_deleting_a_session_asks_first_and_takes_no_other(page: Page, server: Server):
    kept = begin_beside(page, server)
    gone = server.services.interviews.begin_with(("S01",)).id
    go_to(page, "记录", group="复盘")
    delete = page.get_by_role("button", name="删除")
    row = page.get_by_test_id("stVerticalBlock").filter(has_text=gone).filter(has=delete).last
    dialog = page.get_by_role("dialog", name="删除这场面试？")

    row.locator(delete).click()

    expect(dialog).to_contain_text("不能恢复")
    assert server.services.store.load(gone).id == gone

    dialog.get_by_role("button", name="删除", exact=True).click()

    expect(page.get_by_text("已删除。")).to_be_visible()
    expect(page.get_by_text(gone)).to_have_count(0)
    expect(page.get_by_text(kept)).to_be_visible()
    assert server.services.store.load(kept).id == kept
    with pytest.raises(NotFoundError):
        server.services.store.load(gone)


def test_what_goes_wrong_in_a_dialog_stays_to_be_read(page: Page, server: Server):
    gone = server.services.interviews.begin_with(("S01",)).id
    page.goto(f"{server.address}/sessions")
    delete = page.get_by_role("button", name="删除")
    row = page.get_by_test_id("stVerticalBlock").filter(has_text=gone).filter(has=delete).last
    dialog = page.get_by_role("dialog", name="删除这场面试？")
    row.locator(delete).click()
    expect(dialog).to_be_visible()
    server.services.store.delete(gone)

    dialog.get_by_role("button", name="删除", exact=True).click()

    expect(dialog.get_by_role("alert")).to_contain_text("它可能已被删除")
    expect(page.get_by_text("已删除。")).to_have_count(0)


def test_the_bank_is_searched_while_one_types(page: Page, server: Server):
    page.goto(f"{server.address}/bank")

    page.get_by_label("在题库里查找").press_sequentially("集合通信")

    expect(page.get_by_role("heading", name="A 基础")).to_have_count(0)
    first = page.locator("[class*=st-key-row-]").first
    expect(first).to_contain_text("S03")
    first.get_by_role("button", name="查看").click()
    expect(page.get_by_text("每层都有集合通信").first).to_be_visible()


def test_no_english_is_left_where_a_visitor_works(page: Page, server: Server):
    page.goto(server.address)
    english = page.get_by_text(re.compile("Press |Choose |Please |Loading", re.IGNORECASE))

    page.get_by_role("spinbutton", name="题数").fill("2")

    expect(english).to_have_count(0)

    page.get_by_role("link", name="题库", exact=True).click()
    page.get_by_label("在题库里查找").fill("KV")

    expect(page.get_by_role("button", name="查看").first).to_be_visible()
    expect(english).to_have_count(0)
