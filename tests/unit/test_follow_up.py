"""The follow-up aims at the weakest part of the answer, and none is asked twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.claims import Verdict
from bot.domain.follow_up import choose, weakest_slots
from bot.domain.question import Slot
from tests import fakes
from tests.strategies import overclaim

PROBES = (
    fakes.follow_up("f1", Slot.CONCLUSION),
    fakes.follow_up("f2", Slot.REASON),
    fakes.follow_up("f3", Slot.PREMISE_COST),
    fakes.follow_up("f4", Slot.PREMISE_COST),
)
ASKED = fakes.question(follow_ups=PROBES)
RUBRIC = fakes.rubric()
ALL = {"a": Verdict.NOT_MET, "b": Verdict.NOT_MET, "c": Verdict.NOT_MET}


def chosen(*asked: str, **given_: object) -> str | None:
    """Return the id of the follow-up after an answer with these findings."""
    probe = choose(ASKED, RUBRIC, fakes.graded(ASKED, **given_), asked)
    return probe.id if probe else None


class TestOrder:
    @pytest.mark.parametrize(
        ("findings", "probe"),
        [
            pytest.param(
                {"verdicts": ALL | {"b": Verdict.CONTRADICTED}}, "f2", id="contradicted reason"
            ),
            pytest.param(
                {"verdicts": ALL | {"a": Verdict.CONTRADICTED}, "overclaims": (overclaim(),)},
                "f1",
                id="contradiction before overclaim",
            ),
            pytest.param(
                {"verdicts": {"b": Verdict.NOT_MET}, "overclaims": (overclaim(),)},
                "f3",
                id="overclaim before a missing reason",
            ),
            pytest.param({"verdicts": ALL}, "f3", id="missing premise before missing reason"),
            pytest.param(
                {"verdicts": {"a": Verdict.NOT_MET, "b": Verdict.NOT_MET}},
                "f2",
                id="missing reason before missing key point",
            ),
            pytest.param(
                {"verdicts": {"b": Verdict.NOT_MET}, "levels": {Slot.PREMISE_COST: 1}},
                "f2",
                id="missing reason before partial premise",
            ),
            pytest.param(
                {"levels": {Slot.PREMISE_COST: 1, Slot.REASON: 1}},
                "f3",
                id="partial premise before partial reason",
            ),
            pytest.param({"verdicts": {"a": Verdict.NOT_MET}}, "f1", id="missing key point"),
        ],
    )
    def test_the_most_urgent_part_is_probed(self, findings: dict[str, object], probe: str) -> None:
        assert chosen(**findings) == probe

    def test_of_missing_key_points_the_heaviest_comes_first(self) -> None:
        full = fakes.graded(ASKED, {"c": Verdict.PARTLY_MET, "a": Verdict.PARTLY_MET})

        assert weakest_slots(ASKED, RUBRIC, full) == (Slot.CONCLUSION, Slot.PREMISE_COST)

    def test_after_a_perfect_answer_the_bank_decides(self) -> None:
        assert weakest_slots(ASKED, RUBRIC, fakes.graded(ASKED)) == ()
        assert chosen() == "f1"

    def test_without_a_grade_the_bank_decides(self) -> None:
        probe = choose(ASKED, RUBRIC, None, {"f1"})

        assert probe is not None
        assert probe.id == "f2"


class TestNeverTwice:
    def test_the_same_slot_is_probed_again_by_another_question(self) -> None:
        assert chosen("f3", verdicts=ALL) == "f4"

    def test_the_next_urgent_slot_follows(self) -> None:
        assert chosen("f3", "f4", verdicts=ALL) == "f2"

    def test_none_is_left_when_all_were_asked(self) -> None:
        assert chosen("f1", "f2", "f3", "f4", verdicts=ALL) is None
        assert choose(ASKED, RUBRIC, None, {"f1", "f2", "f3", "f4"}) is None
        assert choose(fakes.question(), RUBRIC, fakes.graded(ASKED), ()) is None

    @given(
        verdicts=st.fixed_dictionaries(dict.fromkeys("abc", st.sampled_from(Verdict))),
        level=st.integers(0, 2),
        overclaims=st.integers(0, 1),
    )
    def test_every_follow_up_comes_exactly_once(
        self, verdicts: dict[str, Verdict], level: int, overclaims: int
    ) -> None:
        asked: list[str] = []

        while probe := chosen(
            *asked, verdicts=verdicts, levels=level, overclaims=(overclaim(),) * overclaims
        ):
            asked.append(probe)

        assert sorted(asked) == ["f1", "f2", "f3", "f4"]


def test_a_grade_that_names_a_key_point_that_is_gone_still_leads_to_a_follow_up() -> None:
    """The bank was updated between the answer and the next visit; it was a KeyError."""
    earlier = fakes.question(points=(*fakes.THREE_POINTS, fakes.key_point("old", Slot.REASON)))
    given_ = fakes.graded(earlier, {"old": Verdict.CONTRADICTED})

    probe = choose(ASKED, RUBRIC, given_, ())

    assert probe is not None
