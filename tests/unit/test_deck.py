"""The deck: what an interview or a bank brings, and what wants an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.card import LEECH, CardState, Schedule
from bot.domain.claims import Verdict
from bot.domain.deck import cards_from, cards_of_bank, merged, queue
from bot.domain.grade import Grade
from bot.domain.question import Kind, Slot
from bot.domain.rubric import Rubric
from bot.domain.session import AnswerKind, FeedbackMode, Session, SessionPlan, begin
from bot.domain.target import Target
from tests.drilling import aim, card, miss
from tests.fakes import (
    NOON,
    THREE_POINTS,
    bank,
    follow_up,
    graded,
    key_point,
    question,
    rubric,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")
FOLLOW_UPS = (follow_up("f1", Slot.REASON), follow_up("f2", Slot.PREMISE_COST))
ASKED = question(follow_ups=FOLLOW_UPS)
BANK = bank(ASKED)


def rubric_of(_: Target) -> Rubric:
    return rubric()


def told(
    given: Grade | None,
    *,
    probe: tuple[str, Grade] | None = None,
    mode: FeedbackMode = FeedbackMode.AFTER_EACH,
    question_id: str = "Q01",
) -> Session:
    """Return a session with one graded answer, and perhaps a graded follow-up."""
    session = begin("s", SessionPlan(bank_id="demo", question_ids=(question_id,), mode=mode), NOON)
    session = session.ask(question_id=question_id, says="问", now=NOON).answer("答", now=NOON)
    if given is not None:
        session = session.record("s-1", given)
    if probe is not None:
        later = NOON + timedelta(minutes=1)
        session = session.ask(question_id=question_id, says="追", now=later, follow_up_id=probe[0])
        session = session.answer("答", now=later).record("s-2", probe[1])
    return session


def ids(cards: Sequence[object]) -> list[str]:
    return [one.id for one in cards]  # type: ignore[attr-defined]


def weak_premise(**changes: object) -> Grade:
    """Return the grade of an answer that misses the premise alone."""
    levels = {Slot.PREMISE_COST: 0}
    return graded(ASKED, {"c": Verdict.NOT_MET}, levels=levels, **changes)


class TestWhatAnInterviewBrings:
    def test_one_card_for_a_slot_that_was_missed_and_one_for_a_follow_up_that_probes_it(
        self,
    ) -> None:
        found = cards_from(told(weak_premise()), BANK, rubric_of)

        assert ids(found) == ["demo/Q01/premise_cost", "demo/Q01.f2"]
        assert found[0].aim == aim(Slot.PREMISE_COST, "c")
        assert found[0].miss == miss()
        assert found[1].miss is None

    def test_a_full_answer_brings_nothing(self) -> None:
        assert cards_from(told(graded(ASKED)), BANK, rubric_of) == ()

    def test_the_missed_points_of_a_slot_share_one_card_which_knows_what_was_said(self) -> None:
        points = (
            *THREE_POINTS,
            key_point("d", Slot.PREMISE_COST),
            key_point("e", Slot.PREMISE_COST),
        )
        asked = question(points=points)
        verdicts = {"c": Verdict.NOT_MET, "d": Verdict.PARTLY_MET}
        session = told(graded(asked, verdicts, levels={Slot.PREMISE_COST: 1}))

        [found] = cards_from(session, bank(asked), rubric_of)

        assert found.aim.points == ("c", "d")
        assert found.known == ("e",)

    def test_a_small_point_missing_in_a_full_slot_is_no_weakness(self) -> None:
        asked = question(points=(*THREE_POINTS, key_point("d", Slot.REASON)))
        session = told(graded(asked, {"d": Verdict.NOT_MET}))

        assert cards_from(session, bank(asked), rubric_of) == ()

    def test_a_core_point_missing_or_any_point_turned_is_one_even_so(self) -> None:
        turned = told(graded(ASKED, {"b": Verdict.CONTRADICTED}))
        core = told(graded(ASKED, {"a": Verdict.NOT_MET}))

        assert ids(cards_from(turned, BANK, rubric_of))[0] == "demo/Q01/reason"
        assert ids(cards_from(core, BANK, rubric_of))[0] == "demo/Q01/conclusion"

    def test_a_follow_up_answered_badly_is_ones_own_and_one_answered_well_is_none(self) -> None:
        bad = told(weak_premise(), probe=("f2", graded(ASKED).model_copy(update={"level": 2})))
        good = told(weak_premise(), probe=("f2", graded(ASKED).model_copy(update={"level": 4})))

        mine = {one.id: one for one in cards_from(bad, BANK, rubric_of)}

        assert mine["demo/Q01.f2"].miss == miss(NOON + timedelta(minutes=1), "s-2")
        assert ids(cards_from(good, BANK, rubric_of)) == ["demo/Q01/premise_cost"]

    def test_what_was_skipped_or_not_graded_brings_nothing(self) -> None:
        session = begin("s", SessionPlan(bank_id="demo", question_ids=("Q01",)), NOON)
        session = session.ask(question_id="Q01", says="问", now=NOON)
        skipped = session.answer("", now=NOON, kind=AnswerKind.SKIPPED)

        assert cards_from(skipped, BANK, rubric_of) == ()
        assert cards_from(told(None), BANK, rubric_of) == ()

    def test_grades_that_are_shown_at_the_end_bring_nothing_before_it(self) -> None:
        session = told(weak_premise(), mode=FeedbackMode.AT_END)

        assert cards_from(session, BANK, rubric_of) == ()
        assert cards_from(session.finish(NOON), BANK, rubric_of) != ()

    def test_a_question_that_the_bank_no_longer_has_is_left_out(self) -> None:
        assert cards_from(told(weak_premise(), question_id="Q99"), BANK, rubric_of) == ()

    def test_the_numbers_of_a_calculation_are_not_drilled_but_its_formula_is(self) -> None:
        points = (
            key_point("a", Slot.RESULT, core=True),
            key_point("b", Slot.UNIT),
            key_point("c", Slot.FORMULA),
        )
        asked = question(kind=Kind.CALCULATE, points=points)
        session = told(graded(asked, Verdict.NOT_MET))

        assert ids(cards_from(session, bank(asked), rubric_of)) == ["demo/Q01/formula"]


class TestMerging:
    def test_the_same_session_twice_changes_nothing(self) -> None:
        found = cards_from(told(weak_premise()), BANK, rubric_of)
        stored = {one.id: one for one in merged({}, found)}

        assert merged(stored, found) == ()

    def test_a_later_miss_changes_the_card_that_is_there(self) -> None:
        stored = {card().id: card(reps=2, schedule=Schedule(due=NOON, last_review=NOON))}
        later = card(missed=miss(NOON + timedelta(days=1)))

        [changed] = merged(stored, [later])

        assert (changed.standing.reps, changed.standing.lapses) == (2, 1)


class TestTheBank:
    def test_every_follow_up_of_a_section_is_a_new_card(self) -> None:
        two = bank(sections={"A": [ASKED], "B": [question("Q02", follow_ups=[follow_up("f1")])]})

        assert ids(cards_of_bank(two, NOON)) == ["demo/Q01.f1", "demo/Q01.f2", "demo/Q02.f1"]
        assert ids(cards_of_bank(two, NOON, "B")) == ["demo/Q02.f1"]
        assert all(one.is_new for one in cards_of_bank(two, NOON))


class TestTheQueue:
    def test_due_new_and_stubborn_cards_stand_apart_and_suspended_ones_nowhere(self) -> None:
        later = NOON + timedelta(days=2)
        deck = [
            card("due"),
            card("new", is_own=False),
            card("leech", lapses=LEECH),
            card("later", due=later),
            card("off").model_copy(update={"suspended": True}),
            card("soon", due=NOON + timedelta(minutes=10), reps=1),
        ]

        found = queue(deck, NOON, UTC, 10)

        assert [ids(part) for part in found] == [["due"], ["new"], ["leech"], ["soon"]]

    def test_the_longest_due_comes_first_and_new_cards_last(self) -> None:
        deck = [
            card("new", is_own=False, due=NOON - timedelta(days=9)),
            card("b", due=NOON - timedelta(hours=1)),
            card("a", due=NOON - timedelta(days=1)),
        ]
        found = queue(deck, NOON, UTC, 10)

        asked = []
        while one := found.next(without=asked):
            asked.append(one.id)

        assert asked == ["a", "b", "new"]

    def test_only_so_many_new_cards_are_begun_on_one_day(self) -> None:
        fresh = [card(f"n{number}", is_own=False) for number in range(5)]
        begun = card("b", is_own=False, reps=1, begun_at=NOON - timedelta(hours=3))

        assert len(queue(fresh, NOON, UTC, 3).new) == 3
        assert len(queue([*fresh, begun], NOON, UTC, 3).new) == 2
        # In Shanghai it is 20:00, and 9:00 UTC was today; the day before does not count.
        yesterday = card("b", is_own=False, reps=1, begun_at=NOON - timedelta(hours=21))
        assert len(queue([*fresh, yesterday], NOON, SHANGHAI, 3).new) == 3

    def test_no_two_cards_of_one_question_in_a_row_if_there_is_another(self) -> None:
        other = aim().model_copy(update={"question_id": "Q02"})
        deck = [card("a"), card("b", aims=other, due=NOON)]
        found = queue(deck, NOON, UTC, 10)

        assert found.next(after="Q01") == deck[1]
        assert found.next(after="Q01", without=["b"]) == deck[0]

    @given(
        st.lists(
            st.tuples(
                st.integers(-3000, 3000), st.sampled_from(CardState), st.booleans(), st.booleans()
            ),
            max_size=12,
        ),
        st.integers(0, 4),
    )
    def test_no_card_stands_in_two_places(
        self, drawn: list[tuple[int, CardState, bool, bool]], limit: int
    ) -> None:
        deck = [
            card(
                f"c{number}",
                is_own=is_own,
                reps=int(drilled),
                schedule=Schedule(
                    due=NOON + timedelta(minutes=minutes),
                    state=state,
                    last_review=NOON - timedelta(days=3) if drilled else None,
                ),
            )
            for number, (minutes, state, is_own, drilled) in enumerate(drawn)
        ]

        found = queue(deck, NOON, SHANGHAI, limit)

        everywhere = [one.id for part in found for one in part]
        assert len(everywhere) == len(set(everywhere))
        assert {one.id for one in found.due} == {
            one.id
            for one in deck
            if not one.is_new and one.standing.schedule.is_due(NOON, SHANGHAI)
        }


def test_the_deck_of_an_interview_does_not_depend_on_when_it_is_collected() -> None:
    running = told(weak_premise())
    cards = cards_from(running, BANK, rubric_of)

    assert cards_from(running.finish(datetime(2027, 1, 1, tzinfo=UTC)), BANK, rubric_of) == cards
