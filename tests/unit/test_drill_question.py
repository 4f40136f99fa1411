"""What a card asks gives nothing away, and is graded against what it aims at alone."""

from __future__ import annotations

import pytest

from bot.domain.card import Rung
from bot.domain.drill_question import aim_at, says, target_at
from bot.domain.question import SLOTS_OF_KIND, Kind, Misconception, Slot
from bot.domain.target import FOLLOW_UP_RUBRIC
from bot.errors import NotFoundError
from tests.drilling import aim, card
from tests.fakes import THREE_POINTS, follow_up, key_point, question

PROBE = follow_up("f1", Slot.PREMISE_COST)
ASKED = question(
    points=(*THREE_POINTS, key_point("d", Slot.PREMISE_COST, says="互联要够快")),
    follow_ups=[PROBE],
    misconceptions=[
        Misconception(says="没有代价", why="显存会涨", contradicts="c", patterns=(("没有代价",),))
    ],
)


def test_a_slot_is_asked_for_in_words_that_no_key_point_has() -> None:
    for kind, slots in SLOTS_OF_KIND.items():
        for slot in slots:
            asked = question(kind=kind, points=[key_point("c", slot, says="要点本身")])
            words = says(card(aims=aim(slot, "c")), asked)

            assert "要点本身" not in words
            assert words.endswith("？")


def test_what_was_said_already_is_named_and_what_is_missing_is_not() -> None:
    mine = card(aims=aim(Slot.PREMISE_COST, "c")).model_copy(update={"known": ("d",)})

    words = says(mine, ASKED)

    assert "互联要够快" in words
    assert THREE_POINTS[2].says not in words


def test_a_follow_up_is_asked_in_the_words_of_the_bank() -> None:
    mine = card(aims=aim(Slot.PREMISE_COST, "a", follow_up_id="f1"), rung=Rung.FULL)

    assert says(mine, ASKED) == f"请完整地说：{PROBE.asks}"


def test_a_slot_is_graded_against_the_missed_points_and_the_follow_up_rubric() -> None:
    target = target_at(aim(Slot.PREMISE_COST, "c"), ASKED)

    assert [target.point_id(one) for one in target.key_points] == ["Q01.c"]
    assert target.rubric_id == FOLLOW_UP_RUBRIC
    assert target.reference == ASKED.reference.premise_cost
    assert target.misconceptions == ASKED.misconceptions
    assert ASKED.stem in target.stem


def test_a_follow_up_is_graded_against_its_own_points() -> None:
    target = target_at(aim(Slot.PREMISE_COST, "a", follow_up_id="f1"), ASKED)

    assert target.id == "Q01.f1"
    assert target.key_points == PROBE.key_points
    assert target.reference == PROBE.reference


def test_under_pushback_a_claim_is_asked_to_have_limits_too() -> None:
    mine = aim(Slot.CONCLUSION, "a")

    assert aim_at(card(aims=mine, rung=Rung.FULL), ASKED).points == ("a",)
    assert aim_at(card(aims=mine, rung=Rung.PUSHBACK), ASKED).points == ("a", "c", "d")


def test_under_pushback_a_follow_up_keeps_to_its_own_subject() -> None:
    mine = aim(Slot.PREMISE_COST, "a", follow_up_id="f1")

    assert aim_at(card(aims=mine, rung=Rung.PUSHBACK), ASKED).points == ("a",)


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(aim(Slot.PREMISE_COST, "z"), id="key point"),
        pytest.param(aim(Slot.PREMISE_COST, "a", follow_up_id="f9"), id="follow-up"),
    ],
)
def test_a_card_of_which_the_bank_has_nothing_left_cannot_be_asked(lost: object) -> None:
    mine = card().model_copy(update={"aim": lost})

    with pytest.raises(NotFoundError):
        aim_at(mine, ASKED)
    with pytest.raises(NotFoundError):
        target_at(mine.aim, ASKED)


def test_a_key_point_that_the_bank_dropped_is_no_longer_asked_for() -> None:
    assert aim_at(card(aims=aim(Slot.PREMISE_COST, "c", "z")), ASKED).points == ("c",)


def test_the_reference_of_an_answer_that_is_not_told_apart_is_the_whole() -> None:
    asked = question(kind=Kind.DESIGN, points=[key_point("c", Slot.COST)])

    assert target_at(aim(Slot.COST, "c"), asked).reference == asked.reference.joined
