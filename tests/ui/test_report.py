"""The report page."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.adapters.pdf_printer import PdfPrinter
from bot.bootstrap import Services
from bot.domain.session import Session
from bot.services.reporting.files import ReportFiles
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]
Answered = Callable[..., Session]

COMPLETE = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"
OVERCLAIMING = "吞吐上升，延迟变差；任何模型都能更快。"


def test_without_any_session_the_page_says_so_and_leads_to_the_interview(open_page: OpenPage):
    at = open_page("report")

    assert [one.value for one in at.info] == ["还没有面试记录；做完一场面试，这里会有复盘。"]
    assert [one.label for one in at.page_link] == ["开始一场面试"]
    assert not at.metric


def test_a_session_without_a_graded_answer_says_so_and_shows_no_score(
    open_page: OpenPage, services: Services, begin: Callable[..., Session]
):
    session = begin("S01", "S02")
    session = services.interviews.go_on(services.interviews.skip(session))
    services.interviews.finish(session)

    at = open_page("report", session=session.id)

    assert [one.value for one in at.info] == ["没有可评分的回答。"]
    assert "跳过" in shown(at)
    assert not at.metric
    assert not at.progress


def test_a_full_report_shows_level_criteria_questions_practice_and_every_turn(
    open_page: OpenPage, answered: Answered
):
    session = answered(S01=COMPLETE, S02=OVERCLAIMING)

    at = open_page("report", session=session.id)

    assert [one.label for one in at.metric] == ["总评", "平均分", "绝对化断言"]
    assert at.metric[2].value == "1 处"
    assert [one.proto.text.split("　")[0] for one in at.progress][:5] == [
        "采分点", "结论", "原因", "前提/代价", "校准",
    ]  # fmt: skip
    table = at.table[0].value
    assert list(table.columns) == ["题目", "得分", "等级", "追问", "用时"]
    assert table["得分"].iloc[0] == "100"
    text = shown(at)
    assert "**S02 · 原因**：权重读取摊给更多请求（没有说到）" in text
    assert "S01 · 100 分" in text
    assert "任何模型都能更快" in text
    assert "没有可评分的回答" not in text


def test_the_latest_session_is_shown_when_the_address_names_none(
    open_page: OpenPage, answered: Answered
):
    answered(S01="不知道")
    latest = answered(S01=COMPLETE)

    at = open_page("report")

    assert at.metric[1].value == "100 / 100"
    assert at.page_link[0].proto.query_string == f"session={latest.id}"


def test_an_unknown_session_is_said_and_the_latest_shown(open_page: OpenPage, answered: Answered):
    answered(S01=COMPLETE)

    at = open_page("report", session="0123456789ab")

    assert [one.value for one in at.warning] == [
        "没有找到这场面试，可能已被删除；下面是最近的一场。"
    ]
    assert at.metric[1].value == "100 / 100"
    assert not at.error


def test_the_report_of_a_session_under_way_says_that_it_goes_on(
    open_page: OpenPage, services: Services, begin: Callable[..., Session]
):
    session = services.interviews.answer(begin("S01", "S02"), COMPLETE)
    services.interviews.go_on(services.interviews.grade_waiting(session))

    at = open_page("report", session=session.id)

    assert "还没有结束" in shown(at)
    assert [one.label for one in at.page_link] == ["回到这场面试"]
    assert "未作答" in shown(at)


def test_markup_in_an_answer_stays_text_in_the_report(open_page: OpenPage, answered: Answered):
    at = open_page("report", session=answered(S01="不必重算 <b>x</b> $y$ :red[z]").id)

    assert any("&lt;b&gt;x&lt;/b&gt; $y$ :red[z]" in one.value for one in at.html)
    assert not any("<b>" in one.value for one in (*at.html, *at.markdown))


def downloads(at: AppTest) -> list[str]:
    return [one.proto.label for one in at.get("download_button")]


def test_the_report_can_be_downloaded_in_every_form_and_none_is_made_before(
    open_page: OpenPage, answered: Answered, monkeypatch: pytest.MonkeyPatch
):
    def never(*_: object) -> bytes:
        raise AssertionError("a file was made when the page was opened")

    monkeypatch.setattr(ReportFiles, "write", never)
    monkeypatch.setattr(PdfPrinter, "problem", None)

    at = open_page("report", session=answered(S01=COMPLETE).id)

    assert downloads(at) == [
        "PDF", "HTML（可打印）", "Markdown", "CSV（逐轮评分）", "JSON（可再导入）",
    ]  # fmt: skip
    assert not at.error


def test_without_a_font_there_is_no_pdf_and_a_sentence_says_what_to_do(
    open_page: OpenPage, answered: Answered, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(PdfPrinter, "problem", "没有找到带中文的字体，写不了 PDF；可以导出 HTML。")

    at = open_page("report", session=answered(S01=COMPLETE).id)

    assert "没有找到带中文的字体" in shown(at)
    assert "PDF" not in downloads(at)
    assert "HTML（可打印）" in downloads(at)
