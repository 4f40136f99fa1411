"""The drill: asks the cards that are due, grades what they aim at, and reschedules each of them."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from datetime import tzinfo

from bot.domain import pushback
from bot.domain.bank import Bank
from bot.domain.card import Card, Rating, Rung, Schedule, Standing
from bot.domain.content import unanswered
from bot.domain.drill import Drill, Goal
from bot.domain.drill_question import aim_at, says, target_at
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.pushback import Stand
from bot.domain.question import Question
from bot.domain.rating import rating_of
from bot.domain.review import Moved, Review
from bot.domain.session import AnswerKind
from bot.domain.target import Target
from bot.errors import BankError, BotError, NotFoundError, SessionStateError
from bot.ports import Clock, DrillScheduler, DrillStore
from bot.services.deck import Deck
from bot.services.grading import Grader


class Drills:
    """Runs drills over a deck; holds no state between calls.

    Every step returns the stored drill. All of them raise `StoreError` when the database does not
    take the change, `SessionConflictError` when the drill or the card has moved on elsewhere, and
    `SessionStateError` when the step does not fit the drill.
    """

    def __init__(
        self,
        *,
        deck: Deck,
        store: DrillStore,
        bank_of: Callable[[str], Bank],
        grader_of: Callable[[str], Grader],
        scheduler: DrillScheduler,
        clock: Clock,
    ) -> None:
        """Connect the parts; banks and graders are asked for by the bank's id."""
        self.deck = deck
        self._store = store
        self._bank_of = bank_of
        self._grader_of = grader_of
        self._scheduler = scheduler
        self._clock = clock

    def begin(self, goal: Goal, zone: tzinfo) -> Drill:
        """Begin a drill and ask the first card. Raises `NotFoundError` when none is due."""
        drill = Drill(id=uuid.uuid4().hex[:12], goal=goal, begun_at=self._clock.now())
        asked = self._ask_next(drill, zone)
        if asked is None:
            raise NotFoundError("现在没有要练的卡片；做一场面试，或加入题库的追问。")
        return self._store.save(asked)

    def resume(self, drill: Drill) -> Drill:
        """Begin the clock of the open card, or doubt, anew; without one nothing is stored."""
        resumed = drill.resumed(self._clock.now())
        return drill if resumed is drill else self._store.save(resumed)

    def answer(self, drill: Drill, text: str) -> Drill:
        """Store the answer; at the top rung the interviewer then doubts it."""
        review = drill.current
        doubt = None
        if review is not None and review.rung is Rung.PUSHBACK:
            question = self.question_of(review)
            if not unanswered(text, question.stem):
                # Seeded by the review: the same answer meets the same doubt after a crash.
                doubt = pushback.choose(random.Random(review.id))  # noqa: S311 - no secret
        return self._store.save(drill.answer(text, now=self._clock.now(), pushback=doubt))

    def reply(self, drill: Drill, text: str) -> Drill:
        """Store the reply to the doubt."""
        return self._store.save(drill.reply(text, now=self._clock.now()))

    def dont_know(self, drill: Drill) -> Drill:
        """Close the card, or the doubt, with "不知道"."""
        current = drill.current
        step = drill.reply if current is not None and current.needs_reply else drill.answer
        kind = AnswerKind.DONT_KNOW
        return self._store.save(step("不知道", now=self._clock.now(), kind=kind))

    def skip(self, drill: Drill) -> Drill:
        """Put the card aside; it stays due, and this drill does not ask it again."""
        kind = AnswerKind.SKIPPED
        return self._store.save(drill.answer("", now=self._clock.now(), kind=kind))

    def grade_waiting(self, drill: Drill) -> Drill:
        """Grade and reschedule every stored answer without outcome, also those of a crash."""
        for review in drill.waiting:
            drill = self._grade(drill, review)
        return drill

    def regrade(self, drill: Drill, review_id: str) -> Drill:
        """Grade an answer again that stayed ungraded."""
        return self._grade(drill, drill.review(review_id))

    def rate(self, drill: Drill, review_id: str, rating: Rating) -> Drill:
        """Put the candidate's rating in the place of the grade's.

        The schedule is computed anew from before the review, so that there is one review still.
        Raises `SessionStateError` when the card was reviewed again since.
        """
        review = drill.review(review_id)
        card = self._store.card(review.card_id)
        if review.after is not None:
            if card.standing != review.after:
                raise SessionStateError("这张卡片之后又练过，这次的评级不能再改。")
            before = review.before
        elif card.standing.reps == review.before.reps:
            before = card.standing
        else:
            raise SessionStateError("这张卡片已在别处练过，这次的评级不能再改。")
        moved = self._moved(before, rating, review)
        return self._store.save(
            drill.correct(review_id, rating, moved), _standing_at(card, moved.after)
        )

    def go_on(self, drill: Drill, zone: tzinfo) -> Drill:
        """Ask the next card, or finish when the goal is reached or nothing is due.

        Does nothing while a card is open or an answer waits for its grade.
        """
        if drill.is_finished or drill.current is not None or drill.waiting:
            return drill
        now = self._clock.now()
        asked = None if drill.is_over(now) else self._ask_next(drill, zone)
        return self._store.save(drill.finish(now) if asked is None else asked)

    def finish(self, drill: Drill) -> Drill:
        """End the drill now; an answer whose doubt got no reply is graded as it stands."""
        return self.grade_waiting(self._store.save(drill.finish(self._clock.now())))

    def preview(self, review: Review) -> dict[Rating, Schedule]:
        """Return the schedule that each rating would give the review."""
        return {
            rating: self._moved(review.before, rating, review).after.schedule for rating in Rating
        }

    def question_of(self, of: Card | Review) -> Question:
        """Return the question. Raises `BankError` or `NotFoundError`."""
        return self._bank_of(of.aim.bank_id).find(of.aim.question_id)

    def target_of(self, review: Review) -> Target:
        """Return what the review is graded against. Raises `BankError` or `NotFoundError`."""
        return target_at(review.aim, self.question_of(review))

    def stand_of(self, review: Review) -> Stand | None:
        """Return how a graded answer came through the doubt, None where there was none."""
        if review.grade is None:
            return None
        return _stand(review, self.target_of(review), review.grade)

    def _grade(self, drill: Drill, review: Review) -> Drill:
        card = self._store.card(review.card_id)
        if review.after is None and card.standing.reps != review.before.reps:
            return self._store.save(drill.supersede(review.id))
        try:
            target = self.target_of(review)
            grader = self._grader_of(review.aim.bank_id)
        except (BankError, NotFoundError) as error:  # the bank was changed under the drill
            return self._store.save(drill.record(review.id, _ungraded(review, error), rating=None))
        outcome = grader.attempt(review.id, target, review.text)
        if not isinstance(outcome, Grade):
            return self._store.save(drill.record(review.id, outcome, rating=None))
        rating = rating_of(
            outcome,
            review.rung,
            seconds=review.seconds,
            is_first=review.before.reps == 0,
            stand=_stand(review, target, outcome),
        )
        if review.after is not None:  # the candidate's own rating has moved the card already
            return self._store.save(drill.record(review.id, outcome, rating=rating))
        moved = self._moved(card.standing, rating, review)
        return self._store.save(
            drill.record(review.id, outcome, rating=rating, moved=moved),
            _standing_at(card, moved.after),
        )

    def _moved(self, before: Standing, rating: Rating, review: Review) -> Moved:
        schedule = self._scheduler.review(before.schedule, rating, review.at)
        return Moved(before=before, after=before.reviewed(rating, schedule, review.at))

    def _ask_next(self, drill: Drill, zone: tzinfo) -> Drill | None:
        last = drill.last
        card = self.deck.queue(zone).next(
            without=drill.put_aside, after=last.aim.question_id if last else None
        )
        if card is None:
            return None
        question = self.question_of(card)
        return drill.ask(
            card, aim=aim_at(card, question), says=says(card, question), now=self._clock.now()
        )


def _stand(review: Review, target: Target, given: Grade) -> Stand | None:
    if review.pushback is None or review.answer is None or review.reply is None:
        return None
    return pushback.stand(review.answer.text, review.reply.text, review.pushback, target, given)


def _ungraded(review: Review, error: BotError) -> Ungraded:
    return Ungraded(
        id=review.id,
        question_id=review.aim.question_id,
        reason=UngradedReason.BAD_INPUT,
        message=str(error),
    )


def _standing_at(card: Card, standing: Standing) -> Card:
    return card.model_copy(update={"standing": standing})
