"""What stored sessions say about a question decides where the filters of the bank find it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.domain.record import QuestionRecord, RecordState, by_family
from tests.fakes import NOON


def record(question_id: str = "Q01", *, day: int = 0, **changes: object) -> QuestionRecord:
    fields: dict[str, object] = {
        "question_id": question_id,
        "answers": 1,
        "best_level": 3,
        "latest_level": 3,
        "overclaimed": False,
        "latest_at": NOON + timedelta(days=day),
    }
    return QuestionRecord.model_validate({**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "states"),
    [
        pytest.param({}, {RecordState.ANSWERED}, id="answered well"),
        pytest.param(
            {"latest_level": 2, "best_level": 5},
            {RecordState.ANSWERED, RecordState.WEAK},
            id="the latest level counts, not the best",
        ),
        pytest.param(
            {"overclaimed": True}, {RecordState.ANSWERED, RecordState.OVERCLAIMED}, id="overclaimed"
        ),
        pytest.param(
            {"latest_level": None, "best_level": None},
            {RecordState.ANSWERED},
            id="not graded is not weak",
        ),
    ],
)
def test_a_record_says_what_a_filter_can_look_for(
    changes: dict[str, object], states: set[RecordState]
) -> None:
    assert record(**changes).states == states


def test_the_tasks_of_a_family_share_one_record() -> None:
    held = {
        "C-KV-7": record("C-KV-7", day=1, best_level=4, latest_level=4, answers=2),
        "C-KV-9": record("C-KV-9", day=3, best_level=1, latest_level=1, overclaimed=True),
        "C-KV-2": record("C-KV-2", day=5, best_level=None, latest_level=None),
        "Q01": record("Q01"),
    }

    joined = by_family(held, ["KV"])

    assert set(joined) == {"C-KV-1", "Q01"}
    assert joined["C-KV-1"] == record(
        "C-KV-1", day=5, answers=4, best_level=4, latest_level=1, overclaimed=True
    )


def test_a_question_that_only_looks_like_a_task_keeps_its_record() -> None:
    held = {"C-KV-7": record("C-KV-7")}

    assert by_family(held, []) == held
