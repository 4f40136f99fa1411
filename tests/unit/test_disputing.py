"""A dispute keeps the grade as it was, and is answered once, under a later version of the bank."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from bot.domain.dispute import CLAIM_LASTS, LONGEST_NOTE, Dispute, DisputeAbout, DisputeState
from bot.domain.grade import Grade, Outcome, Ungraded, UngradedReason
from bot.domain.session import Session, SessionPlan, Turn, begin
from bot.errors import (
    BankError,
    DisputeError,
    JudgeUnavailableError,
    NotFoundError,
    SessionStateError,
)
from bot.services.disputing import Disputes
from tests import fakes
from tests.fakes import NOON, FakeClock, MemoryDisputes, MemoryStore

QUESTION = fakes.question()
BEFORE = fakes.graded(QUESTION, levels=0)
AFTER = fakes.graded(QUESTION, source=fakes.provenance(bank="demo@2"))
UNGRADED = Ungraded(
    id="s-1", question_id="Q01", reason=UngradedReason.JUDGE_UNAVAILABLE, message="连不上。"
)


class Desk:
    """Disputes about one graded answer, with everything around them in reach."""

    def __init__(self, *gives: Outcome | Exception, bank_now: str = "demo@2") -> None:
        self.store = MemoryStore()
        self.held = MemoryDisputes()
        self.clock = FakeClock()
        self.bank_now = bank_now
        self.graded: list[str] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self._gives = gives or (AFTER,)
        plan = SessionPlan(bank_id="demo", question_ids=("Q01", "Q02"))
        session = begin("s", plan, NOON).ask(question_id="Q01", says="问", now=NOON)
        session = session.answer("前者并行计算。", now=NOON).record("s-1", BEFORE)
        self.store.save(session.ask(question_id="Q02", says="再问", now=NOON))
        self.disputes = Disputes(
            disputes=self.held,
            sessions=self.store,
            clock=self.clock,
            bank_name=self._bank_name,
            grade=self._grade,
        )

    def dispute(self, note: str = "判错了。") -> Dispute:
        return self.disputes.about_grade("s", "s-1", DisputeAbout.GRADE, note)

    def stored_grade(self) -> Grade | None:
        return self.session().turns[0].grade

    def session(self) -> Session:
        return self.store.load("s")

    def _bank_name(self, bank_id: str) -> str:
        assert bank_id == "demo"
        if not self.bank_now:
            raise BankError("题库坏了。")
        return self.bank_now

    def _grade(self, bank_id: str, turn: Turn) -> Outcome:
        assert (bank_id, turn.answer and turn.answer.text) == ("demo", "前者并行计算。")
        given = self._gives[min(len(self.graded), len(self._gives) - 1)]
        self.graded.append(turn.id)
        self.meanwhile()
        if isinstance(given, Exception):
            raise given
        return given


class TestNoting:
    def test_it_keeps_note_answer_grade_and_the_version_of_the_bank(self) -> None:
        desk = Desk()

        made = desk.dispute("  我说了并行。\n")

        assert desk.held.load(made.id) == made
        assert made == Dispute(
            id=made.id,
            about=DisputeAbout.GRADE,
            note="我说了并行。",
            bank_id="demo",
            bank="demo@1",
            question_id="Q01",
            session_id="s",
            turn_id="s-1",
            answer="前者并行计算。",
            grade=BEFORE,
            made_at=NOON,
            revision=1,
        )
        assert desk.disputes.of_turn("s", "s-1") == desk.disputes.latest() == (made,)

    def test_a_question_is_disputed_with_the_bank_as_it_is(self) -> None:
        made = Desk().disputes.about_question("demo", "Q07", "单位写错了。")

        assert (made.about, made.bank, made.question_id) == (
            DisputeAbout.REFERENCE,
            "demo@2",
            "Q07",
        )
        assert (made.session_id, made.grade) == (None, None)

    @pytest.mark.parametrize(
        ("note", "says"),
        [
            pytest.param(" \n", "请写明哪里有问题。", id="empty"),
            pytest.param("长" * (LONGEST_NOTE + 1), "说明有 2001 个字符，上限是 2000", id="long"),
        ],
    )
    def test_a_note_that_says_nothing_or_too_much_is_refused(self, note: str, says: str) -> None:
        desk = Desk()

        with pytest.raises(DisputeError, match=says):
            desk.dispute(note)

        assert desk.held.held == {}

    def test_what_has_no_answer_or_no_grade_cannot_be_disputed(self) -> None:
        desk = Desk()
        answered = desk.store.save(desk.session().answer("乙", now=NOON))

        with pytest.raises(DisputeError, match="还没有评分"):
            desk.disputes.about_grade("s", answered.turns[1].id, DisputeAbout.GRADE, "错")
        with pytest.raises(SessionStateError):
            desk.disputes.about_grade("s", "s-9", DisputeAbout.GRADE, "错")


class TestGradingAgain:
    def test_the_new_grade_is_stored_and_stands_beside_the_former_one(self) -> None:
        desk = Desk()

        done = desk.disputes.regrade(desk.dispute().id)

        assert (done.state, done.grade, done.regrade) == (DisputeState.REGRADED, BEFORE, AFTER)
        assert done == desk.held.load(done.id)
        assert desk.stored_grade() == AFTER
        assert desk.session().current is not None

    def test_nothing_is_graded_while_the_bank_is_the_same(self) -> None:
        desk = Desk(bank_now="demo@1")
        made = desk.dispute()

        assert not made.is_answerable("demo@1")
        with pytest.raises(DisputeError, match="先改正题库"):
            desk.disputes.regrade(made.id)

        assert desk.graded == []
        assert desk.stored_grade() == BEFORE

    def test_a_second_click_grades_nothing(self) -> None:
        desk = Desk()
        made = desk.dispute()
        desk.disputes.regrade(made.id)

        with pytest.raises(DisputeError, match="已经处理过"):
            desk.disputes.regrade(made.id)

        assert desk.graded == ["s-1"]

    def test_a_second_tab_grades_nothing_while_the_first_still_does(self) -> None:
        desk = Desk()
        made = desk.dispute()
        refused: list[str] = []

        def click_again() -> None:
            with pytest.raises(DisputeError) as caught:
                desk.disputes.regrade(made.id)
            refused.append(str(caught.value))

        desk.meanwhile = click_again

        desk.disputes.regrade(made.id)

        assert desk.graded == ["s-1"]
        assert refused == ["正在按新版题库重新评分；请稍候再刷新页面。"]

    def test_who_died_while_grading_gives_way_after_some_minutes(self) -> None:
        desk = Desk()
        made = desk.held.save(desk.dispute().claim(NOON, "demo@2"))

        with pytest.raises(DisputeError, match="请稍候"):
            desk.disputes.regrade(made.id)
        desk.clock.wait(CLAIM_LASTS.total_seconds())

        assert desk.disputes.regrade(made.id).regrade == AFTER

    def test_an_answer_given_meanwhile_is_kept(self) -> None:
        desk = Desk()
        made = desk.dispute()
        desk.meanwhile = lambda: desk.store.save(desk.session().answer("乙", now=NOON))

        desk.disputes.regrade(made.id)

        assert desk.stored_grade() == AFTER
        assert desk.session().turns[1].answer is not None
        assert desk.graded == ["s-1"]

    def test_two_disputes_about_one_answer_cost_one_grade(self) -> None:
        desk = Desk()
        first, second = desk.dispute("一"), desk.dispute("二")

        desk.disputes.regrade(first.id)
        done = desk.disputes.regrade(second.id)

        assert (done.grade, done.regrade) == (BEFORE, AFTER)
        assert desk.graded == ["s-1"]

    @pytest.mark.parametrize(
        ("gives", "error", "says"),
        [
            pytest.param(UNGRADED, DisputeError, "原来的评分没有改动：连不上。", id="ungraded"),
            pytest.param(NotFoundError("没有这道题。"), NotFoundError, "没有", id="question gone"),
            pytest.param(JudgeUnavailableError("x"), JudgeUnavailableError, "x", id="any error"),
        ],
    )
    def test_a_judge_that_fails_leaves_the_former_grade_and_the_dispute_open(
        self, gives: Outcome | Exception, error: type[Exception], says: str
    ) -> None:
        desk = Desk(gives, AFTER)
        made = desk.dispute()

        with pytest.raises(error, match=says):
            desk.disputes.regrade(made.id)

        assert desk.stored_grade() == BEFORE
        assert desk.held.load(made.id).is_answerable("demo@2")
        assert desk.disputes.regrade(made.id).regrade == AFTER

    def test_a_dispute_about_a_question_has_no_answer_to_grade(self) -> None:
        desk = Desk()
        made = desk.disputes.about_question("demo", "Q07", "单位写错了。")
        desk.bank_now = "demo@3"

        assert made.is_outdated("demo@3")
        with pytest.raises(DisputeError):
            desk.disputes.regrade(made.id)
        assert desk.graded == []


class TestEnding:
    @pytest.mark.parametrize("state", [DisputeState.CLOSED, DisputeState.WITHDRAWN])
    def test_it_can_be_closed_or_withdrawn_once(self, state: DisputeState) -> None:
        desk = Desk()
        made = desk.dispute()

        done = desk.disputes.end(made.id, state)

        assert (done.state, done.ended_at) == (state, NOON)
        with pytest.raises(DisputeError, match="已经处理过"):
            desk.disputes.end(made.id, state)
        with pytest.raises(DisputeError, match="已经处理过"):
            desk.disputes.regrade(made.id)

    def test_a_bank_that_cannot_be_read_has_no_version(self) -> None:
        desk = Desk()
        made = desk.dispute()

        assert desk.disputes.bank_now(made) == "demo@2"
        desk.bank_now = ""
        assert desk.disputes.bank_now(made) is None


def test_the_export_holds_what_an_author_needs() -> None:
    desk = Desk()
    desk.disputes.regrade(desk.dispute("“并行”应当算。").id)

    (told,) = json.loads(desk.disputes.exported())

    assert told["note"] == "“并行”应当算。"
    assert (told["bank"], told["question_id"], told["answer"]) == (
        "demo@1",
        "Q01",
        "前者并行计算。",
    )
    assert told["grade"]["score"] == BEFORE.score
    assert told["regrade"]["provenance"]["bank"] == "demo@2"
    assert "revision" not in told
