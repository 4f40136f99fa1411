"""A study plan from an uploaded document, on a phone, up to the first question."""

import io
import re

import docx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.test_pages import TOO_WIDE

pytestmark = pytest.mark.browser


def test_an_uploaded_posting_leads_to_an_interview_about_it(page: Page, server: Server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.address}/plan")
    page.get_by_role("tab", name="上传文件").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {
            "name": "职位.docx",
            "mimeType": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "buffer": _posting(),
        }
    )
    expect(page.get_by_text("职位.docx")).to_be_visible()

    page.get_by_role("button", name="生成计划").click()

    begin = page.get_by_role("button", name="用这份计划开始面试")
    expect(begin).to_be_visible()
    picks = page.get_by_test_id("stVerticalBlock").filter(
        has=page.get_by_role("button", name="移除")
    )
    expect(picks.filter(has_text="S03").last).to_contain_text(
        "材料写到“负责张量并行与集合通信的优化”"
    )
    assert page.evaluate(TOO_WIDE) == []
    count = page.get_by_role("button", name="移除").count()
    page.get_by_role("button", name="移除").first.click()
    expect(page.get_by_role("button", name="移除")).to_have_count(count - 1)

    begin.click()

    expect(page.get_by_text(f"第 1 / {count - 1} 题")).to_be_visible()
    page.wait_for_url(re.compile(r"session=\w+"))
    session = server.services.store.load(page.url.rpartition("session=")[2])
    assert len(session.plan.question_ids) == count - 1
    assert server.services.store.plans.all() == ()


def test_progress_can_be_read_on_a_phone(page: Page, server: Server):
    interviews = server.services.interviews
    session = interviews.answer(interviews.begin_with(("S01", "S02")), "不必重算；一定更快。")
    interviews.finish(interviews.grade_waiting(session))
    page.set_viewport_size({"width": 390, "height": 844})

    page.goto(f"{server.address}/progress")

    charts = page.get_by_test_id("stVegaLiteChart")
    expect(charts).to_have_count(3)
    for chart in charts.all():
        chart.scroll_into_view_if_needed()
        expect(chart.locator("canvas, svg").first).to_be_visible()
    assert page.evaluate(TOO_WIDE) == []
    expect(page.get_by_role("list", name="最近 28 天的练习").get_by_role("listitem")).to_have_count(
        28
    )


def _posting() -> bytes:
    document = docx.Document()
    document.add_heading("推理引擎研发工程师", 1)
    document.add_heading("岗位职责", 2)
    for line in ("负责张量并行与集合通信的优化", "负责 KV 缓存与 Decode 阶段的性能优化"):
        document.add_paragraph(line, style="List Bullet")
    document.add_heading("福利待遇", 2)
    document.add_paragraph("免费三餐、年度体检")
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()
