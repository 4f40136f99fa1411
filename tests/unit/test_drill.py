"""A drill goes one card after another and never loses what was said."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from pydantic import ValidationError

from bot.domain.card import Rating, Rung, Schedule
from bot.domain.drill import Drill, Goal, tally
from bot.domain.grade import Ungraded, UngradedReason
from bot.domain.review import Moved
from bot.domain.session import LONGEST_ANSWER, AnswerKind
from bot.errors import SessionStateError
from tests.drilling import card
from tests.fakes import NOON, graded, question

UNGRADED = Ungraded(
    id="d-1", question_id="Q01", reason=UngradedReason.JUDGE_UNAVAILABLE, message="没有回应"
)
DOUBT = "你确定吗？"


def drill(**goal: int) -> Drill:
    return Drill(id="d", goal=Goal.model_validate(goal or {"cards": 2}), begun_at=NOON)


def asked(rung: Rung = Rung.HEADLINE, id: str = "k") -> Drill:
    return drill().ask(card(id, rung=rung), aim=card().aim, says="为什么？", now=NOON)


def moved(rating: Rating = Rating.GOOD) -> Moved:
    before = card().standing
    return Moved(before=before, after=before.reviewed(rating, Schedule(due=NOON), NOON))


def rated(rating: Rating = Rating.GOOD) -> Drill:
    told = asked().answer("因为分摊", now=NOON + timedelta(seconds=9))
    return told.record("d-1", graded(question()), rating=rating, moved=moved(rating))


def test_an_answer_waits_for_its_grade_and_then_the_next_card_may_come() -> None:
    told = asked().answer("因为分摊", now=NOON + timedelta(seconds=9))

    assert [one.id for one in told.waiting] == ["d-1"]
    assert told.current is None
    with pytest.raises(SessionStateError):
        told.ask(card("l"), aim=card().aim, says="？", now=NOON)

    graded_drill = rated()
    assert graded_drill.waiting == ()
    assert graded_drill.ask(card("l"), aim=card().aim, says="？", now=NOON).current is not None


def test_a_doubt_waits_for_a_reply_and_both_are_graded_together() -> None:
    told = asked(Rung.PUSHBACK).answer("总会更快", now=NOON + timedelta(seconds=40), pushback=DOUBT)
    assert told.waiting == ()
    assert told.current is not None

    replied = told.reply("显存够时才会", now=NOON + timedelta(seconds=70))

    [review] = replied.waiting
    assert review.text == "总会更快\n显存够时才会"
    assert review.seconds == 70
    assert review.at == NOON + timedelta(seconds=70)


def test_the_time_away_is_no_time_to_answer_nor_to_reply() -> None:
    def later(seconds: float) -> datetime:
        return NOON + timedelta(seconds=seconds)

    told = (
        asked(Rung.PUSHBACK).resumed(later(600)).answer("总会更快", now=later(640), pushback=DOUBT)
    )
    replied = told.resumed(later(9000)).reply("显存够时才会", now=later(9030))

    [review] = replied.reviews
    assert review.answer is not None
    assert review.reply is not None
    assert (review.answer.seconds, review.reply.seconds) == (40, 30)
    assert review.answer.at == later(640)
    assert review.at == later(9030)


@pytest.mark.parametrize(
    ("left", "changed"),
    [
        pytest.param(asked(), "asked_at", id="card"),
        pytest.param(
            asked(Rung.PUSHBACK).answer("总会更快", now=NOON, pushback=DOUBT),
            "doubt_resumed_at",
            id="doubt",
        ),
    ],
)
def test_resuming_changes_the_time_of_what_is_open_and_nothing_else(
    left: Drill, changed: str
) -> None:
    now = NOON + timedelta(minutes=10)

    resumed = left.resumed(now)

    [before], [after] = left.reviews, resumed.reviews
    assert getattr(after, changed) == after.open_since == now
    assert after.model_copy(update={changed: getattr(before, changed)}) == before
    assert resumed.model_copy(update={"reviews": left.reviews}) == left


@pytest.mark.parametrize(
    "left",
    [
        pytest.param(drill(), id="nothing asked"),
        pytest.param(asked().answer("因为", now=NOON), id="waits for its grade"),
        pytest.param(rated(), id="rated"),
        pytest.param(asked().finish(NOON), id="finished"),
    ],
)
def test_where_nothing_is_open_there_is_no_clock_to_begin_anew(left: Drill) -> None:
    assert left.resumed(NOON + timedelta(minutes=10)) is left


def test_an_answer_is_not_a_reply_and_a_reply_no_answer() -> None:
    doubted = asked(Rung.PUSHBACK).answer("总会更快", now=NOON, pushback=DOUBT)

    with pytest.raises(SessionStateError):
        doubted.answer("再答一次", now=NOON)
    with pytest.raises(SessionStateError):
        asked().reply("什么？", now=NOON)


def test_the_time_of_the_review_is_that_of_the_answer_however_late_it_is_graded() -> None:
    assert rated().reviews[0].at == NOON + timedelta(seconds=9)


def test_a_correction_stands_beside_the_rating_of_the_grade() -> None:
    corrected = rated(Rating.GOOD).correct("d-1", Rating.AGAIN, moved(Rating.AGAIN))

    [review] = corrected.reviews
    assert (review.rating, review.corrected, review.final) == (
        Rating.GOOD,
        Rating.AGAIN,
        Rating.AGAIN,
    )
    assert len(corrected.rated) == 1


def test_what_was_not_answered_or_not_yet_graded_cannot_be_rated_by_hand() -> None:
    for one in (asked(), asked().answer("因为", now=NOON)):
        with pytest.raises(SessionStateError):
            one.correct("d-1", Rating.GOOD, moved())


def test_what_could_not_be_graded_can_be_rated_by_hand() -> None:
    told = asked().answer("因为", now=NOON).record("d-1", UNGRADED, rating=None)
    assert told.rated == ()

    by_hand = told.correct("d-1", Rating.HARD, moved(Rating.HARD))

    assert [one.final for one in by_hand.rated] == [Rating.HARD]


def test_a_skipped_card_gets_no_grade_and_is_put_aside() -> None:
    skipped = asked().answer("", now=NOON, kind=AnswerKind.SKIPPED)

    assert skipped.waiting == ()
    assert skipped.put_aside == {"k"}
    assert rated().put_aside == frozenset()


def test_finishing_keeps_every_answer_and_drops_only_what_was_never_answered() -> None:
    open_card = rated().ask(card("l"), aim=card().aim, says="？", now=NOON)
    doubted = asked(Rung.PUSHBACK).answer("总会更快", now=NOON, pushback=DOUBT)

    assert [one.card_id for one in open_card.finish(NOON).reviews] == ["k"]
    silent = doubted.finish(NOON)
    assert [one.answer.text for one in silent.reviews if one.answer] == ["总会更快"]
    assert len(silent.waiting) == 1


def test_a_finished_drill_asks_nothing_more() -> None:
    with pytest.raises(SessionStateError):
        rated().finish(NOON).ask(card("l"), aim=card().aim, says="？", now=NOON)


def test_too_long_an_answer_is_refused_with_its_length() -> None:
    with pytest.raises(SessionStateError, match=str(LONGEST_ANSWER + 1)):
        asked().answer("长" * (LONGEST_ANSWER + 1), now=NOON)


def test_an_unknown_review_is_said() -> None:
    with pytest.raises(SessionStateError, match="d-9"):
        rated().supersede("d-9")


def test_a_drill_is_over_after_its_cards_or_its_minutes() -> None:
    assert not rated().is_over(NOON)
    assert rated().model_copy(update={"goal": Goal(cards=1)}).is_over(NOON)
    timed = drill(minutes=5)
    assert not timed.is_over(NOON + timedelta(minutes=4, seconds=59))
    assert timed.is_over(NOON + timedelta(minutes=5))


@pytest.mark.parametrize("goal", [{}, {"cards": 1, "minutes": 1}, {"cards": 0}, {"minutes": 999}])
def test_a_goal_is_cards_or_minutes_and_never_nothing(goal: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        Goal.model_validate(goal)


def test_the_tally_counts_what_moved_a_card_by_the_rating_that_counts() -> None:
    done = rated(Rating.GOOD).correct("d-1", Rating.HARD, moved(Rating.HARD))
    done = done.ask(card("l"), aim=card().aim, says="？", now=NOON)
    done = done.answer("", now=NOON, kind=AnswerKind.SKIPPED)
    done = done.ask(card("m"), aim=card().aim, says="？", now=NOON)
    done = done.answer("因为", now=NOON).record("d-3", UNGRADED, rating=None)

    counted = tally(done.reviews)

    assert counted.cards == 1
    assert counted.by_rating[Rating.HARD] == 1
    assert counted.by_rating[Rating.GOOD] == 0
    assert (counted.skipped, counted.ungraded) == (1, 1)
