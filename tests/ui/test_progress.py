"""The page of progress."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import Session
from bot.ui.components.trend_charts import COLUMNS
from tests.fakes import NOON
from tests.histories import as_if_by, histories
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]
Answered = Callable[..., Session]

GOOD = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"


def charts(at: AppTest) -> list[str]:
    """Return the specifications of the charts, as they were sent."""
    return [json.dumps(json.loads(one.proto.spec)) for one in at.get("vega_lite_chart")]


def texts(at: AppTest) -> str:
    """Return the specifications with their Chinese words readable."""
    return "\n".join(one.encode().decode("unicode_escape") for one in charts(at))


def test_without_an_answer_the_page_leads_to_the_interview(open_page: OpenPage):
    at = open_page("progress")

    assert "还没有作答" in at.info[0].value
    assert [one.label for one in at.page_link] == ["开始一场面试"]
    assert not at.get("vega_lite_chart")


def test_a_single_answer_is_charted_and_not_enough_for_an_estimate(
    open_page: OpenPage, answered: Answered
):
    answered(S01=GOOD)

    at = open_page("progress")

    assert not at.error
    assert "再有 4 道题得到评分" in at.info[0].value
    assert len(charts(at)) == 3
    assert '"point": {"size": 45' in charts(at)[0]
    assert "最近 28 天里练了 **1** 天" in shown(at)
    assert "答过 **1** / " in shown(at)


def test_a_skipped_question_is_no_practice(
    open_page: OpenPage, begin: Callable[..., Session], services: Services
):
    services.interviews.skip(begin("S01"))

    assert "还没有作答" in open_page("progress").info[0].value


def test_an_answer_without_a_grade_counts_as_practice_alone(
    open_page: OpenPage, begin: Callable[..., Session], services: Services
):
    services.interviews.answer(begin("S01"), "还没有评分的作答")

    at = open_page("progress")

    assert "最近 28 天里练了 **1** 天" in shown(at)
    assert [one.value for one in at.info] == ["还没有评过分的作答。"]


def test_every_condition_is_told_in_words_with_what_to_do(
    open_page: OpenPage, answered: Answered, services: Services
):
    answered(S01="任何模型一定永远更快，没有任何副作用。")

    at = open_page("progress")
    text = shown(at)

    assert "✗ **还不够**：评过分的题还不够" in text
    assert "✗ **还不够**：最近 1 次作答，每次平均" in text
    assert "%" not in at.info[0].value
    assert "不预测真实面试的结果" in text
    assert "离线评分" in text

    (button,) = (one for one in at.button if one.key == "practise-practised")
    at = button.click().run()

    (latest, _) = services.store.summaries()
    session = services.store.load(latest.id)
    assert at.query_params["session"] == session.id
    assert button.label == f"练 {'、'.join(session.plan.question_ids)}"


def test_due_cards_are_a_condition_that_leads_to_the_drill(
    open_page: OpenPage, answered: Answered, services: Services
):
    answered(S01="KV 让历史不必重算。因为每步只为新 token 做投影。")
    services.drills.deck.collect()

    at = open_page("progress")

    assert "张复习卡片到期" in shown(at)
    assert "去复习卡片" in [one.label for one in at.page_link]


def test_grades_of_different_sources_are_shown_one_source_at_a_time(
    open_page: OpenPage, answered: Answered, services: Services
):
    by_model = answered(S01=GOOD, S02="不知道")
    services.store.save(as_if_by(by_model, "qwen3-8b"))
    answered(S01=GOOD, S03="不知道", S02="不知道")

    at = open_page("progress")

    assert [one.label for one in at.selectbox] == ["评分来源"]
    assert [one.split(" · ")[0] for one in at.selectbox[0].options] == [
        "离线评分",
        "qwen3-8b judge-4",
    ]
    assert "3 次作答" in shown(at)
    assert "离线评分 · 不判断事实对错" in shown(at).replace("\\", "")

    at = at.selectbox[0].select_index(1).run()

    assert "模型评分 · qwen3-8b" in shown(at).replace("\\", "")
    assert "2 次作答" in shown(at)


def test_sections_and_topics_are_shown_with_numbers_in_cells(
    open_page: OpenPage, answered: Answered
):
    answered(S01=GOOD, S03="不知道")
    at = open_page("progress")

    assert "A 基础" in texts(at)

    at = at.get("button_group")[-1].set_value("考点").run()

    assert "A 基础" not in texts(at)
    assert at.multiselect[0].value
    assert all(one in texts(at) for one in at.multiselect[0].value)

    at = at.multiselect[0].set_value([]).run()

    assert "没有可以显示的作答" in shown(at)
    assert not at.error


def test_answers_of_a_bank_that_is_gone_are_left_out_and_said_so(
    open_page: OpenPage, answered: Answered, services: Services
):
    session = answered(S01=GOOD)
    gone = session.plan.model_copy(update={"bank_id": "gone"})
    services.store.save(session.model_copy(update={"plan": gone, "id": "other", "revision": 0}))

    at = open_page("progress")

    assert "题库 gone 现在读不了" in shown(at)
    assert "1 次作答" in shown(at)
    assert not at.error


def test_a_long_history_is_shown_by_week_and_its_heat_map_stays_narrow(
    open_page: OpenPage, begin: Callable[..., Session], services: Services
):
    for days in range(0, 140, 5):
        session = services.interviews.answer(begin("S01"), GOOD)
        session = services.interviews.grade_waiting(session)
        asked_at = session.turns[0].asked_at - timedelta(days=days)
        turn = session.turns[0].model_copy(update={"asked_at": asked_at})
        services.store.save(session.model_copy(update={"turns": (turn,)}))

    at = open_page("progress")

    lines, cells, _ = (json.loads(one) for one in charts(at))
    assert len(lines["encoding"]["x"]["scale"]["domain"]) in (20, 21)
    assert len(cells["layer"][0]["encoding"]["x"]["scale"]["domain"]) == COLUMNS
    assert "每周一列" in shown(at)


def test_a_made_up_history_of_the_shipped_bank_is_graded_throughout():
    sessions = list(histories(sessions=3, until=NOON))

    assert [len(one.turns) for one in sessions] == [5, 5, 5]
    assert all(turn.grade is not None for one in sessions for turn in one.turns)
