"""The form that begins an interview."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import FeedbackMode, Session
from tests.ui.reading import shown

pytestmark = pytest.mark.ui


def press_begin(at: AppTest) -> AppTest:
    return next(one for one in at.button if one.label == "开始面试").click().run()


def labelled(elements: object, label: str):
    return next(one for one in elements if one.label == label)


def test_the_form_offers_bank_sections_difficulty_number_mode_and_follow_ups(
    open_page: Callable[..., AppTest],
):
    at = open_page()

    assert at.title[0].value == "大模型推理模拟面试"
    assert "题库：测试题库（3 道题）" in [one.value for one in at.caption]
    assert labelled(at.radio, "面试官风格（不影响评分）").options == ["温和", "中性", "压力"]
    assert at.pills(key="setup.sections").options == ["A 基础", "B 部署"]
    assert at.pills(key="setup.difficulties").options == ["基础", "中等", "进阶"]
    assert (labelled(at.number_input, "题数").min, labelled(at.number_input, "题数").max) == (1, 3)
    assert labelled(at.number_input, "每题追问（最多）").max == 3
    assert labelled(at.radio, "看反馈").options == ["每题答完就看", "全部答完再看"]
    assert not at.chat_input


def test_beginning_asks_the_first_question_and_names_the_session_in_the_address(
    open_page: Callable[..., AppTest], services: Services
):
    at = open_page()
    labelled(at.number_input, "题数").set_value(2)
    labelled(at.number_input, "每题追问（最多）").set_value(3)
    labelled(at.radio, "看反馈").set_value(FeedbackMode.AT_END)

    press_begin(at)

    session = services.store.load(at.query_params["session"])
    assert len(session.plan.question_ids) == 2
    assert session.plan.follow_ups == 3
    assert session.plan.mode is FeedbackMode.AT_END
    assert services.bank.find(session.plan.question_ids[0]).stem.split("`")[0] in shown(at)
    assert len(at.chat_message) == 1
    assert "采分点" not in shown(at)


def test_chosen_sections_and_difficulties_limit_the_questions(
    open_page: Callable[..., AppTest], services: Services
):
    at = open_page()
    at.pills(key="setup.sections").set_value(["A"])
    at.pills(key="setup.difficulties").set_value(["medium"])

    press_begin(at)

    assert services.store.load(at.query_params["session"]).plan.question_ids == ("S02",)
    assert "只有 1 道" in at.toast[0].value


def test_a_choice_that_no_question_fits_is_said_and_begins_nothing(
    open_page: Callable[..., AppTest], services: Services
):
    at = open_page()
    at.pills(key="setup.sections").set_value(["B"])
    at.pills(key="setup.difficulties").set_value(["easy"])

    press_begin(at)

    assert "没有符合条件的题目；请放宽章节或难度。" in shown(at)
    assert services.store.summaries() == ()


def test_an_unfinished_session_is_offered_and_goes_on(
    open_page: Callable[..., AppTest], begin: Callable[..., Session], services: Services
):
    session = services.interviews.answer(begin("S01", "S02"), "不必重算。")
    at = open_page()

    assert "有一场没做完的面试（已作答 1 次）。" in shown(at)

    at.button(key="resume").click().run()

    assert at.query_params["session"] == session.id
    assert "不必重算。" in shown(at)
    assert "第 2 / 2 题" in shown(at)


def test_going_on_with_a_session_begins_the_clock_anew_and_says_so(
    open_page: Callable[..., AppTest], left: Callable[..., Session], services: Services
):
    session = left("S01")
    at = open_page()

    at.button(key="resume").click().run()

    assert [one.value for one in at.toast] == ["接着答：这一题重新计时。"]
    resumed = services.store.load(session.id)
    assert resumed.turns[0].asked_at >= session.begun_at
    at.chat_input[0].set_value("不必重算。").run()
    answer = services.store.load(session.id).turns[0].answer
    assert answer is not None
    assert answer.seconds < 300


def test_going_on_where_no_question_is_open_says_nothing_of_a_clock(
    open_page: Callable[..., AppTest], begin: Callable[..., Session], services: Services
):
    services.interviews.answer(begin("S01", "S02"), "不必重算。")
    at = open_page()

    at.button(key="resume").click().run()

    assert not at.toast


def test_a_reload_does_not_begin_the_clock_anew(
    open_page: Callable[..., AppTest], left: Callable[..., Session], services: Services
):
    session = left("S01")

    open_page(session=session.id).run()

    assert services.store.load(session.id) == session


def test_a_finished_session_is_not_offered(
    open_page: Callable[..., AppTest], answered: Callable[..., Session]
):
    answered(S01="不必重算。")

    at = open_page()

    assert "没做完的面试" not in shown(at)
    assert all(one.key != "resume" for one in at.button)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("0123456789ab", id="deleted"),
        pytest.param("../../etc/passwd", id="path"),
        pytest.param("'; DROP TABLE turns; --", id="sql"),
        pytest.param("😀" * 100, id="emoji"),
    ],
)
def test_an_unknown_session_in_the_address_is_said_and_the_form_comes_back(
    name: str, open_page: Callable[..., AppTest]
):
    at = open_page(session=name)

    assert [one.value for one in at.warning] == [
        "没有找到这场面试，可能已被删除；可以在“记录”里查看其他场次，或开始新的一场。"
    ]
    assert "session" not in at.query_params
    assert any(one.label == "开始面试" for one in at.button)
    assert not at.error
