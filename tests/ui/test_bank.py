"""The bank page: the whole bank, and the search in it."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bot.adapters.sql_disputes import SqlDisputes
from bot.adapters.sql_records import SqlRecords
from bot.bootstrap import Services
from bot.domain.dispute import DisputeAbout, DisputeState
from bot.domain.question import Difficulty, Kind, Slot
from bot.domain.question_edit import edit_of
from bot.domain.record import RecordState
from bot.domain.session import Session
from bot.errors import StoreError
from bot.services.editing import Saved
from tests.conftest import SMALL_BANK
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]

build_index = Services.build_index
"""As the product has it; the fixtures switch it off."""


def search(at: AppTest, text: str) -> AppTest:
    return at.text_input(key="bank.search").set_value(text).run()


def found(at: AppTest) -> list[str]:
    """Return the ids of the questions in the list."""
    keys = [one.key or "" for one in at.button]
    return [key.removeprefix("open-") for key in keys if key.startswith("open-")]


def join_index() -> None:
    """Wait until every index is built."""
    for thread in threading.enumerate():
        if thread.name == "index":
            thread.join()


@pytest.fixture
def index(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the index, and wait for it."""
    monkeypatch.setattr(Services, "build_index", build_index)
    services.build_index()
    join_index()
    assert services.index_state.is_ready, services.index_state.says


def test_families_of_calculation_tasks_are_counted_as_such(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
):
    for name in SMALL_BANK:
        monkeypatch.delenv(name)
    st.cache_resource.clear()

    assert "68 道题，其中 8 类是计算题" in shown(open_page("bank"))


def test_the_whole_bank_is_shown_by_section(open_page: OpenPage):
    at = open_page("bank")

    assert [one.value for one in at.subheader] == ["A 基础", "B 部署"]
    assert found(at) == ["S01", "S02", "S03"]
    text = shown(at)
    assert "为什么 KV 缓存能让 Decode 变快？" in text
    assert "3 道题" in text
    assert "答过 " not in text
    assert "我的异议" not in text
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


FILTERS = {
    "章节": "sections",
    "难度": "difficulties",
    "题型": "kinds",
    "有这个槽位的采分点": "slots",
    "我的记录": "records",
    "考点": "topics",
}


def choose(at: AppTest, label: str, *values: object) -> AppTest:
    """Set one of the filters of the small bank."""
    chooser = at.multiselect if label == "考点" else at.pills
    return chooser(key=f"bank.filter.small.{FILTERS[label]}").set_value(list(values)).run()


@pytest.mark.parametrize(
    ("label", "value", "ids"),
    [
        pytest.param("章节", "B", ["S03"], id="section"),
        pytest.param("考点", "scheduler", ["S02"], id="topic"),
        pytest.param("难度", Difficulty.EASY, ["S01"], id="difficulty"),
        pytest.param("题型", Kind.EXPLAIN, ["S01", "S02", "S03"], id="kind"),
        pytest.param("有这个槽位的采分点", Slot.REASON, ["S01", "S02", "S03"], id="slot"),
        pytest.param("我的记录", RecordState.NEW, ["S02", "S03"], id="not answered"),
        pytest.param("我的记录", RecordState.OVERCLAIMED, ["S01"], id="overclaimed"),
    ],
)
def test_a_filter_shows_what_fits(
    label: str,
    value: object,
    ids: list[str],
    open_page: OpenPage,
    answered: Callable[..., Session],
):
    answered(S01="KV 缓存让历史不必重算，任何模型都一定能更快。")

    at = choose(open_page("bank"), label, value)

    assert found(at) == ids
    assert not at.error


def test_filters_and_search_work_together_and_are_cleared_together(open_page: OpenPage):
    at = search(choose(open_page("bank"), "难度", Difficulty.EASY, Difficulty.MEDIUM), "通信 显存")

    assert set(found(at)) == {"S01", "S02"}
    assert "3 道题里有 2 道符合筛选" in shown(at)

    at = choose(at, "章节", "B")
    assert found(at) == []
    assert "放宽筛选" in at.info[0].value

    at = at.button(key="bank.clear").click().run()
    assert found(at) == ["S01", "S02", "S03"]
    assert at.text_input(key="bank.search").value == ""


def test_filters_that_nothing_fits_say_so(open_page: OpenPage):
    at = choose(choose(open_page("bank"), "难度", Difficulty.HARD), "章节", "A")

    assert found(at) == []
    assert [one.value for one in at.info] == ["没有符合条件的题目；请放宽或清除筛选。"]


def test_filters_and_search_survive_a_visit_to_a_question_and_to_another_page(open_page: OpenPage):
    at = search(choose(open_page("bank"), "难度", Difficulty.EASY), "显存")

    at = at.button(key="open-S01").click().run()
    assert found(at) == []
    at = at.button(key="question.leave").click().run()
    assert found(at) == ["S01"]
    at = at.switch_page("bot/ui/pages/sessions.py").run()
    at = at.switch_page("bot/ui/pages/bank.py").run()

    assert found(at) == ["S01"]
    assert at.pills(key="bank.filter.small.difficulties").value == [Difficulty.EASY]
    assert at.text_input(key="bank.search").value == "显存"


def test_the_list_tells_how_a_question_went(open_page: OpenPage, answered: Callable[..., Session]):
    answered(S01="KV 缓存让历史不必重算。")
    answered(S01="不知道")

    text = shown(open_page("bank"))

    assert "**答过 2 次：最近 0 级，最好 " in text


def test_a_bank_can_be_read_while_the_database_cannot(
    open_page: OpenPage, services: Services, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object) -> None:
        raise StoreError("数据库打不开。")

    monkeypatch.setattr(SqlRecords, "of_bank", fail)
    monkeypatch.setattr(SqlDisputes, "latest", fail)

    at = open_page("bank")

    assert found(at) == ["S01", "S02", "S03"]
    assert "读不出作答记录：数据库打不开。" in at.warning[0].value
    assert not at.exception


def test_a_question_is_shown_with_all_that_belongs_to_it(
    open_page: OpenPage, answered: Callable[..., Session]
):
    answered(S01="KV 缓存让历史不必重算。")

    at = open_page("bank", question="S01")

    text = shown(at)
    assert at.subheader[0].value.startswith("S01　为什么 KV 缓存能让 Decode 变快？")
    assert "KV 缓存让历史 token 的键和值不必重算。" in text
    assert "历史键值不必重算（结论，权重 3，核心）" in text
    assert "基础 · 解释 · " in text
    probe = next(one for one in at.expander if "瓶颈会移到哪里" in one.label)
    assert "会移到读取历史键值的带宽上" in probe.markdown[0].value
    said = next(one for one in at.expander if one.label == "离线评分认得的说法")
    assert said.code[1].value == "只为新 token / 只算新 token"
    assert "常见误区（2）" in text
    assert " 级 · " in text
    assert " 分 · 离线评分" in text
    assert not at.error


def test_a_question_that_is_not_there_leads_back_to_the_bank(open_page: OpenPage):
    at = open_page("bank", question="S99")

    assert "没有题目 'S99'" in at.warning[0].value
    assert found(at) == ["S01", "S02", "S03"]
    assert "question" not in at.query_params


def test_a_bank_that_is_not_there_leads_back_to_the_shipped_one(open_page: OpenPage):
    at = open_page("bank", bank="gone", question="S01")

    assert "没有题库 'gone'" in at.warning[0].value
    assert "题库：测试题库" in shown(at)


def test_practising_begins_an_interview_with_this_question_alone(
    open_page: OpenPage, services: Services
):
    at = open_page("bank", question="S02").button(key="question.practise").click().run()

    session = services.store.load(at.query_params["session"])
    assert session.plan.question_ids == ("S02",)
    assert at.chat_input
    assert not at.exception


def test_a_shipped_question_cannot_be_edited_but_copied(open_page: OpenPage):
    keys = [one.key for one in open_page("bank", question="S01").button]

    assert "question.copy" in keys
    assert "question.edit" not in keys


class TestOwnBank:
    @pytest.fixture(autouse=True)
    def mine(self, services: Services) -> None:
        shipped = services.bank
        for question_id in ("S01", "S03"):
            section = shipped.section_of(question_id)
            services.editing.copy(shipped.find(question_id), section, shipped, "mine")

    def edit(self, open_page: OpenPage, question_id: str = "S01") -> AppTest:
        at = open_page("bank", bank="mine", question=question_id)
        return at.button(key="question.edit").click().run()

    def typed(self, at: AppTest, label: str, number: int = 0) -> Any:
        return [one for one in at.text_area if one.label == label][number]

    def press(self, at: AppTest, label: str) -> AppTest:
        return next(one for one in at.button if one.label == label).click().run()

    def test_it_is_chosen_and_stays_chosen_on_other_pages(self, open_page: OpenPage):
        at = open_page("bank")

        at = at.selectbox(key="bank.choice").set_value("mine").run()
        assert found(at) == ["S01", "S03"]
        assert at.query_params["bank"] == "mine"
        at = at.switch_page("bot/ui/pages/interview.py").run()

        assert at.selectbox(key="setup.bank").value == "mine"

    def test_what_is_typed_becomes_a_new_version_that_can_be_taken_back(
        self, open_page: OpenPage, services: Services
    ):
        at = self.edit(open_page)
        self.typed(at, "参考答案：原因").set_value("因为每一步只为新 token 做投影。")
        self.typed(at, "概念组", 1).set_value("只为新 token / 只算新 token / 只做新的")

        at = self.press(at, "保存")

        assert not at.error
        question = services.banks.load("mine").find("S01")
        assert services.banks.load("mine").name == "mine@3"
        assert question.reference.reason == "因为每一步只为新 token 做投影。"
        assert question.key_points[1].concepts == (("只为新 token", "只算新 token", "只做新的"),)
        assert "因为每一步只为新 token 做投影。" in shown(at)
        assert "question.undo" in [one.key for one in at.button]

    def test_nothing_typed_is_lost_when_something_is_wrong(
        self, open_page: OpenPage, services: Services
    ):
        at = self.edit(open_page)
        self.typed(at, "参考答案：结论").set_value("")
        self.typed(at, "概念组").set_value("(不必重算")

        at = self.press(at, "保存")

        assert [one.value for one in at.error] == ["参考答案的“结论”不能为空。"]
        self.typed(at, "参考答案：结论").set_value("KV 缓存让历史不必重算。")
        at = self.press(at, "保存")
        assert "括号不成对" in at.error[0].value
        assert self.typed(at, "参考答案：结论").value == "KV 缓存让历史不必重算。"
        assert self.typed(at, "概念组").value == "(不必重算"
        assert services.banks.load("mine").version == 2

    def test_remarks_of_the_check_are_seen_before_an_edit_is_stored_all_the_same(
        self, open_page: OpenPage, services: Services
    ):
        at = self.edit(open_page)
        self.typed(at, "概念组", 1).set_value("完全没说过的话")

        at = self.press(at, "保存")

        assert "自己的参考答案没有命中这个采分点" in at.warning[0].value
        assert services.banks.load("mine").version == 2
        at = self.press(at, "仍然保存")
        assert services.banks.load("mine").version == 3
        assert not at.exception

    def test_key_points_are_added_and_removed(self, open_page: OpenPage, services: Services):
        at = self.press(self.edit(open_page), "加一个采分点")
        self.typed(at, "采分点 4：说什么").set_value("长上下文时读取会成为瓶颈")
        self.typed(at, "概念组", 3).set_value("瓶颈")
        [one for one in at.selectbox if one.label == "槽位"][3].set_value(Slot.PREMISE_COST)
        [one for one in at.checkbox if one.label == "删去"][2].check()

        at = self.press(at, "保存")

        assert not at.error
        points = services.banks.load("mine").find("S01").key_points
        assert [one.id for one in points] == ["a", "b", "v3-4"]
        assert points[2].slot is Slot.PREMISE_COST

    def test_giving_up_changes_nothing(self, open_page: OpenPage, services: Services):
        at = self.edit(open_page)
        self.typed(at, "参考答案：结论").set_value("别的。")

        at = self.press(at, "放弃")

        assert "question.edit" in [one.key for one in at.button]
        assert services.banks.load("mine").version == 2

    def test_a_disputed_grade_is_made_again_under_the_corrected_bank(
        self, open_page: OpenPage, services: Services
    ):
        mine = services.for_bank("mine")
        session = mine.interviews.begin_with(("S01",), follow_ups=0)
        answer = "历史的键和值存下来就好，不必再算；只处理新来的 token；代价是显存占用越长越大。"
        session = mine.interviews.grade_waiting(mine.interviews.answer(session, answer))
        turn = session.turns[0]
        dispute = services.disputes.about_grade(
            session.id, turn.id, DisputeAbout.GRADE, "“不必再算”应当算 *说到*。"
        )
        at = open_page("bank")
        assert "我的异议（1 条待处理）" in shown(at)
        assert f"regrade-dispute-{dispute.id}" not in [one.key for one in at.button]

        at = self.edit(open_page)
        self.typed(at, "概念组").set_value("不必重算 / 不用重算 / 免去重算 / 不必再算")
        self.press(at, "保存")
        at = open_page("report", session=session.id)
        assert "这条评分按题库 mine@2 作出，现在是 mine@3" in shown(at)
        assert "“不必再算”应当算 \\*说到\\*。" in shown(at)
        at = at.button(key=f"regrade-dispute-{dispute.id}").click().run()

        assert not at.error
        assert not at.exception
        before, after = turn.grade, services.store.load(session.id).turns[0].grade
        assert before is not None
        assert after is not None
        assert after.score > before.score
        assert after.provenance.bank == "mine@3"
        assert [one.label for one in at.metric if "mine@" in one.label] == [
            "之前（mine@2）",
            "之后（mine@3）",
        ]
        assert "两次评分用的题库版本不同" in shown(at)
        assert "已重新评分" in shown(open_page("bank", bank="mine", question="S01"))

    def test_related_questions_are_those_of_the_same_bank(
        self, open_page: OpenPage, services: Services, index: None
    ):
        mine = services.for_bank("mine")
        mine.build_index()
        join_index()
        session = mine.interviews.begin_with(("S01",), follow_ups=0)
        answer = mine.interviews.answer(session, "历史不必重算；显存放不下时会触发抢占。")
        mine.interviews.grade_waiting(answer)

        at = open_page("report", session=session.id)
        at.session_state[f"reference-box-{session.id}-1"] = True
        at.run()

        assert not at.error
        assert "- **S03**" in shown(at)

    def test_a_key_point_that_is_gone_is_told_on_the_card(
        self, open_page: OpenPage, services: Services
    ):
        mine = services.for_bank("mine")
        session = mine.interviews.begin_with(("S03",), follow_ups=0)
        session = mine.interviews.grade_waiting(mine.interviews.answer(session, "不一定减半。"))
        mine.interviews.finish(session)
        question = services.banks.load("mine").find("S03")
        edit = edit_of(question)
        points = (edit.points[0].model_copy(update={"slot": Slot.REASON}), edit.points[1])
        done = services.editing.save(
            "mine", question, edit.model_copy(update={"points": points}), despite_remarks=True
        )
        assert isinstance(done, Saved)

        at = open_page("report", session=session.id)

        assert "采分点 S03.c，题库里已经没有它" in shown(at)
        assert not at.error


def test_a_dispute_is_withdrawn_from_the_list(
    open_page: OpenPage, services: Services, answered: Callable[..., Session]
):
    session = answered(S01="KV 缓存让历史不必重算。")
    turn_id = session.turns[0].id
    dispute = services.disputes.about_grade(session.id, turn_id, DisputeAbout.REFERENCE, "错。")

    at = open_page("bank").button(key=f"withdrawn-dispute-{dispute.id}").click().run()

    assert "已撤回" in shown(at)
    assert "我的异议（0 条待处理）" in shown(at)
    assert services.disputes.latest()[0].state is DisputeState.WITHDRAWN


def test_related_questions_stand_beside_the_reference_once_the_index_is_there(
    open_page: OpenPage, index: None, answered: Callable[..., object]
):
    session = answered(S01="KV 让历史不必重算，但显存占用随上下文增长。")

    at = open_page("interview", session=session.id)
    assert "- **S02**" not in shown(at)  # nobody has opened the box

    at.session_state[f"reference-box-{session.id}-1"] = True
    text = shown(at.run())

    assert "- **S02**" in text
    assert "- **S01**" not in text
    assert "正在后台建立" not in text
