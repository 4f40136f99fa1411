"""Drafts of key points on the import page: beside the derived ones, decided one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.bootstrap.models import Models
from bot.domain.question import Question
from bot.errors import JudgeUnavailableError
from bot.ports import Filled
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

TEXT = """问：什么是分页？
答：把显存切成固定大小的块，因此碎片少；代价是多一次查表。

问：什么是抢占？
答：显存不够时把请求移出运行队列，因此别的请求能继续；代价是之后要重算。
"""
POINTS = {
    "分页": [
        {"says": "把显存切成块", "slot": "conclusion", "weight": 3, "concepts": [["固定大小的块"]]},
        {"says": "代价是*查表*", "slot": "premise_cost", "weight": 2, "concepts": [["查表"]]},
    ],
    "抢占": [
        {"says": "移出运行队列", "slot": "conclusion", "weight": 3, "concepts": [["移出"]]},
        {"says": "代价是重算", "slot": "premise_cost", "weight": 2, "concepts": [["重算"]]},
    ],
}


class SameText:
    """Finds nothing alike; the real embedding takes seconds."""

    def pairs(self, texts, others, at_least, progress):
        progress(1, 1)
        return ()


class DraftingChat:
    """Drafts what fits the question, and may stop answering."""

    name = "drafter"

    def __init__(self) -> None:
        self.left = 99

    def fill(self, form, messages, *, max_tokens, weighed=False):
        if not self.left:
            raise JudgeUnavailableError("连不上模型；请稍后重试。")
        self.left -= 1
        topic = next(one for one in POINTS if one in messages[1].text)
        return Filled(value={"points": POINTS[topic]}, method="json_schema")


@pytest.fixture
def chat(product: Path, monkeypatch: pytest.MonkeyPatch) -> DraftingChat:
    chat = DraftingChat()
    monkeypatch.setenv("BOT_MODEL", "drafter")
    monkeypatch.setattr(Models, "chat", chat)
    return chat


@pytest.fixture
def bank(services: Services, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bank of the user's own with two questions, their key points made by code."""
    monkeypatch.setattr(services.imports, "_likeness", SameText())
    services.imports.accept(services.imports.preview("a.txt", TEXT.encode()), "mine")
    return "mine"


def questions(services: Services) -> tuple[Question, ...]:
    services.forget_bank("mine")
    return services.banks.load("mine").questions


def accepted(question: Question) -> list[str]:
    return [point.says for point in question.key_points if not point.generated]


def drafted(open_page: Callable[..., AppTest]) -> AppTest:
    return open_page("importing").button(key="draft-mine").click().run()


def press(at: AppTest, label: str, number: int = 0) -> AppTest:
    return [one for one in at.button if one.label == label][number].click().run()


def test_without_a_model_the_page_says_what_one_would_do(
    open_page: Callable[..., AppTest], bank: str
):
    at = open_page("importing")

    assert "2 道题的采分点是由答案自动生成的" in shown(at)
    assert not any(one.key == "draft-mine" for one in at.button)


def test_drafts_stand_beside_the_derived_points_and_nothing_is_written(
    chat: DraftingChat, open_page: Callable[..., AppTest], bank: str, services: Services
):
    at = drafted(open_page)

    said = shown(at)
    assert not at.exception
    assert "草稿 2 道题、4 个采分点" in said
    assert "自动生成的" in said
    assert "代价是\\*查表\\*（前提/代价，权重 2）" in said
    assert services.banks.load("mine").version == 1


def test_ticked_points_of_one_question_are_stored_and_the_others_wait(
    chat: DraftingChat, open_page: Callable[..., AppTest], bank: str, services: Services
):
    at = drafted(open_page)
    at.checkbox(key="points-mine-Q01-d2-take").uncheck()
    at.text_input(key="points-mine-Q01-d1-says").set_value("显存切块")

    at = press(at, "采纳勾选的")

    assert not at.exception
    first, second = questions(services)
    assert accepted(first) == ["显存切块"]
    assert accepted(second) == []
    assert "草稿 1 道题" in shown(at)


def test_all_drafts_are_stored_in_one_version(
    chat: DraftingChat, open_page: Callable[..., AppTest], bank: str, services: Services
):
    at = press(drafted(open_page), "全部采纳")

    assert not at.exception
    assert [len(accepted(one)) for one in questions(services)] == [2, 2]
    assert services.banks.load("mine").version == 2
    assert "草稿" not in shown(at)


def test_rejected_drafts_are_gone_and_the_bank_stays(
    chat: DraftingChat, open_page: Callable[..., AppTest], bank: str, services: Services
):
    at = press(drafted(open_page), "都不要")

    assert "草稿 1 道题" in shown(at)
    assert services.banks.load("mine").version == 1


def test_when_the_model_stops_answering_earlier_drafts_are_kept(
    chat: DraftingChat, open_page: Callable[..., AppTest], bank: str
):
    chat.left = 1

    at = drafted(open_page)

    assert "连不上模型" in at.error[0].value
    assert "草稿 1 道题" in shown(at)
    chat.left = 99
    assert "草稿 2 道题" in shown(at.button(key="draft-mine").click().run())


def test_an_edit_that_the_reference_does_not_earn_is_one_sentence_and_can_be_mended(
    chat: DraftingChat, open_page: Callable[..., AppTest], bank: str, services: Services
):
    at = drafted(open_page)
    at.text_area(key="points-mine-Q01-d1-concepts").set_value("网卡")

    at = press(at, "采纳勾选的")

    assert "没有在参考答案里同时命中" in at.error[0].value
    assert services.banks.load("mine").version == 1
    assert at.text_area(key="points-mine-Q01-d1-concepts").value == "网卡"
