"""Examining a model before its grades count; the result is kept per model and prompt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from bot.domain.bank import Bank
from bot.domain.exam import Exam, ExamResult, mark, passes
from bot.domain.grade import Ungraded, UngradedReason
from bot.domain.target import target_of
from bot.errors import JudgeUnavailableError
from bot.ports import Clock, JudgeIdentity, Ledger
from bot.services.grading import Grader


def exam_key(endpoint: str, identity: JudgeIdentity, exam: Exam) -> str:
    """Return the key of a result: endpoint, model, prompt version and exam version together."""
    parts = (endpoint, identity.model or "", identity.prompt_version or "", str(exam.version))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def examine(
    exam: Exam,
    *,
    key: str,
    grader: Grader,
    bank: Bank,
    clock: Clock,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ExamResult:
    """Let the grader grade all probes.

    Raises `JudgeUnavailableError` when the endpoint does not answer, which says nothing about the
    model, and `ConfigError` when it refuses to work.
    """
    results = []
    progress(0, len(exam.probes))
    for number, probe in enumerate(exam.probes, start=1):
        target = target_of(bank.find(probe.question_id))
        outcome = grader.grade(f"exam-{probe.id}", target, probe.answer)
        if isinstance(outcome, Ungraded) and outcome.reason is UngradedReason.JUDGE_UNAVAILABLE:
            raise JudgeUnavailableError(outcome.message)
        results.append(mark(probe, outcome))
        progress(number, len(exam.probes))
    return ExamResult(key=key, at=clock.now(), passed=passes(exam, results), results=tuple(results))


class ExamGate:
    """Keeps a model from grading until it has passed."""

    def __init__(self, *, key: str, model: str, results: Ledger, required: bool = True) -> None:
        """Take the key of the model's result and where results are kept."""
        self._key = key
        self._model = model
        self._results = results
        self._required = required

    def closed_because(self) -> str | None:
        """Return why the model may not grade, or None."""
        if not self._required:
            return None
        result = self._results.get(self._key)
        if result is None:
            return f"模型 {self._model} 正在做评分考核，通过之前由离线评分代替。"
        if result.passed:
            return None
        why = "；".join(f"{one.title}：{one.says}" for one in result.failures[:3])
        return f"该模型未通过评分考核（{result.score}），由离线评分代替。{why}。"
