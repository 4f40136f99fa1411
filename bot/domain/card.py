"""A card (卡片) of the drill: what it aims at, and where it stands in its schedule."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo
from enum import IntEnum, StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from bot.domain.question import Frozen, Slot

LEECH = 4
"""From so many lapses on, asking once more does not help: the card needs another way to learn."""

REST = timedelta(hours=12)
"""The least time before a card that was put off for days may come again, whatever the calendar
says: a midnight, a journey or a clock that is set back must not ask twice."""


class Rating(StrEnum):
    """How well a card was answered in one review (回忆评级); FSRS knows these four."""

    AGAIN = "again"
    HARD = "hard"
    GOOD = "good"
    EASY = "easy"


class Rung(IntEnum):
    """How much an answer has to be at this step of the ladder (训练阶梯)."""

    HEADLINE = 1
    FULL = 2
    PUSHBACK = 3

    @property
    def seconds(self) -> int:
        """Return the time limit: 30, 60 or 90 seconds."""
        return 30 * self.value

    def moved(self, rating: Rating) -> Rung:
        """Return the rung of the next review: up after a good answer, down after a miss."""
        if rating in (Rating.GOOD, Rating.EASY):
            return Rung(min(self + 1, Rung.PUSHBACK))
        return Rung(max(self - 1, Rung.HEADLINE)) if rating is Rating.AGAIN else self


class CardState(StrEnum):
    """The phases of FSRS: minutes apart, days apart, or minutes again after a miss."""

    LEARNING = "learning"
    REVIEW = "review"
    RELEARNING = "relearning"


class Schedule(Frozen):
    """What FSRS keeps of a card; only a scheduler makes a new one."""

    due: AwareDatetime
    state: CardState = CardState.LEARNING
    step: int | None = 0
    stability: float | None = None
    """Days until the chance to remember has fallen to 90 %."""
    difficulty: float | None = None
    """1–10."""
    last_review: AwareDatetime | None = None

    def falls_on(self, zone: tzinfo) -> date:
        """Return the day of the calendar in `zone` on which the card is due.

        Days are counted from the day of the last review: 24 hours are not always one day.
        """
        if self.state is not CardState.REVIEW or self.last_review is None:
            return self.due.astimezone(zone).date()
        days = (self.due - self.last_review).days
        return self.last_review.astimezone(zone).date() + timedelta(days=days)

    def is_due(self, now: datetime, zone: tzinfo) -> bool:
        """Say whether the card wants an answer now.

        Minutes are kept to the minute. Days are days of the calendar: what falls due this evening
        may be answered this morning, but not within `REST` of the last answer.
        """
        if self.due <= now:
            return True
        if self.state is not CardState.REVIEW or self.last_review is None:
            return False
        is_today = self.falls_on(zone) <= now.astimezone(zone).date()
        return is_today and now - self.last_review >= REST


class Standing(Frozen):
    """Where a card stands (进度): its schedule, its rung, and what was counted."""

    schedule: Schedule
    rung: Rung = Rung.HEADLINE
    reps: Annotated[int, Field(ge=0)] = 0
    lapses: Annotated[int, Field(ge=0)] = 0
    """Misses, without that of the first review: nobody can forget what they never knew."""
    begun_at: AwareDatetime | None = None
    """The first review."""

    def reviewed(self, rating: Rating, schedule: Schedule, at: datetime) -> Standing:
        """Return where the card stands after a review."""
        return Standing(
            schedule=schedule,
            rung=self.rung.moved(rating),
            reps=self.reps + 1,
            lapses=self.lapses + (rating is Rating.AGAIN and self.reps > 0),
            begun_at=self.begun_at or at,
        )


class Aim(Frozen):
    """What is asked for: key points of one slot of a question, or a follow-up of the bank."""

    bank_id: str
    question_id: str
    slot: Slot
    follow_up_id: str | None = None
    points: Annotated[tuple[str, ...], Field(min_length=1)]
    """Ids of key points of the question, or of the follow-up."""


class Miss(Frozen):
    """The answer of an interview that showed the weakness."""

    session_id: str
    turn_id: str
    at: AwareDatetime


class Card(Frozen):
    """One weakness of one's own answers, or one follow-up of the bank (卡片)."""

    id: str
    aim: Aim
    known: tuple[str, ...] = ()
    """Key points of the slot that the candidate did say."""
    miss: Miss | None = None
    """The latest one; None when the card was taken from the bank."""
    standing: Standing
    suspended: bool = False
    revision: int = 0

    @property
    def is_new(self) -> bool:
        """Say whether the card comes from the bank and was never answered.

        A weakness of one's own answers was answered once, and badly: it is due at once.
        """
        return self.miss is None and self.standing.reps == 0

    @property
    def is_leech(self) -> bool:
        """Say whether the card was missed so often that it is stubborn (顽固)."""
        return self.standing.lapses >= LEECH

    def missed_again(self, found: Card) -> Card:
        """Return the card after a later interview showed the same weakness.

        It is due from that answer on, and a card that was drilled before has lapsed; the memory
        that FSRS computes with is left alone, for it was not this card that was asked.
        """
        miss = found.miss
        if miss is None or (self.miss is not None and miss.at <= self.miss.at):
            return self
        points = tuple(dict.fromkeys((*self.aim.points, *found.aim.points)))
        schedule = self.standing.schedule
        drilled_before = schedule.last_review is not None and schedule.last_review < miss.at
        standing = self.standing
        if drilled_before or standing.reps == 0:
            due = schedule.model_copy(update={"due": min(schedule.due, miss.at)})
            lapses = standing.lapses + drilled_before
            standing = standing.model_copy(update={"schedule": due, "lapses": lapses})
        return self.model_copy(
            update={
                "aim": self.aim.model_copy(update={"points": points}),
                "known": tuple(one for one in found.known if one not in points),
                "miss": miss,
                "standing": standing,
            }
        )

    def reset(self, now: datetime) -> Card:
        """Return the card as if it had never been answered; its reviews stay stored."""
        return self.model_copy(
            update={"standing": Standing(schedule=Schedule(due=now)), "suspended": False}
        )
