"""From a wrong grade to a corrected bank and a new grade, on the page."""

import re

import pytest
from playwright.sync_api import Page, expect

from bot.domain.session import Session
from tests.browser.conftest import Server, StartServer
from tests.browser.interviewing import fold_out
from tests.browser.test_pages import TOO_WIDE

pytestmark = pytest.mark.browser

ANSWER = "历史的键和值存下来就好，不必再算；只处理新来的 token；代价是显存占用越长越大。"
NOTE = "“不必再算”就是“不必重算”，应当算 *说到*。"


def own_bank(server: Server) -> Session:
    """Copy a question into a bank of the user's own and answer it, beside the page."""
    services = server.services
    question, section = services.bank.find("S01"), services.bank.section_of("S01")
    services.editing.copy(question, section, services.bank, "mine")
    interviews = services.for_bank("mine").interviews
    session = interviews.answer(interviews.begin_with(("S01",), follow_ups=0), ANSWER)
    return interviews.go_on(interviews.grade_waiting(session))


def test_a_disputed_grade_is_made_again_once_the_bank_was_corrected(
    page: Page, start_server: StartServer
):
    server = start_server()
    session = own_bank(server)
    page.goto(f"{server.address}/report?session={session.id}")
    fold_out(page.get_by_text(re.compile(r"^S01 · [\d.]+ 分$")))
    page.get_by_role("button", name="有问题").click()
    page.get_by_role("dialog").get_by_label("说明").fill(NOTE)
    page.get_by_role("dialog").get_by_role("button", name="提交").click()
    expect(page.get_by_text(NOTE)).to_be_visible()

    page.get_by_role("link", name="题库").click()
    page.get_by_role("combobox", name="题库").click()
    page.get_by_role("option", name="mine（1 道题）").click()
    expect(page.get_by_text("1 道题", exact=True)).to_be_visible()
    fold_out(page.get_by_text("筛选", exact=True))
    page.get_by_role("button", name="中等").click()
    expect(page.get_by_text("没有符合条件的题目")).to_be_visible()
    page.get_by_role("button", name="基础", exact=True).click()
    page.get_by_label("在题库里查找").fill("显存")
    expect(page.get_by_text("1 道题", exact=True)).to_be_visible()
    page.get_by_role("button", name="查看").click()
    page.wait_for_url(re.compile("question=S01"))
    expect(page.get_by_role("heading", name="S01")).to_be_visible()

    page.reload()
    page.get_by_role("button", name="编辑").click()
    page.get_by_role("textbox", name="概念组").first.fill("不必重算 / 不用重算 / 不必再算")
    page.get_by_role("button", name="保存", exact=True).click()
    expect(page.get_by_text("已保存为 mine@2。")).to_be_visible()
    expect(page.get_by_text("题库已从 mine@1 改为 mine@2。")).to_be_visible()
    page.get_by_role("button", name="按新版题库重新评分").click()

    expect(page.get_by_text("已重新评分")).to_be_visible()
    before, after = session.turns[0].grade, server.services.store.load(session.id).turns[0].grade
    assert before is not None
    assert after is not None
    assert after.score > before.score
    for grade in (before, after):
        expect(page.get_by_text(f"{grade.score:g} 分 · {grade.level} 级").first).to_be_visible()
    expect(page.get_by_text("两次评分用的题库版本不同")).to_be_visible()


def test_a_shipped_question_is_copied_on_a_phone_and_nothing_is_too_wide(
    page: Page, start_server: StartServer
):
    server = start_server()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.address}/bank")
    fold_out(page.get_by_text("筛选", exact=True))
    expect(page.get_by_text("我的记录")).to_be_visible()
    assert page.evaluate(TOO_WIDE) == []
    fold_out(page.get_by_text("筛选", exact=True))

    page.get_by_role("button", name="查看").first.click()
    fold_out(page.get_by_text("离线评分认得的说法"))
    expect(page.get_by_text("只为新 token / 只算新 token")).to_be_visible()
    assert page.evaluate(TOO_WIDE) == []
    page.get_by_role("button", name="复制到我的题库").click()
    page.get_by_role("dialog").get_by_label("题库名").fill("small")
    page.get_by_role("dialog").get_by_role("button", name="复制", exact=True).click()
    expect(page.get_by_role("dialog").get_by_text("随附的题库，不能改动")).to_be_visible()
    page.get_by_role("dialog").get_by_label("题库名").fill("mine")
    page.get_by_role("dialog").get_by_role("button", name="复制", exact=True).click()

    page.wait_for_url(re.compile("bank=mine"))
    page.get_by_role("button", name="编辑").click()
    expect(page.get_by_label("采分点 3（编号 c）：说什么")).to_be_visible()
    assert page.evaluate(TOO_WIDE) == []
