"""Two answers to one question: what was gained, what was lost, and when numbers may be set off."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.claims import AnswerError, Overclaim, Verdict
from bot.domain.comparison import Change, Comparison, compare
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.question import Question, Slot
from bot.domain.session import SessionPlan, Turn, begin
from bot.domain.target import Target, target_of
from bot.errors import SessionStateError
from tests import fakes
from tests.fakes import NOON

QUESTION = fakes.question()
TARGET = target_of(QUESTION)
WITHOUT_PREMISE = {"c": Verdict.NOT_MET}
VERDICTS = st.fixed_dictionaries(dict.fromkeys("abc", st.sampled_from(Verdict)))


def turn(given: Grade | Ungraded | None = None, session_id: str = "s", **changes: str) -> Turn:
    """Return the answered turn of a session, graded so."""
    plan = SessionPlan(bank_id="demo", question_ids=("Q01",))
    session = begin(session_id, plan, NOON).ask(
        question_id=changes.get("question_id", "Q01"),
        says="说",
        now=NOON,
        follow_up_id=changes.get("follow_up_id"),
    )
    session = session.answer("并行计算", now=NOON)
    return (session if given is None else session.record(session.turns[0].id, given)).turns[0]


def overclaim(quote: str) -> Overclaim:
    return Overclaim(start=0, end=len(quote), quote=quote, why="太满", rewrite="通常")


def error(quote: str, why: str) -> AnswerError:
    return AnswerError(start=0, end=len(quote), quote=quote, why=why)


def compared(earlier: Grade, later: Grade, targets: dict[str, Target] | None = None) -> Comparison:
    return compare(
        turn(earlier, "before"),
        turn(later, "after"),
        target=TARGET,
        rubric=fakes.rubric(),
        targets=targets,
    )


class TestGainsAndLosses:
    def test_a_slot_and_a_key_point_that_were_added_are_gained(self) -> None:
        before = fakes.graded(QUESTION, WITHOUT_PREMISE, levels={Slot.PREMISE_COST: 0})

        found = compared(before, fakes.graded(QUESTION))

        assert [(one.slot, one.before, one.after, one.change) for one in found.slots] == [
            (Slot.CONCLUSION, 2, 2, Change.SAME),
            (Slot.REASON, 2, 2, Change.SAME),
            (Slot.PREMISE_COST, 0, 2, Change.GAINED),
        ]
        premise = found.points[2]
        assert (premise.id, premise.says, premise.change) == ("Q01.c", "采分点 c", Change.GAINED)
        assert (premise.before, premise.after) == (Verdict.NOT_MET, Verdict.MET)
        assert found.slots[2].evidence_after
        assert not found.slots[2].evidence_before

    @pytest.mark.parametrize(
        ("before", "after", "change"),
        [
            (Verdict.NOT_MET, Verdict.PARTLY_MET, Change.GAINED),
            (Verdict.CONTRADICTED, Verdict.NOT_MET, Change.GAINED),
            (Verdict.MET, Verdict.PARTLY_MET, Change.LOST),
            (Verdict.NOT_MET, Verdict.CONTRADICTED, Change.LOST),
            (Verdict.PARTLY_MET, Verdict.PARTLY_MET, Change.SAME),
        ],
    )
    def test_a_better_verdict_is_gained(
        self, before: Verdict, after: Verdict, change: Change
    ) -> None:
        found = compared(
            fakes.graded(QUESTION, {"a": before}), fakes.graded(QUESTION, {"a": after})
        )

        assert found.points[0].change is change

    @given(VERDICTS, VERDICTS)
    def test_looked_at_the_other_way_round_gains_are_losses(
        self, first: dict[str, Verdict], second: dict[str, Verdict]
    ) -> None:
        one, other = fakes.graded(QUESTION, first), fakes.graded(QUESTION, second)

        there, back = compared(one, other), compared(other, one)

        opposite = {
            Change.GAINED: Change.LOST,
            Change.LOST: Change.GAINED,
            Change.SAME: Change.SAME,
        }
        assert [opposite[part.change] for part in there.points] == [
            part.change for part in back.points
        ]
        assert [opposite[part.change] for part in there.slots] == [
            part.change for part in back.slots
        ]
        assert there.difference is not None
        assert there.difference == -(back.difference or 0)

    @given(VERDICTS)
    def test_an_answer_compared_with_itself_has_changed_nothing(
        self, verdicts: dict[str, Verdict]
    ) -> None:
        given_both = fakes.graded(QUESTION, verdicts).model_copy(
            update={"overclaims": (overclaim("一定更快"),), "errors": (error("没有通信", "有"),)}
        )

        found = compared(given_both, given_both)

        assert {one.change for one in (*found.slots, *found.points)} == {Change.SAME}
        assert found.overclaims.kept == given_both.overclaims
        assert found.errors.kept == given_both.errors
        assert not (found.overclaims.gone)
        assert not (found.overclaims.new)
        assert not found.errors.gone
        assert found.difference == 0


class TestFaults:
    @staticmethod
    def after(
        before: Sequence[str], later: Sequence[str]
    ) -> tuple[list[str], list[str], list[str]]:
        graded = fakes.graded(QUESTION)
        found = compared(
            graded.model_copy(update={"overclaims": tuple(map(overclaim, before))}),
            graded.model_copy(update={"overclaims": tuple(map(overclaim, later))}),
        ).overclaims
        gone, new, kept = (
            [one.quote for one in part] for part in (found.gone, found.new, found.kept)
        )
        return gone, new, kept

    def test_an_overclaim_that_is_not_said_again_is_gone(self) -> None:
        assert self.after(["任何模型都能更快"], []) == (["任何模型都能更快"], [], [])

    def test_one_that_is_said_nearly_so_again_is_kept_as_it_was_said_last(self) -> None:
        found = self.after(["任何模型都能更快"], ["任何模型 都能变得更快"])

        assert found == ([], [], ["任何模型 都能变得更快"])

    def test_another_is_new(self) -> None:
        assert self.after(["任何模型都能更快"], ["永远不会抢占"]) == (
            ["任何模型都能更快"], ["永远不会抢占"], [],
        )  # fmt: skip

    def test_each_is_paired_once(self) -> None:
        found = self.after(["一定会更快"], ["一定会更快", "一定会更快"])

        assert found == ([], ["一定会更快"], ["一定会更快"])

    def test_the_same_misconception_in_other_words_is_kept(self) -> None:
        graded = fakes.graded(QUESTION)
        before = graded.model_copy(update={"errors": (error("没有任何通信", "每层都有通信。"),)})
        after = graded.model_copy(update={"errors": (error("卡之间不用传数据", "每层都有通信。"),)})

        found = compared(before, after).errors

        assert [one.quote for one in found.kept] == ["卡之间不用传数据"]
        assert not found.gone
        assert not found.new

    @given(
        st.lists(st.text("一定会更快永远不任何", min_size=1, max_size=8), max_size=4),
        st.lists(st.text("一定会更快永远不任何", min_size=1, max_size=8), max_size=4),
    )
    def test_none_is_lost_or_made_up(self, before: list[str], later: list[str]) -> None:
        gone, new, kept = self.after(before, later)

        assert len(gone) + len(kept) == len(before)
        assert sorted(new + kept) == sorted(later)


class TestWhatMayNotBeCompared:
    def test_scores_of_different_judges_are_not_set_off(self) -> None:
        model = fakes.provenance("llm", model="m", prompt_version="1")

        found = compared(fakes.graded(QUESTION), fakes.graded(QUESTION, source=model))

        assert found.difference is None
        assert found.difference_note == "两次的评分者、提示词版本不同，分数不能直接相减。"
        assert found.points_note is None
        assert len(found.points) == 3

    def test_scores_of_different_rubrics_are_not_set_off(self) -> None:
        other = fakes.provenance(rubric="structured-answer@2")

        found = compared(fakes.graded(QUESTION), fakes.graded(QUESTION, source=other))

        assert found.difference_note == "两次的评分标准不同，分数不能直接相减。"

    def test_key_points_of_another_version_of_the_bank_need_both_versions(self) -> None:
        newer = fakes.graded(QUESTION, source=fakes.provenance(bank="demo@2"))

        found = compared(fakes.graded(QUESTION), newer, {"demo@2": TARGET})

        assert found.points == ()
        assert found.points_note == (
            "两次评分用的题库版本不同（demo@1、demo@2），采分点不逐条比较。"
        )
        assert found.difference is None
        assert len(found.slots) == 3

    def test_key_points_that_say_the_same_in_both_versions_are_compared(self) -> None:
        reworded = [
            point.model_copy(update={"says": "另一件事"}) if point.id == "b" else point
            for point in QUESTION.key_points
        ]
        targets = {"demo@1": target_of(fakes.question(points=reworded)), "demo@2": TARGET}
        newer = fakes.graded(QUESTION, source=fakes.provenance(bank="demo@2"))

        found = compared(fakes.graded(QUESTION), newer, targets)

        assert [one.id for one in found.points] == ["Q01.a", "Q01.c"]
        assert found.points_note is not None
        assert "只比较内容没有变的 2 个采分点" in found.points_note

    @pytest.mark.parametrize(
        ("earlier", "sentence"),
        [
            pytest.param(turn(), "'s-1' 没有评分，不能比较", id="waiting"),
            pytest.param(
                turn(
                    Ungraded(
                        id="x",
                        question_id="Q01",
                        reason=UngradedReason.REPLY_INVALID,
                        message="看不懂。",
                    )
                ),
                "没有评分，不能比较",
                id="ungraded",
            ),
            pytest.param(turn(fakes.graded(QUESTION), follow_up_id="f1"), "追问不参与", id="probe"),
            pytest.param(
                turn(fakes.graded(QUESTION), question_id="Q02"), "不是同一道题", id="another"
            ),
        ],
    )
    def test_only_graded_answers_to_one_question_are_compared(
        self, earlier: Turn, sentence: str
    ) -> None:
        with pytest.raises(SessionStateError, match=sentence):
            compare(earlier, turn(fakes.graded(QUESTION)), target=TARGET, rubric=fakes.rubric())


def test_a_slot_that_the_question_does_not_ask_for_is_left_out():
    asked: Question = fakes.question(points=[fakes.key_point("a", Slot.CONCLUSION)])

    found = compare(
        turn(fakes.graded(asked)),
        turn(fakes.graded(asked)),
        target=target_of(asked),
        rubric=fakes.rubric(),
    )

    assert [one.slot for one in found.slots] == [Slot.CONCLUSION]
