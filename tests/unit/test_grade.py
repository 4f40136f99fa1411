"""The score follows from the findings: it rests on evidence, and it never punishes what is better."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bot.domain.claims import Findings, Flag, SlotFinding, Verdict
from bot.domain.grade import Grade, Outcome, Provenance, Ungraded, UngradedReason, grade
from bot.domain.question import Slot
from bot.domain.rubric import SlotCriterion
from bot.domain.target import target_of
from tests import fakes
from tests.strategies import Situation, error, outcomes, overclaim, situations

ASKED = fakes.question()
BETTER = {
    Verdict.NOT_MET: Verdict.PARTLY_MET,
    Verdict.PARTLY_MET: Verdict.MET,
    Verdict.CONTRADICTED: Verdict.NOT_MET,
}


def graded(given_: Situation, findings: Findings | None = None) -> Grade:
    found = given_.findings if findings is None else findings
    return grade("answer", given_.target, given_.rubric, found, fakes.provenance())


def points_of(given_: Grade) -> dict[str, float]:
    return {one.id: one.points for one in given_.criteria}


def better_verdicts(findings: Findings) -> Iterator[Findings]:
    """Give the findings with one verdict improved by a step."""
    for at, point in enumerate(findings.points):
        if point.verdict in BETTER:
            better = point.model_copy(update={"verdict": BETTER[point.verdict]})
            points = (*findings.points[:at], better, *findings.points[at + 1 :])
            yield findings.model_copy(update={"points": points})


def higher_levels(findings: Findings) -> Iterator[Findings]:
    """Give the findings with one slot a level higher."""
    for at, slot in enumerate(findings.slots):
        if slot.level < 2:
            higher = slot.model_copy(update={"level": slot.level + 1})
            slots = (*findings.slots[:at], higher, *findings.slots[at + 1 :])
            yield findings.model_copy(update={"slots": slots})


def fewer_faults(findings: Findings) -> Iterator[Findings]:
    """Give the findings with one overclaim or one error less."""
    if findings.overclaims:
        yield findings.model_copy(update={"overclaims": findings.overclaims[1:]})
    if findings.errors:
        yield findings.model_copy(update={"errors": findings.errors[1:]})


class TestWhateverTheJudgeSays:
    @given(situations())
    def test_the_score_lies_between_0_and_100_and_has_its_level(self, situation: Situation) -> None:
        found = graded(situation)

        assert 0 <= found.score <= 100
        assert found.level == situation.rubric.level_of(found.score, "offline")

    @given(situations())
    def test_each_criterion_of_the_rubric_is_scored_once_within_its_maximum(
        self, situation: Situation
    ) -> None:
        found = graded(situation)

        slots = {point.slot for point in situation.target.key_points}
        wanted = [(one.id, round(one.max, 2)) for one in situation.rubric.for_slots(slots).criteria]
        assert [(one.id, one.max) for one in found.criteria] == wanted
        assert all(one.points <= one.max for one in found.criteria)
        assert all(one.points >= 0 for one in found.criteria if one.id != "calibration")
        assert all(0 <= one.level <= 2 for one in found.criteria)

    @given(situations())
    def test_the_score_is_the_sum_of_the_criteria_unless_a_gate_holds_it(
        self, situation: Situation
    ) -> None:
        found = graded(situation)

        total = max(0.0, sum(one.points for one in found.criteria))
        capped = {
            Flag.CAPPED_CONTRADICTION,
            Flag.CAPPED_ERROR,
            Flag.CAPPED_NO_POINT,
        } & set(found.flags)
        assert found.score <= total + 0.05
        assert capped or found.score == pytest.approx(min(total, 100), abs=0.051)

    @given(situations())
    def test_the_same_findings_get_the_same_grade(self, situation: Situation) -> None:
        assert graded(situation) == graded(situation)

    @given(situations())
    def test_findings_are_kept_as_they_were(self, situation: Situation) -> None:
        found = graded(situation)

        assert found.key_points == situation.findings.points
        assert found.overclaims == situation.findings.overclaims
        assert found.errors == situation.findings.errors


class TestMonotony:
    @given(situations())
    def test_a_better_verdict_never_lowers_the_score(self, situation: Situation) -> None:
        before = graded(situation)

        for findings in better_verdicts(situation.findings):
            after = graded(situation, findings)
            assert (after.score, after.level) >= (before.score, before.level)

    @given(situations())
    def test_a_higher_slot_level_never_lowers_the_score(self, situation: Situation) -> None:
        before = graded(situation)

        for findings in higher_levels(situation.findings):
            assert graded(situation, findings).score >= before.score

    @given(situations())
    def test_an_overclaim_or_error_less_never_lowers_the_score(self, situation: Situation) -> None:
        before = graded(situation)

        for findings in fewer_faults(situation.findings):
            assert graded(situation, findings).score >= before.score

    @given(situations())
    def test_an_overclaim_or_error_more_never_raises_the_score(self, situation: Situation) -> None:
        before = graded(situation)
        findings = situation.findings
        worse = (
            {"overclaims": (*findings.overclaims, overclaim(50))},
            {"errors": (*findings.errors, error(50))},
        )

        for changes in worse:
            after = graded(situation, findings.model_copy(update=changes))
            assert after.score <= before.score

    @given(situations())
    def test_another_sentence_as_evidence_never_lowers_the_score(
        self, situation: Situation
    ) -> None:
        before = graded(situation)
        findings = situation.findings

        for at, point in enumerate(findings.points):
            more = point.model_copy(update={"evidence": (*point.evidence, fakes.span(0, 99))})
            points = (*findings.points[:at], more, *findings.points[at + 1 :])
            after = graded(situation, findings.model_copy(update={"points": points}))
            assert after.score >= before.score


class TestEvidence:
    @given(situations())
    def test_met_without_evidence_earns_nothing(self, situation: Situation) -> None:
        bare = tuple(
            one.model_copy(update={"verdict": Verdict.MET, "evidence": ()})
            for one in situation.findings.points
        )

        found = graded(situation, situation.findings.model_copy(update={"points": bare}))

        assert all(one.points <= 0 for one in found.criteria)
        assert found.score == 0

    @given(situations(), st.integers(1, 2))
    def test_hollow_structure_earns_nothing(self, situation: Situation, level: int) -> None:
        """Slots are claimed with sentences that carry no key point."""
        hollow = tuple(
            SlotFinding(slot=one.slot, level=level, evidence=(fakes.span(200, 220),))
            for one in situation.rubric.criteria
            if isinstance(one, SlotCriterion)
        )

        found = graded(situation, situation.findings.model_copy(update={"slots": hollow}))

        for one in situation.rubric.criteria:
            if isinstance(one, SlotCriterion):
                assert points_of(found).get(one.id, 0) == 0

    def test_a_slot_counts_where_its_sentence_also_carries_a_key_point(self) -> None:
        carried = points_of(fakes.graded(ASKED))
        shifted = (
            fakes.findings(ASKED).slots[1].model_copy(update={"evidence": (fakes.span(90, 99),)})
        )
        slots = (fakes.findings(ASKED).slots[0], shifted)

        hollow = points_of(fakes.graded(ASKED, slots=slots))

        assert (carried["reason"], hollow["reason"]) == (20, 0)
        assert hollow["conclusion"] == carried["conclusion"] == 15

    def test_a_key_point_that_is_not_met_carries_no_slot(self) -> None:
        found = fakes.graded(ASKED, {"b": Verdict.NOT_MET})

        assert points_of(found)["reason"] == 0

    @pytest.mark.parametrize(
        ("level", "points"),
        [
            pytest.param(0, 0, id="absent"),
            pytest.param(1, 10, id="partial"),
            pytest.param(2, 20, id="clear"),
        ],
    )
    def test_a_slot_earns_by_its_level(self, level: int, points: float) -> None:
        found = fakes.graded(ASKED, levels={Slot.REASON: level})

        reason = next(one for one in found.criteria if one.id == "reason")
        assert (reason.points, reason.level) == (points, level)
        assert bool(reason.evidence) == bool(level)

    def test_a_conclusion_that_does_not_stand_first_loses_its_opening_points(self) -> None:
        first = fakes.graded(ASKED, opening_ends=1)
        late = fakes.graded(ASKED, opening_ends=0)

        assert points_of(first)["conclusion"] - points_of(late)["conclusion"] == 3


class TestCoverage:
    def test_everything_said_earns_everything(self) -> None:
        found = fakes.graded(ASKED)

        assert (found.score, found.level, found.flags) == (100, 5, ())

    def test_key_points_count_by_weight_and_half_where_partly_met(self) -> None:
        found = fakes.graded(ASKED, {"a": Verdict.PARTLY_MET, "b": Verdict.NOT_MET})

        assert points_of(found)["coverage"] == pytest.approx(40 * (1.5 + 0 + 1) / 6, abs=0.01)

    def test_the_rubric_says_which_share_is_enough(self) -> None:
        coverage = fakes.rubric().criteria[0].model_copy(update={"full_at": 0.5})
        rubric = fakes.rubric("generous", coverage, *fakes.rubric().criteria[1:])
        findings = fakes.findings(ASKED, {"b": Verdict.NOT_MET, "c": Verdict.NOT_MET})

        found = grade("answer", target_of(ASKED), rubric, findings, fakes.provenance())

        assert points_of(found)["coverage"] == 40


class TestCalibration:
    @pytest.mark.parametrize(
        ("count", "points"),
        [
            pytest.param(0, 10, id="none"),
            pytest.param(1, 5, id="one"),
            pytest.param(3, -5, id="three cost more than it gives"),
            pytest.param(9, -20, id="never below the floor"),
        ],
    )
    def test_each_overclaim_costs_down_to_the_floor(self, count: int, points: float) -> None:
        overclaims = tuple(overclaim(at) for at in range(count))

        found = fakes.graded(ASKED, overclaims=overclaims)

        assert points_of(found)["calibration"] == points

    def test_without_content_there_is_nothing_to_calibrate(self) -> None:
        found = fakes.graded(ASKED, Verdict.NOT_MET)

        assert points_of(found)["calibration"] == 0


class TestGates:
    def test_a_contradicted_core_point_caps_the_score(self) -> None:
        found = fakes.graded(ASKED, {"a": Verdict.CONTRADICTED})

        assert found.score == 30
        assert found.flags == (Flag.CAPPED_CONTRADICTION,)

    def test_a_contradicted_side_point_only_earns_nothing(self) -> None:
        found = fakes.graded(ASKED, {"c": Verdict.CONTRADICTED})

        assert found.score > 30
        assert found.flags == ()

    @pytest.mark.parametrize(
        ("count", "cap"),
        [
            pytest.param(1, 55, id="one"),
            pytest.param(2, 35, id="two"),
            pytest.param(3, 35, id="three"),
        ],
    )
    def test_errors_cap_the_score(self, count: int, cap: float) -> None:
        found = fakes.graded(ASKED, errors=tuple(error(at) for at in range(count)))

        assert found.score == cap
        assert found.flags == (Flag.CAPPED_ERROR,)

    @pytest.mark.parametrize(
        ("count", "score", "flags"),
        [
            pytest.param(1, 95, (), id="one"),
            pytest.param(2, 60, (Flag.CAPPED_OVERCLAIMS,), id="two"),
            pytest.param(3, 60, (Flag.CAPPED_OVERCLAIMS,), id="three"),
        ],
    )
    def test_more_than_one_overclaim_caps_the_score(
        self, count: int, score: float, flags: tuple[Flag, ...]
    ) -> None:
        gates = fakes.rubric().gates.model_copy(update={"more_overclaims": 60})
        strict = fakes.rubric(gates=gates)
        findings = fakes.findings(ASKED, overclaims=tuple(overclaim(at) for at in range(count)))

        found = grade("answer", target_of(ASKED), strict, findings, fakes.provenance())

        assert (found.score, found.flags) == (score, flags)

    def test_the_lowest_gate_holds(self) -> None:
        found = fakes.graded(ASKED, {"a": Verdict.CONTRADICTED}, errors=(error(),))

        assert found.score == 30
        assert found.flags == (Flag.CAPPED_CONTRADICTION,)

    def test_a_gate_that_holds_nothing_back_is_not_mentioned(self) -> None:
        found = fakes.graded(
            ASKED,
            {"b": Verdict.NOT_MET, "c": Verdict.NOT_MET},
            errors=(error(),),
        )

        assert found.score < 55
        assert found.flags == ()

    def test_no_key_point_is_capped_near_zero(self) -> None:
        """A slot without key points of its own could still carry points; the gate stops it."""
        rubric = fakes.rubric(
            "lenient",
            fakes.rubric().criteria[0].model_copy(update={"max": 60, "partly": 0}),
            SlotCriterion(kind="slot", id="reason", title="原因", max=40, slot=Slot.REASON),
        )
        findings = fakes.findings(ASKED, Verdict.PARTLY_MET)

        found = grade("answer", target_of(ASKED), rubric, findings, fakes.provenance())

        assert sum(points_of(found).values()) == 40
        assert found.score == 5
        assert found.flags == (Flag.CAPPED_NO_POINT,)

    def test_flags_of_the_judge_stay_and_come_first(self) -> None:
        found = fakes.graded(
            ASKED, {"a": Verdict.CONTRADICTED}, flags=(Flag.INJECTION, Flag.QUOTE_NOT_FOUND)
        )

        assert found.flags == (Flag.INJECTION, Flag.QUOTE_NOT_FOUND, Flag.CAPPED_CONTRADICTION)

    @given(situations())
    def test_an_answer_without_a_met_point_never_exceeds_its_gate(
        self, situation: Situation
    ) -> None:
        worse = {Verdict.MET: Verdict.NOT_MET, Verdict.PARTLY_MET: Verdict.CONTRADICTED}
        points = tuple(
            one.model_copy(update={"verdict": worse.get(one.verdict, one.verdict)})
            for one in situation.findings.points
        )

        found = graded(situation, situation.findings.model_copy(update={"points": points}))

        assert found.score <= situation.rubric.gates.no_point_met


class TestProvenance:
    @pytest.mark.parametrize(
        ("changes", "comparable"),
        [
            pytest.param({}, True, id="the same"),
            pytest.param({"seconds": 3.0, "tokens": 900}, True, id="cost"),
            pytest.param({"method": "json_mode"}, True, id="method"),
            pytest.param({"model": "another"}, False, id="model"),
            pytest.param({"judge": "llm"}, False, id="judge"),
            pytest.param({"prompt_version": "2"}, False, id="prompt"),
            pytest.param({"rubric": "structured-answer@2"}, False, id="rubric"),
            pytest.param({"bank": "demo@2"}, False, id="bank"),
        ],
    )
    def test_grades_are_comparable_when_the_same_judge_weighed_by_the_same_rubric(
        self, changes: dict[str, object], comparable: bool
    ) -> None:
        one, other = fakes.provenance(), fakes.provenance(**changes)

        assert one.comparable(other) is other.comparable(one) is comparable

    def test_a_grade_names_where_it_came_from(self) -> None:
        source = Provenance(judge="llm", model="m", rubric="structured-answer@1", bank="demo@1")

        assert fakes.graded(ASKED, source=source).provenance == source


class TestOutcome:
    @given(outcomes())
    def test_an_outcome_survives_json_as_what_it_was(self, outcome: Outcome) -> None:
        adapter: TypeAdapter[Grade | Ungraded] = TypeAdapter(Outcome)

        assert adapter.validate_json(adapter.dump_json(outcome)) == outcome

    def test_ungraded_has_no_score(self) -> None:
        reason = Ungraded(
            id="a", question_id="Q01", reason=UngradedReason.JUDGE_UNAVAILABLE, message="无法连接。"
        )

        assert not hasattr(reason, "score")
        assert reason.status == "ungraded"
