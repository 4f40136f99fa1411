"""A person who asks too often is told when to go on; the judge is not asked."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.adapters.yaml_rubrics import read_rubrics
from bot.domain.grade import Ungraded
from bot.domain.target import target_of
from bot.errors import JudgeUnavailableError
from bot.services.grading import Grader
from bot.services.limiting import LimitedJudge, require
from tests import fakes

RUBRICS = Path(__file__).parents[2] / "rubrics"


def test_the_answer_stays_ungraded_with_a_sentence_that_says_when() -> None:
    judge = fakes.CannedJudge()
    limited = LimitedJudge(judge, take=lambda: timedelta(seconds=90), per_hour=30)
    grader = Grader(
        judge=limited, rubrics=read_rubrics(RUBRICS), bank_name="x@1", clock=fakes.FakeClock()
    )

    outcome = grader.grade("a", target_of(fakes.question()), "历史的键值不必重算，直接从显存读取。")

    assert isinstance(outcome, Ungraded)
    assert "每人每小时最多 30 次" in outcome.message
    assert "大约 2 分钟后" in outcome.message
    assert limited.identity == judge.identity
    assert judge.asked == []


def test_within_the_allowance_nothing_is_said() -> None:
    require(lambda: None, 30)
    with pytest.raises(JudgeUnavailableError, match="大约 1 分钟后"):
        require(lambda: timedelta(seconds=1), 30)
