"""An interview asks, stores the answer before it is graded, probes, and survives a crash."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.claims import Claims, PointClaim, Verdict
from bot.domain.grade import Grade, Ungraded
from bot.domain.question import Slot
from bot.domain.session import AgainOf, AnswerKind, FeedbackMode, Persona, Session
from bot.errors import (
    JudgeReplyError,
    JudgeUnavailableError,
    NotFoundError,
    SessionConflictError,
    SessionStateError,
)
from bot.services.grading import Grader
from bot.services.interviewing import Interviews
from tests import fakes
from tests.fakes import CannedJudge, FakeClock, MemoryStore, PlainInterviewer
from tests.strategies import BETTER

PROBES = (fakes.follow_up("f1", Slot.REASON), fakes.follow_up("f2", Slot.PREMISE_COST))
BANK = fakes.bank(
    *(fakes.question(f"Q0{number}", follow_ups=PROBES) for number in range(1, 4)),
    fakes.question("Q04"),
)
REASON_MET = Claims(
    points=(
        PointClaim(key_point_id="a", verdict=Verdict.MET, sentences=(1,)),
        PointClaim(key_point_id="b", verdict=Verdict.MET, sentences=(1,)),
    )
)
ANSWER = "前者并行计算，读取权重的开销被分摊。"


class Room:
    """An interview with everything around it in reach."""

    def __init__(
        self,
        *says: Claims | JudgeUnavailableError | JudgeReplyError,
        before: Callable[[str], None] = lambda answer: None,
    ) -> None:
        self.store = MemoryStore()
        self.clock = FakeClock()
        self.interviewer = PlainInterviewer()
        self.judge = CannedJudge(*(says or (REASON_MET,)), before=before)
        self.interviews = Interviews(
            bank=BANK,
            grader=Grader(
                judge=self.judge, rubrics=fakes.rubrics(), bank_name=BANK.name, clock=self.clock
            ),
            store=self.store,
            interviewer=self.interviewer,
            clock=self.clock,
        )

    def begin(self, *question_ids: str, follow_ups: int = 1) -> Session:
        return self.interviews.begin_with(question_ids or ("Q01", "Q02"), follow_ups=follow_ups)

    def answer(self, session: Session, text: str = ANSWER) -> Session:
        """Answer the open question, have it graded, and go on."""
        self.clock.wait(60)
        answered = self.interviews.answer(session, text)
        return self.interviews.go_on(self.interviews.grade_waiting(answered))


@pytest.fixture
def room() -> Room:
    return Room()


class TestBegin:
    def test_the_first_question_is_asked_and_stored(self, room: Room) -> None:
        session = room.begin("Q02", "Q01")

        assert session.current is not None
        assert session.current.question_id == "Q02"
        assert session.current.says == f"1/2 {BANK.find('Q02').stem}"
        assert room.store.load(session.id) == session
        assert session.revision == 1

    def test_questions_are_drawn_by_the_seed(self, room: Room) -> None:
        first = room.interviews.begin(count=3, rng=random.Random(7))
        second = room.interviews.begin(count=3, rng=random.Random(7))

        assert first.plan == second.plan
        assert first.id != second.id
        assert len(first.plan.question_ids) == 3

    def test_the_choices_are_kept_in_the_plan(self, room: Room) -> None:
        session = room.interviews.begin(
            count=9, rng=random.Random(7), mode=FeedbackMode.AT_END, follow_ups=2, self_score=True
        )

        assert (session.plan.mode, session.plan.follow_ups) == (FeedbackMode.AT_END, 2)
        assert session.plan.self_score
        assert len(session.plan.question_ids) == len(BANK.questions)

    def test_an_unknown_question_begins_nothing(self, room: Room) -> None:
        with pytest.raises(NotFoundError, match="'Q99'"):
            room.begin("Q01", "Q99")

        assert room.store.sessions == {}

    def test_filters_that_nothing_fits_begin_nothing(self, room: Room) -> None:
        with pytest.raises(NotFoundError, match="没有符合条件的题目"):
            room.interviews.begin(count=3, rng=random.Random(7), sections={"Z"})

        assert room.store.sessions == {}

    def test_the_interviewer_keeps_the_tone_and_is_heard_while_speaking(self, room: Room) -> None:
        heard: list[str] = []
        session = room.interviews.begin_with(
            ("Q01", "Q02"), persona=Persona.PRESSING, hear=heard.append
        )
        answered = room.interviews.grade_waiting(room.interviews.answer(session, ANSWER))

        probed = room.interviews.go_on(answered, heard.append)

        assert room.interviewer.personas == [Persona.PRESSING, Persona.PRESSING]
        assert heard == [turn.says for turn in probed.turns]


class TestAnswer:
    def test_the_answer_is_stored_before_the_judge_is_asked(self) -> None:
        seen: list[str] = []

        def look_into_the_store(answer: str) -> None:
            (stored,) = room.store.sessions.values()
            seen.extend(turn.answer.text for turn in stored.turns if turn.answer)

        room = Room(before=look_into_the_store)
        answered = room.interviews.answer(room.begin(), ANSWER)

        room.interviews.grade_waiting(answered)

        assert seen == [ANSWER]

    def test_an_answer_lost_between_storing_and_grading_is_graded_later(self) -> None:
        room = Room(before=lambda answer: 1 / 0)
        session = room.begin()
        with pytest.raises(ZeroDivisionError):
            room.interviews.grade_waiting(room.interviews.answer(session, ANSWER))
        after_the_crash = Room()
        after_the_crash.store.sessions = room.store.sessions

        found = after_the_crash.store.load(session.id)
        graded = after_the_crash.interviews.grade_waiting(found)

        assert [turn.answer.text for turn in found.waiting if turn.answer] == [ANSWER]
        assert isinstance(graded.turns[0].outcome, Grade)
        assert after_the_crash.store.load(session.id) == graded

    def test_the_time_to_answer_is_taken(self, room: Room) -> None:
        session = room.begin()
        room.clock.wait(85)

        answered = room.interviews.answer(session, ANSWER)

        assert answered.turns[0].answer is not None
        assert answered.turns[0].answer.seconds == 85

    def test_not_knowing_is_graded_without_a_judge(self, room: Room) -> None:
        session = room.interviews.dont_know(room.begin())

        graded = room.interviews.grade_waiting(session)

        assert session.turns[0].answer is not None
        assert session.turns[0].answer.kind is AnswerKind.DONT_KNOW
        assert room.judge.asked == []
        assert graded.turns[0].grade is not None
        assert graded.turns[0].grade.level == 0

    def test_a_skipped_question_gets_no_grade(self, room: Room) -> None:
        session = room.interviews.grade_waiting(room.interviews.skip(room.begin()))

        assert session.turns[0].outcome is None
        assert room.judge.asked == []

    def test_an_answer_without_an_open_question_is_refused_and_not_stored(self, room: Room) -> None:
        answered = room.interviews.answer(room.begin(), ANSWER)

        with pytest.raises(SessionStateError, match="没有等待作答"):
            room.interviews.answer(answered, "再答一次")

        assert room.store.load(answered.id) == answered


class TestFailingJudge:
    def test_an_ungraded_answer_does_not_stop_the_interview(self) -> None:
        room = Room(JudgeUnavailableError("连不上。"))

        session = room.answer(room.begin(follow_ups=0))

        assert isinstance(session.turns[0].outcome, Ungraded)
        assert session.current is not None
        assert session.current.question_id == "Q02"

    def test_it_can_be_graded_again(self) -> None:
        room = Room(JudgeReplyError("读不懂。"), REASON_MET)
        session = room.answer(room.begin())

        regraded = room.interviews.regrade(session, session.turns[0].id)

        assert isinstance(regraded.turns[0].outcome, Grade)
        assert regraded.turns[1:] == session.turns[1:]
        assert room.store.load(session.id) == regraded

    def test_what_cannot_be_graded_again_says_so(self, room: Room) -> None:
        """An unknown turn raised StopIteration, and a skipped one became a zero in the report."""
        session = room.interviews.go_on(room.interviews.skip(room.begin()))

        for turn_id in ("unknown", session.turns[0].id, session.turns[1].id):
            with pytest.raises(SessionStateError, match="不能记录评分"):
                room.interviews.regrade(session, turn_id)


def test_neither_the_time_nor_a_guess_touches_the_grade() -> None:
    grades = []
    for seconds, level in ((5, 0), (500, 5)):
        room = Room()
        session = room.interviews.begin_with(("Q01",), self_score=True)
        room.clock.wait(seconds)
        session = room.interviews.answer(session, ANSWER)
        session = room.interviews.guess(session, session.turns[0].id, level)
        grades.append(room.interviews.grade_waiting(session).turns[0].grade)

    assert grades[0] is not None
    assert grades[1] is not None
    assert grades[0].model_copy(update={"id": ""}) == grades[1].model_copy(update={"id": ""})


def test_a_guess_is_stored_before_or_after_the_grade(room: Room) -> None:
    for grade_first in (True, False):
        session = room.interviews.begin_with(("Q04",), self_score=True)
        session = room.interviews.answer(session, ANSWER)
        if grade_first:
            session = room.interviews.grade_waiting(session)

        session = room.interviews.guess(session, session.turns[0].id, 4)

        session = room.interviews.grade_waiting(session)
        assert room.store.load(session.id).turns[0].guess == 4
        assert session.turns[0].grade is not None


def test_what_to_compare_with_is_kept_in_the_plan(room: Room) -> None:
    earlier = AgainOf(session_id="s", turn_id="s-1")

    session = room.interviews.begin_with(("Q01",), again=earlier)

    assert room.store.load(session.id).plan.again == earlier


def test_a_better_answer_is_stored_with_its_turn(room: Room) -> None:
    session = room.answer(room.begin())

    kept = room.interviews.keep_better(session, session.turns[0].id, BETTER)

    assert kept.turns[0].better == BETTER
    assert room.store.load(session.id) == kept


class TestFollowUps:
    def test_a_follow_up_aims_at_what_was_missing(self, room: Room) -> None:
        session = room.answer(room.begin())

        assert session.current is not None
        assert (session.current.question_id, session.current.follow_up_id) == ("Q01", "f2")
        assert session.current.says == f"追问 {PROBES[1].asks}"

    def test_it_is_graded_against_its_own_key_points(self, room: Room) -> None:
        session = room.answer(room.begin(follow_ups=2))
        room.answer(session)

        assert [target.id for target, _ in room.judge.asked] == ["Q01", "Q01.f2"]

    @pytest.mark.parametrize(
        ("limit", "asked"),
        [
            pytest.param(0, [], id="none"),
            pytest.param(1, ["f2"], id="one"),
            pytest.param(2, ["f2", "f1"], id="two"),
            pytest.param(3, ["f2", "f1"], id="more than there are"),
        ],
    )
    def test_there_are_no_more_than_planned_and_none_twice(
        self, room: Room, limit: int, asked: list[str]
    ) -> None:
        session = room.begin("Q01", follow_ups=limit)

        while not session.is_finished:
            session = room.answer(session)

        assert [turn.follow_up_id for turn in session.follow_ups_of("Q01")] == asked

    def test_a_skipped_question_gets_none(self, room: Room) -> None:
        session = room.interviews.go_on(room.interviews.skip(room.begin()))

        assert session.current is not None
        assert (session.current.question_id, session.current.follow_up_id) == ("Q02", None)

    def test_a_question_without_follow_ups_gets_none(self, room: Room) -> None:
        session = room.answer(room.begin("Q04", "Q01"))

        assert session.current is not None
        assert session.current.question_id == "Q01"

    def test_without_a_grade_the_first_of_the_bank_is_asked(self) -> None:
        room = Room(JudgeUnavailableError("连不上。"))

        session = room.answer(room.begin())

        assert session.current is not None
        assert session.current.follow_up_id == "f1"


class TestGoOn:
    def test_nothing_happens_while_a_question_is_open(self, room: Room) -> None:
        session = room.begin()

        assert room.interviews.go_on(session) is session

    def test_nothing_happens_while_an_answer_waits_for_its_grade(self, room: Room) -> None:
        session = room.interviews.answer(room.begin(), ANSWER)

        assert room.interviews.go_on(session) is session

    def test_after_the_last_question_the_session_ends(self, room: Room) -> None:
        session = room.answer(room.begin("Q01", follow_ups=0))

        assert session.is_finished
        assert session.finished_at == room.clock.now()
        assert room.store.load(session.id) == session

    def test_nothing_happens_after_the_end(self, room: Room) -> None:
        session = room.answer(room.begin("Q01", follow_ups=0))

        assert room.interviews.go_on(session) is session


class TestResume:
    def test_the_clock_of_the_open_question_begins_anew_and_is_stored(self, room: Room) -> None:
        left = room.begin("Q01")
        room.clock.wait(600)

        resumed = room.interviews.resume(left)

        assert room.store.load(left.id) == resumed
        assert resumed.revision == left.revision + 1
        room.clock.wait(20)
        answer = room.interviews.answer(resumed, ANSWER).turns[0].answer
        assert answer is not None
        assert answer.seconds == 20

    def test_nothing_is_stored_where_no_question_is_open(self, room: Room) -> None:
        left = room.interviews.answer(room.begin("Q01"), ANSWER)

        assert room.interviews.resume(left) == left
        assert room.store.load(left.id) == left

    def test_a_session_that_has_moved_on_elsewhere_is_not_overwritten(self, room: Room) -> None:
        left = room.begin("Q01")
        answered = room.interviews.answer(left, ANSWER)

        with pytest.raises(SessionConflictError):
            room.interviews.resume(left)

        assert room.store.load(left.id) == answered


class TestFinish:
    def test_it_drops_the_open_question_and_keeps_the_answers(self, room: Room) -> None:
        session = room.answer(room.begin(follow_ups=0))

        finished = room.interviews.finish(session)

        assert session.current is not None
        assert [turn.question_id for turn in finished.turns] == ["Q01"]
        assert room.store.load(session.id) == finished

    def test_answers_that_waited_can_still_be_graded(self, room: Room) -> None:
        session = room.interviews.finish(room.interviews.answer(room.begin(), ANSWER))

        graded = room.interviews.grade_waiting(session)

        assert graded.is_finished
        assert isinstance(graded.turns[0].outcome, Grade)


class TestConflict:
    @pytest.mark.parametrize(
        "step",
        [
            pytest.param(lambda room, old: room.interviews.answer(old, "另一个回答"), id="answer"),
            pytest.param(lambda room, old: room.interviews.dont_know(old), id="not known"),
            pytest.param(lambda room, old: room.interviews.skip(old), id="skip"),
            pytest.param(lambda room, old: room.interviews.finish(old), id="finish"),
        ],
    )
    def test_a_step_from_an_old_tab_surfaces_and_changes_nothing(
        self, room: Room, step: Callable[[Room, Session], Session]
    ) -> None:
        old = room.begin()
        current = room.answer(old)

        with pytest.raises(SessionConflictError):
            step(room, old)

        assert room.store.load(old.id) == current

    def test_a_deleted_session_is_not_brought_back(self, room: Room) -> None:
        session = room.begin()
        room.store.delete(session.id)

        with pytest.raises(SessionConflictError):
            room.interviews.answer(session, ANSWER)

        assert room.store.sessions == {}


_steps = st.lists(st.sampled_from(["answer", "dont_know", "skip"]), min_size=1, max_size=12)


@given(steps=_steps, follow_ups=st.integers(0, 3))
def test_any_interview_comes_to_its_end_with_every_answer_graded(
    steps: list[str], follow_ups: int
) -> None:
    room = Room()
    session = room.begin("Q01", "Q02", "Q04", follow_ups=follow_ups)

    for _ in range(30):
        if session.is_finished:
            break
        kind = steps[len(session.turns) % len(steps)]
        if kind == "answer":
            session = room.answer(session)
        else:
            step = getattr(room.interviews, kind)
            session = room.interviews.go_on(room.interviews.grade_waiting(step(session)))

    assert session.is_finished
    assert session.asked == ("Q01", "Q02", "Q04")
    assert session.waiting == ()
    for question_id in session.asked:
        assert len(session.follow_ups_of(question_id)) <= follow_ups
    assert room.store.load(session.id) == session
