"""Disputes are kept for their owner, change once, and go away with the session they quote."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from bot.adapters.sql_store import SqlStore
from bot.domain.dispute import LONGEST_NOTE, Dispute, DisputeAbout, DisputeState
from bot.errors import DisputeError, NotFoundError
from tests import fakes
from tests.contract.conftest import Opener
from tests.contract.test_sql_store import STRANGE, rich, session
from tests.fakes import NOON

pytestmark = pytest.mark.contract


@pytest.fixture
def store(reopen: Opener) -> SqlStore:
    return reopen()


def dispute(id: str = "d", **changes: object) -> Dispute:
    """Return a dispute with something in every field."""
    fields: dict[str, object] = {
        "id": id,
        "about": DisputeAbout.GRADE,
        "note": STRANGE,
        "bank_id": "mine",
        "bank": "mine@1",
        "question_id": "Q01",
        "follow_up_id": "f1",
        "session_id": "s",
        "turn_id": "s-1",
        "answer": STRANGE,
        "grade": fakes.graded(fakes.question()),
        "made_at": NOON,
        "claimed_at": NOON,
    }
    return Dispute.model_validate({**fields, **changes})


def test_a_dispute_comes_back_as_it_was_saved(store: SqlStore, reopen: Opener) -> None:
    store.save(session())

    saved = store.disputes.save(dispute(note="长" * LONGEST_NOTE))

    assert saved == dispute(note="长" * LONGEST_NOTE, revision=1)
    assert reopen().disputes.load("d") == saved
    assert reopen().disputes.of_turn("s", "s-1") == (saved,)


def test_a_dispute_about_a_question_needs_no_session(store: SqlStore) -> None:
    mine = dispute(session_id=None, turn_id=None, grade=None, about=DisputeAbout.REFERENCE)

    saved = store.disputes.save(mine)

    assert store.disputes.latest() == (saved,)


def test_an_older_revision_does_not_overwrite_a_later_one(store: SqlStore) -> None:
    store.save(session())
    first = store.disputes.save(dispute())
    ended = store.disputes.save(first.end(DisputeState.CLOSED, NOON))

    with pytest.raises(DisputeError, match="别处"):
        store.disputes.save(first.release())
    with pytest.raises(DisputeError, match="别处"):
        store.disputes.save(dispute())

    assert store.disputes.load("d") == ended


def test_of_two_savers_at_once_only_one_succeeds(store: SqlStore) -> None:
    store.save(session())
    saved = store.disputes.save(dispute(claimed_at=None))

    def claim(_: int) -> bool:
        try:
            store.disputes.save(saved.claim(NOON, "mine@2"))
        except DisputeError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(claim, range(4))) == [False, False, False, True]


def test_a_deleted_session_takes_its_disputes_along(store: SqlStore) -> None:
    store.save(rich())
    store.save(session("other"))
    store.disputes.save(dispute())
    kept = store.disputes.save(dispute("e", session_id="other", turn_id="other-1"))

    store.delete("s")

    assert store.disputes.latest() == (kept,)
    with pytest.raises(NotFoundError, match="找不到这条异议"):
        store.disputes.load("d")


def test_nobody_sees_or_changes_the_disputes_of_another_owner(
    store: SqlStore, reopen: Opener
) -> None:
    store.save(session())
    saved = store.disputes.save(dispute())
    other = reopen("somebody").disputes

    assert other.latest() == ()
    assert other.of_turn("s", "s-1") == ()
    with pytest.raises(NotFoundError):
        other.load("d")
    with pytest.raises(DisputeError):
        other.save(saved.release())
    assert store.disputes.load("d") == saved


def test_the_latest_disputes_come_first(store: SqlStore) -> None:
    store.save(session())
    for day in (2, 4, 1, 3):
        store.disputes.save(dispute(f"d{day}", made_at=NOON + timedelta(days=day)))

    assert [one.id for one in store.disputes.latest()] == ["d4", "d3", "d2", "d1"]
    assert [one.id for one in store.disputes.latest(2)] == ["d4", "d3"]
    assert [one.id for one in store.disputes.of_turn("s", "s-1")] == ["d4", "d3", "d2", "d1"]
