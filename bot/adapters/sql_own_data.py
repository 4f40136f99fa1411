"""Everything that is stored of one owner: to take along, and to delete."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Engine, Table, delete, select

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import ALLOWANCES, METADATA, SESSIONS, TURNS, USAGE, Document

REMAIN = (USAGE, ALLOWANCES)
"""Numbers without content: a budget is held against them, and deleting must not refill a limit."""


class SqlOwnData:
    """Reads and deletes the rows of one owner in every table, whatever they are for."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def tables(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Give the rows of each table as JSON values. Raises `StoreError`."""
        with explained(self._place), self._engine.connect() as connection:
            for table in METADATA.sorted_tables:
                mine = self._mine(table)
                if mine is not None:
                    rows = connection.execute(select(table).where(mine)).mappings()
                    yield table.name, [_as_json(table, row) for row in rows]

    def session_ids(self) -> tuple[str, ...]:
        """Return the ids of all sessions. Raises `StoreError`."""
        query = select(SESSIONS.c.id).where(SESSIONS.c.owner == self._owner)
        with explained(self._place), self._engine.connect() as connection:
            return tuple(connection.execute(query).scalars())

    def delete(self) -> None:
        """Delete everything but numbers that limits are held against, all or nothing.

        Raises `StoreError`.
        """
        with explained(self._place), self._engine.begin() as connection:
            for table in reversed(METADATA.sorted_tables):
                mine = self._mine(table)
                if mine is not None and table not in REMAIN:
                    connection.execute(delete(table).where(mine))

    def _mine(self, table: Table) -> ColumnElement[bool] | None:
        """Return which rows are the owner's; None for a table that is nobody's."""
        if "owner" in table.c:
            return table.c.owner == self._owner
        if table is TURNS:
            sessions = select(SESSIONS.c.id).where(SESSIONS.c.owner == self._owner)
            return TURNS.c.session_id.in_(sessions)
        return None


def _as_json(table: Table, row: Any) -> dict[str, Any]:
    return {column.name: _value(column.type, row[column.name]) for column in table.columns}


def _value(kind: Any, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(kind, Document) and value is not None:
        return kind.adapter.dump_python(value, mode="json")
    return value
