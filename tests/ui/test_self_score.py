"""Guessing one's level before the grade is shown, and what the report makes of it."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import FeedbackMode, Session
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]

COMPLETE = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"
QUESTION = "你觉得这次回答是几级？"


@pytest.fixture
def begin(services: Services) -> Callable[..., Session]:
    """Begin a session with self-score."""

    def begin_it(
        *question_ids: str, mode: FeedbackMode = FeedbackMode.AFTER_EACH, follow_ups: int = 0
    ) -> Session:
        return services.interviews.begin_with(
            question_ids, mode=mode, follow_ups=follow_ups, self_score=True
        )

    return begin_it


def send(at: AppTest, text: str) -> AppTest:
    return at.chat_input[0].set_value(text).run()


def guess(at: AppTest, level: int) -> AppTest:
    control = next(one for one in at.segmented_control if one.label == "自评等级")
    return control.set_value(level).run()


def test_the_grade_is_shown_only_after_the_guess(
    open_page: OpenPage, begin: Callable[..., Session], services: Services
):
    session = begin("S01", "S02")
    at = open_page(session=session.id)

    send(at, COMPLETE)

    assert QUESTION in shown(at)
    assert "反馈：" not in shown(at)
    assert "第 2 / 2 题" not in shown(at)
    assert at.chat_input[0].disabled
    assert services.store.load(session.id).turns[0].grade is not None

    guess(at, 3)

    assert QUESTION not in shown(at)
    assert "反馈：100 分 · 5 级" in shown(at)
    assert "自评 3 级 · 低估 2 级" in shown(at)
    assert "第 2 / 2 题" in shown(at)
    assert services.store.load(session.id).turns[0].guess == 3


def test_the_six_levels_are_offered_by_name(open_page: OpenPage, begin: Callable[..., Session]):
    at = send(open_page(session=begin("S01", "S02").id), COMPLETE)

    control = next(one for one in at.segmented_control if one.label == "自评等级")

    assert control.options == [
        "0 几无可用内容", "1 只有术语", "2 单薄或有硬伤", "3 合格", "4 良好", "5 优秀",
    ]  # fmt: skip


def test_a_guess_can_be_declined(
    open_page: OpenPage, begin: Callable[..., Session], services: Services
):
    session = begin("S01", "S02")
    at = send(open_page(session=session.id), COMPLETE)

    next(one for one in at.button if one.label == "不自评").click().run()

    assert QUESTION not in shown(at)
    assert "反馈：100 分 · 5 级" in shown(at)
    assert "自评" not in shown(at)
    assert "第 2 / 2 题" in shown(at)
    assert services.store.load(session.id).turns[0].guess is None


def test_a_reload_asks_again_and_still_hides_the_grade(
    open_page: OpenPage, begin: Callable[..., Session]
):
    session = begin("S01", "S02")
    send(open_page(session=session.id), COMPLETE)

    again = open_page(session=session.id)

    assert QUESTION in shown(again)
    assert "反馈：" not in shown(again)


def test_with_grades_at_the_end_the_guess_is_asked_right_after_the_answer(
    open_page: OpenPage, begin: Callable[..., Session]
):
    at = open_page(session=begin("S01", "S02", mode=FeedbackMode.AT_END).id)

    send(at, COMPLETE)
    assert QUESTION in shown(at)

    guess(at, 5)
    assert "反馈：" not in shown(at)
    assert "第 2 / 2 题" in shown(at)


def test_not_knowing_and_follow_ups_are_not_guessed(
    open_page: OpenPage, begin: Callable[..., Session]
):
    at = open_page(session=begin("S01", "S02", follow_ups=1).id)

    next(one for one in at.button if one.label == "不知道").click().run()

    assert QUESTION not in shown(at)
    assert "追问一句" in shown(at)

    send(at, "带宽")

    assert QUESTION not in shown(at)
    assert "第 2 / 2 题" in shown(at)


def test_without_the_choice_nothing_is_asked(open_page: OpenPage, services: Services):
    session = services.interviews.begin_with(("S01", "S02"), follow_ups=0)

    at = send(open_page(session=session.id), COMPLETE)

    assert QUESTION not in shown(at)
    assert "反馈：100 分 · 5 级" in shown(at)


def test_the_setup_offers_it_and_leaves_it_off(open_page: OpenPage, services: Services):
    at = open_page()
    box = next(one for one in at.checkbox if one.label == "先自评再看分")
    assert not box.value

    box.check()
    next(one for one in at.button if one.label == "开始面试").click().run()

    assert services.store.load(services.store.summaries(1)[0].id).plan.self_score


def test_the_report_says_how_well_the_candidate_knows_themselves(
    open_page: OpenPage, begin: Callable[..., Session], services: Services
):
    session = begin("S01", "S02")
    at = open_page(session=session.id)
    guess(send(at, COMPLETE), 4)
    guess(send(at, "吞吐通常先上升，延迟可能变差。"), 5)
    levels = [turn.grade.level for turn in services.store.load(session.id).turns if turn.grade]

    report = open_page("report", session=session.id)

    differences = [4 - levels[0], 5 - levels[1]]
    values = {one.label: one.value for one in report.metric}
    assert values["平均差"] == f"{sum(differences) / 2:+.1f} 级"
    assert values["完全一致"] == f"{sum(one == 0 for one in differences) / 2:.0%}"
    assert "共 2 次自评。" in shown(report)
    assert "次数还少，只作参考" in shown(report)
    table = next(one.value for one in report.table if "自评" in one.value.columns)
    assert list(table["自评"]) == ["4 级", "5 级"]
    assert list(table["评分"]) == [f"{level} 级" for level in levels]


def test_a_report_without_a_guess_says_nothing_of_it(
    open_page: OpenPage, answered: Callable[..., Session]
):
    report = open_page("report", session=answered(S01=COMPLETE).id)

    assert "自评" not in shown(report)
