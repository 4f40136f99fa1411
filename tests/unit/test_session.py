"""A session goes from question to answer to grade; a step that does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.domain.grade import Outcome, Ungraded, UngradedReason
from bot.domain.session import (
    LONGEST_ANSWER,
    AnswerKind,
    Session,
    SessionPlan,
    begin,
)
from bot.errors import SessionStateError
from tests import fakes
from tests.fakes import NOON
from tests.strategies import BETTER, outcomes, sessions

PLAN = SessionPlan(bank_id="demo", question_ids=("Q01", "Q02"))
GRADE = fakes.graded(fakes.question())
UNGRADED = Ungraded(
    id="s-1", question_id="Q01", reason=UngradedReason.REPLY_INVALID, message="坏。"
)


def later(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def new() -> Session:
    return begin("s", PLAN, NOON)


def asked(question_id: str = "Q01") -> Session:
    return new().ask(question_id=question_id, says="请说", now=NOON)


def answered(text: str = "并行", kind: AnswerKind = AnswerKind.ANSWERED) -> Session:
    return asked().answer(text, now=later(85), kind=kind)


def to_guess() -> Session:
    plan = PLAN.model_copy(update={"self_score": True})
    return (
        begin("s", plan, NOON)
        .ask(question_id="Q01", says="请说", now=NOON)
        .answer("并行", now=later(85))
    )


def replayed(session: Session) -> Session:
    """Make the session once more from what it holds, step by step."""
    again = begin(session.id, session.plan, session.begun_at)
    for turn in session.turns:
        again = again.ask(
            question_id=turn.question_id,
            follow_up_id=turn.follow_up_id,
            says=turn.says,
            now=turn.asked_at,
        )
        if turn.answer is not None:
            again = again.answer(turn.answer.text, now=turn.answer.at, kind=turn.answer.kind)
        if turn.guess is not None:
            again = again.guess(turn.id, turn.guess)
        if turn.outcome is not None:
            again = again.record(turn.id, turn.outcome)
        if turn.better is not None:
            again = again.improve(turn.id, turn.better)
    return again if session.finished_at is None else again.finish(session.finished_at)


class TestSteps:
    def test_a_new_session_has_no_turn_and_a_next_question(self) -> None:
        session = new()

        assert (session.turns, session.current, session.waiting) == ((), None, ())
        assert (session.next_question_id, session.is_finished, session.revision) == (
            "Q01",
            False,
            0,
        )

    def test_a_question_waits_for_its_answer(self) -> None:
        session = asked()

        assert session.current is not None
        assert (session.current.id, session.current.target_id) == ("s-1", "Q01")
        assert (session.asked, session.next_question_id) == (("Q01",), "Q02")

    def test_an_answer_is_kept_unchanged_with_its_time(self) -> None:
        text = "  并行\u200b\n**计算**  "

        turn = answered(text).turns[0]

        assert turn.answer is not None
        assert (turn.answer.text, turn.answer.seconds) == (text, 85)
        assert turn.needs_grade

    def test_the_time_away_is_no_time_to_answer(self) -> None:
        turn = asked().resumed(later(600)).answer("并行", now=later(620)).turns[0]

        assert turn.answer is not None
        assert turn.answer.seconds == 20

    def test_a_clock_that_goes_back_takes_no_time(self) -> None:
        turn = asked().answer("并行", now=later(-5)).turns[0]

        assert turn.answer is not None
        assert turn.answer.seconds == 0

    @pytest.mark.parametrize(
        "outcome", [pytest.param(GRADE, id="grade"), pytest.param(UNGRADED, id="ungraded")]
    )
    def test_an_outcome_ends_the_waiting(self, outcome: Outcome) -> None:
        session = answered()

        recorded = session.record("s-1", outcome)

        assert [turn.id for turn in session.waiting] == ["s-1"]
        assert recorded.waiting == ()
        assert recorded.turns[0].outcome == outcome
        assert recorded.turns[0].grade == (outcome if outcome is GRADE else None)

    def test_an_ungraded_answer_may_be_graded_later_even_after_the_end(self) -> None:
        session = answered().record("s-1", UNGRADED).finish(later(99))

        assert session.record("s-1", GRADE).turns[0].grade == GRADE

    def test_a_better_answer_is_kept_with_its_turn(self) -> None:
        session = answered().record("s-1", GRADE).improve("s-1", BETTER)

        assert session.turns[0].better == BETTER
        assert session.turns[0].grade == GRADE

    def test_a_main_answer_may_be_guessed_until_the_session_goes_on(self) -> None:
        answered = to_guess()

        assert answered.to_guess == answered.turns[0]
        assert answered.guess("s-1", 3).turns[0].guess == 3
        assert answered.guess("s-1", 3).to_guess is None
        assert answered.finish(NOON).to_guess is None
        probed = answered.ask(question_id="Q01", follow_up_id="f1", says="追问", now=NOON)
        assert probed.to_guess is None
        assert probed.answer("因为", now=NOON).to_guess is None

    @pytest.mark.parametrize("kind", [AnswerKind.DONT_KNOW, AnswerKind.SKIPPED])
    def test_there_is_nothing_to_guess_without_an_answer(self, kind: AnswerKind) -> None:
        plan = PLAN.model_copy(update={"self_score": True})
        asked = begin("s", plan, NOON).ask(question_id="Q01", says="请说", now=NOON)

        assert asked.to_guess is None
        assert asked.answer("", now=NOON, kind=kind).to_guess is None

    def test_a_plan_of_an_older_version_asks_for_no_guess_and_compares_nothing(self) -> None:
        old = SessionPlan.model_validate({"bank_id": "demo", "question_ids": ["Q01"]})

        assert not old.self_score
        assert old.again is None

    def test_not_knowing_waits_for_a_grade_and_skipping_does_not(self) -> None:
        assert answered("不知道", AnswerKind.DONT_KNOW).waiting
        assert not answered("", AnswerKind.SKIPPED).waiting

    def test_a_follow_up_belongs_to_its_question_and_is_none_of_the_plan(self) -> None:
        session = answered().ask(question_id="Q01", follow_up_id="f1", says="为什么", now=NOON)

        assert session.current is not None
        assert session.current.target_id == "Q01.f1"
        assert session.follow_ups_of("Q01") == (session.current,)
        assert session.follow_ups_of("Q02") == ()
        assert (session.asked, session.next_question_id) == (("Q01",), "Q02")

    def test_the_end_drops_a_question_that_was_not_answered(self) -> None:
        session = answered().ask(question_id="Q02", says="再说", now=NOON).finish(later(100))

        assert [turn.question_id for turn in session.turns] == ["Q01"]
        assert (session.is_finished, session.current) == (True, None)

    def test_ending_twice_is_ending_once(self) -> None:
        ended = answered().finish(later(100))

        assert ended.finish(later(200)) == ended


class TestIllegalSteps:
    @pytest.mark.parametrize(
        ("step", "sentence"),
        [
            pytest.param(
                lambda: asked().ask(question_id="Q02", says="再说", now=NOON),
                "上一个问题还没有作答",
                id="ask while a question is open",
            ),
            pytest.param(
                lambda: new().finish(NOON).ask(question_id="Q01", says="说", now=NOON),
                "已经结束，不能再提问",
                id="ask after the end",
            ),
            pytest.param(
                lambda: new().answer("并行", now=NOON),
                "没有等待作答",
                id="answer before a question",
            ),
            pytest.param(
                lambda: answered().answer("再答", now=NOON), "没有等待作答", id="answer twice"
            ),
            pytest.param(
                lambda: asked().finish(NOON).answer("并行", now=NOON),
                "没有等待作答",
                id="answer after the end",
            ),
            pytest.param(
                lambda: asked().answer("长" * (LONGEST_ANSWER + 1), now=NOON),
                "20001 个字符，上限是 20000",
                id="answer that is too long",
            ),
            pytest.param(
                lambda: asked().record("s-1", GRADE),
                "'s-1' 还没有作答",
                id="grade before the answer",
            ),
            pytest.param(
                lambda: answered().record("s-9", GRADE), "'s-9' 还没有作答", id="grade of no turn"
            ),
            pytest.param(
                lambda: answered("", AnswerKind.SKIPPED).record("s-1", GRADE),
                "'s-1' 被跳过了",
                id="grade of a skipped question",
            ),
            pytest.param(
                lambda: answered().guess("s-1", 3), "不能自评", id="guess that was not asked for"
            ),
            pytest.param(
                lambda: to_guess().guess("s-1", 3).guess("s-1", 4), "不能自评", id="guess twice"
            ),
            pytest.param(
                lambda: to_guess().finish(NOON).guess("s-1", 3), "不能自评", id="guess too late"
            ),
            pytest.param(
                lambda: answered().record("s-1", UNGRADED).improve("s-1", BETTER),
                "'s-1' 还没有评分",
                id="better answer without a grade",
            ),
        ],
    )
    def test_a_step_that_does_not_fit_is_refused(
        self, step: Callable[[], Session], sentence: str
    ) -> None:
        with pytest.raises(SessionStateError, match=sentence):
            step()

    def test_the_longest_answer_is_taken(self) -> None:
        assert asked().answer("长" * LONGEST_ANSWER, now=NOON).waiting

    @pytest.mark.parametrize(
        "changes",
        [
            pytest.param({"question_ids": ()}, id="no question"),
            pytest.param({"follow_ups": -1}, id="less than no follow-up"),
            pytest.param({"follow_ups": 4}, id="too many follow-ups"),
            pytest.param({"mode": "never"}, id="unknown mode"),
        ],
    )
    def test_a_plan_that_makes_no_sense_is_refused(self, changes: dict[str, object]) -> None:
        with pytest.raises(ValidationError, match=next(iter(changes))):
            SessionPlan.model_validate({**PLAN.model_dump(), **changes})

    def test_a_time_without_a_zone_is_refused(self) -> None:
        with pytest.raises(ValidationError, match="timezone"):
            begin("s", PLAN, NOON.replace(tzinfo=None))


class TestEverySession:
    @given(sessions())
    def test_replaying_its_turns_gives_an_equal_session(self, session: Session) -> None:
        assert replayed(session) == session

    @given(sessions())
    def test_it_survives_a_dump_and_json(self, session: Session) -> None:
        assert Session.model_validate(session.model_dump()) == session
        assert Session.model_validate_json(session.model_dump_json()) == session

    @given(sessions())
    def test_at_most_the_last_turn_is_open_and_turns_have_ids_of_their_own(
        self, session: Session
    ) -> None:
        open_turns = [turn for turn in session.turns if turn.answer is None]

        assert open_turns == ([session.current] if session.current else [])
        assert len({turn.id for turn in session.turns}) == len(session.turns)

    @given(sessions())
    def test_questions_are_asked_in_the_order_of_the_plan(self, session: Session) -> None:
        assert session.asked == session.plan.question_ids[: len(session.asked)]

    @given(sessions(), outcomes())
    def test_a_step_never_changes_the_session_it_starts_from(
        self, session: Session, outcome: Outcome
    ) -> None:
        before = session.model_dump_json()

        session.finish(NOON)
        if session.current is not None:
            session.answer("新的", now=NOON)
        for turn in session.waiting:
            session.record(turn.id, outcome)

        assert session.model_dump_json() == before

    @given(sessions(), st.datetimes(timezones=st.just(UTC)))
    def test_resuming_changes_when_the_open_question_was_asked_and_nothing_else(
        self, session: Session, now: datetime
    ) -> None:
        resumed = session.resumed(now)

        if session.current is None:
            assert resumed is session
            return
        assert resumed.current is not None
        assert resumed.current.asked_at == now
        turn = resumed.current.model_copy(update={"asked_at": session.current.asked_at})
        assert resumed.model_copy(update={"turns": (*resumed.turns[:-1], turn)}) == session

    @given(sessions(), outcomes(), st.data())
    def test_recording_changes_that_turn_alone(
        self, session: Session, outcome: Outcome, data: st.DataObject
    ) -> None:
        if not session.waiting:
            return
        turn = data.draw(st.sampled_from(session.waiting))

        recorded = session.record(turn.id, outcome)

        changed = [
            new.id for old, new in zip(session.turns, recorded.turns, strict=True) if old != new
        ]
        assert changed == [turn.id]
