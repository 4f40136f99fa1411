"""The drill service: collects, asks, grades what a card aims at, reschedules, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, timedelta

import fsrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.card import LEECH, Card, Rating, Rung
from bot.domain.claims import Claims, OverclaimClaim, PointClaim, Verdict
from bot.domain.drill import Drill, Goal
from bot.domain.grade import Grade, Ungraded
from bot.domain.question import Slot
from bot.domain.session import Session, SessionPlan, begin
from bot.errors import (
    JudgeUnavailableError,
    NotFoundError,
    SessionConflictError,
    SessionStateError,
)
from tests.drilling import Bench, aim, card
from tests.fakes import NOON, CannedJudge, bank, follow_up, graded, key_point, question

ASKED = question(follow_ups=[follow_up("f1", Slot.PREMISE_COST)])
OTHER = question("Q02")
BANK = bank(ASKED, OTHER)
DAY = 24 * 60 * 60


def met(*ids: str, **more: object) -> Claims:
    """Return claims that these points stand in the first sentence."""
    points = tuple(
        PointClaim(key_point_id=id, verdict=Verdict.MET, sentences=(1,)) for id in ids or ("c",)
    )
    return Claims(points=points, **more)  # type: ignore[arg-type]


def bench(*says: object) -> Bench:
    """Return the service with a judge that says these claims, or that the premise is met."""
    return Bench(BANK, CannedJudge(*(says or (met(),))))  # type: ignore[arg-type]


def begun(at: Bench, cards: int = 5) -> Drill:
    return at.drills.begin(Goal(cards=cards), UTC)


def answered(at: Bench, drill: Drill, text: str = "代价是显存占用。") -> Drill:
    drill = at.drills.answer(drill, text)
    if drill.current is not None:
        drill = at.drills.reply(drill, "显存放不下时就不成立。")
    return at.drills.grade_waiting(drill)


def missed_session(at: Bench, id: str = "s", **verdicts: Verdict) -> None:
    """Store a finished interview whose answer to Q01 missed the premise."""
    session = begin(id, SessionPlan(bank_id="demo", question_ids=("Q01",)), at.clock.now())
    session = session.ask(question_id="Q01", says="问", now=at.clock.now())
    session = session.answer("答", now=at.clock.now())
    missed = verdicts or {"c": Verdict.NOT_MET}
    given = graded(ASKED, missed, levels={Slot.PREMISE_COST: 0})
    at.sessions.save(session.record(f"{id}-1", given).finish(at.clock.now()))


class TestCollecting:
    def test_an_interview_brings_its_cards_once(self) -> None:
        at = bench()
        missed_session(at)

        assert at.deck.collect() == 2
        assert at.deck.collect() == 0
        assert [one.id for one in at.deck.cards()] == ["demo/Q01.f1", "demo/Q01/premise_cost"]

    def test_a_weakness_that_shows_again_makes_its_card_due_and_no_second_card(self) -> None:
        at = bench()
        missed_session(at)
        at.deck.collect()
        drill = answered(at, begun(at))
        drill = at.drills.rate(drill, drill.reviews[0].id, Rating.EASY)
        at.clock.wait(2 * DAY)
        assert at.deck.queue(UTC).due == ()

        missed_session(at, "t")
        at.deck.collect()

        [due] = at.deck.queue(UTC).due
        assert (due.id, due.standing.lapses) == ("demo/Q01/premise_cost", 1)
        assert len(at.deck.cards()) == 2

    def test_interviews_collected_late_count_in_the_order_in_which_they_were_given(self) -> None:
        at = bench()
        missed_session(at, "a")
        at.clock.wait(DAY)
        missed_session(at, "b")

        at.deck.collect()

        miss = at.store.card("demo/Q01/premise_cost").miss
        assert miss is not None
        assert miss.turn_id == "b-1"

    def test_an_interview_over_a_bank_that_is_gone_is_passed_over(self) -> None:
        at = bench()
        missed_session(at)
        at.bank = None

        assert at.deck.collect() == 0
        assert at.store.uncollected(9) == ()

    def test_an_interview_that_another_tab_collects_at_this_moment_is_left_to_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at = bench()
        missed_session(at, "a")
        at.clock.wait(DAY)
        missed_session(at, "b")
        collected = at.store.collected

        def refuse_the_first(session: Session, cards: Sequence[Card]) -> None:
            if session.id == "a":
                raise SessionConflictError("别处")
            collected(session, cards)

        monkeypatch.setattr(at.store, "collected", refuse_the_first)

        assert at.deck.collect() == 2
        assert at.store.uncollected(9) == ("a",)

    def test_cards_whose_question_is_gone_are_not_shown_and_not_asked(self) -> None:
        at = bench()
        at.add(card(), card("x", aims=aim(Slot.PREMISE_COST, "z")))
        assert [one.id for one in at.deck.cards()] == ["demo/Q01/premise_cost"]

        at.bank = None

        assert at.deck.cards() == ()

    def test_follow_ups_of_the_bank_are_added_once(self) -> None:
        at = bench()

        assert at.deck.add_follow_ups("demo") == 1
        assert at.deck.add_follow_ups("demo", "A") == 0
        assert [one.id for one in at.deck.queue(UTC).new] == ["demo/Q01.f1"]


class TestOneCard:
    def test_an_answer_is_stored_before_it_is_graded(self) -> None:
        at = bench()
        at.add(card())
        drill = at.drills.answer(begun(at), "代价是显存占用。")

        stored = at.store.load(drill.id)

        assert stored == drill
        assert [one.text for one in stored.waiting] == ["代价是显存占用。"]

    def test_a_crash_between_answer_and_grade_is_made_good_later_at_the_time_of_the_answer(
        self,
    ) -> None:
        at = bench()
        at.add(card())
        drill = at.drills.answer(begun(at), "代价是显存占用。")
        at.clock.wait(3 * DAY)

        drill = at.drills.grade_waiting(at.store.load(drill.id))

        after = drill.reviews[0].after
        assert after is not None
        assert after.schedule.last_review == NOON

    def test_the_judge_sees_what_the_card_aims_at_and_nothing_else(self) -> None:
        judge = CannedJudge(met())
        at = Bench(BANK, judge)
        at.add(card())

        answered(at, begun(at))

        [(target, text)] = judge.asked
        assert [one.id for one in target.key_points] == ["c"]
        assert text == "代价是显存占用。"

    def test_a_good_answer_moves_the_card_up_and_away(self) -> None:
        at = bench()
        at.add(card())

        drill = answered(at, begun(at))

        [review] = drill.reviews
        assert review.rating is Rating.GOOD
        stored = at.store.card(review.card_id)
        assert stored.standing == review.after
        assert stored.standing.rung is Rung.FULL
        assert at.deck.queue(UTC).due == ()

    def test_not_knowing_is_a_miss_and_asks_no_judge(self) -> None:
        judge = CannedJudge(met())
        at = Bench(BANK, judge)
        at.add(card())

        drill = at.drills.grade_waiting(at.drills.dont_know(begun(at)))

        assert drill.reviews[0].final is Rating.AGAIN
        assert judge.asked == []

    def test_a_skipped_card_stays_due_and_is_not_asked_again_in_this_drill(self) -> None:
        at = bench()
        at.add(card())

        drill = at.drills.go_on(at.drills.skip(begun(at)), UTC)

        assert drill.is_finished
        assert [one.id for one in at.deck.queue(UTC).due] == ["demo/Q01/premise_cost"]


class TestPushback:
    def doubted(self, at: Bench, text: str = "代价是显存占用。") -> Drill:
        at.add(card(rung=Rung.PUSHBACK, reps=3))
        return at.drills.answer(begun(at), text)

    def test_an_answer_at_the_top_rung_is_doubted_and_the_reply_graded_with_it(self) -> None:
        judge = CannedJudge(met())
        at = Bench(BANK, judge)
        drill = self.doubted(at)
        assert drill.reviews[0].pushback
        assert drill.waiting == ()

        drill = at.drills.grade_waiting(at.drills.reply(drill, "显存放不下时就不成立。"))

        assert [text for _, text in judge.asked] == ["代价是显存占用。\n显存放不下时就不成立。"]
        assert drill.reviews[0].final is Rating.EASY

    def test_giving_in_is_a_miss_and_goes_down_a_rung(self) -> None:
        at = bench()

        drill = at.drills.grade_waiting(at.drills.reply(self.doubted(at), "那是我说错了，我收回。"))

        assert drill.reviews[0].final is Rating.AGAIN
        assert at.store.card(drill.reviews[0].card_id).standing.rung is Rung.FULL

    def test_a_promise_in_reply_is_hard(self) -> None:
        quote = "任何情况下都这样"
        over = OverclaimClaim(quote=quote, why="太满", rewrite="通常")
        at = bench(met(overclaims=(over,)))

        drill = at.drills.grade_waiting(at.drills.reply(self.doubted(at), f"{quote}。"))

        assert drill.reviews[0].final is Rating.HARD
        stand = at.drills.stand_of(drill.reviews[0])
        assert stand is not None
        assert not stand.measured

    def test_who_does_not_know_is_not_doubted(self) -> None:
        at = bench()

        assert self.doubted(at, "不知道").current is None

    def test_a_drill_left_before_the_reply_is_graded_without_it(self) -> None:
        at = bench()

        drill = at.drills.finish(self.doubted(at))

        assert drill.reviews[0].final is Rating.HARD


class TestCorrecting:
    def test_a_corrected_rating_gives_the_day_that_it_would_have_given_at_once(self) -> None:
        at = bench()
        at.add(card())
        drill = answered(at, begun(at))
        review = drill.reviews[0]
        expected = at.drills.preview(review)[Rating.EASY]

        for rating in (Rating.AGAIN, Rating.HARD, Rating.EASY):
            at.clock.wait(30)
            drill = at.drills.rate(drill, review.id, rating)

        stored = at.store.card(review.card_id).standing
        assert stored.schedule == expected
        assert (stored.reps, stored.lapses) == (1, 0)

    def test_a_review_cannot_be_corrected_after_a_later_one(self) -> None:
        at = bench()
        at.add(card())
        first = answered(at, begun(at))
        at.clock.wait(DAY)
        answered(at, begun(at))

        with pytest.raises(SessionStateError, match="又练过"):
            at.drills.rate(at.store.load(first.id), first.reviews[0].id, Rating.EASY)

    @settings(max_examples=30)
    @given(
        st.lists(
            st.tuples(st.sampled_from(Rating), st.sampled_from(Rating), st.integers(0, 90 * DAY)),
            min_size=1,
            max_size=8,
        )
    )
    def test_a_history_of_corrected_reviews_is_that_of_the_library(
        self, history: list[tuple[Rating, Rating, int]]
    ) -> None:
        at = bench()
        at.add(card())
        library, scheduler = fsrs.Card(card_id=1, due=NOON), fsrs.Scheduler(enable_fuzzing=False)

        for first, final, seconds in history:
            # Whoever waits for the card answers it when it is due, or later.
            mine = at.store.card("demo/Q01/premise_cost")
            if mine.is_leech:
                break
            due = mine.standing.schedule.due
            wait = max(0.0, (due - at.clock.now()).total_seconds())
            at.clock.wait(wait + seconds)
            drill = answered(at, begun(at))
            drill = at.drills.rate(drill, drill.reviews[0].id, first)
            at.drills.finish(at.drills.rate(drill, drill.reviews[0].id, final))
            library, _ = scheduler.review_card(
                library, fsrs.Rating[final.name.title()], review_datetime=at.clock.now()
            )

        schedule = at.store.card("demo/Q01/premise_cost").standing.schedule
        assert schedule.due == library.due
        assert schedule.stability == library.stability
        assert schedule.difficulty == library.difficulty
        assert schedule.last_review == library.last_review


class TestUngraded:
    def test_what_cannot_be_graded_moves_nothing_and_can_be_graded_later(self) -> None:
        at = bench(JudgeUnavailableError("没有回应"), met())
        at.add(card())
        drill = answered(at, begun(at))
        assert isinstance(drill.reviews[0].outcome, Ungraded)
        assert at.store.card(drill.reviews[0].card_id).standing.reps == 0

        drill = at.drills.regrade(drill, drill.reviews[0].id)

        assert isinstance(drill.reviews[0].outcome, Grade)
        assert at.store.card(drill.reviews[0].card_id).standing.reps == 1

    def test_the_candidates_own_rating_holds_when_the_grade_comes_after_all(self) -> None:
        at = bench(JudgeUnavailableError("没有回应"), met())
        at.add(card())
        drill = answered(at, begun(at))
        drill = at.drills.rate(drill, drill.reviews[0].id, Rating.HARD)

        drill = at.drills.regrade(drill, drill.reviews[0].id)

        [review] = drill.reviews
        assert (review.rating, review.final) == (Rating.GOOD, Rating.HARD)
        assert at.store.card(review.card_id).standing.reps == 1

    def test_a_bank_that_was_changed_under_the_drill_leaves_the_answer_ungraded(self) -> None:
        at = bench()
        at.add(card())
        drill = at.drills.answer(begun(at), "代价是显存占用。")
        at.bank = bank(question(points=[key_point("a")]))

        drill = at.drills.grade_waiting(drill)

        assert isinstance(drill.reviews[0].outcome, Ungraded)
        assert drill.reviews[0].text == "代价是显存占用。"


class TestTwoTabs:
    def test_the_same_drill_cannot_be_answered_twice(self) -> None:
        at = bench()
        at.add(card())
        drill = begun(at)
        at.drills.answer(drill, "代价是显存占用。")

        with pytest.raises(SessionConflictError):
            at.drills.answer(drill, "代价是显存占用。")

    def test_a_card_asked_in_two_drills_is_reviewed_once(self) -> None:
        at = bench()
        at.add(card())
        first, second = begun(at), begun(at)

        answered(at, first)
        second = answered(at, second, "另一个回答。")

        [review] = second.reviews
        assert review.superseded
        assert review.after is None
        assert at.store.card(review.card_id).standing.reps == 1
        assert at.store.load(second.id).reviews[0].text == "另一个回答。"

    def test_a_weakness_collected_in_the_meantime_does_not_void_the_answer(self) -> None:
        at = bench()
        missed_session(at)
        at.deck.collect()
        drill = begun(at)
        at.clock.wait(60)
        missed_session(at, "t")
        at.deck.collect()

        drill = answered(at, drill)

        assert drill.reviews[0].after == at.store.card(drill.reviews[0].card_id).standing


class TestTheDrill:
    def test_it_ends_after_so_many_cards_and_asks_no_question_twice_in_a_row(self) -> None:
        at = bench(met("c", "b"))
        other = aim().model_copy(update={"question_id": "Q02"})
        at.add(card("a"), card("b"), card("z", aims=other))
        drill = begun(at, cards=2)

        questions = []
        while drill.current is not None:
            questions.append(drill.current.aim.question_id)
            drill = at.drills.go_on(answered(at, drill), UTC)

        assert drill.is_finished
        assert questions == ["Q01", "Q02"]

    def test_it_ends_after_so_many_minutes_but_not_within_a_card(self) -> None:
        at = bench()
        at.add(card("a"), card("b"))
        drill = at.drills.begin(Goal(minutes=1), UTC)
        at.clock.wait(90)

        drill = answered(at, drill)
        assert drill.reviews[0].after is not None

        assert at.drills.go_on(drill, UTC).is_finished

    def test_without_a_due_card_there_is_nothing_to_begin(self) -> None:
        at = bench()

        with pytest.raises(NotFoundError, match="没有要练的卡片"):
            begun(at)

    def test_going_on_does_nothing_while_a_card_is_open(self) -> None:
        at = bench()
        at.add(card())
        drill = begun(at)

        assert at.drills.go_on(drill, UTC) == drill

    def test_the_clock_of_the_open_card_begins_anew_and_is_stored(self) -> None:
        at = bench()
        at.add(card())
        drill = begun(at)
        at.clock.wait(600)

        resumed = at.drills.resume(drill)

        assert at.store.load(drill.id) == resumed
        assert resumed.revision == drill.revision + 1
        at.clock.wait(20)
        assert at.drills.answer(resumed, "代价是显存占用。").reviews[0].seconds == 20
        with pytest.raises(SessionConflictError):
            at.drills.resume(drill)

    def test_resuming_stores_nothing_where_no_card_is_open(self) -> None:
        at = bench()
        at.add(card())
        drill = at.drills.answer(begun(at), "代价是显存占用。")

        assert at.drills.resume(drill) == drill
        assert at.store.load(drill.id) == drill

    def test_a_drill_that_was_left_can_be_found_again(self) -> None:
        at = bench()
        at.add(card())
        drill = begun(at)

        assert at.store.open_drill() == drill

        at.drills.finish(drill)
        assert at.store.open_drill() is None


class TestCare:
    def test_a_leech_leaves_the_queue_until_it_is_reset(self) -> None:
        at = bench()
        at.add(card(lapses=LEECH, reps=9))
        assert at.deck.queue(UTC).due == ()

        at.deck.reset("demo/Q01/premise_cost")

        [again] = at.deck.queue(UTC).due
        assert (again.standing.reps, again.standing.lapses) == (0, 0)

    def test_a_suspended_card_is_not_asked_until_it_is_put_back(self) -> None:
        at = bench()
        at.add(card())
        at.deck.suspend("demo/Q01/premise_cost")
        assert at.deck.queue(UTC).due == ()

        at.deck.suspend("demo/Q01/premise_cost", suspended=False)

        assert len(at.deck.queue(UTC).due) == 1

    def test_an_answer_missed_again_and_again_becomes_a_leech(self) -> None:
        at = bench(Claims())
        at.add(card())

        for _ in range(LEECH + 1):
            answered(at, begun(at))
            at.clock.wait(DAY)

        assert [one.id for one in at.deck.queue(UTC).leeches] == ["demo/Q01/premise_cost"]


def test_the_rating_is_stored_with_the_review_and_with_where_the_card_stood() -> None:
    at = bench()
    at.add(card())
    drill = answered(at, begun(at))

    [review] = at.store.load(drill.id).reviews

    assert review.before == card().standing
    assert review.after is not None
    assert review.after.schedule.due - review.at == timedelta(minutes=10)
