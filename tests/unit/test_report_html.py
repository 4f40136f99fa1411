"""The HTML report needs nothing but itself, runs nothing, and lets no text become markup."""

from __future__ import annotations

import re
from datetime import UTC
from html.parser import HTMLParser

import pytest
from hypothesis import given

from bot.domain.grade import Grade
from bot.domain.report import report_of
from bot.domain.session import Session
from bot.services.reporting import document_of
from bot.services.reporting.html import as_html
from tests import fakes
from tests.strategies import sessions
from tests.unit.test_reporting import ASKED, BANK, HOSTILE, one_answer, quoting

VOID = {"meta", "col"}
ATTRIBUTES = {"charset", "class", "content", "dir", "href", "http-equiv", "id", "lang", "name"}
ATTRIBUTES |= {"role", "scope", "style", "aria-hidden"}


class Reading(HTMLParser):
    """What a browser would make of a page: tags, their attributes, and the text between."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)


def page(session: Session) -> str:
    report = report_of(session, BANK, fakes.rubrics())
    return as_html(document_of(report, BANK, fakes.rubrics(), UTC))


def read(session: Session) -> Reading:
    return Reading(page(session))


def graded() -> Grade:
    return fakes.graded(ASKED)


def test_every_tag_that_is_opened_is_closed() -> None:
    assert read(one_answer(outcome=graded())).open == []


def test_it_says_its_language_and_forbids_scripts_and_fetching() -> None:
    found = read(one_answer(outcome=graded()))

    assert ("lang", "zh-CN") in found.attributes
    policy = next(value for name, value in found.attributes if name == "content")
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline';")


def test_it_holds_no_address_of_anything_outside() -> None:
    text = page(one_answer(outcome=graded()))

    assert "url(" not in text
    assert "@import" not in text
    assert re.findall(r"(?:src|href)=\"(?!#)", text) == []
    assert "<script" not in text


def test_evidence_is_marked_with_a_label_and_not_by_colour_alone() -> None:
    cited = fakes.span(0, 5).model_copy(update={"quote": "并行计算。"})
    given_ = graded()
    criteria = tuple(one.model_copy(update={"evidence": (cited,)}) for one in given_.criteria)

    text = page(one_answer(outcome=given_.model_copy(update={"criteria": criteria})))

    assert '<mark class="good">并行计算。</mark><sup>采分点·结论·原因·前提</sup>' in text


def test_a_question_of_the_table_leads_to_its_section() -> None:
    found = read(one_answer(outcome=graded()))
    ids = {value for name, value in found.attributes if name == "id"}

    links = [value for name, value in found.attributes if name == "href"]

    assert links == ["#turn-1"]
    assert links[0] is not None
    assert links[0][1:] in ids


def test_paper_has_its_own_rules() -> None:
    text = page(one_answer(outcome=graded()))

    assert "@media print" in text
    assert "tr, .notice { break-inside: avoid; }" in text
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize("text", [pytest.param(one, id=repr(one)) for one in HOSTILE])
def test_hostile_words_stay_words(text: str) -> None:
    harmless = read(one_answer("普通的话", quoting("普通的话")))

    found = read(one_answer(text, quoting(text)))

    # How an answer was said adds lines, but no kind of tag that a harmless report lacks.
    assert set(found.tags) <= set(harmless.tags)
    assert found.open == []
    assert text.replace("\r", "\n") in "".join(found.texts)


@given(sessions())
def test_no_session_makes_a_tag_or_attribute_of_its_own(session: Session) -> None:
    found = read(session)

    assert found.open == []
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    assert set(found.tags).isdisjoint({"script", "img", "iframe", "form", "svg", "link", "object"})
