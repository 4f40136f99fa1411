"""A review (复习记录): one card as it was asked, answered, graded and rated."""

from __future__ import annotations

from datetime import datetime

from pydantic import AwareDatetime

from bot.domain.card import Aim, Rating, Rung, Standing
from bot.domain.grade import Grade, Outcome
from bot.domain.pushback import joined
from bot.domain.question import Frozen
from bot.domain.session import Answer, AnswerKind


class Moved(Frozen):
    """A card's standing before and after a review."""

    before: Standing
    after: Standing


class Review(Frozen):
    """One answer to one card.

    It only ever gains: what was answered stays as it was, a corrected rating stands beside the
    one that the grade gave.
    """

    id: str
    card_id: str
    aim: Aim
    """What was asked for at this rung."""
    rung: Rung
    says: str
    """The question as it was put."""
    asked_at: AwareDatetime
    answer: Answer | None = None
    pushback: str | None = None
    """The interviewer's doubt; set with the answer, at the top rung."""
    doubt_resumed_at: AwareDatetime | None = None
    """When the candidate came back to the open doubt; None where they never left it."""
    reply: Answer | None = None
    outcome: Outcome | None = None
    rating: Rating | None = None
    """What the grade gave; None without a grade."""
    corrected: Rating | None = None
    """What the candidate made of it."""
    before: Standing
    after: Standing | None = None
    superseded: bool = False
    """The card was reviewed elsewhere in the meantime: this answer does not count again."""

    @property
    def needs_reply(self) -> bool:
        """Say whether the pushback waits for a reply."""
        return self.pushback is not None and self.reply is None

    @property
    def is_open(self) -> bool:
        """Say whether the candidate has something to say yet."""
        return self.answer is None or self.needs_reply

    @property
    def is_skipped(self) -> bool:
        """Say whether the card was put aside unanswered."""
        return self.answer is not None and self.answer.kind is AnswerKind.SKIPPED

    @property
    def needs_grade(self) -> bool:
        """Say whether an answer waits for its outcome."""
        is_done = self.superseded or self.is_open or self.is_skipped
        return not is_done and self.outcome is None

    @property
    def grade(self) -> Grade | None:
        """Return the grade, if there is one."""
        return self.outcome if isinstance(self.outcome, Grade) else None

    @property
    def final(self) -> Rating | None:
        """Return the rating that counts."""
        return self.corrected or self.rating

    @property
    def text(self) -> str:
        """Return what is graded: the answer, with the reply to the pushback where there is one."""
        said = self.answer.text if self.answer else ""
        return joined(said, self.reply.text) if self.reply else said

    @property
    def seconds(self) -> float:
        """Return how long the candidate took, reply included."""
        return sum(one.seconds for one in (self.answer, self.reply) if one is not None)

    @property
    def open_since(self) -> datetime:
        """Return when the clock of what waits for the candidate began: the card's or the doubt's."""
        return self.doubt_resumed_at or self.at

    @property
    def at(self) -> datetime:
        """Return the time of the review: that of the last answer, however late it is graded."""
        last = self.reply or self.answer
        return last.at if last else self.asked_at
