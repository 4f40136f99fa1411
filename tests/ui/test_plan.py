"""The page of study plans."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.adapters.chroma_index import ChromaIndex
from bot.bootstrap import Services
from bot.domain.session import Session
from bot.errors import IndexUnavailableError
from tests.fakes import NOON
from tests.ui.reading import shown
from tests.unit.test_plan import study_plan

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]

POSTING = """\
岗位职责
负责大模型推理服务的 KV 缓存优化，提升 Decode 阶段的吞吐
负责多卡推理的集合通信与张量并行
调优 max_num_seqs 等参数，控制延迟
福利待遇
免费三餐
"""


@pytest.fixture
def planned(open_page: OpenPage) -> AppTest:
    """The page with a plan made from a pasted posting."""
    at = open_page("plan")
    at.text_area(key="plan.text").set_value(POSTING)
    return press(at, "生成计划")


def press(at: AppTest, label: str) -> AppTest:
    """Press the button of that label."""
    return next(one for one in at.button if one.label == label).click().run()


def picked(at: AppTest) -> list[str]:
    """Return the questions of the plan that is shown, in order."""
    return [one.key.removeprefix("remove-") for one in at.button if one.key[:7] == "remove-"]


def test_the_page_says_what_becomes_of_the_text(open_page: OpenPage):
    text = shown(open_page("plan"))

    assert "不发送给模型，也不保存" in text


def test_without_a_text_it_asks_for_one(open_page: OpenPage):
    at = press(open_page("plan"), "生成计划")

    assert [one.value for one in at.warning] == ["请先贴上文字或上传文件。"]
    assert picked(at) == []


def test_a_text_that_says_nothing_gets_a_sentence(open_page: OpenPage):
    at = open_page("plan")
    at.text_area(key="plan.text").set_value("福利待遇\n免费三餐")

    at = press(at, "生成计划")

    assert "没有能用来选题的内容" in at.error[0].value
    assert picked(at) == []


def test_a_posting_becomes_questions_with_reasons(planned: AppTest, services: Services):
    text = shown(planned).replace("\\", "")

    assert not planned.error
    assert picked(planned)
    assert all(services.bank.find(one) for one in picked(planned))
    assert text.count("材料写到") >= len(picked(planned))
    assert "免费三餐" not in text.split("材料写到", 1)[1]


def test_without_an_index_it_goes_by_words_and_says_so(planned: AppTest):
    assert any("只按词选题" in one.value for one in planned.warning)


def test_an_index_that_breaks_after_it_was_ready_leaves_the_words(
    open_page: OpenPage, services: Services, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object) -> None:
        raise IndexUnavailableError("检索索引打不开。")

    monkeypatch.setattr(ChromaIndex, "search", broken)
    monkeypatch.setattr(type(services.index_state), "is_ready", True)
    at = open_page("plan")
    at.text_area(key="plan.text").set_value(POSTING)

    at = press(at, "生成计划")

    assert picked(at)
    assert any("只按词选题" in one.value for one in at.warning)


def test_questions_are_moved_removed_and_added(planned: AppTest):
    first, second, *rest = picked(planned)
    assert planned.button(key=f"up-{first}").disabled

    at = planned.button(key=f"down-{first}").click().run()
    assert picked(at) == [second, first, *rest]

    at = at.button(key=f"remove-{second}").click().run()
    assert picked(at) == [first, *rest]

    at = at.text_input(key="plan.search").set_value("max_num_seqs 吞吐 KV").run()
    (add, *_) = (one for one in at.button if one.label == "加入")
    at = add.click().run()
    assert picked(at) == [first, *rest, add.key.removeprefix("add-")]
    assert "手动加入" in shown(at)


def test_the_interview_asks_exactly_these_questions(planned: AppTest, services: Services):
    first, *_ = picked(planned)
    at = planned.button(key=f"remove-{first}").click().run()
    left = picked(at)

    at = press(at, "用这份计划开始面试")

    session = services.store.load(at.query_params["session"])
    assert list(session.plan.question_ids) == left


def test_nothing_is_stored_unless_asked_and_then_without_the_text(
    planned: AppTest, services: Services
):
    assert services.store.plans.all() == ()

    at = press(planned, "保存")

    (kept,) = services.store.plans.all()
    assert kept.text is None
    assert list(kept.question_ids) == picked(at)
    assert "不含原文" in shown(at)
    assert "已保存" in at.toast[0].value


def test_the_text_is_stored_when_that_is_asked_for_too(planned: AppTest, services: Services):
    planned.checkbox(key="plan.with_text").check()

    press(planned, "保存")

    (kept,) = services.store.plans.all()
    assert kept.text == POSTING


def test_weak_answers_find_their_way_into_the_plan(
    open_page: OpenPage, answered: Callable[..., Session]
):
    answered(S01="不知道")
    at = open_page("plan")
    at.text_area(key="plan.text").set_value(POSTING)

    assert "你上次只答到 0 级" in shown(press(at, "生成计划"))

    at.checkbox(key="plan.weak").uncheck()
    assert "你上次只答到" not in shown(press(at, "生成计划"))


def test_a_stored_plan_can_be_opened_again(open_page: OpenPage, services: Services):
    services.store.plans.save(
        study_plan("S02", "S01", bank_id="small", text="我的 *简历* <b>原文</b>")
    )
    at = open_page("plan")
    assert picked(at) == []

    at = at.button(key="open-p").click().run()

    assert picked(at) == ["S02", "S01"]
    assert [one.value for one in at.text] == ["我的 *简历* <b>原文</b>"]


def test_a_plan_whose_question_is_gone_can_still_be_mended(open_page: OpenPage, services: Services):
    services.store.plans.save(study_plan("S02", "S99", bank_id="small"))
    at = open_page("plan").button(key="open-p").click().run()
    assert "已经没有这道题" in shown(at)

    at = press(at, "用这份计划开始面试")
    assert "'S99'" in at.error[0].value.replace("\\", "")

    at = at.button(key="remove-S99").click().run()
    at = press(at, "用这份计划开始面试")
    assert at.query_params["session"]


def test_a_plan_of_a_bank_that_is_gone_says_so(open_page: OpenPage, services: Services):
    services.store.plans.save(study_plan("Q01", bank_id="gone", made_at=NOON))

    at = open_page("plan").button(key="open-p").click().run()

    assert "题库 'gone' 现在读不了" in at.error[0].value.replace("\\", "")
    assert picked(at) == []


def test_deleting_asks_first(open_page: OpenPage, services: Services):
    services.store.plans.save(study_plan("S01", bank_id="small"))
    at = open_page("plan")

    at.button(key="delete-p").click().run()

    assert any(one.key == "plan.delete.yes" for one in at.button)
    assert services.store.plans.all()
