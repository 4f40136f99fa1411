"""The entrance exam (入门考核): probes that a model must grade sensibly before its grades count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, model_validator

from bot.domain.grade import Grade, Ungraded
from bot.domain.question import Frozen, Identifier, Text

Level = Annotated[int, Field(ge=0, le=5)]


class Expectation(Frozen):
    """What a sensible grade of a probe looks like; both levels are inclusive."""

    lowest: Level = 0
    highest: Level = 5
    overclaim: bool | None = None
    """Whether an overclaim must, or must not, be found; None leaves it open."""


class Probe(Frozen):
    """An answer whose grade is known within limits."""

    id: Identifier
    title: Text
    question_id: Identifier
    answer: Text
    expects: Expectation


class Exam(Frozen):
    """The probes and how many of them must be passed."""

    version: Annotated[int, Field(ge=1)]
    pass_at: Annotated[int, Field(ge=1)]
    must_pass: tuple[Identifier, ...]
    probes: Annotated[tuple[Probe, ...], Field(min_length=10)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        known = {probe.id for probe in self.probes}
        if len(known) != len(self.probes):
            raise ValueError("probes: an id is used more than once")
        unknown = [name for name in self.must_pass if name not in known]
        if unknown:
            raise ValueError(f"must_pass: there is no probe {unknown[0]!r}")
        if self.pass_at > len(self.probes):
            raise ValueError("pass_at: there are fewer probes")
        return self


class ProbeResult(Frozen):
    """How a model graded one probe."""

    id: str
    title: str
    passed: bool
    says: str
    """What the grade was, and what was expected."""


class ExamResult(Frozen):
    """A model's exam; it holds for one endpoint, model, prompt version and exam version."""

    key: str
    at: AwareDatetime
    passed: bool
    results: tuple[ProbeResult, ...]

    @property
    def score(self) -> str:
        """Return `3/12`: how many probes were passed."""
        return f"{sum(one.passed for one in self.results)}/{len(self.results)}"

    @property
    def failures(self) -> tuple[ProbeResult, ...]:
        """Return the probes that were not passed."""
        return tuple(one for one in self.results if not one.passed)


def mark(probe: Probe, outcome: Grade | Ungraded) -> ProbeResult:
    """Say whether the grade of a probe is a sensible one."""
    if isinstance(outcome, Ungraded):
        return ProbeResult(
            id=probe.id, title=probe.title, passed=False, says=f"没有评出来（{outcome.message}）"
        )
    expects = probe.expects
    found = bool(outcome.overclaims)
    in_range = expects.lowest <= outcome.level <= expects.highest
    says = f"评为 {outcome.level} 级，应在 {expects.lowest}–{expects.highest} 级"
    if expects.overclaim is not None and expects.overclaim != found:
        says += "，绝对化断言" + ("没有发现" if expects.overclaim else "误报")
    return ProbeResult(
        id=probe.id,
        title=probe.title,
        passed=in_range and expects.overclaim in (None, found),
        says=says,
    )


def passes(exam: Exam, results: Sequence[ProbeResult]) -> bool:
    """Say whether these results pass the exam."""
    good = {one.id for one in results if one.passed}
    return len(good) >= exam.pass_at and all(name in good for name in exam.must_pass)
