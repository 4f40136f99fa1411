"""Grading: an answer goes to a judge, its claims are checked, and code weighs them."""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain.claims import Claims, Findings, Flag, check
from bot.domain.content import addresses_the_judge, unanswered
from bot.domain.grade import Grade, Provenance, Ungraded, UngradedReason, grade
from bot.domain.rubric import Rubric
from bot.domain.target import Target
from bot.errors import JudgeReplyError, JudgeUnavailableError, NotFoundError
from bot.ports import Clock, Judge, Judgement


class Grader:
    """Grades answers with one judge."""

    def __init__(
        self, *, judge: Judge, rubrics: Mapping[str, Rubric], bank_name: str, clock: Clock
    ) -> None:
        """Take the judge, the rubrics by id, and the bank's name with version."""
        self._judge = judge
        self._rubrics = rubrics
        self._bank_name = bank_name
        self._clock = clock

    def rubric_of(self, target: Target) -> Rubric:
        """Return the rubric that weighs answers to the target. Raises `NotFoundError`."""
        rubric = self._rubrics.get(target.rubric_id)
        if rubric is None:
            raise NotFoundError(
                f"没有评分标准 {target.rubric_id!r}；请检查 rubrics/ 里是否有 {target.rubric_id}.yaml。"
            )
        return rubric

    def grade(self, answer_id: str, target: Target, answer: str) -> Grade | Ungraded:
        """Grade `answer`; a judge that fails leaves it ungraded, never wrong."""
        rubric = self.rubric_of(target)
        begun = self._clock.elapsed()
        flags = unanswered(answer, target.stem)
        try:
            judgement = (
                Judgement(claims=Claims(flags=flags))
                if flags
                else self._judge.judge(target, answer)
            )
        except JudgeUnavailableError as error:
            return _ungraded(answer_id, target, UngradedReason.JUDGE_UNAVAILABLE, error)
        except JudgeReplyError as error:
            return _ungraded(answer_id, target, UngradedReason.REPLY_INVALID, error)
        findings = _flagged(check(judgement.claims, target, answer), answer)
        provenance = Provenance(
            judge=self._judge.kind,
            model=self._judge.model,
            method=judgement.method,
            prompt_version=self._judge.prompt_version,
            rubric=rubric.name,
            bank=self._bank_name,
            tokens=judgement.tokens,
            seconds=round(self._clock.elapsed() - begun, 4),
        )
        return grade(answer_id, target, rubric, findings, provenance)


def _flagged(findings: Findings, answer: str) -> Findings:
    if Flag.INJECTION in findings.flags or not addresses_the_judge(answer):
        return findings
    return findings.model_copy(update={"flags": (*findings.flags, Flag.INJECTION)})


def _ungraded(answer_id: str, target: Target, reason: UngradedReason, error: Exception) -> Ungraded:
    return Ungraded(id=answer_id, question_id=target.id, reason=reason, message=str(error))
