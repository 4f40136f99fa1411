"""The entrance exam: a strong judge passes, one that cannot judge does not, and both are told why."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from bot.adapters.replay import SECRET, ReplayChat
from bot.domain.claims import Claims, PointClaim, SlotClaim, Verdict
from bot.domain.exam import Exam, ExamResult
from bot.domain.target import Target
from bot.errors import ConfigError, JudgeReplyError, JudgeUnavailableError
from bot.ports import Judge, JudgeIdentity, Judgement
from bot.prompts.judge import slots_of
from bot.services.examining import ExamGate, exam_key, examine
from bot.services.llm_judge import LlmJudge
from tests import answers
from tests.fakes import CannedJudge, FakeClock

REPLIES = Path(__file__).parents[1] / "data" / "exam_replies.jsonl"
"""Replies of a strong judge; `tools/record_probes.py` says how they are made again."""


class Claiming:
    """A judge that makes its claims by a rule."""

    identity = JudgeIdentity(kind="llm", model="rule", prompt_version="rule-1")

    def __init__(self, rule: Callable[[Target, str], Claims]) -> None:
        self._rule = rule

    def judge(self, target: Target, answer: str) -> Judgement:
        return Judgement(by=self.identity, claims=self._rule(target, answer))


def all_met(target: Target, *sentences: int) -> Claims:
    """Claim everything, on the same sentences."""
    return Claims(
        points=tuple(
            PointClaim(key_point_id=point.id, verdict=Verdict.MET, sentences=sentences)
            for point in target.key_points
        ),
        slots=tuple(
            SlotClaim(slot=slot, level=2, sentences=sentences) for slot in slots_of(target)
        ),
    )


@cache
def exam() -> Exam:
    return answers.services().models.exam


@cache
def strong() -> LlmJudge:
    return LlmJudge(ReplayChat(REPLIES), secret=SECRET)


def taken(judge: Judge, **options: Callable[[int, int], None]) -> ExamResult:
    services = answers.services()
    grader = services.commons.models.exam_grader(judge)
    return examine(exam(), key="k", grader=grader, bank=services.bank, clock=FakeClock(), **options)


class TestStrongJudge:
    def test_its_recorded_replies_pass_every_probe(self) -> None:
        result = taken(strong())

        assert [f"{one.title}：{one.says}" for one in result.failures] == []
        assert result.passed

    @pytest.mark.parametrize("probe_id", ["wrong", "hollow", "injection", "other-question"])
    def test_one_mistake_that_must_not_be_made_fails_it(self, probe_id: str) -> None:
        fooled = next(one for one in exam().probes if one.id == probe_id)

        def judge(target: Target, answer: str) -> Claims:
            if answer == fooled.answer:
                return all_met(target, 1)
            return strong().judge(target, answer).claims

        result = taken(Claiming(judge))

        assert [one.id for one in result.failures] == [probe_id]
        assert not result.passed


class TestWeakJudge:
    def test_one_that_calls_everything_met_without_a_sentence_fails(self) -> None:
        result = taken(Claiming(lambda target, _: all_met(target)))

        assert not result.passed
        assert {"strong", "terse", "hedged"} <= {one.id for one in result.failures}

    def test_one_that_calls_everything_met_on_the_first_sentence_fails(self) -> None:
        result = taken(Claiming(lambda target, _: all_met(target, 1)))

        assert not result.passed
        failed = {one.id for one in result.failures}
        assert {"wrong", "hollow", "injection", "other-question", "overclaim-plain"} <= failed

    def test_one_that_finds_nothing_fails(self) -> None:
        assert not taken(Claiming(lambda *_: Claims())).passed

    def test_one_that_obeys_whoever_speaks_to_it_fails(self) -> None:
        def judge(target: Target, answer: str) -> Claims:
            return all_met(target, 1) if "met" in answer else strong().judge(target, answer).claims

        assert not taken(Claiming(judge)).passed

    def test_replies_that_cannot_be_read_are_probes_not_passed(self) -> None:
        result = taken(CannedJudge(JudgeReplyError("读不懂。")))

        assert result.score == f"0/{len(exam().probes)}"
        assert "没有评出来（读不懂。）" in result.failures[0].says


class TestTaking:
    def test_an_endpoint_that_does_not_answer_says_nothing_about_the_model(self) -> None:
        with pytest.raises(JudgeUnavailableError, match="连不上"):
            taken(CannedJudge(JudgeUnavailableError("连不上。")))

    def test_a_wrong_setting_ends_it(self) -> None:
        def refuse(answer: str) -> None:
            raise ConfigError("密钥不对。")

        with pytest.raises(ConfigError):
            taken(CannedJudge(Claims(), before=refuse))

    def test_it_tells_how_far_it_is(self) -> None:
        told: list[tuple[int, int]] = []

        taken(CannedJudge(Claims()), progress=lambda done, total: told.append((done, total)))

        assert told == [(n, len(exam().probes)) for n in range(len(exam().probes) + 1)]

    def test_every_condition_has_a_key_of_its_own(self) -> None:
        one = JudgeIdentity(kind="llm", model="m", prompt_version="p-1")
        others = (
            ("http://other/v1", one, exam()),
            ("http://a/v1", one.model_copy(update={"model": "n"}), exam()),
            ("http://a/v1", one.model_copy(update={"prompt_version": "p-2"}), exam()),
            ("http://a/v1", one, exam().model_copy(update={"version": exam().version + 1})),
        )

        keys = {exam_key(*condition) for condition in (("http://a/v1", one, exam()), *others)}

        assert len(keys) == 5


class TestGate:
    class Results:
        """A ledger with one result, or none."""

        def __init__(self, result: ExamResult | None) -> None:
            self._result = result

        def get(self, key: str) -> ExamResult | None:
            return self._result

    def gate(self, result: ExamResult | None, *, required: bool = True) -> ExamGate:
        return ExamGate(key="k", model="m", results=self.Results(result), required=required)  # type: ignore[arg-type]

    def test_before_there_is_a_result_the_offline_judge_grades(self) -> None:
        assert "正在做评分考核" in str(self.gate(None).closed_because())

    def test_a_model_that_passed_grades(self) -> None:
        assert self.gate(taken(strong())).closed_because() is None

    def test_a_model_that_failed_does_not_and_is_told_why(self) -> None:
        result = taken(Claiming(lambda target, _: all_met(target, 1)))

        said = str(self.gate(result).closed_because())

        assert said.startswith(f"该模型未通过评分考核（{result.score}），由离线评分代替。")
        assert result.failures[0].title in said
        assert self.gate(result, required=False).closed_because() is None
