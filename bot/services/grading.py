"""Grading: an answer goes to a judge, its claims are checked, and code weighs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy

from bot.domain.claims import Claims, Findings, Flag, backed, check
from bot.domain.content import addresses_the_judge, unanswered
from bot.domain.grade import Grade, Provenance, Ungraded, UngradedReason, grade
from bot.domain.legible import blanked
from bot.domain.rubric import Rubric
from bot.domain.target import Target
from bot.domain.usage import Usage
from bot.errors import ConfigError, JudgeReplyError, JudgeUnavailableError, NotFoundError
from bot.ports import Clock, Judge, Judgement, Rules

UNSTABLE = 15.0
"""From this spread of the scores (points of 100) on, a grade is called unstable (评分不稳定)."""

UNSURE = 0.8
"""Below this confidence of a single call, too: among verdicts drawn three times by such
likelihoods, three cases in ten or more had that spread (`tests/benchmarks/confidence.py`)."""

Observe = Callable[[Grade | Ungraded, str, float], None]
"""Told of an outcome, of the kind of judge, and of the seconds that it took."""


def _silent(_outcome: Grade | Ungraded, _judge: str, _seconds: float) -> None:
    """Tell nobody."""


class Grader:
    """Grades answers with one judge."""

    def __init__(
        self,
        *,
        judge: Judge,
        rubrics: Mapping[str, Rubric],
        bank_name: str,
        clock: Clock,
        samples: int = 1,
        rules: Rules | None = None,
    ) -> None:
        """Take the judge, the rubrics by id, the bank's name with version, and how often to judge.

        A model's claims are held against the rules.
        """
        self._judge = judge
        self._rubrics = rubrics
        self._bank_name = bank_name
        self._clock = clock
        self._samples = samples
        self._rules = rules
        self._observe: Observe = _silent

    def observed(self, observe: Observe) -> Grader:
        """Return the same grader; `observe` is told of every outcome."""
        other = copy(self)
        other._observe = observe
        return other

    def rubric_of(self, target: Target) -> Rubric:
        """Return the rubric that weighs answers to the target. Raises `NotFoundError`."""
        rubric = self._rubrics.get(target.rubric_id)
        if rubric is None:
            raise NotFoundError(
                f"没有评分标准 {target.rubric_id!r}；请检查 rubrics/ 里是否有 {target.rubric_id}.yaml。"
            )
        return rubric

    def read(self, target: Target, answer: str) -> str:
        """Return what of `answer` is judged; what is left of it stays where it was.

        Before a model, copied sentences of other reference answers are blanked out; the offline
        judge finds nothing in them.
        """
        if self._rules is None or self._judge.identity.kind != "llm":
            return answer
        return blanked(answer, self._rules.foreign(target, answer))

    def grade(self, answer_id: str, target: Target, answer: str) -> Grade | Ungraded:
        """Grade `answer`; a judge that fails leaves it ungraded, never wrong.

        With several samples the grade of the median score counts, and the spread is told.
        """
        begun = self._clock.elapsed()
        outcome = self._graded(answer_id, target, answer)
        self._tell(outcome, begun)
        return outcome

    def _tell(self, outcome: Grade | Ungraded, begun: float) -> None:
        given = outcome.provenance.judge if isinstance(outcome, Grade) else None
        self._observe(outcome, given or self._judge.identity.kind, self._clock.elapsed() - begun)

    def _graded(self, answer_id: str, target: Target, answer: str) -> Grade | Ungraded:
        read = self.read(target, answer)
        outcome = self._judged(answer_id, target, read)
        if read == answer or isinstance(outcome, Ungraded):
            return outcome
        return outcome.model_copy(update={"flags": (*outcome.flags, Flag.FOREIGN)})

    def _judged(self, answer_id: str, target: Target, answer: str) -> Grade | Ungraded:
        flags = unanswered(answer, target.stem)
        if flags:
            nothing = Judgement(by=self._judge.identity, claims=Claims(flags=flags))
            return self._weigh(answer_id, target, answer, nothing, self._clock.elapsed())
        try:
            grades = [self._sample(answer_id, target, answer) for _ in range(self._wanted)]
        except JudgeUnavailableError as error:
            return _ungraded(answer_id, target, UngradedReason.JUDGE_UNAVAILABLE, error)
        except JudgeReplyError as error:
            return _ungraded(answer_id, target, UngradedReason.REPLY_INVALID, error)
        return grades[0] if len(grades) == 1 else median_of(grades)

    def attempt(self, answer_id: str, target: Target, answer: str) -> Grade | Ungraded:
        """Grade as `grade` does; a judge that is set up wrongly leaves the answer ungraded too.

        For whoever answers in an interview: they cannot mend a setting, and shall go on.
        """
        begun = self._clock.elapsed()
        try:
            return self.grade(answer_id, target, answer)
        except ConfigError as error:
            outcome = _ungraded(answer_id, target, UngradedReason.JUDGE_UNAVAILABLE, error)
            self._tell(outcome, begun)
            return outcome

    @property
    def _wanted(self) -> int:
        return self._samples if self._judge.identity.kind == "llm" else 1

    def _sample(self, answer_id: str, target: Target, answer: str) -> Grade:
        begun = self._clock.elapsed()
        return self._weigh(answer_id, target, answer, self._judge.judge(target, answer), begun)

    def _weigh(
        self, answer_id: str, target: Target, answer: str, judgement: Judgement, begun: float
    ) -> Grade:
        rubric = self.rubric_of(target)
        claims, prompt_version = judgement.claims, judgement.by.prompt_version
        if self._rules is not None and judgement.by.kind == "llm":
            quotes = [one.quote for one in claims.overclaims]
            claims = backed(claims, self._rules.find(target, answer, quotes), target, answer)
            prompt_version = f"{prompt_version}+{self._rules.version}"
        findings = _flagged(check(claims, target, answer), answer)
        provenance = Provenance(
            judge=judgement.by.kind,
            model=judgement.by.model,
            method=judgement.method,
            prompt_version=prompt_version,
            rubric=rubric.name,
            based_on=rubric.based_on,
            bank=self._bank_name,
            tokens=judgement.tokens,
            usage=judgement.usage,
            seconds=round(self._clock.elapsed() - begun, 4),
        )
        given = grade(answer_id, target, rubric, findings, provenance)
        if (sure := judgement.confidence) is None:
            return given
        flags = (*given.flags, *((Flag.UNSTABLE,) if sure < UNSURE else ()))
        return given.model_copy(update={"confidence": sure, "flags": flags})


def median_of(grades: Sequence[Grade]) -> Grade:
    """Return the grade of the (lower) median score, with the spread and the cost of all."""
    ordered = sorted(grades, key=lambda one: one.score)
    middle = ordered[(len(ordered) - 1) // 2]
    spread = round(ordered[-1].score - ordered[0].score, 1)
    # Samples that were seen to agree, or not, tell more than how sure one of them was.
    flags: list[Flag] = [one for one in middle.flags if one is not Flag.UNSTABLE]
    if spread >= UNSTABLE:
        flags.append(Flag.UNSTABLE)
    provenance = middle.provenance.model_copy(
        update={
            "tokens": sum(one.provenance.tokens for one in grades),
            "usage": sum((one.provenance.usage for one in grades), Usage()),
            "seconds": round(sum(one.provenance.seconds for one in grades), 4),
        }
    )
    return middle.model_copy(
        update={"spread": spread, "flags": tuple(flags), "provenance": provenance}
    )


def _flagged(findings: Findings, answer: str) -> Findings:
    if Flag.INJECTION in findings.flags or not addresses_the_judge(answer):
        return findings
    return findings.model_copy(update={"flags": (*findings.flags, Flag.INJECTION)})


def _ungraded(answer_id: str, target: Target, reason: UngradedReason, error: Exception) -> Ungraded:
    return Ungraded(id=answer_id, question_id=target.id, reason=reason, message=str(error))
