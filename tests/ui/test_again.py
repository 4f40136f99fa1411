"""Answering a question again, comparing two answers, and how an answer was said."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import Session
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]
Answered = Callable[..., Session]

WITHOUT_PREMISE = "KV 让历史不必重算，任何模型都能更快。因为每步只为新 token 做投影。"
COMPLETE = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"
SPOKEN = "嗯，那个，KV 让历史不必重算，不对，应该说是历史的键值不必重算。"


def click(at: AppTest, label: str) -> AppTest:
    return next(one for one in at.button if one.label == label).click().run()


def again(at: AppTest, text: str) -> AppTest:
    """Answer the question of a finished session once more."""
    click(at, "再答一次")
    return at.chat_input[0].set_value(text).run()


def html(at: AppTest) -> str:
    return "".join(one.value for one in at.html)


def test_the_second_answer_is_compared_with_the_first(
    open_page: OpenPage, answered: Answered, services: Services
):
    first = answered(S01=WITHOUT_PREMISE)

    at = again(open_page(session=first.id), COMPLETE)

    text = shown(at)
    assert ":green[**＋**] 前提/代价：没有 → 清楚" in text
    assert "＝ 结论：清楚" in text
    assert ":green[**＋**] 代价是显存随上下文增长（没有说到 → 说到）" in text
    assert "“任何模型都能更快”：＋ 不再出现" in html(at)
    second = services.store.load(services.store.summaries(1)[0].id)
    assert second.plan.again is not None
    assert second.plan.again.turn_id == first.turns[0].id
    scores = [turn.grade.score for turn in (first.turns[0], second.turns[0]) if turn.grade]
    assert f"**得分 ＋{scores[1] - scores[0]:g}**" in text


def test_what_was_lost_is_told_too(open_page: OpenPage, answered: Answered):
    at = again(open_page(session=answered(S01=COMPLETE).id), WITHOUT_PREMISE)

    assert ":red[**－**] 前提/代价：清楚 → 没有" in shown(at)
    assert "“任何模型都能更快”：－ 新出现" in html(at)
    assert "**得分 －" in shown(at)


def test_the_report_of_the_second_session_compares_and_offers_a_third_answer(
    open_page: OpenPage, answered: Answered, services: Services
):
    again(open_page(session=answered(S01=WITHOUT_PREMISE).id), COMPLETE)
    second = services.store.summaries(1)[0].id

    report = open_page("report", session=second)

    assert "与上次作答比较" in shown(report)
    assert "前提/代价：没有 → 清楚" in shown(report)

    click(report, "再答一次")

    third = open_page(session=services.store.summaries(1)[0].id)
    third.chat_input[0].set_value(COMPLETE).run()
    assert "**得分 不变**" in shown(third)


def test_the_report_offers_to_compare_with_an_earlier_answer(
    open_page: OpenPage, answered: Answered
):
    first, second = answered(S01=WITHOUT_PREMISE), answered(S01=COMPLETE)
    report = open_page("report", session=second.id)
    link = next(one for one in report.page_link if one.label == "与上次比较")
    assert "与上次作答比较" not in shown(report)
    assert link.proto.query_string == (
        f"session={second.id}&turn={second.turns[0].id}&with={first.turns[0].id}"
    )

    report.query_params["turn"] = second.turns[0].id
    report.query_params["with"] = first.turns[0].id
    report.run()

    assert "前提/代价：没有 → 清楚" in shown(report)


def test_there_is_no_link_without_an_earlier_answer(open_page: OpenPage, answered: Answered):
    report = open_page("report", session=answered(S01=COMPLETE).id)

    assert "与上次比较" not in [one.label for one in report.page_link]
    assert "再答一次" in [one.label for one in report.button]


@pytest.mark.parametrize("with_turn", ["nothing-1", "x", "..", "a-b-c"])
def test_an_answer_that_is_gone_is_said_to_be_gone(
    open_page: OpenPage, answered: Answered, with_turn: str
):
    session = answered(S01=COMPLETE)
    report = open_page("report", session=session.id)

    report.query_params["turn"] = session.turns[0].id
    report.query_params["with"] = with_turn
    report.run()

    assert "找不到面试" in shown(report)
    assert "出错了" not in shown(report)


def test_a_deleted_first_session_leaves_the_second_as_it_is(
    open_page: OpenPage, answered: Answered, services: Services
):
    first = answered(S01=WITHOUT_PREMISE)
    again(open_page(session=first.id), COMPLETE)
    second = services.store.summaries(1)[0].id
    services.store.delete(first.id)

    at = open_page(session=second)

    assert "找不到面试" in shown(at)
    assert "反馈：100 分" in shown(at)


def test_answers_of_different_judges_are_not_set_off(
    open_page: OpenPage, answered: Answered, services: Services
):
    first = answered(S01=WITHOUT_PREMISE)
    grade = first.turns[0].grade
    assert grade is not None
    model = grade.provenance.model_copy(update={"judge": "llm", "model": "m"})
    services.store.save(
        first.record(first.turns[0].id, grade.model_copy(update={"provenance": model}))
    )

    at = again(open_page(session=first.id), COMPLETE)

    assert "两次的评分者不同，分数不能直接相减。" in shown(at)
    assert "**得分" not in shown(at)
    assert "前提/代价：没有 → 清楚" in shown(at)


def test_markup_in_an_answer_stays_text_in_the_comparison(open_page: OpenPage, answered: Answered):
    first = answered(S01="KV 让历史不必重算，<b>任何模型都能更快</b>，$x$。")

    at = again(open_page(session=first.id), COMPLETE)

    assert "<b>" not in html(at)
    assert "&lt;b&gt;" in html(at)


def test_an_unfinished_interview_offers_no_second_answer(open_page: OpenPage, services: Services):
    session = services.interviews.begin_with(("S01", "S02"), follow_ups=0)
    at = open_page(session=session.id)

    at.chat_input[0].set_value(COMPLETE).run()

    assert "反馈：100 分" in shown(at)
    assert "再答一次" not in [one.label for one in at.button]


def test_delivery_stands_on_the_card_and_in_the_report(open_page: OpenPage, answered: Answered):
    session = answered(S01=SPOKEN)

    card, report = open_page(session=session.id), open_page("report", session=session.id)

    assert "表达（不计分）：" in shown(card)
    assert "**口头语**　嗯 ×1、那个 ×1" in shown(card)
    assert "**改口**　不对 ×1" in shown(card)
    assert "目标 60–90 秒：偏短" in shown(card)
    assert "共 2 处；改口 1 处" in shown(report)


def test_a_turn_without_words_has_no_delivery(open_page: OpenPage, services: Services):
    session = services.interviews.begin_with(("S01",), follow_ups=0)
    closed = services.interviews.grade_waiting(services.interviews.dont_know(session))
    services.interviews.go_on(closed)

    card, report = open_page(session=session.id), open_page("report", session=session.id)

    assert "表达（不计分）" not in shown(card)
    assert "表达（不计分）" not in shown(report)
