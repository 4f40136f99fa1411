"""A drill (追问训练): cards asked one after another, each answer stored before it is graded."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, model_validator

from bot.domain.card import Aim, Card, Rating
from bot.domain.grade import Outcome
from bot.domain.question import Frozen
from bot.domain.review import Moved, Review
from bot.domain.session import LONGEST_ANSWER, Answer, AnswerKind
from bot.errors import SessionStateError

MOST_CARDS, MOST_MINUTES = 50, 120


class Goal(Frozen):
    """When a drill is over: after so many cards, or after so many minutes; one of them is set."""

    cards: Annotated[int, Field(ge=1, le=MOST_CARDS)] | None = None
    minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES)] | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.cards is None) == (self.minutes is None):
            raise ValueError("exactly one of cards and minutes is a goal")
        return self


class Drill(Frozen):
    """Reviews in order; each step returns a new drill.

    `revision` counts the stored changes; a store refuses to overwrite a later one.
    """

    id: str
    goal: Goal
    begun_at: AwareDatetime
    finished_at: AwareDatetime | None = None
    reviews: tuple[Review, ...] = ()
    revision: int = 0

    @property
    def is_finished(self) -> bool:
        """Say whether the drill was ended."""
        return self.finished_at is not None

    @property
    def current(self) -> Review | None:
        """Return the review that waits for the candidate, if any."""
        last = self.last
        return last if last is not None and last.is_open and not self.is_finished else None

    @property
    def last(self) -> Review | None:
        """Return the review of the card that was asked last."""
        return self.reviews[-1] if self.reviews else None

    @property
    def waiting(self) -> tuple[Review, ...]:
        """Return the reviews whose answers wait for a grade."""
        return tuple(one for one in self.reviews if one.needs_grade)

    @property
    def rated(self) -> tuple[Review, ...]:
        """Return the reviews that moved a card."""
        return tuple(one for one in self.reviews if one.after is not None)

    @property
    def put_aside(self) -> frozenset[str]:
        """Return the cards that this drill asked without a rating; it does not ask them again."""
        return frozenset(one.card_id for one in self.reviews if one.after is None)

    def is_over(self, now: datetime) -> bool:
        """Say whether the goal is reached; a card that was begun is never cut off."""
        if self.goal.cards is not None:
            return len(self.rated) >= self.goal.cards
        return now - self.begun_at >= timedelta(minutes=self.goal.minutes or 0)

    def review(self, review_id: str) -> Review:
        """Return a review. Raises `SessionStateError` when the drill has none of that id."""
        for one in self.reviews:
            if one.id == review_id:
                return one
        raise SessionStateError(f"这次训练里没有记录 {review_id!r}；请刷新页面查看最新进度。")

    def ask(self, card: Card, *, aim: Aim, says: str, now: datetime) -> Drill:
        """Add a review that waits for an answer."""
        if self.is_finished:
            raise SessionStateError("这次训练已经结束；请开始新的训练。")
        if self.current is not None or self.waiting:
            raise SessionStateError("上一张卡片还没有答完；请先作答或跳过。")
        review = Review(
            id=f"{self.id}-{len(self.reviews) + 1}",
            card_id=card.id,
            aim=aim,
            rung=card.standing.rung,
            says=says,
            asked_at=now,
            before=card.standing,
        )
        return self.model_copy(update={"reviews": (*self.reviews, review)})

    def resumed(self, now: datetime) -> Drill:
        """Begin the clock of the open card, or doubt, anew: the time away is no time to answer."""
        review = self.current
        if review is None:
            return self
        return self._with(review, **{"doubt_resumed_at" if review.needs_reply else "asked_at": now})

    def answer(
        self,
        text: str,
        *,
        now: datetime,
        kind: AnswerKind = AnswerKind.ANSWERED,
        pushback: str | None = None,
    ) -> Drill:
        """Store the candidate's words, and the doubt that they are met with."""
        review = self._open(is_reply=False)
        said = _said(text, kind, since=review.open_since, now=now)
        return self._with(review, answer=said, pushback=pushback)

    def reply(self, text: str, *, now: datetime, kind: AnswerKind = AnswerKind.ANSWERED) -> Drill:
        """Store what the candidate said to the pushback."""
        review = self._open(is_reply=True)
        return self._with(review, reply=_said(text, kind, since=review.open_since, now=now))

    def record(
        self,
        review_id: str,
        outcome: Outcome,
        *,
        rating: Rating | None,
        moved: Moved | None = None,
    ) -> Drill:
        """Store the outcome, and with a rating how it moved the card."""
        review = self.review(review_id)
        changes: dict[str, object] = {"outcome": outcome, "rating": rating}
        if moved is not None:
            changes |= {"before": moved.before, "after": moved.after}
        return self._with(review, **changes)

    def correct(self, review_id: str, rating: Rating, moved: Moved) -> Drill:
        """Store the candidate's rating; it takes the place of the other, it is no second review."""
        review = self.review(review_id)
        if review.outcome is None:
            raise SessionStateError("这张卡片还没有评分，不能改评级。")
        return self._with(review, corrected=rating, before=moved.before, after=moved.after)

    def supersede(self, review_id: str) -> Drill:
        """Mark a review whose card has moved on elsewhere."""
        return self._with(self.review(review_id), superseded=True)

    def finish(self, now: datetime) -> Drill:
        """End the drill; a card that was not answered goes without a trace.

        An answer whose pushback got no reply stays, and is graded as it stands.
        """
        if self.is_finished:
            return self
        drill = self
        if (review := self.current) is not None and review.needs_reply:
            silence = Answer(kind=AnswerKind.SKIPPED, at=now, seconds=0)
            drill = self._with(review, reply=silence)
        reviews = tuple(one for one in drill.reviews if one.answer is not None)
        return drill.model_copy(update={"finished_at": now, "reviews": reviews})

    def _open(self, *, is_reply: bool) -> Review:
        review = self.current
        if review is None or review.needs_reply is not is_reply:
            raise SessionStateError("现在没有等待作答的卡片；请刷新页面查看最新进度。")
        return review

    def _with(self, review: Review, **changes: object) -> Drill:
        changed = review.model_copy(update=changes)
        reviews = tuple(changed if one.id == changed.id else one for one in self.reviews)
        return self.model_copy(update={"reviews": reviews})


class Tally(Frozen):
    """What a drill adds up to."""

    cards: int
    by_rating: dict[Rating, int]
    skipped: int
    ungraded: int
    seconds: float


def tally(reviews: Iterable[Review]) -> Tally:
    """Count the reviews of a drill."""
    done = list(reviews)
    finals = [one.final for one in done if one.after is not None]
    return Tally(
        cards=len(finals),
        by_rating={rating: finals.count(rating) for rating in Rating},
        skipped=sum(one.is_skipped for one in done),
        ungraded=sum(
            one.outcome is not None and one.grade is None and one.after is None for one in done
        ),
        seconds=sum(one.seconds for one in done),
    )


def _said(text: str, kind: AnswerKind, *, since: datetime, now: datetime) -> Answer:
    if len(text) > LONGEST_ANSWER:
        raise SessionStateError(
            f"作答有 {len(text)} 个字符，上限是 {LONGEST_ANSWER}；请删减后再提交。"
        )
    seconds = max(0.0, (now - since).total_seconds())
    return Answer(kind=kind, text=text, at=now, seconds=seconds)
