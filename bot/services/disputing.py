"""Disputes (异议): noted with the grade as it was, answered by grading again under a later bank."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from contextlib import suppress

from bot.domain.dispute import LONGEST_NOTE, Dispute, DisputeAbout, DisputeState
from bot.domain.grade import Grade, Outcome
from bot.domain.session import Session, Turn
from bot.errors import (
    BankError,
    DisputeError,
    NotFoundError,
    SessionConflictError,
    StoreError,
)
from bot.ports import Clock, DisputeStore, SessionStore

MOST_TRIES = 5
"""A running interview may store an answer while another is graded again."""

MOST_EXPORTED = 100_000

GradeTurn = Callable[[str, Turn], Outcome]
"""Grades the stored answer of a turn under the bank of that id as it is now."""


class Disputes:
    """Takes disputes and grades disputed answers again, never twice for one of them.

    All steps raise `StoreError` when the database does not take the change, and `DisputeError`
    when the dispute has moved on elsewhere or does not allow the step.
    """

    def __init__(
        self,
        *,
        disputes: DisputeStore,
        sessions: SessionStore,
        clock: Clock,
        bank_name: Callable[[str], str],
        grade: GradeTurn,
    ) -> None:
        """Connect the stores; `bank_name` gives `mine@2` for `mine`, as the bank is now."""
        self._disputes = disputes
        self._sessions = sessions
        self._clock = clock
        self._bank_name = bank_name
        self._grade = grade

    def about_grade(self, session_id: str, turn_id: str, about: DisputeAbout, note: str) -> Dispute:
        """Note what is wrong about a graded answer or its reference, with the grade as it is.

        Raises `SessionStateError` for a turn without an answer, `DisputeError` without a grade.
        """
        session = self._sessions.load(session_id)
        turn = session.answered(turn_id)
        if turn.grade is None or turn.answer is None:
            raise DisputeError("这次作答还没有评分，不能提出异议；请先评分。")
        return self._add(
            note,
            about=about,
            bank_id=session.plan.bank_id,
            bank=turn.grade.provenance.bank,
            question_id=turn.question_id,
            follow_up_id=turn.follow_up_id,
            session_id=session_id,
            turn_id=turn_id,
            answer=turn.answer.text,
            grade=turn.grade,
        )

    def about_question(self, bank_id: str, question_id: str, note: str) -> Dispute:
        """Note what is wrong about a question or its reference."""
        return self._add(
            note,
            about=DisputeAbout.REFERENCE,
            bank_id=bank_id,
            bank=self._bank_name(bank_id),
            question_id=question_id,
        )

    def of_turn(self, session_id: str, turn_id: str) -> tuple[Dispute, ...]:
        """Return the disputes about a graded answer, newest first."""
        return self._disputes.of_turn(session_id, turn_id)

    def latest(self, limit: int = 200) -> tuple[Dispute, ...]:
        """Return the latest disputes, newest first."""
        return self._disputes.latest(limit)

    def exported(self) -> str:
        """Return all disputes as JSON, for whoever keeps the bank.

        What only the store needs is left out.
        """
        internal = {"revision", "claimed_at"}
        found = self._disputes.latest(MOST_EXPORTED)
        values = [one.model_dump(mode="json", exclude=internal) for one in found]
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"

    def bank_now(self, dispute: Dispute) -> str | None:
        """Return the bank with its version of today, or None when it cannot be read any more."""
        with suppress(BankError, NotFoundError):
            return self._bank_name(dispute.bank_id)
        return None

    def end(self, dispute_id: str, state: DisputeState) -> Dispute:
        """Close or withdraw a dispute."""
        dispute = self._disputes.load(dispute_id)
        return self._disputes.save(dispute.end(state, self._clock.now()))

    def regrade(self, dispute_id: str) -> Dispute:
        """Grade the answer again under the bank as it is now, and keep both grades.

        The former grade stays where the judge gives none. Raises `NotFoundError` when the bank has
        the question no more.
        """
        dispute = self._disputes.load(dispute_id)
        bank_now = self._bank_name(dispute.bank_id)
        claimed = self._disputes.save(dispute.claim(self._clock.now(), bank_now))
        try:
            given = self._graded_again(claimed, bank_now)
        except BaseException:
            with suppress(StoreError, DisputeError):  # the claim runs out anyway
                self._disputes.save(claimed.release())
            raise
        return self._disputes.save(claimed.regraded(given, self._clock.now()))

    def _graded_again(self, dispute: Dispute, bank_now: str) -> Grade:
        turn = self._turn_of(dispute)[1]
        if turn.grade is not None and turn.grade.provenance.bank == bank_now:
            return turn.grade  # another dispute about the same answer was quicker
        outcome = self._grade(dispute.bank_id, turn)
        if not isinstance(outcome, Grade):
            raise DisputeError(f"没有重新评分，原来的评分没有改动：{outcome.message}")
        for _ in range(MOST_TRIES):
            session, _turn = self._turn_of(dispute)
            with suppress(SessionConflictError):
                self._sessions.save(session.record(turn.id, outcome))
                return outcome
        raise DisputeError("这场面试正在别处进行，新的评分没有保存；请稍后再重新评分。")

    def _turn_of(self, dispute: Dispute) -> tuple[Session, Turn]:
        session = self._sessions.load(dispute.session_id or "")
        return session, session.answered(dispute.turn_id or "")

    def _add(self, note: str, **fields: object) -> Dispute:
        said = note.strip()
        if not said:
            raise DisputeError("请写明哪里有问题。")
        if len(said) > LONGEST_NOTE:
            raise DisputeError(
                f"说明有 {len(said)} 个字符，上限是 {LONGEST_NOTE}；请删减后再提交。"
            )
        made = {"id": uuid.uuid4().hex[:12], "note": said, "made_at": self._clock.now()}
        return self._disputes.save(Dispute.model_validate({**made, **fields}))
