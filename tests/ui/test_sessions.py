"""The list of past sessions."""

from collections.abc import Callable
from datetime import UTC

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from bot.bootstrap import Services
from bot.domain.session import Session
from bot.services.reporting.files import ReportForm
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]


def test_an_empty_list_says_so_and_leads_to_the_interview(open_page: OpenPage):
    at = open_page("sessions")

    assert [one.value for one in at.info] == ["还没有面试记录。"]
    assert [one.label for one in at.page_link] == ["开始第一场面试"]
    assert [one.label for one in at.button] == ["English", "导入"]
    assert not at.get("download_button")


def test_sessions_are_listed_newest_first_with_a_way_on(
    open_page: OpenPage, answered: Callable[..., Session], begin: Callable[..., Session]
):
    ended = answered(S01="不必重算。", S02="不知道")
    under_way = begin("S01")

    at = open_page("sessions")

    assert [one.key for one in at.button if one.label == "删除"] == [
        f"delete-{under_way.id}", f"delete-{ended.id}",
    ]  # fmt: skip
    assert [one.key for one in at.button if one.label == "继续作答"] == [f"resume-{under_way.id}"]
    assert [(one.label, one.proto.query_string) for one in at.page_link] == [
        ("看报告", f"session={ended.id}")
    ]
    text = shown(at)
    assert "进行中 · 没有评分" in text
    assert "1 道题，作答 0 次 · — · " in text
    assert "2 道题，作答 2 次 · 离线评分 · " in text
    assert "None" not in text


def test_going_on_with_a_session_begins_the_clock_anew_and_says_so(
    open_page: OpenPage, left: Callable[..., Session], services: Services
):
    session = left("S01")
    at = open_page("sessions")

    at.button(key=f"resume-{session.id}").click().run()

    assert at.query_params["session"] == session.id
    assert [one.value for one in at.toast] == ["接着答：这一题重新计时。"]
    assert services.store.load(session.id).turns[0].asked_at >= session.begun_at
    assert at.chat_input


def test_deleting_asks_first(
    open_page: OpenPage, answered: Callable[..., Session], services: Services
):
    # AppTest reruns the page for a click inside the dialog: the browser tests press its button.
    session = answered(S01="不必重算。")
    at = open_page("sessions")

    at.button(key=f"delete-{session.id}").click().run()

    assert any(one.key == "delete.yes" for one in at.button)
    assert services.store.load(session.id) == session


def test_all_grades_can_be_downloaded(open_page: OpenPage, answered: Callable[..., Session]):
    answered(S01="不必重算。")

    at = open_page("sessions")

    assert [one.proto.label for one in at.get("download_button")] == ["导出全部评分（CSV）"]


def test_an_exported_report_can_be_imported(
    open_page: OpenPage, answered: Callable[..., Session], services: Services
):
    session = answered(S01="不必重算。")
    content = services.report_files.write(session, ReportForm.JSON, UTC)
    services.store.delete(session.id)
    at = open_page("sessions")

    at.file_uploader[0].upload("report.json", content, "application/json")
    button(at, "导入").click().run()

    assert [one.value for one in at.success] == [f"已导入场次 {session.id}。"]
    assert f"1 道题，作答 1 次 · 离线评分 · {session.id}" in shown(at)
    assert services.store.load(session.id).turns == session.turns


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        pytest.param("report.json", b"{}", "不是本产品这一版的报告", id="other json"),
        pytest.param("report.json", b"\xff", "不是 JSON", id="no json"),
        pytest.param(None, b"", "请先选择文件", id="nothing"),
    ],
)
def test_any_other_file_gets_a_sentence(
    open_page: OpenPage, name: str | None, content: bytes, says: str
):
    at = open_page("sessions")
    if name is not None:
        at.file_uploader[0].upload(name, content, "application/json")

    button(at, "导入").click().run()

    assert says in "".join(one.value for one in (*at.error, *at.warning))
    assert not at.success


def button(at: AppTest, label: str) -> Button:
    """Return the one button of that label."""
    (found,) = (one for one in at.button if one.label == label)
    return found
