"""Calculation tasks are made from a family and a seed: the same for ever, and consistent."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.adapters.yaml_banks import CALCULATIONS_FILE, read_bank
from bot.domain.bank import Bank, CalculationFile
from bot.domain.calculation import FORMULAS, evaluate
from bot.domain.family import (
    LARGEST_SEED,
    CalculationFamily,
    family_and_seed,
    instantiate,
    task_id,
)
from bot.domain.parameters import Rows, Span, draw
from bot.domain.question import SLOTS_OF_KIND, Kind, Slot
from bot.domain.selection import draw_calculations
from bot.domain.target import target_of
from bot.domain.unit import Unit, shown
from bot.errors import BankError, NotFoundError
from bot.offline import units
from bot.offline.interviewer import OfflineInterviewer
from bot.services.grading import Grader
from bot.services.interviewing import Interviews
from tests import fakes

ROOT = Path(__file__).parents[2]
BANK = read_bank(ROOT / "corpus" / "vllm")
FAMILIES = {family.id: family for family in BANK.calculations}
seeds = st.integers(0, LARGEST_SEED)
families = st.sampled_from(BANK.calculations)


def family_fields(**changes: Any) -> dict[str, Any]:
    """Return the fields of the smallest family that is valid, with changes."""
    fields = {
        "id": "SUM",
        "title": "和",
        "difficulty": "easy",
        "topics": ["sums"],
        "parameters": [{"names": ["ttft_ms", "tpot_ms"], "rows": [[100, 10], [200, 20]]}],
        "result": {
            "formula": "e2e_seconds",
            "replace": {"output_tokens": 11},
            "unit": "ms",
            "tolerance": 0.01,
        },
        "stem": "TTFT 是 $ttft_ms ms，问多久？",
        "reference": {"conclusion": "约 $result。", "reason": "相加。", "premise_cost": "平均。"},
        "key_points": [
            {"id": "formula", "says": "相加", "slot": "formula", "concepts": [["$tpot_ms"]]}
        ],
    }
    return {**fields, **changes}


class TestFormulas:
    @pytest.mark.parametrize(
        ("name", "values", "wanted"),
        [
            ("kv_bytes_per_token", (32, 8, 128, 2), 128 * 1024),
            ("kv_bytes", (32, 8, 128, 2, 8192, 1), 2**30),
            ("transfer_seconds", (1, 400), 0.02147483648),
            ("e2e_seconds", (300, 25, 11), 0.55),
            ("tpot_seconds", (2, 500, 31), 0.05),
            ("in_flight_requests", (8, 3), 24),
            ("rate_over_stay", (12, 3), 4),
            ("concurrent_requests", (24, 128, 8192), 24),
            ("completed_per_second", (24, 128, 8192, 8), 3),
            ("weight_bytes", (70, 4, 2), 17.5e9),
            ("read_seconds", (16, 4, 2), 0.01),
        ],
    )
    def test_a_formula_gives_what_the_field_says(
        self, name: str, values: tuple[float, ...], wanted: float
    ) -> None:
        assert FORMULAS[name](*values) == pytest.approx(wanted)

    def test_arguments_are_taken_by_name(self) -> None:
        assert evaluate("in_flight_requests", {"stay_s": 3, "requests_per_second": 8, "x": 1}) == 24

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            pytest.param("__import__", {}, id="unknown"),
            pytest.param("in_flight_requests", {"stay_s": 3}, id="missing"),
            pytest.param(
                "in_flight_requests", {"stay_s": "3", "requests_per_second": 8}, id="a text"
            ),
            pytest.param("rate_over_stay", {"stay_s": 0, "requests_per_second": 8}, id="zero"),
        ],
    )
    def test_what_cannot_be_computed_is_a_value_error(
        self, name: str, values: dict[str, float | str]
    ) -> None:
        with pytest.raises(ValueError, match="公式"):
            evaluate(name, values)


class TestUnit:
    @pytest.mark.parametrize("unit", Unit)
    def test_its_size_is_that_of_the_unit_library(self, unit: Unit) -> None:
        bases = ("byte", "second", "request", "token", "request / second", "token / second")

        sizes = [size for base in bases if (size := units.factor(unit, base)) is not None]

        assert sizes == [pytest.approx(unit.size)]

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (21.47483648, "21.47 ms"),
            (131072, "131072 ms"),
            (1374.39, "1374 ms"),
            (0.30000000000000004, "0.3 ms"),
            (49.99999999999999, "50 ms"),
        ],
    )
    def test_a_number_is_shown_to_four_digits(self, value: float, text: str) -> None:
        assert shown(value, Unit.MS) == text


class TestDrawing:
    def test_a_span_has_every_step_up_to_its_end(self) -> None:
        assert Span(name="a", first=10, last=35, step=10).rows == ((10,), (20,), (30,))

    @given(seeds)
    def test_rows_stay_together(self, seed: int) -> None:
        drawn = draw([Rows(names=("a", "b"), rows=((1, "x"), (2, "y")))], str(seed))

        assert (drawn["a"], drawn["b"]) in {(1, "x"), (2, "y")}

    def test_every_row_comes_up(self) -> None:
        span = Span(name="a", first=1, last=6)

        assert {draw([span], str(seed))["a"] for seed in range(200)} == set(range(1, 7))

    @pytest.mark.parametrize(
        "fields",
        [{"names": ["a", "b"], "rows": [[1, 2], [3]]}, {"names": ["a"], "rows": []}],
    )
    def test_uneven_or_no_rows_are_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            Rows.model_validate(fields)

    def test_a_span_that_ends_before_it_begins_is_refused(self) -> None:
        with pytest.raises(ValidationError):
            Span(name="a", first=2, last=1)


class TestInstances:
    @pytest.mark.parametrize(
        ("question_id", "value"),
        [
            ("C-KV-1", 2.5),
            ("C-KV-77", 14),
            ("C-LINK-1", 171.79869184),
            ("C-E2E-2", 1200),
            ("C-TPOT-77", 40),
            ("C-LITTLE-3", 48),
            ("C-CAP-1", 4.8),
            ("C-WEIGHT-77", 1.75),
            ("C-ROOF-99999", 6.25),
        ],
    )
    def test_an_id_means_the_same_task_for_ever(self, question_id: str, value: float) -> None:
        expected = BANK.find(question_id).expected

        assert expected is not None
        assert expected.value == pytest.approx(value)

    @given(families, seeds)
    def test_a_task_is_found_by_its_id_alone(self, family: CalculationFamily, seed: int) -> None:
        made = instantiate(family, seed)

        assert BANK.find(made.id) == made
        assert family_and_seed(made.id) == (family.id, seed)
        assert target_of(made).expected == made.expected

    @given(families, seeds)
    def test_a_task_is_whole(self, family: CalculationFamily, seed: int) -> None:
        made = instantiate(family, seed)

        assert made.kind is Kind.CALCULATE
        assert {point.slot for point in made.key_points} == set(SLOTS_OF_KIND[Kind.CALCULATE])
        assert made.reference.reason
        assert made.reference.premise_cost
        assert len(made.follow_ups) >= 2
        assert "$" not in made.model_dump_json()

    @given(families, seeds)
    def test_the_reference_states_the_result(self, family: CalculationFamily, seed: int) -> None:
        made = instantiate(family, seed)

        assert made.expected is not None
        assert shown(made.expected.value, made.expected.unit) in made.reference.conclusion

    @given(families, seeds)
    def test_wrong_numbers_lie_apart_from_the_right_one_and_each_other(
        self, family: CalculationFamily, seed: int
    ) -> None:
        expected = instantiate(family, seed).expected

        assert expected is not None
        numbers = [expected.value, *(wrong.value for wrong in expected.wrong)]
        assert all(
            abs(one - other) > 2 * expected.tolerance * max(one, other) * 0.999
            for at, one in enumerate(numbers)
            for other in numbers[:at]
        )

    def test_every_family_gives_many_different_tasks(self) -> None:
        for family in BANK.calculations:
            stems = {instantiate(family, seed).stem for seed in range(300)}

            assert len(stems) >= 8, family.id

    @given(seeds)
    def test_transfer_and_recomputation_are_never_a_close_call(self, seed: int) -> None:
        made = instantiate(FAMILIES["LINK"], seed)
        drawn = draw(FAMILIES["LINK"].parameters, f"LINK-{seed}")

        assert made.expected is not None
        ratio = made.expected.value / float(drawn["recompute_ms"])
        assert not 0.75 < ratio < 1.3

    @pytest.mark.parametrize(
        "question_id",
        ["C-KV-", "C-KV-01", "C-KV-100000", "C-KV--1", "C-KV-１", "c-kv-1", "C-NOPE-1", "C-KV-1 "],
    )
    def test_other_ids_are_not_found(self, question_id: str) -> None:
        with pytest.raises(NotFoundError):
            BANK.find(question_id)
        with pytest.raises(NotFoundError):
            BANK.section_of(question_id)

    def test_a_task_has_a_section_of_its_own(self) -> None:
        assert BANK.section_of("C-KV-1").title == "计算题"


class TestFamily:
    def test_the_smallest_family_gives_a_task(self) -> None:
        made = instantiate(CalculationFamily.model_validate(family_fields()), 3)

        assert made.expected is not None
        assert made.reference.conclusion == f"约 {shown(made.expected.value, Unit.MS)}。"

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            pytest.param({"stem": "$nothing"}, "nothing", id="unknown name in a text"),
            pytest.param(
                {"result": {"formula": "os.system", "unit": "ms", "tolerance": 0.01}},
                "公式",
                id="no such formula",
            ),
            pytest.param(
                {"result": {"formula": "kv_bytes", "unit": "GiB", "tolerance": 0.01}},
                "layers",
                id="a parameter that is missing",
            ),
            pytest.param(
                {
                    "result": {
                        "formula": "duration_seconds",
                        "replace": {"duration_ms": "nothing"},
                        "unit": "ms",
                        "tolerance": 0.01,
                    }
                },
                "nothing",
                id="a replacement that is missing",
            ),
            pytest.param(
                {"choices": [{"less": "ttft_ms", "than": "x", "then": {}, "otherwise": {}}]},
                "choices",
                id="a choice about nothing",
            ),
            pytest.param(
                {
                    "parameters": [
                        {"names": ["ttft_ms", "tpot_ms"], "rows": [[1, 2]]},
                        {"name": "ttft_ms", "first": 1, "last": 2},
                    ]
                },
                "ttft_ms",
                id="a name used twice",
            ),
            pytest.param({"id": "sum"}, "id", id="an id in small letters"),
            pytest.param({"extra": 1}, "extra", id="a key too many"),
        ],
    )
    def test_a_broken_family_is_refused(self, changes: dict[str, Any], says: str) -> None:
        with pytest.raises(ValidationError, match=says):
            CalculationFamily.model_validate(family_fields(**changes))


class TestFiles:
    def test_the_schema_is_that_of_the_model(self) -> None:
        stored = json.loads((ROOT / "corpus/calculations.schema.json").read_text(encoding="utf-8"))

        assert stored == CalculationFile.model_json_schema()

    def test_the_file_names_its_schema(self) -> None:
        text = (ROOT / "corpus/vllm/calculations.yaml").read_text(encoding="utf-8")

        assert text.startswith("# yaml-language-server: $schema=../calculations.schema.json\n")

    def test_a_bank_need_not_have_calculations(self) -> None:
        assert read_bank(ROOT / "tests" / "data" / "bank" / "small").calculations == ()

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("bank: other\nfamilies: []\n", "families"),
            ("bank: small\nfamilies: [{id: KV}]\n", "families"),
        ],
    )
    def test_a_broken_file_is_named(self, tmp_path: Path, text: str, says: str) -> None:
        for source in (ROOT / "tests" / "data" / "bank" / "small").glob("*.yaml"):
            (tmp_path / source.name).write_bytes(source.read_bytes())
        (tmp_path / CALCULATIONS_FILE).write_text(text, encoding="utf-8")

        with pytest.raises(BankError, match=rf"{CALCULATIONS_FILE}:\d+.*{says}"):
            read_bank(tmp_path)

    def test_a_file_of_another_bank_is_refused(self, tmp_path: Path) -> None:
        for source in (ROOT / "tests" / "data" / "bank" / "small").glob("*.yaml"):
            (tmp_path / source.name).write_bytes(source.read_bytes())
        shipped = ROOT / "corpus" / "vllm" / CALCULATIONS_FILE
        (tmp_path / CALCULATIONS_FILE).write_bytes(shipped.read_bytes())

        with pytest.raises(BankError, match="vllm"):
            read_bank(tmp_path)


def bank_with_tasks() -> Bank:
    return fakes.bank().model_copy(update={"calculations": BANK.calculations})


class TestSelection:
    @given(st.integers(0, 20), st.integers())
    def test_it_draws_as_many_as_were_wanted_from_all_families(self, count: int, seed: int) -> None:
        drawn = draw_calculations(BANK, count=count, rng=random.Random(seed))

        of_family = [family_and_seed(one)[0] for one in drawn]
        assert len(drawn) == count
        assert all(BANK.find(one).id == one for one in drawn)
        assert len(set(of_family)) == min(count, len(FAMILIES))

    def test_the_same_seed_draws_the_same_tasks(self) -> None:
        first, second = (draw_calculations(BANK, count=4, rng=random.Random(7)) for _ in range(2))

        assert first == second

    def test_a_bank_without_families_has_none_to_draw(self) -> None:
        assert draw_calculations(fakes.bank(), count=0, rng=random.Random(1)) == ()
        with pytest.raises(NotFoundError, match="计算题"):
            draw_calculations(fakes.bank(), count=1, rng=random.Random(1))

    def test_an_interview_asks_tasks_after_its_questions_and_rebuilds_them(self) -> None:
        bank, clock, store = bank_with_tasks(), fakes.FakeClock(), fakes.MemoryStore()
        rubrics = {**fakes.rubrics(), "calculation": fakes.rubric("calculation")}
        judge = fakes.CannedJudge()
        interviews = Interviews(
            bank=bank,
            grader=Grader(judge=judge, rubrics=rubrics, bank_name=bank.name, clock=clock),
            store=store,
            interviewer=OfflineInterviewer(),
            clock=clock,
        )

        session = interviews.begin(count=1, calculations=2, rng=random.Random(3), follow_ups=0)
        for _ in range(2):
            answered = interviews.answer(session, "大概 16 GiB，因为每层都存 K 和 V。")
            session = interviews.go_on(interviews.grade_waiting(answered))

        task = store.load(session.id).turns[-1]
        assert session.plan.question_ids[0] == "Q01"
        assert len(session.plan.question_ids) == 3
        assert family_and_seed(task.question_id)[0] in FAMILIES
        assert interviews.target_of(task).expected == bank.find(task.question_id).expected
        assert bank.find(task.question_id).stem in task.says
        assert judge.asked[-1][0].rubric_id == "calculation"


def test_ids_and_slots_are_those_that_judges_look_for() -> None:
    points = {point.id: point for point in BANK.find(task_id("KV", 1)).key_points}

    assert (points["result"].slot, points["result"].core) == (Slot.RESULT, True)
    assert points["unit"].slot is Slot.UNIT
