"""A slot is as full as its key points are; a label fills nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.claims import PointClaim, Verdict
from bot.domain.question import Slot
from bot.domain.target import target_of
from bot.offline.structure import slot_claims
from tests import fakes

LEXICON = fakes.lexicon(slot_full_at=0.6, slot_full_points=2)
POINTS = (
    fakes.key_point("a", Slot.REASON, weight=3),
    fakes.key_point("b", Slot.REASON, weight=1),
    fakes.key_point("c", Slot.REASON, weight=1),
    fakes.key_point("d", Slot.CONCLUSION, weight=1),
)
TARGET = target_of(fakes.question(points=POINTS))
MET, PARTLY, NOT, WRONG = (
    Verdict.MET,
    Verdict.PARTLY_MET,
    Verdict.NOT_MET,
    Verdict.CONTRADICTED,
)


def claims(**verdicts: Verdict) -> list[PointClaim]:
    """Return a claim for each key point; each cites a sentence of its own."""
    return [
        PointClaim(key_point_id=point.id, verdict=verdicts.get(point.id, NOT), sentences=(number,))
        for number, point in enumerate(POINTS, start=1)
    ]


def reason(**verdicts: Verdict) -> tuple[int, tuple[int, ...]]:
    """Return level and sentences of the reason."""
    (found,) = (
        one for one in slot_claims(TARGET, claims(**verdicts), LEXICON) if one.slot is Slot.REASON
    )
    return found.level, found.sentences


@pytest.mark.parametrize(
    ("verdicts", "level"),
    [
        pytest.param({}, 0, id="nothing"),
        pytest.param({"a": WRONG, "b": NOT}, 0, id="contradicted"),
        pytest.param({"b": PARTLY}, 1, id="a little"),
        pytest.param({"b": MET}, 1, id="a light point"),
        pytest.param({"a": PARTLY}, 1, id="half of the heavy point"),
        pytest.param({"a": MET}, 2, id="enough of the weight"),
        pytest.param({"b": MET, "c": MET}, 2, id="enough points"),
        pytest.param({"b": MET, "c": PARTLY, "a": PARTLY}, 2, id="enough altogether"),
    ],
)
def test_the_level_follows_from_the_key_points(verdicts: dict[str, Verdict], level: int) -> None:
    assert reason(**verdicts)[0] == level


def test_the_sentences_are_those_of_the_points_that_count() -> None:
    assert reason(a=MET, b=WRONG, c=PARTLY)[1] == (1, 3)


def test_each_slot_of_the_target_is_claimed_once() -> None:
    found = slot_claims(TARGET, claims(d=MET), LEXICON)

    assert [one.slot for one in found] == [Slot.REASON, Slot.CONCLUSION]
    assert [one.level for one in found] == [0, 2]


@given(
    st.fixed_dictionaries(dict.fromkeys("abcd", st.sampled_from(Verdict))), st.sampled_from("abcd")
)
def test_a_point_more_never_empties_a_slot(verdicts: dict[str, Verdict], better: str) -> None:
    before = slot_claims(TARGET, claims(**verdicts), LEXICON)

    after = slot_claims(TARGET, claims(**{**verdicts, better: MET}), LEXICON)

    for one, other in zip(before, after, strict=True):
        assert one.level <= other.level
