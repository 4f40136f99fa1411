"""A report adds up what was graded; what was skipped or could not be graded is not a zero."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given

from bot.domain.bank import Bank
from bot.domain.claims import Verdict
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.question import Kind, Question, Slot
from bot.domain.report import Report, report_of, unmet
from bot.domain.session import AnswerKind, Session, SessionPlan, begin
from bot.domain.target import target_of
from tests import fakes
from tests.fakes import NOON
from tests.strategies import overclaim, sessions

PROBE = fakes.follow_up(
    "f1", Slot.REASON, points=(fakes.key_point("a", Slot.REASON, says="采分点 b"),)
)
FIRST = fakes.question("Q01", follow_ups=(PROBE,))
SECOND, THIRD = fakes.question("Q02"), fakes.question("Q03")
BANK = fakes.bank(FIRST, SECOND, THIRD, fakes.question("Q04"))
UNGRADED = Ungraded(
    id="x", question_id="Q02", reason=UngradedReason.JUDGE_UNAVAILABLE, message="评分模型连不上。"
)


def new(*question_ids: str) -> Session:
    return begin("s", SessionPlan(bank_id="demo", question_ids=question_ids or ("Q01",)), NOON)


def with_turn(
    session: Session,
    question_id: str,
    outcome: Grade | Ungraded | None = None,
    *,
    kind: AnswerKind = AnswerKind.ANSWERED,
    follow_up_id: str | None = None,
) -> Session:
    """Return the session with an answered turn more, and its outcome if there is one."""
    asked = session.ask(question_id=question_id, says="说", now=NOON, follow_up_id=follow_up_id)
    answered = asked.answer("并行计算", now=NOON, kind=kind)
    return answered if outcome is None else answered.record(answered.turns[-1].id, outcome)


def report(session: Session, bank: Bank = BANK) -> Report:
    return report_of(session, bank, fakes.rubrics())


def verdicts(**of: Verdict) -> Mapping[str, Verdict]:
    return of


MET, PARTLY, NOT, WRONG = (
    Verdict.MET,
    Verdict.PARTLY_MET,
    Verdict.NOT_MET,
    Verdict.CONTRADICTED,
)


class TestScore:
    def test_it_is_the_mean_of_the_graded_main_answers(self) -> None:
        high, low = fakes.graded(FIRST), fakes.graded(SECOND, verdicts(b=NOT, c=NOT))
        session = with_turn(with_turn(new("Q01", "Q02"), "Q01", high), "Q02", low)

        found = report(session)

        assert found.score == pytest.approx((high.score + low.score) / 2, abs=0.05)
        assert found.level == fakes.rubric().level_of(found.score, "offline")
        assert found.level_name == fakes.LEVEL_NAMES[found.level]
        assert found.score is not None

    def test_skipped_and_ungraded_answers_do_not_count(self) -> None:
        session = with_turn(new("Q01", "Q02", "Q03", "Q04"), "Q01", fakes.graded(FIRST))
        session = with_turn(session, "Q02", UNGRADED)
        session = with_turn(session, "Q03", kind=AnswerKind.SKIPPED)
        session = with_turn(session, "Q04")

        found = report(session)

        assert found.score == 100
        assert [one.state for one in found.questions] == ["已评分", "未评分", "跳过", "未评分"]
        assert [one.score for one in found.questions] == [100, None, None, None]
        assert all(one.answers == 1 for one in found.criteria)

    def test_an_answer_that_says_nothing_counts_as_what_it_earned(self) -> None:
        session = with_turn(new(), "Q01", fakes.graded(FIRST, NOT), kind=AnswerKind.DONT_KNOW)

        assert report(session).score == 0

    def test_follow_ups_stand_beside_and_are_not_averaged(self) -> None:
        session = with_turn(new(), "Q01", fakes.graded(FIRST))
        session = with_turn(session, "Q01", fakes.graded(FIRST, NOT), follow_up_id="f1")
        session = with_turn(session, "Q01", UNGRADED, follow_up_id="f2")

        found = report(session)

        assert found.score == 100
        assert [one.follow_up_scores for one in found.questions] == [(0, None)]


class TestEmpty:
    @pytest.mark.parametrize(
        "session",
        [
            pytest.param(new(), id="nothing asked"),
            pytest.param(new().ask(question_id="Q01", says="说", now=NOON), id="nothing answered"),
            pytest.param(with_turn(new(), "Q01", kind=AnswerKind.SKIPPED), id="all skipped"),
            pytest.param(with_turn(new(), "Q01", UNGRADED), id="all ungraded"),
            pytest.param(with_turn(new(), "Q01"), id="not graded yet"),
        ],
    )
    def test_without_a_graded_answer_there_is_no_score(self, session: Session) -> None:
        found = report(session)

        assert found.score is None
        assert (found.score, found.level, found.level_name) == (None, None, None)
        assert (found.criteria, found.practice, found.provenances) == ((), (), ())
        assert (found.strongest, found.weakest, found.overclaims) == ((), (), 0)


class TestCriteria:
    def test_each_is_a_mean_share_with_the_number_of_answers(self) -> None:
        low = fakes.graded(SECOND, verdicts(b=NOT))
        session = with_turn(with_turn(new("Q01", "Q02"), "Q01", fakes.graded(FIRST)), "Q02", low)

        criteria = {one.id: one for one in report(session).criteria}

        assert (criteria["reason"].share, criteria["reason"].answers) == (0.5, 2)
        assert criteria["conclusion"].share == 1
        assert criteria["reason"].title == "原因"

    def test_the_best_and_the_worst_are_named(self) -> None:
        session = with_turn(new(), "Q01", fakes.graded(FIRST, verdicts(b=NOT)))

        found = report(session)

        assert found.weakest == ("原因",)
        assert len(found.strongest) == 2
        assert not set(found.strongest) & set(found.weakest)

    def test_overclaims_can_cost_more_than_calibration_gives(self) -> None:
        given_ = fakes.graded(FIRST, overclaims=tuple(overclaim(at) for at in range(3)))

        found = report(with_turn(new(), "Q01", given_))

        assert {one.id: one.share for one in found.criteria}["calibration"] == -0.5
        assert (found.overclaims, found.questions[0].overclaims) == (3, 3)
        assert found.weakest == ("校准",)


class TestPractice:
    def test_what_was_missing_is_practised_heaviest_first(self) -> None:
        given_ = fakes.graded(SECOND, verdicts(a=PARTLY, b=NOT, c=WRONG))

        found = report(with_turn(new("Q02"), "Q02", given_))

        assert [(one.says, one.why) for one in found.practice] == [
            ("采分点 c", "说反了"),
            ("采分点 a", "只说到一部分"),
            ("采分点 b", "没有说到"),
        ]
        assert [one.aims_at for one in found.practice] == [
            Slot.PREMISE_COST,
            Slot.CONCLUSION,
            Slot.REASON,
        ]
        assert found.questions[0].missing == ("采分点 a", "采分点 b", "采分点 c")

    def test_what_was_met_is_not_practised(self) -> None:
        assert report(with_turn(new(), "Q01", fakes.graded(FIRST))).practice == ()

    def test_what_a_follow_up_brought_out_is_not_practised(self) -> None:
        session = with_turn(new(), "Q01", fakes.graded(FIRST, verdicts(b=NOT, c=NOT)))
        recovered = Grade.model_validate(
            {
                **fakes.graded(FIRST).model_dump(),
                "question_id": "Q01.f1",
                "key_points": [{"id": "Q01.f1.a", "verdict": "met", "evidence": []}],
            }
        )
        session = with_turn(session, "Q01", recovered, follow_up_id="f1")

        found = report(session)

        assert [one.says for one in found.practice] == ["采分点 c"]
        assert found.questions[0].missing == ("采分点 b", "采分点 c")

    def test_a_follow_up_that_did_not_help_changes_nothing(self) -> None:
        session = with_turn(new(), "Q01", fakes.graded(FIRST, verdicts(b=NOT)))
        session = with_turn(session, "Q01", UNGRADED, follow_up_id="f1")

        assert [one.says for one in report(session).practice] == ["采分点 b"]

    def test_the_weakest_answers_come_first_and_five_are_enough(self) -> None:
        middling = verdicts(c=NOT)
        session = with_turn(new("Q01", "Q02", "Q03"), "Q01", fakes.graded(FIRST, middling))
        session = with_turn(session, "Q02", fakes.graded(SECOND, NOT))
        session = with_turn(session, "Q03", fakes.graded(THIRD, NOT))

        practice = report(session).practice

        assert len(practice) == 5
        assert "Q01" not in {one.question_id for one in practice}

    def test_a_question_without_a_grade_gives_nothing_to_practise(self) -> None:
        session = with_turn(
            with_turn(new("Q01", "Q02"), "Q01", UNGRADED), "Q02", fakes.graded(SECOND)
        )

        assert report(session).practice == ()


class TestProvenance:
    def test_one_judge_is_named_once(self) -> None:
        session = with_turn(new("Q01", "Q02"), "Q01", fakes.graded(FIRST))
        session = with_turn(session, "Q02", fakes.graded(SECOND))

        assert report(session).provenances == (fakes.provenance(),)

    def test_grades_of_different_judges_are_told_apart(self) -> None:
        llm = fakes.provenance("llm", model="m", prompt_version="1")
        session = with_turn(new("Q01", "Q02"), "Q01", fakes.graded(FIRST))
        session = with_turn(session, "Q02", fakes.graded(SECOND, source=llm))

        assert report(session).provenances == (fakes.provenance(), llm)

    def test_cost_makes_no_difference(self) -> None:
        dear = fakes.provenance(tokens=900, seconds=4.5)
        session = with_turn(new("Q01", "Q02"), "Q01", fakes.graded(FIRST))
        session = with_turn(session, "Q02", fakes.graded(SECOND, source=dear))

        assert len(report(session).provenances) == 1


def test_unmet_key_points_come_heaviest_first() -> None:
    given_ = fakes.graded(FIRST, verdicts(a=WRONG, c=NOT))

    assert unmet(target_of(FIRST), given_) == ("采分点 a", "采分点 c")


def test_a_design_question_is_reported_by_its_own_rubric() -> None:
    design: Question = fakes.question(
        "Q09", kind=Kind.DESIGN, points=(fakes.key_point("a", Slot.APPROACH),)
    )
    given_ = fakes.graded(FIRST).model_copy(update={"question_id": "Q09"})
    session = with_turn(new("Q09"), "Q09", given_)

    line = report(session, fakes.bank(design)).questions[0]

    assert line.level_name == fakes.LEVEL_NAMES[given_.level]


@given(sessions())
def test_every_session_has_a_report_with_a_line_for_each_question_asked(session: Session) -> None:
    found = report(session)

    assert [one.question_id for one in found.questions] == list(session.asked)
    assert (found.score is not None) == any(
        turn.grade for turn in session.turns if not turn.follow_up_id
    )
    assert found.score is None or 0 <= found.score <= 100
    assert len(found.practice) <= 5


def test_a_slot_made_good_in_a_follow_up_is_practised_and_the_report_says_so() -> None:
    """The follow-up aims at the slot of the missing point, in other words than the point."""
    other = fakes.follow_up(
        "f2", Slot.REASON, points=(fakes.key_point("z", Slot.REASON, says="别的说法"),)
    )
    asked = fakes.question("Q01", follow_ups=(other,))
    session = with_turn(new(), "Q01", fakes.graded(asked, verdicts(b=NOT)))
    before = report(session, fakes.bank(asked)).practice

    answered = with_turn(session, "Q01", fakes.graded(asked), follow_up_id="f2")
    after = report(answered, fakes.bank(asked)).practice

    assert [(one.says, one.why) for one in before] == [("采分点 b", "没有说到")]
    assert [(one.says, one.why) for one in after] == [("采分点 b", "没有说到，追问时才补上")]
