"""Disputes about grades and references, beside the sessions in the database."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Engine, select

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import DISPUTES
from bot.adapters.sql_writes import save_revision
from bot.domain.dispute import Dispute
from bot.errors import DisputeError, NotFoundError

_NEWEST_FIRST = (DISPUTES.c.made_at.desc(), DISPUTES.c.id.desc())


class SqlDisputes:
    """Keeps the disputes of one owner; implements `DisputeStore`."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def save(self, dispute: Dispute) -> Dispute:
        """Store the dispute and return it with its new revision.

        Raises `DisputeError` when it was changed or deleted elsewhere, or `StoreError`.
        """
        saved = dispute.model_copy(update={"revision": dispute.revision + 1})
        values = {
            "session_id": saved.session_id,
            "turn_id": saved.turn_id,
            "made_at": saved.made_at,
            "dispute": saved,
        }
        with explained(self._place), self._engine.begin() as connection:
            save_revision(
                connection,
                DISPUTES,
                self._is_mine(dispute.id),
                key={"id": dispute.id, "owner": self._owner},
                values=values,
                revision=dispute.revision,
                conflict=_conflict,
            )
        return saved

    def load(self, dispute_id: str) -> Dispute:
        """Return the dispute. Raises `NotFoundError` or `StoreError`."""
        found = self._read(*self._is_mine(dispute_id), limit=1)
        if not found:
            raise NotFoundError("找不到这条异议，它可能已随那场面试一起删除；请刷新页面。")
        return found[0]

    def of_turn(self, session_id: str, turn_id: str) -> tuple[Dispute, ...]:
        """Return the disputes about the grade of a turn, newest first. Raises `StoreError`."""
        mine = DISPUTES.c.owner == self._owner, DISPUTES.c.turn_id == turn_id
        return self._read(DISPUTES.c.session_id == session_id, *mine, limit=None)

    def latest(self, limit: int = 200) -> tuple[Dispute, ...]:
        """Return the latest disputes, newest first. Raises `StoreError`."""
        return self._read(DISPUTES.c.owner == self._owner, limit=limit)

    def _is_mine(self, dispute_id: str) -> tuple[ColumnElement[bool], ...]:
        return DISPUTES.c.id == dispute_id, DISPUTES.c.owner == self._owner

    def _read(self, *wanted: ColumnElement[bool], limit: int | None) -> tuple[Dispute, ...]:
        query = select(DISPUTES.c.dispute).where(*wanted).order_by(*_NEWEST_FIRST).limit(limit)
        with explained(self._place), self._engine.connect() as connection:
            return tuple(connection.execute(query).scalars().all())


def _conflict() -> DisputeError:
    return DisputeError("这条异议刚在别处处理过或已删除，这次没有改动；请刷新页面。")
