"""Writes that several tables need, each safe when two processes make it at the same moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, insert, update
from sqlalchemy.exc import IntegrityError

Values = Mapping[str, Any]


def save_revision(
    connection: Connection,
    table: Table,
    mine: Sequence[ColumnElement[bool]],
    *,
    key: Values,
    values: Values,
    revision: int,
    conflict: Callable[[], Exception],
) -> None:
    """Write a row that counts its revisions, if the stored one has the revision that was loaded.

    Args:
        connection: With a transaction begun.
        table: Has a column `revision`.
        mine: What the row is found by.
        key: What a new row has besides `values`.
        values: What is written; the new revision is added.
        revision: The one that was loaded; 0 makes a new row.
        conflict: Makes what is raised when somebody else was quicker.
    """
    values = {**values, "revision": revision + 1}
    if revision == 0:
        try:
            connection.execute(insert(table).values({**key, **values}))
        except IntegrityError as error:
            raise conflict() from error.orig
        return
    expected = (*mine, table.c.revision == revision)
    if connection.execute(update(table).where(*expected).values(values)).rowcount == 0:
        raise conflict()


def change_or_add(
    engine: Engine, table: Table, *, key: Values, change: Values, add: Values
) -> None:
    """Change the row of the key, or add it with other values where there is none yet."""
    mine = [table.c[name] == value for name, value in key.items()]
    for _ in range(2):
        with engine.begin() as connection:
            if connection.execute(update(table).where(*mine).values(change)).rowcount:
                return
        try:
            with engine.begin() as connection:
                connection.execute(insert(table).values({**key, **add}))
        except IntegrityError:
            continue  # somebody else wrote the first row: change that
        else:
            return
