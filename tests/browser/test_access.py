"""Everybody can use every page: axe-core finds nothing serious, by day and by night."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from bot.domain.session import Session
from tests.browser.conftest import Server

pytestmark = pytest.mark.browser

GRAVE = {"serious", "critical"}
OPEN_SOME = """() => [...document.querySelectorAll('details:not([open]) > summary')]
    .slice(0, 3).forEach(one => one.click())"""
LOOKS: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"locale": "zh-CN", "color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
        "rgb(255, 255, 255)",
    ),
    (
        {"locale": "en-US", "color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
        "rgb(15, 20, 26)",
    ),
)
"""Whom the pages are shown to: a desk by day in Chinese, a phone by night in English."""
ANSWER = "不必重算；任何模型都能更快，没有任何副作用。"


@pytest.fixture(scope="module")
def answered(server: Server) -> Session:
    """A finished interview with a grade of every kind of part."""
    interviews = server.services.interviews
    session = interviews.begin_with(("S01",), follow_ups=0)
    session = interviews.answer(session, ANSWER)
    return interviews.go_on(interviews.grade_waiting(session))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "?session={session}",
        "report?session={session}",
        "drill",
        "sessions",
        "progress",
        "plan",
        "bank",
        "bank?question=S01",
        "importing",
        "scoring",
        "settings",
    ],
)
def test_axe_finds_nothing_serious(
    browser: Browser, server: Server, answered: Session, address: str
):
    found = []
    for look, paper in LOOKS:
        context = browser.new_context(**look)
        page = context.new_page()
        page.goto(f"{server.address}/{address.format(session=answered.id)}")
        expect(page.locator(".stApp")).to_have_css("background-color", paper)
        _settle(page)
        page.evaluate(OPEN_SOME)
        _settle(page)
        found += [
            (look["locale"], one["id"], node["target"], node["html"][:200])
            for one in _violations(page)
            if one["impact"] in GRAVE
            for node in one["nodes"]
        ]
        context.close()

    assert found == []


def _settle(page: Page) -> None:
    """Wait until nothing is drawn any more: what is stale is pale for a moment."""
    expect(page.locator(".stMain").get_by_test_id("stMarkdownContainer").first).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    page.wait_for_timeout(400)


def _violations(page: Page) -> list[dict[str, Any]]:
    return list(Axe().run(page).response["violations"])
