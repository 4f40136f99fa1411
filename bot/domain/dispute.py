"""A dispute (异议): somebody holds a grade or a reference to be wrong, and says why; immutable."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, StringConstraints

from bot.domain.grade import Grade
from bot.domain.question import Frozen
from bot.errors import DisputeError

LONGEST_NOTE = 2_000
"""Characters."""

CLAIM_LASTS = timedelta(minutes=10)
"""Whoever grades again is left alone for so long; then it is taken for dead, and others may."""


class DisputeAbout(StrEnum):
    """What is held to be wrong."""

    GRADE = "grade"
    REFERENCE = "reference"


class DisputeState(StrEnum):
    """What became of a dispute."""

    OPEN = "open"
    REGRADED = "regraded"
    """The bank was changed, and the answer was graded again."""
    CLOSED = "closed"
    """Settled in some other way."""
    WITHDRAWN = "withdrawn"


class Dispute(Frozen):
    """A note about one question, and where it began at a grade, the answer and the grade as it was.

    `revision` counts the stored changes; a store refuses to overwrite a later one.
    """

    id: str
    about: DisputeAbout
    note: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NOTE)
    ]
    bank_id: str
    bank: str
    """The bank with the version that is disputed, such as `mine@1`: that of the grade."""
    question_id: str
    follow_up_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    answer: str = ""
    grade: Grade | None = None
    """The grade as it was; None when the dispute began at the question."""
    made_at: AwareDatetime
    state: DisputeState = DisputeState.OPEN
    ended_at: AwareDatetime | None = None
    claimed_at: AwareDatetime | None = None
    """Since when somebody grades again."""
    regrade: Grade | None = None
    """The grade under the later version of the bank."""
    revision: int = 0

    @property
    def is_open(self) -> bool:
        """Say whether nothing has become of it yet."""
        return self.state is DisputeState.OPEN

    def is_outdated(self, bank_now: str) -> bool:
        """Say whether the bank has another version now than the one that is disputed."""
        return self.is_open and bank_now != self.bank

    def is_answerable(self, bank_now: str) -> bool:
        """Say whether the answer can be graded again under another version of the bank."""
        return self.is_outdated(bank_now) and self.grade is not None

    def claim(self, now: datetime, bank_now: str) -> Dispute:
        """Take the right to grade again; raises `DisputeError` when there is nothing to do so for."""
        if not self.is_open:
            raise DisputeError("这条异议已经处理过，不能再次重新评分；请刷新页面。")
        if not self.is_answerable(bank_now):
            raise DisputeError(
                f"题库还是 {bank_now}，与这条评分所用的相同；请先改正题库，再重新评分。"
            )
        if self.claimed_at is not None and now - self.claimed_at < CLAIM_LASTS:
            raise DisputeError("正在按新版题库重新评分；请稍候再刷新页面。")
        return self.model_copy(update={"claimed_at": now})

    def release(self) -> Dispute:
        """Give the right back: no grade came of it."""
        return self.model_copy(update={"claimed_at": None})

    def regraded(self, regrade: Grade, now: datetime) -> Dispute:
        """Return the dispute with the grade under the later version beside the former one."""
        return self.model_copy(
            update={
                "state": DisputeState.REGRADED,
                "regrade": regrade,
                "claimed_at": None,
                "ended_at": now,
            }
        )

    def end(self, state: DisputeState, now: datetime) -> Dispute:
        """Close or withdraw it; raises `DisputeError` when that was done before."""
        if not self.is_open:
            raise DisputeError("这条异议已经处理过；请刷新页面。")
        return self.model_copy(update={"state": state, "ended_at": now})
