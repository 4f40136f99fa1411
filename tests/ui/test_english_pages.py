"""The pages in English: Chinese is left only where a bank, a user or the switch speaks."""

import html
import re
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import Session
from tests.ui.conftest import Open
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

IDEOGRAPH = re.compile("[\u3400-\u9fff]")
# The interviewer speaks Chinese; so do the documents that an import understands.
OURS = re.compile(
    r"Rewrite: [^“]*“[^”]*”[^“]*|好，追问一句：|不知道|第 \d/\d 题：|“[问答]：”|问：[^“]*追问：……"
)
ANSWER = "不必重算；任何模型都能更快，没有任何副作用。"


@pytest.fixture
def left_in(services: Services) -> Callable[[AppTest], list[str]]:
    """Return what of a page is Chinese, and neither of the bank nor of the user."""
    bank = sorted(set(_texts(services.bank.model_dump(mode="json"))), key=len, reverse=True)

    def left(at: AppTest) -> list[str]:
        assert not at.exception
        said = []
        for line in _said(at):
            plain = OURS.sub("", html.unescape(re.sub(r"<[^>]*>|\\", "", line)))
            for text in (*bank, ANSWER, *_pieces(ANSWER), "中文"):
                plain = plain.replace(text, "")
            if IDEOGRAPH.search(plain):
                said.append(line)
        return said

    return left


@pytest.mark.parametrize(
    "name",
    [
        "interview",
        "report",
        "drill",
        "sessions",
        "progress",
        "plan",
        "bank",
        "importing",
        "scoring",
        "settings",
    ],
)
def test_a_new_user_reads_english(open_page: Open, left_in, name: str):
    at = open_page(name, lang="en")

    assert left_in(at) == []


def test_an_interview_is_english_around_its_chinese_questions(
    open_page: Open, left_in, begin: Callable[..., Session]
):
    session = begin("S01", "S02", follow_ups=1)
    at = open_page(session=session.id, lang="en")
    assert left_in(at) == []

    at.chat_input[0].set_value(ANSWER).run()

    assert "points" in shown(at)
    assert left_in(at) == []


@pytest.mark.parametrize("name", ["report", "drill", "sessions", "progress", "bank"])
def test_what_became_of_answers_is_told_in_english(
    open_page: Open, left_in, answered: Callable[..., Session], name: str
):
    session = answered(S01=ANSWER, S02="不知道")

    at = open_page(name, session=session.id, lang="en")

    assert left_in(at) == []


def test_a_question_of_the_bank_is_told_in_english(open_page: Open, left_in):
    at = open_page("bank", question="S01", lang="en")

    assert left_in(at) == []


def test_the_language_can_be_switched_both_ways(open_page: Open):
    at = open_page("scoring")
    assert at.title[0].value == "评分说明"

    at.button(key="language.switch").click().run()
    assert at.title[0].value == "How scoring works"

    at.button(key="language.switch").click().run()
    assert at.title[0].value == "评分说明"


def test_an_error_is_told_in_english(open_page: Open):
    at = open_page("bank", question="S99", lang="en")

    assert "has no question" in at.warning[0].value


def _said(at: AppTest) -> Iterator[str]:
    yield from shown(at).split("\n")
    for element in (*at.selectbox, *at.multiselect, *at.radio, *at.button_group):
        yield from map(str, getattr(element, "options", ()))
    for tab in at.tabs:
        yield tab.label


def _pieces(text: str) -> list[str]:
    return sorted(re.split(r"(?<=[，；。])|(?=[，；。])", text), key=len, reverse=True)


def _texts(found: object) -> Iterator[str]:
    match found:
        case str() if IDEOGRAPH.search(found):
            yield found.strip()
        case dict():
            for one in found.values():
                yield from _texts(one)
        case list():
            for one in found:
                yield from _texts(one)
