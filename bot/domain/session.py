"""A session (面试场次): its plan, and its turns from the first question to the end; immutable."""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field

from bot.domain.grade import BetterAnswer, Grade, Outcome
from bot.domain.question import Frozen
from bot.domain.speech import Speech
from bot.errors import SessionStateError

LONGEST_ANSWER = 20_000
"""Characters; far beyond what anybody says in 90 seconds."""


class FeedbackMode(StrEnum):
    """When the candidate sees the grades."""

    AFTER_EACH = "after_each"
    AT_END = "at_end"


class Persona(StrEnum):
    """The interviewer's tone (风格); it never touches the grade."""

    GENTLE = "gentle"
    NEUTRAL = "neutral"
    PRESSING = "pressing"


class AgainOf(Frozen):
    """The earlier answer whose question is answered again (再答)."""

    session_id: str
    turn_id: str


class SessionPlan(Frozen):
    """What was chosen before the session began."""

    bank_id: str
    question_ids: Annotated[tuple[str, ...], Field(min_length=1)]
    mode: FeedbackMode = FeedbackMode.AFTER_EACH
    follow_ups: Annotated[int, Field(ge=0, le=3)] = 1
    """How many follow-ups a question may get."""
    persona: Persona = Persona.NEUTRAL
    self_score: bool = False
    """Whether the candidate guesses the level of each main answer before seeing it (自评)."""
    again: AgainOf | None = None
    """The earlier answer to compare with."""


class AnswerKind(StrEnum):
    """How a turn was closed."""

    ANSWERED = "answered"
    DONT_KNOW = "dont_know"
    SKIPPED = "skipped"


class Answer(Frozen):
    """What the candidate said in one turn, unchanged (作答)."""

    kind: AnswerKind = AnswerKind.ANSWERED
    text: str = ""
    at: AwareDatetime
    seconds: Annotated[float, Field(ge=0)]
    """From the moment the question was asked, or the candidate came back to it."""
    speech: Speech | None = None
    """Of a spoken answer: the engine's own words and the figures of the clip."""


_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def _storable(says: str) -> str:
    """Replace what no database can hold as text, and a model's JSON may well contain."""
    return _UNSTORABLE.sub("\ufffd", says)


class Turn(Frozen):
    """One question or follow-up with its answer and outcome (轮次)."""

    id: str
    question_id: str
    follow_up_id: str | None = None
    says: Annotated[str, AfterValidator(_storable)]
    """The interviewer's words."""
    asked_at: AwareDatetime
    """When it was asked, or the candidate came back to it."""
    answer: Answer | None = None
    outcome: Outcome | None = None
    better: BetterAnswer | None = None
    guess: Annotated[int, Field(ge=0, le=5)] | None = None
    """The level that the candidate expected."""

    @property
    def target_id(self) -> str:
        """Return `Q01` or `Q01.f1`, as grades name what they grade."""
        if self.follow_up_id is None:
            return self.question_id
        return f"{self.question_id}.{self.follow_up_id}"

    @property
    def needs_grade(self) -> bool:
        """Say whether an answer waits for its outcome."""
        return (
            self.answer is not None
            and self.answer.kind is not AnswerKind.SKIPPED
            and self.outcome is None
        )

    @property
    def grade(self) -> Grade | None:
        """Return the grade, if there is one."""
        return self.outcome if isinstance(self.outcome, Grade) else None


class Session(Frozen):
    """Turns in order; each step returns a new session.

    `revision` counts the stored changes; a store refuses to overwrite a later one.
    """

    id: str
    plan: SessionPlan
    begun_at: AwareDatetime
    finished_at: AwareDatetime | None = None
    turns: tuple[Turn, ...] = ()
    revision: int = 0

    @property
    def is_finished(self) -> bool:
        """Say whether the session was ended."""
        return self.finished_at is not None

    @property
    def current(self) -> Turn | None:
        """Return the turn that waits for an answer, if any."""
        if self.is_finished or not self.turns or self.turns[-1].answer is not None:
            return None
        return self.turns[-1]

    @property
    def to_guess(self) -> Turn | None:
        """Return the main answer whose level the candidate may guess now, if any.

        It is the last thing that happened: whoever goes on without a guess has declined.
        """
        if not self.plan.self_score or self.is_finished or not self.turns:
            return None
        last = self.turns[-1]
        is_open = last.answer is not None and last.answer.kind is AnswerKind.ANSWERED
        return last if is_open and last.follow_up_id is None and last.guess is None else None

    @property
    def waiting(self) -> tuple[Turn, ...]:
        """Return the turns whose answers wait for a grade."""
        return tuple(turn for turn in self.turns if turn.needs_grade)

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the ids of the questions asked so far, in order."""
        return tuple(turn.question_id for turn in self.turns if turn.follow_up_id is None)

    @property
    def next_question_id(self) -> str | None:
        """Return the next question of the plan, or None when all were asked."""
        left = self.plan.question_ids[len(self.asked) :]
        return left[0] if left else None

    def follow_ups_of(self, question_id: str) -> tuple[Turn, ...]:
        """Return the follow-up turns of a question."""
        return tuple(
            turn
            for turn in self.turns
            if turn.question_id == question_id and turn.follow_up_id is not None
        )

    def answered(self, turn_id: str) -> Turn:
        """Return a turn that can be graded; raises `SessionStateError` for any other."""
        turn = next((turn for turn in self.turns if turn.id == turn_id), None)
        if turn is None or turn.answer is None:
            raise SessionStateError(f"轮次 {turn_id!r} 还没有作答，不能记录评分。")
        if turn.answer.kind is AnswerKind.SKIPPED:
            raise SessionStateError(f"轮次 {turn_id!r} 被跳过了，不能记录评分。")
        return turn

    def ask(
        self, *, question_id: str, says: str, now: datetime, follow_up_id: str | None = None
    ) -> Session:
        """Add a turn that waits for an answer."""
        if self.is_finished:
            raise SessionStateError("这场面试已经结束，不能再提问；请开始新的面试。")
        if self.current is not None:
            raise SessionStateError("上一个问题还没有作答；请先作答或跳过。")
        turn = Turn(
            id=f"{self.id}-{len(self.turns) + 1}",
            question_id=question_id,
            follow_up_id=follow_up_id,
            says=says,
            asked_at=now,
        )
        return self.model_copy(update={"turns": (*self.turns, turn)})

    def resumed(self, now: datetime) -> Session:
        """Begin the clock of the open question anew: the time away is no time to answer."""
        turn = self.current
        return self if turn is None else self._with(turn.model_copy(update={"asked_at": now}))

    def answer(
        self,
        text: str,
        *,
        now: datetime,
        kind: AnswerKind = AnswerKind.ANSWERED,
        speech: Speech | None = None,
    ) -> Session:
        """Close the current turn with the candidate's words."""
        turn = self.current
        if turn is None:
            raise SessionStateError("现在没有等待作答的问题；请刷新页面查看最新进度。")
        if len(text) > LONGEST_ANSWER:
            raise SessionStateError(
                f"作答有 {len(text)} 个字符，上限是 {LONGEST_ANSWER}；请删减后再提交。"
            )
        seconds = max(0.0, (now - turn.asked_at).total_seconds())
        answered = turn.model_copy(
            update={"answer": Answer(kind=kind, text=text, at=now, seconds=seconds, speech=speech)}
        )
        return self._with(answered)

    def record(self, turn_id: str, outcome: Grade | Outcome) -> Session:
        """Store the outcome of an answered turn; an earlier outcome is replaced."""
        turn = self.answered(turn_id)
        return self._with(turn.model_copy(update={"outcome": outcome}))

    def guess(self, turn_id: str, level: int) -> Session:
        """Keep the level that the candidate expects, told before the grade is seen."""
        turn = self.to_guess
        if turn is None or turn.id != turn_id:
            raise SessionStateError("这次作答已经不能自评；请刷新页面查看最新进度。")
        return self._with(turn.model_copy(update={"guess": level}))

    def improve(self, turn_id: str, better: BetterAnswer) -> Session:
        """Keep the better answer of a graded turn."""
        turn = next((turn for turn in self.turns if turn.id == turn_id), None)
        if turn is None or turn.grade is None:
            raise SessionStateError(f"轮次 {turn_id!r} 还没有评分，不能改写。")
        return self._with(turn.model_copy(update={"better": better}))

    def finish(self, now: datetime) -> Session:
        """End the session; a question that was not answered goes without a trace of an answer."""
        if self.is_finished:
            return self
        turns = tuple(turn for turn in self.turns if turn.answer is not None)
        return self.model_copy(update={"finished_at": now, "turns": turns})

    def _with(self, changed: Turn) -> Session:
        turns = tuple(changed if turn.id == changed.id else turn for turn in self.turns)
        return self.model_copy(update={"turns": turns})


def session_id_of(turn_id: str) -> str:
    """Return the id of the session that a turn belongs to: `ask` makes the one from the other."""
    return turn_id.rpartition("-")[0]


class SessionSummary(Frozen):
    """One line of the list of past sessions."""

    id: str
    bank_id: str
    begun_at: AwareDatetime
    finished_at: AwareDatetime | None
    questions: int
    """How many questions the plan has."""
    answered: int
    """How many turns were answered, follow-ups included."""
    mean_score: float | None
    """Of the graded main answers, 0–100; None when there is none."""
    judge: str | None
    """The kind of judge, `mixed` when there was more than one, None without a grade."""


def begin(session_id: str, plan: SessionPlan, now: datetime) -> Session:
    """Return a new session without turns."""
    return Session(id=session_id, plan=plan, begun_at=now)
