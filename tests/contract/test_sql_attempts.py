"""The history in short always agrees with the stored sessions, also with those of older versions."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import inspect

from bot.adapters.sql_store import SqlStore
from bot.domain.progress import Attempt, attempts_of
from bot.domain.session import Session
from bot.errors import NotFoundError, StoreError
from tests.contract.conftest import Opener
from tests.contract.test_sql_store import graded, rich, session, turn
from tests.fakes import NOON
from tests.strategies import sessions
from tests.unit.test_plan import study_plan

pytestmark = pytest.mark.contract


@pytest.fixture
def store(reopen: Opener) -> SqlStore:
    return reopen()


def expected(*stored: Session) -> list[Attempt]:
    """Return the attempts that these sessions hold."""
    return sorted(
        (attempt for one in stored for _, attempt in attempts_of(one)), key=lambda one: one.at
    )


def forget_history(store: SqlStore) -> None:
    """Take the database back to the version before there was a history."""
    with store._engine.begin() as connection:
        for table in ("attempts", "plans"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0007'")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=sessions(), then=sessions())
def test_the_history_is_that_of_the_session_after_every_change(
    store: SqlStore, drawn: Session, then: Session
) -> None:
    saved = store.save(drawn)
    try:  # whatever fails: the next example begins with an empty store
        assert list(store.attempts.all()) == expected(drawn)

        store.save(then.model_copy(update={"revision": saved.revision}))

        assert list(store.attempts.all()) == expected(then)
    finally:
        store.delete(drawn.id)
    assert store.attempts.all() == ()


def test_a_new_grade_takes_the_place_of_the_former_one(store: SqlStore) -> None:
    saved = store.save(session(turns=(turn(graded(20, level=1)),)))

    store.save(saved.record("s-1", graded(90, "llm", level=5)))

    (attempt,) = store.attempts.all()
    assert attempt.marks is not None
    assert (attempt.marks.score, attempt.marks.level) == (90, 5)
    assert attempt.marks.source.judge == "llm"


def test_the_history_is_in_order_and_of_one_statement(
    store: SqlStore, statements: list[str]
) -> None:
    for day in (2, 3, 1):
        first = turn(graded()).model_copy(update={"asked_at": NOON + timedelta(days=day)})
        store.save(session(f"day-{day}", (first,)))
    statements.clear()

    found = store.attempts.all()

    assert [one.session_id for one in found] == ["day-1", "day-2", "day-3"]
    assert len(statements) == 1
    assert "outcome" not in statements[0]


def test_nobody_sees_the_history_of_another_owner(store: SqlStore, reopen: Opener) -> None:
    store.save(rich())

    assert store.attempts.all()
    assert reopen("somebody").attempts.all() == ()


def test_the_history_of_an_older_database_is_filled_in(store: SqlStore, reopen: Opener) -> None:
    other = reopen("somebody")
    store.save(rich())
    store.save(session("a", (turn(graded(88, level=5)), turn(id="s-2"))))
    other.save(session("b", (turn(graded(3, "llm", level=0)),)))
    before, theirs = store.attempts.all(), other.attempts.all()
    forget_history(store)

    assert reopen().attempts.all() == before
    assert reopen("somebody").attempts.all() == theirs


def test_a_broken_record_of_an_older_database_keeps_no_other_from_being_filled_in(
    store: SqlStore, reopen: Opener
) -> None:
    store.save(session("a", (turn(graded(88, level=5)),)))
    store.save(session("b", (turn(graded(50)),)))
    forget_history(store)
    with store._engine.begin() as connection:
        connection.exec_driver_sql(
            """UPDATE turns SET outcome = '{"status": "graded"}' WHERE session_id = 'b'"""
        )

    found = {one.session_id: one.marks for one in reopen().attempts.all()}

    assert found["b"] is None
    assert found["a"] is not None
    assert found["a"].score == 88


def test_a_history_that_does_not_fit_is_an_error_with_a_sentence(store: SqlStore) -> None:
    store.save(session(turns=(turn(graded()),)))
    with store._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE attempts SET shares = 'geheim'")

    with pytest.raises(StoreError, match="读不出来"):
        store.attempts.all()


def test_the_tables_are_indexed_by_owner_and_time(store: SqlStore) -> None:
    names = {one["name"] for one in inspect(store._engine).get_indexes("attempts")}

    assert "attempts_in_order" in names


def test_a_plan_comes_back_as_it_was_saved_and_a_later_version_takes_its_place(
    store: SqlStore, reopen: Opener
) -> None:
    store.plans.save(study_plan("Q01", "Q02"))
    edited = study_plan("Q02", title="“引号”👩🏽‍💻").to_keep(with_text=False)
    store.plans.save(edited)

    assert reopen().plans.all() == (edited,)


def test_plans_are_listed_newest_first(store: SqlStore) -> None:
    for day in (1, 3, 2):
        store.plans.save(study_plan(id=f"p{day}", made_at=NOON + timedelta(days=day)))

    assert [one.id for one in store.plans.all()] == ["p3", "p2", "p1"]
    assert [one.id for one in store.plans.all(1)] == ["p3"]


def test_nobody_sees_changes_or_deletes_the_plans_of_another_owner(
    store: SqlStore, reopen: Opener
) -> None:
    mine, other = study_plan("Q01"), reopen("somebody")
    store.plans.save(mine)

    assert other.plans.all() == ()
    with pytest.raises(NotFoundError, match="'p'"):
        other.plans.delete("p")
    with pytest.raises(StoreError):
        other.plans.save(study_plan("Q02"))
    assert store.plans.all() == (mine,)


def test_a_deleted_plan_is_gone_with_its_text(store: SqlStore) -> None:
    store.plans.save(study_plan("Q01"))

    store.plans.delete("p")

    assert store.plans.all() == ()
    with pytest.raises(NotFoundError, match="备考计划 'p'"):
        store.plans.delete("p")
