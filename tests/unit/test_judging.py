"""Who grades: the model where it may, the offline judge where it may not, and nobody by accident."""

from __future__ import annotations

import pytest

from bot.domain.claims import Claims, PointClaim, Verdict
from bot.domain.session import Persona
from bot.domain.target import target_of
from bot.errors import ConfigError, JudgeUnavailableError
from bot.services.interviewer import LlmInterviewer
from bot.services.judging import GatedJudge, first_reason
from tests import fakes
from tests.chats import CannedChat
from tests.fakes import CannedJudge, PlainInterviewer

TARGET = target_of(fakes.question())
SAYS = Claims(points=(PointClaim(key_point_id="a", verdict=Verdict.MET, sentences=(1,)),))


class Door:
    """A gate that a test opens and closes."""

    def __init__(self, reason: str | None = None) -> None:
        self.reason = reason

    def closed_because(self) -> str | None:
        return self.reason


def gated(model: CannedJudge, *gates: Door) -> GatedJudge:
    return GatedJudge(model=model, offline=CannedJudge(kind="offline"), gates=gates)


class TestGatedJudge:
    def test_the_model_grades_while_every_gate_is_open(self) -> None:
        assert gated(CannedJudge(SAYS), Door(), Door()).judge(TARGET, "答").claims == SAYS

    def test_one_closed_gate_hands_over_to_the_offline_judge_under_its_own_label(self) -> None:
        judge = gated(CannedJudge(SAYS), Door(), Door("预算用完了。"), Door("没有考过。"))

        assert judge.identity.kind == "offline"
        assert judge.judge(TARGET, "答").by.kind == "offline"
        assert judge.closed_because() == "预算用完了。"

    def test_a_gate_is_looked_at_for_every_answer(self) -> None:
        door = Door("没有考过。")
        judge = gated(CannedJudge(SAYS), door)
        assert judge.identity.kind == "offline"

        door.reason = None

        assert judge.judge(TARGET, "答").by.kind == "llm"

    def test_a_model_that_cannot_be_reached_is_no_reason_to_change_judges(self) -> None:
        judge = gated(CannedJudge(JudgeUnavailableError("连不上。")), Door())

        with pytest.raises(JudgeUnavailableError):
            judge.judge(TARGET, "答")

    def test_a_model_that_could_not_be_loaded_while_an_answer_waited_is_shut_out(self) -> None:
        door = Door()

        def load(answer: str) -> None:
            door.reason = "载入失败。"
            raise ConfigError("载入失败。")

        assert gated(CannedJudge(SAYS, before=load), door).judge(TARGET, "答").by.kind == "offline"

    def test_a_wrong_setting_is_said_and_not_papered_over(self) -> None:
        def refuse(answer: str) -> None:
            raise ConfigError("密钥不对。")

        with pytest.raises(ConfigError):
            gated(CannedJudge(SAYS, before=refuse), Door()).judge(TARGET, "答")

    def test_no_gate_is_no_reason(self) -> None:
        assert first_reason(()) is None


class TestInterviewer:
    def interviewer(self, chat: CannedChat, *gates: Door) -> LlmInterviewer:
        return LlmInterviewer(chat, PlainInterviewer(), gates=gates, secret="s")

    def ask(self, interviewer: LlmInterviewer, heard: list[str]) -> str:
        return interviewer.ask(
            "为什么？", number=1, total=3, persona=Persona.NEUTRAL, hear=heard.append
        )

    def test_words_are_heard_as_they_come(self) -> None:
        heard: list[str] = []

        said = self.ask(self.interviewer(CannedChat(says=("讲讲", "为什么吧。")), Door()), heard)

        assert said == "第 1/3 题：讲讲为什么吧。"
        assert heard == ["第 1/3 题：讲讲", "第 1/3 题：讲讲为什么吧。"]

    def test_behind_a_closed_gate_the_banks_words_are_used_and_nobody_is_asked(self) -> None:
        chat = CannedChat(says=("讲讲",))

        assert self.ask(self.interviewer(chat, Door(), Door("正在载入。")), []) == "1/3 为什么？"
        assert chat.asked == []

    @pytest.mark.parametrize(
        "says",
        [
            pytest.param((), id="nothing"),
            pytest.param((JudgeUnavailableError("连不上。"),), id="not reached"),
            pytest.param(("请讲", JudgeUnavailableError("断了。")), id="broken off"),
            pytest.param(("嗯",) * 300, id="far too much"),
            pytest.param(("你答错了，", "参考答案是 KV。"), id="given away"),
        ],
    )
    def test_words_that_cannot_be_used_give_way_to_the_banks(
        self, says: tuple[str | JudgeUnavailableError, ...]
    ) -> None:
        assert self.ask(self.interviewer(CannedChat(says=says)), []) == "1/3 为什么？"

    def test_a_grade_that_slips_out_is_not_even_heard(self) -> None:
        heard: list[str] = []

        self.ask(self.interviewer(CannedChat(says=("好的。", "参考", "答案是 KV。"))), heard)

        assert not any("参考答案" in said or "KV" in said for said in heard)
