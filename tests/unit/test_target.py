"""An answer is graded against a question or against one of its follow-ups, never both."""

from __future__ import annotations

import pytest

from bot.domain.question import Kind, Misconception, Slot
from bot.domain.target import RUBRIC_OF_KIND, target_of
from tests import fakes

WRONG = Misconception(says="误区", why="不对。", contradicts="a", patterns=(("错",),))


def test_a_question_is_its_own_target() -> None:
    asked = fakes.question(misconceptions=(WRONG,))

    target = target_of(asked)

    assert (target.id, target.question_id, target.stem) == ("Q01", "Q01", asked.stem)
    assert target.reference == asked.reference.joined
    assert target.key_points == asked.key_points
    assert target.misconceptions == (WRONG,)
    assert target.rubric_id == "structured-answer"
    assert target.aims_at is None


def test_a_follow_up_has_its_own_words_key_points_and_rubric() -> None:
    probe = fakes.follow_up("f2", Slot.PREMISE_COST)
    asked = fakes.question(follow_ups=(probe,))

    target = target_of(asked, probe)

    assert (target.id, target.question_id, target.stem) == ("Q01.f2", "Q01", probe.asks)
    assert (target.reference, target.key_points) == (probe.reference, probe.key_points)
    assert target.rubric_id == "follow-up"
    assert target.aims_at is Slot.PREMISE_COST


def test_a_misconception_stays_wrong_in_a_follow_up_but_contradicts_no_point_there() -> None:
    probe = fakes.follow_up()
    asked = fakes.question(misconceptions=(WRONG,), follow_ups=(probe,))

    target = target_of(asked, probe)

    assert [one.says for one in target.misconceptions] == ["误区"]
    assert [one.contradicts for one in target.misconceptions] == [None]


def test_key_points_are_named_after_what_was_asked() -> None:
    probe = fakes.follow_up()
    asked = fakes.question(follow_ups=(probe,))

    main, follow_up = target_of(asked), target_of(asked, probe)

    assert main.point_id(main.key_points[0]) == "Q01.a"
    assert follow_up.point_id(follow_up.key_points[0]) == "Q01.f1.a"


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.value) for kind in Kind])
def test_every_kind_of_question_has_a_rubric(kind: Kind) -> None:
    assert RUBRIC_OF_KIND[kind]
