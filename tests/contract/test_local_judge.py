"""The real small model as a judge; by hand, for it is slow: `pytest -m live -s`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from bot.bootstrap import Services
from bot.cli.evaluating import read_gold
from bot.domain.grade import Grade, Ungraded
from bot.domain.target import target_of
from bot.settings import Settings

pytestmark = pytest.mark.live

MODEL = Path(os.environ.get("MOCKBOT_TEST_MODELS", "")) / "chat.gguf"
GOLD = Path(__file__).parents[1] / "gold" / "dev.jsonl"
ANSWERS, STEP = 20, 7
"""The step has no factor in common with the number of types, so that all of them are met."""


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    if not MODEL.is_file():
        pytest.skip("MOCKBOT_TEST_MODELS names no folder with chat.gguf")
    pytest.importorskip("xllamacpp")
    made = Services(
        Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("data"), model=f"local:{MODEL}")
    )
    yield made
    made.models.chat.close()  # type: ignore[attr-defined]
    made.store.close()


def test_the_exam_fails_the_small_model_and_says_why(services: Services) -> None:
    begun = services.clock.elapsed()

    result = services.models.take_exam()

    seconds = services.clock.elapsed() - begun
    sys.stderr.write(
        f"\n{result.score} in {seconds:.0f} s, {services.models.spending.this_month()}\n"
    )
    for one in result.results:
        sys.stderr.write(f"{'ok ' if one.passed else 'NOT'} {one.title}: {one.says}\n")
    assert not result.passed
    assert f"该模型未通过评分考核（{result.score}）" in services.models.says
    assert result.failures[0].title in services.models.says
    graded = services.grader.grade("x", target_of(services.bank.find("Q01")), "显存不够的一句话。")
    assert isinstance(graded, Grade)
    assert graded.provenance.judge == "offline"


def test_nearly_every_answer_gets_a_grade_and_all_evidence_stands_in_it(services: Services) -> None:
    gold = read_gold(GOLD)
    grader = services.grader_with(services.models.llm_judge)
    grades: list[Grade] = []
    ungraded: list[Ungraded] = []
    for one in gold[::STEP][:ANSWERS]:
        outcome = grader.grade(one.id, target_of(services.bank.find(one.question_id)), one.answer)
        if isinstance(outcome, Ungraded):
            ungraded.append(outcome)
            continue
        grades.append(outcome)
        found = [each for criterion in outcome.criteria for each in criterion.evidence]
        found += [each for point in outcome.key_points for each in point.evidence]
        for each in (*found, *outcome.overclaims, *outcome.errors):
            assert one.answer[each.start : each.end] == each.quote != ""
        by = outcome.provenance
        sys.stderr.write(
            f"\n{one.id}: level {outcome.level}, rated {fmean(r.level for r in one.ratings):g}, "
            f"{by.usage}, {by.seconds:.1f} s, confidence {outcome.confidence}, {[*outcome.flags]}"
        )

    made = [one.provenance for one in grades]
    sys.stderr.write(
        f"\nungraded {len(ungraded)}/{ANSWERS}: {[one.message for one in ungraded]}\n"
        f"in {fmean(one.usage.prompt for one in made):.0f}, out {fmean(one.usage.reply for one in made):.0f} "
        f"tokens, {fmean(one.seconds for one in made):.1f} s a grade, "
        f"confidence {fmean(one.confidence or 0 for one in grades):.2f}\n"
    )
    assert len(ungraded) <= ANSWERS * 0.05
    assert all(one.confidence is not None for one in grades)
