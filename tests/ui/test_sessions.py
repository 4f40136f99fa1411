"""The list of past sessions."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import Session
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]


def test_an_empty_list_says_so_and_leads_to_the_interview(open_page: OpenPage):
    at = open_page("sessions")

    assert [one.value for one in at.info] == ["还没有面试记录。"]
    assert [one.label for one in at.page_link] == ["开始第一场面试"]
    assert not at.button


def test_sessions_are_listed_newest_first_with_a_way_on(
    open_page: OpenPage, answered: Callable[..., Session], begin: Callable[..., Session]
):
    ended = answered(S01="不必重算。", S02="不知道")
    under_way = begin("S01")

    at = open_page("sessions")

    assert [one.key for one in at.button] == [f"delete-{under_way.id}", f"delete-{ended.id}"]
    assert [one.label for one in at.page_link] == ["继续作答", "看报告"]
    assert [one.proto.query_string for one in at.page_link] == [
        f"session={under_way.id}", f"session={ended.id}",
    ]  # fmt: skip
    text = shown(at)
    assert "进行中 · 没有评分" in text
    assert "1 道题，作答 0 次 · — · " in text
    assert "2 道题，作答 2 次 · 离线评分 · " in text
    assert "None" not in text


def test_deleting_asks_first(
    open_page: OpenPage, answered: Callable[..., Session], services: Services
):
    # AppTest reruns the page for a click inside the dialog: the browser tests press its button.
    session = answered(S01="不必重算。")
    at = open_page("sessions")

    at.button(key=f"delete-{session.id}").click().run()

    assert any(one.key == "delete.yes" for one in at.button)
    assert services.store.load(session.id) == session
