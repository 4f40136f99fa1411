"""Mermaid in an answer: drawn in the browser, without the network, and without a word to the page."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server

pytestmark = pytest.mark.browser

DRAWN = "看图：\n```mermaid\nflowchart TD\n  A[调度器] -->|每轮调用| B[执行器]\n```"
HOSTILE = """```mermaid
%%{init: {"themeCSS": "svg { background: url(http://foreign.example/b) }"}}%%
flowchart LR
  A["<script>parent.document.title='run'</script><img src='http://foreign.example/a' onerror='parent.document.title=1'>甲"] --> B[乙]
  click B href "javascript:parent.document.title='run'"
```"""
BROKEN = "```mermaid\nflowchart LR\n  A[<b>甲] --> B[[[\n```"
WORDS = "先说结论，再说原因。"


def open_with(page: Page, server: Server, *texts: str) -> None:
    """Open a finished session whose questions were answered with these texts."""
    interviews = server.services.interviews
    session = interviews.begin_with(("S01", "S02", "S03"), follow_ups=0)
    for text in texts:
        session = interviews.answer(session, text)
        session = interviews.go_on(interviews.grade_waiting(session))
    session = interviews.finish(session)
    page.goto(f"{server.address}/?session={session.id}")
    expect(page.get_by_text("面试结束").or_(page.get_by_text("没有可评分的回答"))).to_be_visible()


def drawing(page: Page, number: int = 0) -> Locator:
    """Return the drawing of an answer, in its frame."""
    return page.locator(".diagram").nth(number).frame_locator("iframe").locator("svg#drawing")


@pytest.fixture
def scripts(page: Page) -> list[str]:
    """Collect the requests for the library that draws."""
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "mermaid" in one.url else None)
    return asked


def test_diagrams_are_drawn_and_nothing_in_them_runs_or_asks_the_network(
    page: Page, server: Server, hosts: set[str], scripts: list[str]
) -> None:
    open_with(page, server, DRAWN, HOSTILE, BROKEN)

    for number in range(2):
        page.locator(".diagram").nth(number).scroll_into_view_if_needed()
        expect(drawing(page, number)).to_be_visible()
    expect(drawing(page)).to_contain_text("每轮调用")
    expect(drawing(page, 1)).to_contain_text("乙")
    expect(page.get_by_role("group", name="作答里的图 1").first).to_be_visible()
    broken = page.locator(".diagram").nth(2)
    broken.scroll_into_view_if_needed()
    expect(broken.get_by_text("有语法错误")).to_be_visible()
    expect(broken.locator("pre")).to_contain_text("A[<b>甲] --> B[[[")

    assert page.title() == "大模型推理模拟面试"
    assert hosts == {"127.0.0.1"}
    assert len(scripts) == 1
    frame = page.locator(".diagram iframe").first
    assert frame.get_attribute("sandbox") == "allow-scripts"


def test_a_page_without_a_diagram_loads_no_library(
    page: Page, server: Server, scripts: list[str]
) -> None:
    open_with(page, server, WORDS)
    page.wait_for_load_state("networkidle")

    assert not scripts


def test_a_wide_diagram_is_scrolled_inside_a_phone(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    wide = "flowchart LR\n" + "\n".join(f"  N{n}[第 {n} 个组件] --> N{n + 1}" for n in range(12))
    open_with(page, server, f"```mermaid\n{wide}\n```")

    page.locator(".diagram").scroll_into_view_if_needed()
    expect(drawing(page)).to_be_visible()

    box = page.locator(".diagram .scroll")
    assert box.evaluate("one => one.scrollWidth > one.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert re.fullmatch(r"\d+", page.locator(".diagram iframe").get_attribute("width") or "")
