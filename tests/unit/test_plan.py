"""A study plan is edited without losing a question or a reason."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.plan import ADDED, Pick, Reason, ReasonKind, StudyPlan
from tests.fakes import NOON


def study_plan(*question_ids: str, **changes: object) -> StudyPlan:
    """Return a plan of these questions."""
    reason = Reason(kind=ReasonKind.TEXT, says="材料写到“KV 传输”")
    fields: dict[str, object] = {
        "id": "p",
        "bank_id": "demo",
        "made_at": NOON,
        "title": "存储研发",
        "picks": tuple(Pick(question_id=one, reasons=(reason,)) for one in question_ids),
        "by_meaning": True,
        "text": "张三的简历",
    }
    return StudyPlan.model_validate({**fields, **changes})


@given(st.permutations(("A", "B", "C", "D")), st.sampled_from("ABCD"), st.integers(-5, 5))
def test_moving_keeps_every_question_and_the_order_of_the_others(order, moved, by):
    plan = study_plan(*order)

    after = plan.moved(moved, by).question_ids

    assert [one for one in after if one != moved] == [one for one in order if one != moved]
    assert after.index(moved) == min(3, max(0, order.index(moved) + by))


def test_a_question_can_be_removed_and_added_again_by_hand():
    plan = study_plan("A", "B").without("A").added("A")

    assert plan.question_ids == ("B", "A")
    assert plan.picks[1].reasons == (ADDED,)


def test_a_question_is_in_the_plan_once():
    plan = study_plan("A")

    assert plan.added("A") == plan


def test_the_text_is_kept_only_when_that_was_asked_for():
    plan = study_plan("A")

    assert plan.to_keep(with_text=False).text is None
    assert plan.to_keep(with_text=False).picks == plan.picks
    assert plan.to_keep(with_text=True) == plan
