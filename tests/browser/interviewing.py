"""What a visitor does on the interview page."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server


def begin(page: Page, server: Server) -> str:
    """Begin an interview of three questions, on the page; return the session's id."""
    page.goto(server.address)
    page.get_by_role("button", name="开始面试").click()
    expect(page.get_by_text("第 1 / 3 题")).to_be_visible()
    page.wait_for_url(re.compile(r"session=\w+"))
    return page.url.rpartition("session=")[2]


def begin_beside(page: Page, server: Server) -> str:
    """Begin such an interview beside the page, which is quicker, and open it."""
    session = server.services.interviews.begin_with(("S01", "S02", "S03"))
    page.goto(f"{server.address}/?session={session.id}")
    expect(page.get_by_text("第 1 / 3 题")).to_be_visible()
    return session.id


def go_to(page: Page, name: str, *, group: str) -> None:
    """Choose a page from a group of the menu."""
    page.get_by_role("button", name=group, exact=True).click()
    page.get_by_role("menuitem", name=name, exact=True).click()


def fold_out(title: Locator) -> None:
    """Open or close a box when the page is all there, and wait until it has stopped moving.

    What moves is not hit.
    """
    page = title.page
    expect(title).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    title.click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('details')]"
        ".every(box => box.getAnimations().length === 0)"
    )


def answer_box(page: Page) -> Locator:
    """Return the input of the open question."""
    return page.get_by_placeholder(re.compile("^请作答"))


def send(page: Page, text: str) -> None:
    """Give an answer to the open question."""
    expect(answer_box(page)).to_be_enabled()
    answer_box(page).fill(text)
    answer_box(page).press("Enter")


def asked(page: Page) -> Locator:
    """Return the questions asked so far."""
    return page.get_by_test_id("stChatMessage").filter(has=page.get_by_text(re.compile(
        r"第 \d/3 题：|追问一句："
    )))  # fmt: skip


def answered(page: Page) -> Locator:
    """Return the answers given so far."""
    return page.get_by_test_id("stChatMessage").filter(has=page.get_by_text(re.compile(r"^用时 ")))
