"""The HTML report, opened from a file as somebody opens it who was sent it."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from bot.domain.report import report_of
from bot.domain.session import Session
from bot.services.reporting import document_of
from bot.services.reporting.html import as_html
from tests import answers
from tests.long_session import HOSTILE, QUESTIONS, UNGRADED, long_session

pytestmark = pytest.mark.browser


def _shortened() -> Session:
    """Return a few questions of the long session: axe needs long for twenty."""
    kept = {QUESTIONS[at] for at in (1, UNGRADED, HOSTILE)}
    session = long_session()
    turns = tuple(turn for turn in session.turns if turn.question_id in kept)
    return session.model_copy(update={"turns": turns})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_runs_and_fetches_nothing_and_can_be_read_by_all(
    page: Page, tmp_path: Path, scheme: str
) -> None:
    services = answers.services()
    report = report_of(_shortened(), services.bank, services.rubrics)
    file = tmp_path / "report.html"
    document = document_of(report, services.bank, services.rubrics, UTC)
    file.write_text(as_html(document), encoding="utf-8")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 390, "height": 844})

    page.goto(file.as_uri())

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert (said, asked) == ([], [file.as_uri()])
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
