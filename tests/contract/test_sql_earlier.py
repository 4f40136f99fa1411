"""The latest earlier answer to a question is found on every database, and only the owner's own."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.adapters.sql_store import SqlStore
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.session import AgainOf, SessionPlan, begin
from tests import fakes
from tests.contract.conftest import Opener
from tests.fakes import NOON

pytestmark = pytest.mark.contract

GRADE = fakes.graded(fakes.question())
UNGRADED = Ungraded(
    id="x", question_id="Q01", reason=UngradedReason.JUDGE_UNAVAILABLE, message="连不上。"
)


@pytest.fixture
def store(reopen: Opener) -> SqlStore:
    return reopen()


def at(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def keep(
    store: SqlStore,
    session_id: str,
    hours: float,
    *questions: str,
    bank_id: str = "demo",
    outcome: Grade | Ungraded = GRADE,
    follow_up_id: str | None = None,
) -> None:
    """Store a session that asked these questions at that hour, each answered with the outcome."""
    session = begin(session_id, SessionPlan(bank_id=bank_id, question_ids=questions), at(hours))
    for question_id in questions:
        session = session.ask(
            question_id=question_id, says="说", now=at(hours), follow_up_id=follow_up_id
        )
        session = session.answer("并行", now=at(hours)).record(
            f"{session_id}-{len(session.turns)}", outcome
        )
    store.save(session)


def test_the_latest_graded_answer_before_the_moment_is_found_for_each_question(store: SqlStore):
    keep(store, "old", 1, "Q01", "Q02")
    keep(store, "new", 2, "Q01")
    keep(store, "now", 3, "Q01", "Q03")

    found = store.earlier.before("demo", ("Q01", "Q02", "Q03", "Q04"), at(3))

    assert found == {
        "Q01": AgainOf(session_id="new", turn_id="new-1"),
        "Q02": AgainOf(session_id="old", turn_id="old-2"),
    }


def test_other_banks_ungraded_answers_and_follow_ups_do_not_count(store: SqlStore):
    keep(store, "bank", 1, "Q01", bank_id="other")
    keep(store, "ungraded", 1, "Q01", outcome=UNGRADED)
    keep(store, "probe", 1, "Q01", follow_up_id="f1")

    assert store.earlier.before("demo", ("Q01",), at(2)) == {}


def test_nobody_finds_the_answers_of_another_owner(reopen: Opener):
    keep(reopen("ada"), "hers", 1, "Q01")

    assert reopen("ben").earlier.before("demo", ("Q01",), at(2)) == {}
    assert list(reopen("ada").earlier.before("demo", ("Q01",), at(2))) == ["Q01"]


def test_one_statement_finds_all(store: SqlStore, statements: list[str]):
    keep(store, "old", 1, *(f"Q{number:02}" for number in range(1, 30)))
    statements.clear()

    found = store.earlier.before("demo", [f"Q{number:02}" for number in range(1, 40)], at(2))

    assert len(found) == 29
    assert len([one for one in statements if one.lstrip().upper().startswith("SELECT")]) == 1
