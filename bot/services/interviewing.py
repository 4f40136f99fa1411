"""The interview: asks, stores each answer before it is graded, probes, and goes on after a crash."""

from __future__ import annotations

import random
import uuid
from collections.abc import Collection

from bot.domain import follow_up, selection
from bot.domain.bank import Bank
from bot.domain.grade import BetterAnswer, Grade, Outcome
from bot.domain.question import Difficulty
from bot.domain.session import (
    AgainOf,
    AnswerKind,
    FeedbackMode,
    Persona,
    Session,
    SessionPlan,
    Turn,
    begin,
)
from bot.domain.speech import Speech
from bot.domain.target import Target, target_of
from bot.ports import Clock, Hear, Interviewer, SessionStore
from bot.services.grading import Grader


class Interviews:
    """Runs sessions over one bank; holds no state between calls.

    Every step returns the stored session. All of them raise `StoreError` when the database does
    not take the change, `SessionConflictError` when the session has moved on elsewhere, and
    `SessionStateError` when the step does not fit the session.
    """

    def __init__(
        self,
        *,
        bank: Bank,
        grader: Grader,
        store: SessionStore,
        interviewer: Interviewer,
        clock: Clock,
    ) -> None:
        """Connect the parts of an interview."""
        self._bank = bank
        self._grader = grader
        self._store = store
        self._interviewer = interviewer
        self._clock = clock

    def begin(
        self,
        *,
        count: int,
        rng: random.Random,
        sections: Collection[str] = (),
        difficulties: Collection[Difficulty] = (),
        mode: FeedbackMode = FeedbackMode.AFTER_EACH,
        follow_ups: int = 1,
        calculations: int = 0,
        persona: Persona = Persona.NEUTRAL,
        self_score: bool = False,
        hear: Hear | None = None,
    ) -> Session:
        """Draw the questions, then as many calculation tasks, and ask the first.

        Raises `NotFoundError` when no question fits, or the bank has no calculation tasks.
        """
        question_ids = selection.select(
            self._bank, count=count, rng=rng, sections=sections, difficulties=difficulties
        )
        tasks = selection.draw_calculations(self._bank, count=calculations, rng=rng)
        return self.begin_with(
            (*question_ids, *tasks),
            mode=mode,
            follow_ups=follow_ups,
            persona=persona,
            self_score=self_score,
            hear=hear,
        )

    def begin_with(
        self,
        question_ids: tuple[str, ...],
        *,
        mode: FeedbackMode = FeedbackMode.AFTER_EACH,
        follow_ups: int = 1,
        persona: Persona = Persona.NEUTRAL,
        self_score: bool = False,
        again: AgainOf | None = None,
        hear: Hear | None = None,
    ) -> Session:
        """Begin with these questions and ask the first. Raises `NotFoundError` for an unknown one."""
        for question_id in question_ids:
            self._bank.find(question_id)
        plan = SessionPlan(
            bank_id=self._bank.id,
            question_ids=question_ids,
            mode=mode,
            follow_ups=follow_ups,
            persona=persona,
            self_score=self_score,
            again=again,
        )
        session = begin(uuid.uuid4().hex[:12], plan, self._clock.now())
        return self._store.save(self._ask_next_question(session, hear))

    def resume(self, session: Session) -> Session:
        """Begin the clock of the open question anew; without one nothing is stored."""
        resumed = session.resumed(self._clock.now())
        return session if resumed is session else self._store.save(resumed)

    def answer(self, session: Session, text: str, speech: Speech | None = None) -> Session:
        """Store the answer to the current question; `grade_waiting` comes next."""
        return self._store.save(session.answer(text, now=self._clock.now(), speech=speech))

    def dont_know(self, session: Session) -> Session:
        """Close the current question with "不知道", which is graded as no content."""
        closed = session.answer("不知道", now=self._clock.now(), kind=AnswerKind.DONT_KNOW)
        return self._store.save(closed)

    def skip(self, session: Session) -> Session:
        """Close the current question without an answer; it gets no grade."""
        return self._store.save(session.answer("", now=self._clock.now(), kind=AnswerKind.SKIPPED))

    def grade_waiting(self, session: Session) -> Session:
        """Grade every stored answer that has no outcome yet, also those of an earlier crash."""
        for turn in session.waiting:
            session = session.record(turn.id, self.outcome_of(turn))
        return self._store.save(session)

    def regrade(self, session: Session, turn_id: str) -> Session:
        """Grade one turn again, such as one that stayed ungraded."""
        outcome = self.outcome_of(session.answered(turn_id))
        return self._store.save(session.record(turn_id, outcome))

    def outcome_of(self, turn: Turn) -> Outcome:
        """Grade the stored answer of a turn; nothing is stored. Raises `NotFoundError`."""
        return self._grader.attempt(turn.id, self.target_of(turn), _text(turn))

    def go_on(self, session: Session, hear: Hear | None = None) -> Session:
        """Ask the next follow-up or question, or finish when nothing is left.

        Does nothing while a question is open or an answer waits for its grade.
        """
        if session.is_finished or session.current is not None or session.waiting:
            return session
        following = self._ask_follow_up(session, hear)
        if following is None:
            following = (
                self._ask_next_question(session, hear)
                if session.next_question_id is not None
                else session.finish(self._clock.now())
            )
        return self._store.save(following)

    def guess(self, session: Session, turn_id: str, level: int) -> Session:
        """Keep the level 0–5 that the candidate expects of the answer just given."""
        return self._store.save(session.guess(turn_id, level))

    def keep_better(self, session: Session, turn_id: str, better: BetterAnswer) -> Session:
        """Keep the better answer of a turn."""
        return self._store.save(session.improve(turn_id, better))

    def finish(self, session: Session) -> Session:
        """End the session now."""
        return self._store.save(session.finish(self._clock.now()))

    def target_of(self, turn: Turn) -> Target:
        """Return what the turn is graded against. Raises `NotFoundError`."""
        question = self._bank.find(turn.question_id)
        probe = next((one for one in question.follow_ups if one.id == turn.follow_up_id), None)
        return target_of(question, probe)

    def _ask_next_question(self, session: Session, hear: Hear | None) -> Session:
        question = self._bank.find(str(session.next_question_id))
        says = self._interviewer.ask(
            question.stem,
            number=len(session.asked) + 1,
            total=len(session.plan.question_ids),
            persona=session.plan.persona,
            hear=hear,
        )
        return session.ask(question_id=question.id, says=says, now=self._clock.now())

    def _ask_follow_up(self, session: Session, hear: Hear | None) -> Session | None:
        question = self._bank.find(session.asked[-1])
        asked = session.follow_ups_of(question.id)
        main = next(
            turn
            for turn in session.turns
            if turn.question_id == question.id and turn.follow_up_id is None
        )
        skipped = main.answer is not None and main.answer.kind is AnswerKind.SKIPPED
        if skipped or len(asked) >= session.plan.follow_ups:
            return None
        rubric = self._grader.rubric_of(target_of(question))
        given = main.outcome if isinstance(main.outcome, Grade) else None
        probe = follow_up.choose(
            question, rubric, given, {turn.follow_up_id or "" for turn in asked}
        )
        if probe is None:
            return None
        return session.ask(
            question_id=question.id,
            follow_up_id=probe.id,
            says=self._interviewer.probe(
                probe.asks, _text(main), persona=session.plan.persona, hear=hear
            ),
            now=self._clock.now(),
        )


def _text(turn: Turn) -> str:
    return turn.answer.text if turn.answer is not None else ""
