"""The bank page: the whole bank, and the search in it."""

import threading
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]

build_index = Services.build_index
"""As the product has it; the fixtures switch it off."""


def search(at: AppTest, text: str) -> AppTest:
    return at.text_input(key="bank.search").set_value(text).run()


def found(at: AppTest) -> list[str]:
    return [one.label.split("**")[1] for one in at.expander]


@pytest.fixture
def index(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the index, and wait for it."""
    monkeypatch.setattr(Services, "build_index", build_index)
    services.build_index()
    for thread in threading.enumerate():
        if thread.name == "index":
            thread.join()
    assert services.index_state.is_ready, services.index_state.says


def test_the_whole_bank_is_shown_by_section(open_page: OpenPage):
    at = open_page("bank")

    assert [one.value for one in at.subheader] == ["A 基础", "B 部署"]
    assert found(at) == ["S01", "S02", "S03"]
    text = shown(at)
    assert "KV 缓存让历史 token 的键和值不必重算。" in text
    assert "每步只为新 token 做投影（原因，权重 2）" in text
    assert "换成流水线并行会有什么不同？" in text
    assert not at.error


def test_a_search_by_words_works_before_the_index_is_there(open_page: OpenPage):
    at = search(open_page("bank"), "集合通信")

    assert found(at)[0] == "S03"
    assert "先按词查找" in shown(at)
    assert not at.subheader


def test_a_search_by_meaning_finds_what_was_said_in_other_words(open_page: OpenPage, index: None):
    at = search(open_page("bank"), "communication overhead of splitting a layer across GPUs")

    assert found(at)[0] == "S03"
    assert "先按词查找" not in shown(at)


def test_a_search_that_finds_nothing_says_so(open_page: OpenPage):
    at = search(open_page("bank"), "zzzz")

    assert [one.value for one in at.info] == ["没有找到相关题目；换几个词试试。"]
    assert found(at) == []


@pytest.mark.parametrize("text", ["", "   ", "\t　"], ids=["empty", "spaces", "wide space"])
def test_an_empty_search_shows_the_whole_bank(text: str, open_page: OpenPage):
    at = search(open_page("bank"), text)

    assert found(at) == ["S01", "S02", "S03"]
    assert not at.info


@pytest.mark.parametrize("text", ["\u200b", "' OR 1=1 --", "$x$ <b>", "😀", "长" * 500])
def test_a_strange_search_is_no_error(text: str, open_page: OpenPage):
    at = search(open_page("bank"), text)

    assert not at.error
    assert not at.exception


def test_related_questions_stand_beside_the_reference_once_the_index_is_there(
    open_page: OpenPage, index: None, answered: Callable[..., object]
):
    session = answered(S01="KV 让历史不必重算，但显存占用随上下文增长。")

    text = shown(open_page("interview", session=session.id))

    assert "- **S02**" in text
    assert "- **S01**" not in text
    assert "正在后台建立" not in text
