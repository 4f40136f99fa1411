"""What the stored sessions say about questions: one statement, each owner's own answers alone."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.adapters.sql_store import SqlStore
from bot.domain.grade import Grade
from bot.domain.record import QuestionRecord
from bot.domain.session import Answer, AnswerKind, Session, Turn
from tests.contract.conftest import Opener
from tests.contract.test_sql_store import NOON, UNGRADED, graded, session

pytestmark = pytest.mark.contract


@pytest.fixture
def store(reopen: Opener) -> SqlStore:
    return reopen()


def calm(level: int) -> Grade:
    """Return a grade of that level without overclaims."""
    return graded(level * 20.0, level=level).model_copy(update={"overclaims": ()})


def turn(
    outcome: object = None,
    *,
    id: str = "s-1",
    question_id: str = "Q01",
    follow_up_id: str | None = None,
    kind: AnswerKind | None = AnswerKind.ANSWERED,
    day: int = 0,
) -> Turn:
    at = NOON + timedelta(days=day)
    answer = None if kind is None else Answer(kind=kind, text="答", at=at, seconds=1)
    return Turn.model_validate(
        {
            "id": id,
            "question_id": question_id,
            "follow_up_id": follow_up_id,
            "says": "问",
            "asked_at": at,
            "answer": answer,
            "outcome": outcome,
        }
    )


def held(id: str, *turns: Turn, begun_at: datetime = NOON, bank_id: str = "vllm") -> Session:
    one = session(id, turns, begun_at)
    return one.model_copy(update={"plan": one.plan.model_copy(update={"bank_id": bank_id})})


def test_a_record_has_the_number_the_best_and_the_latest_level(store: SqlStore) -> None:
    store.save(held("s", turn(calm(4)), turn(calm(1), id="s-2", question_id="Q02", day=1)))
    store.save(held("t", turn(calm(2), id="t-1", day=2)))

    assert store.records.of_bank("vllm") == {
        "Q01": QuestionRecord(
            question_id="Q01",
            answers=2,
            best_level=4,
            latest_level=2,
            overclaimed=False,
            latest_at=NOON + timedelta(days=2),
        ),
        "Q02": QuestionRecord(
            question_id="Q02",
            answers=1,
            best_level=1,
            latest_level=1,
            overclaimed=False,
            latest_at=NOON + timedelta(days=1),
        ),
    }


def test_an_answer_without_a_grade_counts_but_does_not_hide_the_latest_level(
    store: SqlStore,
) -> None:
    store.save(held("s", turn(graded(level=3)), turn(UNGRADED, id="s-2", day=1)))
    store.save(held("t", turn(None, id="t-1", question_id="Q02")))

    found = store.records.of_bank("vllm")

    assert (found["Q01"].answers, found["Q01"].latest_level, found["Q01"].overclaimed) == (
        2,
        3,
        True,
    )
    assert (found["Q02"].answers, found["Q02"].best_level, found["Q02"].overclaimed) == (1, None, False)  # fmt: skip


def test_what_was_skipped_left_open_or_a_follow_up_does_not_count(store: SqlStore) -> None:
    store.save(
        held(
            "s",
            turn(None, kind=AnswerKind.SKIPPED),
            turn(calm(5), id="s-2", question_id="Q02", follow_up_id="f1"),
            turn(calm(0), id="s-3", question_id="Q03", kind=AnswerKind.DONT_KNOW),
            turn(None, id="s-4", question_id="Q04", kind=None),
        )
    )

    assert set(store.records.of_bank("vllm")) == {"Q03"}
    assert store.records.answers("vllm", ("Q01", "Q02", "Q04")) == ()


def test_overclaims_of_an_earlier_answer_are_forgiven(store: SqlStore) -> None:
    store.save(held("s", turn(graded(level=3)), turn(calm(3), id="s-2", day=1)))

    assert not store.records.of_bank("vllm")["Q01"].overclaimed


def test_other_banks_and_other_owners_stay_apart(store: SqlStore, reopen: Opener) -> None:
    store.save(held("s", turn(calm(4))))
    store.save(held("t", turn(calm(1), id="t-1"), bank_id="mine"))
    other = reopen("somebody")

    assert store.records.of_bank("vllm")["Q01"].best_level == 4
    assert store.records.of_bank("mine")["Q01"].best_level == 1
    assert other.records.of_bank("vllm") == {}
    assert other.records.answers("vllm", ("Q01",)) == ()


def test_the_latest_answers_come_first_with_their_session(store: SqlStore) -> None:
    store.save(held("s", turn(calm(4)), turn(UNGRADED, id="s-2", day=3)))
    store.save(held("t", turn(calm(1), id="t-1", day=2)))

    found = store.records.answers("vllm", ("Q01",))

    assert [(one.session_id, one.level) for one in found] == [("s", None), ("t", 1), ("s", 4)]
    assert found[1].asked_at == NOON + timedelta(days=2)
    assert (found[1].score, found[1].judge) == (20, "offline")
    assert len(store.records.answers("vllm", ("Q01",), limit=2)) == 2


def test_the_number_of_sessions_does_not_change_the_number_of_statements(
    store: SqlStore, statements: list[str]
) -> None:
    for number in range(20):
        store.save(held(f"s{number}", turn(calm(3), id=f"s{number}-1", day=number)))
    statements.clear()

    assert store.records.of_bank("vllm")["Q01"].answers == 20

    assert len(statements) == 1
