"""A visitor takes an interview in a real browser."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bot.domain.session import LONGEST_ANSWER, Session, SessionPlan
from bot.domain.session import begin as begin_session
from tests.browser.conftest import Server, StartServer
from tests.browser.interviewing import (
    answer_box,
    answered,
    asked,
    begin,
    begin_beside,
    fold_out,
    go_to,
    send,
)

pytestmark = pytest.mark.browser

MARKUP = (
    "价格 $5 与 $x^2$ <script>window.broken = 1</script><b>粗</b> :red[红] :material/home: "
    "![图](http://answer.invalid/a.png) [链](http://answer.invalid) http://answer.invalid/b a -> b "
    "<img src=http://answer.invalid/c.png onerror=alert(1)> # 标题 任何模型 <i>都能</i> 更快"
)


def stored(server: Server, session_id: str) -> Session:
    """Return the session as the database has it."""
    return server.services.store.load(session_id)


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for something that no page shows."""
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.05)


def test_a_whole_interview_survives_a_reload_and_ends_in_a_report_to_download(
    page: Page, server: Server
):
    session_id = begin(page, server)
    address = page.url
    answers = [f"第 {n} 次作答：不必重算，但要看条件；吞吐上升，延迟变差。" for n in range(1, 7)]

    for number, answer in enumerate(answers, 1):
        expect(asked(page)).to_have_count(number)
        send(page, answer)
        expect(answered(page)).to_have_count(number)
        if number == 3:
            expect(asked(page)).to_have_count(4)
            page.reload()
            expect(answered(page)).to_have_count(3)
            expect(page).to_have_url(address)

    expect(page.get_by_text("面试结束：")).to_be_visible()
    expect(asked(page).filter(has_text="追问一句")).to_have_count(3)
    page.get_by_role("link", name="查看完整报告").click()
    expect(page.get_by_role("heading", name="复盘报告")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/report\?session={session_id}"))
    expect(page.get_by_text("各维度得分率")).to_be_visible()
    page.get_by_role("button", name="下载报告").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Markdown").click()

    assert download.value.suggested_filename == f"mock-interview-{session_id}.md"
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.startswith("# 模拟面试复盘报告\n")
    assert f"场次：{session_id}" in text
    assert text.count("### 追问：") == 3
    assert all(answer in text for answer in answers)
    assert text.count("**参考答案**") == 6
    assert "离线评分 · 不判断事实对错" in text
    assert "None" not in text
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_while_an_answer_is_graded_nothing_more_can_be_sent(
    page: Page, start_server: StartServer, tmp_path: Path
):
    gate = tmp_path / "gate"
    server = start_server(judge_waits_for=gate)
    session_id = begin_beside(page, server)
    answer_box(page).fill("不必重算。")

    page.get_by_test_id("stChatInputSubmitButton").dblclick()

    expect(page.get_by_placeholder("评分中……")).to_be_disabled()
    expect(page.get_by_role("button", name="结束面试")).to_be_disabled()
    expect(page.get_by_text("评分中……")).to_be_visible()
    expect(answer_box(page)).to_have_count(0)
    gate.touch()
    expect(asked(page)).to_have_count(2)
    expect(answer_box(page)).to_be_enabled()
    turns = stored(server, session_id).turns
    assert [turn.answer.text for turn in turns if turn.answer] == ["不必重算。"]


def test_a_double_click_skips_one_question_only(page: Page, server: Server):
    session_id = begin_beside(page, server)

    page.get_by_role("button", name="跳过").dblclick()

    expect(asked(page)).to_have_count(2)
    expect(page.get_by_text("第 2 / 3 题")).to_be_visible()
    turns = stored(server, session_id).turns
    assert [turn.answer is not None for turn in turns] == [True, False]


def test_markup_in_an_answer_stays_text_and_loads_nothing(
    page: Page, server: Server, hosts: set[str]
):
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    session_id = begin_beside(page, server)

    send(page, MARKUP)

    expect(asked(page)).to_have_count(2)
    expect(answered(page).first).to_contain_text(MARKUP)
    card = page.get_by_test_id("stExpander").filter(has_text="绝对化断言")
    expect(card).to_contain_text("改写：")
    page.goto(f"{server.address}/report?session={session_id}")
    fold_out(page.get_by_text(re.compile(r"^S0\d · ")).first)
    report = page.get_by_test_id("stHtml").filter(has_text="answer.invalid").first
    expect(report).to_contain_text(MARKUP)
    for place in (page.get_by_test_id("stHtml"), page.get_by_test_id("stMarkdownContainer")):
        odd = place.locator("a[href*=invalid], img, script, b, i, .katex, h1:has-text('任何')")
        expect(odd).to_have_count(0)
    assert page.evaluate("window.broken") is None
    assert alerts == []
    assert not any("answer" in host or "invalid" in host for host in hosts)


def test_the_pages_ask_no_other_host_for_anything(page: Page, server: Server, hosts: set[str]):
    begin_beside(page, server)
    for group, name, title in (("复盘", "报告", "复盘报告"), ("更多", "评分说明", "评分说明")):
        go_to(page, name, group=group)
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    page.get_by_role("link", name="题库", exact=True).click()
    expect(page.get_by_role("heading", name="题库", level=1)).to_be_visible()

    assert hosts == {"127.0.0.1"}


def test_ending_early_asks_first_and_leaves_the_open_question_out(page: Page, server: Server):
    session_id = begin_beside(page, server)
    send(page, "不必重算。")
    expect(asked(page)).to_have_count(2)
    dialog = page.get_by_role("dialog", name="结束这场面试？")

    page.get_by_role("button", name="结束面试").click()
    dialog.get_by_role("button", name="继续作答").click()

    expect(dialog).to_have_count(0)
    assert not stored(server, session_id).is_finished

    page.get_by_role("button", name="结束面试").click()
    dialog.get_by_role("button", name="结束并看报告").click()

    expect(page.get_by_role("heading", name="复盘报告")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/report\?session={session_id}"))
    session = stored(server, session_id)
    assert session.is_finished
    assert [turn.answer.text for turn in session.turns if turn.answer] == ["不必重算。"]
    expect(page.get_by_text("还没有结束")).to_have_count(0)


def test_a_paste_that_is_too_long_comes_back_to_be_cut(page: Page, server: Server):
    session_id = begin_beside(page, server)
    text = "长" * (LONGEST_ANSWER + 1)

    send(page, text)

    expect(page.get_by_text("作答有 20001 个字符，上限是 20000")).to_be_visible()
    expect(answer_box(page)).to_have_value(text)
    assert stored(server, session_id).turns[0].answer is None

    answer_box(page).press("End")
    answer_box(page).press("Backspace")
    answer_box(page).press("Enter")

    expect(asked(page)).to_have_count(2)
    answer = stored(server, session_id).turns[0].answer
    assert answer is not None
    assert answer.text == text[:-1]


def test_the_clock_goes_on_beyond_the_target_and_cuts_nobody_off(page: Page, server: Server):
    asked_at = datetime.now(UTC) - timedelta(seconds=100)
    session = begin_session("clock", SessionPlan(bank_id="small", question_ids=("S01",)), asked_at)
    server.services.store.save(session.ask(question_id="S01", says="为什么？", now=asked_at))

    page.goto(f"{server.address}/?session=clock")

    clock = page.get_by_role("timer", name="作答用时")
    expect(clock).to_contain_text(re.compile(r"1:[45]\d"))
    expect(clock).to_contain_text("已超过目标，可以收尾（不会中断）")
    expect(answer_box(page)).to_be_enabled()
    first = clock.inner_text()
    expect(clock).not_to_have_text(first)
    send(page, "不必重算。")
    expect(page.get_by_text(re.compile("^用时 1?[0-9]{2} 秒"))).to_be_visible()


def test_an_answer_outlives_a_server_that_is_killed_before_the_grade(
    page: Page, start_server: StartServer, tmp_path: Path
):
    held = start_server(judge_waits_for=tmp_path / "never")
    session_id = begin_beside(page, held)
    send(page, "不必重算。")
    wait_until(lambda: bool(stored(held, session_id).waiting))

    held.kill()
    server = start_server()
    assert stored(server, session_id).turns[0].outcome is None
    page.goto(f"{server.address}/?session={session_id}")

    expect(answered(page)).to_have_count(1)
    expect(answered(page)).to_contain_text("不必重算。")
    expect(page.get_by_text(re.compile("^反馈：.* 分"))).to_be_visible()
    expect(asked(page)).to_have_count(2)
    turns = stored(server, session_id).turns
    assert turns[0].grade is not None
    assert [turn.answer.text for turn in turns if turn.answer] == ["不必重算。"]


DRAFTS = "Object.keys(localStorage).filter((one) => one.startsWith('mockbot.draft.')).length"


def test_what_was_typed_and_not_sent_outlives_a_reload_and_another_page(page: Page, server: Server):
    session_id = begin_beside(page, server)
    answer_box(page).fill("先说结论：不必重算")
    page.wait_for_function(f"{DRAFTS} === 1")

    page.reload()

    expect(answer_box(page)).to_have_value("先说结论：不必重算")
    page.goto(f"{server.address}/bank")
    expect(page.get_by_role("heading", name="题库", level=1)).to_be_visible()
    page.goto(f"{server.address}/?session={session_id}")
    expect(answer_box(page)).to_have_value("先说结论：不必重算")

    answer_box(page).press("Enter")

    expect(answered(page)).to_have_count(1)
    expect(answer_box(page)).to_have_value("")
    page.wait_for_function(f"{DRAFTS} === 0")


def test_a_double_click_begins_one_interview(page: Page, start_server: StartServer):
    server = start_server()
    page.goto(server.address)

    page.get_by_role("button", name="开始面试").dblclick()

    expect(page.get_by_text("第 1 / 3 题")).to_be_visible()
    page.wait_for_url(re.compile(r"session=\w+"))
    assert len(server.services.store.summaries()) == 1
