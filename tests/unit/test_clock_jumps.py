"""Clocks are set: nobody gets negative seconds, and no turn and no card is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.fsrs_scheduler import FsrsScheduler
from bot.domain.card import Rating, Schedule
from bot.domain.claims import Claims, PointClaim, Verdict
from bot.domain.drill import Goal
from bot.domain.report import report_of
from bot.domain.session import Session
from bot.errors import NotFoundError
from bot.services.drill_texts import place, when
from bot.services.grading import Grader
from bot.services.interviewing import Interviews
from tests.drilling import Bench, aim, card
from tests.fakes import (
    NOON,
    CannedJudge,
    FakeClock,
    MemoryStore,
    PlainInterviewer,
    bank,
    follow_up,
    question,
    rubrics,
)

HOUR, DAY = 3600.0, 86_400.0
JUMPS = [
    pytest.param(-HOUR, id="an hour back"),
    pytest.param(DAY, id="a day forward"),
    pytest.param(-30 * DAY, id="a month back"),
]
BANK = bank(question(follow_ups=[follow_up("f1")]), question("Q02"))
ANSWER = "前者并行计算，读取权重的开销被分摊。"
BERLIN = ZoneInfo("Europe/Berlin")
SUMMER_ENDS = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
"""Half past two in Berlin; half an hour later the clocks there are set back to two."""


class Room:
    """An interview whose clock somebody sets."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore()
        grader = Grader(
            judge=CannedJudge(), rubrics=rubrics(), bank_name=BANK.name, clock=self.clock
        )
        self.interviews = Interviews(
            bank=BANK,
            grader=grader,
            store=self.store,
            interviewer=PlainInterviewer(),
            clock=self.clock,
        )

    def begin(self) -> Session:
        return self.interviews.begin_with(("Q01", "Q02"))

    def answer(self, session: Session) -> Session:
        answered = self.interviews.answer(session, ANSWER)
        return self.interviews.go_on(self.interviews.grade_waiting(answered))


@pytest.mark.parametrize("jump", JUMPS)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_interview_goes_on_when_the_clock_is_set_and_no_answer_took_less_than_no_time(
    at: int, jump: float
) -> None:
    room = Room()
    session = room.begin()

    while not session.is_finished:
        room.clock.wait(60)
        if len(session.turns) - 1 == at:
            room.clock.jump(jump)
        session = room.answer(session)

    seconds = [turn.answer.seconds for turn in session.turns if turn.answer]
    assert seconds[at] == max(0.0, 60 + jump)
    assert seconds[:at] + seconds[at + 1 :] == [60.0, 60.0]
    assert [turn.grade is not None for turn in session.turns] == [True] * 3
    assert room.store.load(session.id) == session
    assert report_of(session, BANK, rubrics()).score is not None


@given(st.lists(st.floats(-2 * DAY, 2 * DAY), min_size=6, max_size=6))
def test_however_the_clock_is_set_every_turn_is_there_with_a_time_that_can_be(
    jumps: list[float],
) -> None:
    room = Room()
    session = room.begin()
    for jump in jumps:
        room.clock.jump(jump)
        if not session.is_finished:
            session = room.answer(session)

    assert session.is_finished
    assert [turn.answer.text for turn in session.turns if turn.answer] == [ANSWER] * 3
    assert all(turn.answer.seconds >= 0 for turn in session.turns if turn.answer)
    assert all(turn.grade.provenance.seconds >= 0 for turn in session.turns if turn.grade)


def bench() -> Bench:
    met = PointClaim(key_point_id="c", verdict=Verdict.MET, sentences=(1,))
    made = Bench(BANK, CannedJudge(Claims(points=(met,))))
    made.add(card("one", aims=aim()), card("two", aims=aim()), card("three", aims=aim()))
    return made


@pytest.mark.parametrize("jump", JUMPS)
@pytest.mark.parametrize("goal", [Goal(cards=3), Goal(minutes=10)])
def test_a_drill_keeps_every_review_when_the_clock_is_set(goal: Goal, jump: float) -> None:
    at = bench()
    drill = at.drills.begin(goal, UTC)

    at.clock.jump(jump)
    drill = at.drills.answer(drill, "代价是显存占用。")
    drill = at.drills.go_on(at.drills.grade_waiting(drill), UTC)
    while not drill.is_finished and drill.current is not None:
        drill = at.drills.answer(drill, "代价是显存占用。")
        drill = at.drills.go_on(at.drills.grade_waiting(drill), UTC)

    assert at.store.load(drill.id) == drill
    assert drill.rated
    for review in drill.reviews:
        assert review.seconds >= 0
        assert at.store.card(review.card_id).standing.reps == 1
        assert at.store.card(review.card_id).standing.schedule.due >= review.at


def test_a_clock_that_is_set_back_gives_a_drill_no_more_minutes_than_it_had() -> None:
    at = bench()
    drill = at.drills.begin(Goal(minutes=10), UTC)

    at.clock.jump(-HOUR)

    assert "还剩 10 分钟" in place(drill, at.clock.now())


@given(
    st.lists(
        st.tuples(st.sampled_from(list(Rating)), st.floats(-3 * DAY, 3 * DAY)),
        min_size=1,
        max_size=8,
    )
)
def test_a_schedule_stays_one_however_the_clock_was_set_between_reviews(
    reviews: list[tuple[Rating, float]],
) -> None:
    scheduler, at = FsrsScheduler(), NOON
    schedule = Schedule(due=NOON)
    for rating, jump in reviews:
        at += timedelta(seconds=jump)
        schedule = scheduler.review(schedule, rating, at)

        assert schedule.due >= at
        assert schedule.last_review == at
        assert schedule.stability is not None
        assert schedule.stability > 0
        assert when(schedule, at, UTC)


@pytest.mark.parametrize("minutes", [10, 40, 100])
def test_the_hour_that_comes_twice_is_an_hour_like_others(minutes: int) -> None:
    at = bench()
    at.clock.jump((SUMMER_ENDS - NOON).total_seconds())
    at.add(card("four", aims=aim(), due=SUMMER_ENDS))
    drill = at.drills.begin(Goal(cards=1), BERLIN)
    begun = at.clock.now()

    at.clock.wait(minutes * 60)
    drill = at.drills.answer(drill, "代价是显存占用。")

    assert drill.reviews[0].seconds == minutes * 60
    drill = at.drills.go_on(at.drills.grade_waiting(drill), BERLIN)
    assert drill.is_finished
    assert drill.finished_at == begun + timedelta(minutes=minutes)
    with pytest.raises(NotFoundError):
        at.drills.begin(Goal(cards=1), BERLIN)
