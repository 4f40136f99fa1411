"""Rubrics that a user wrote, every version of them, beside the sessions in the database."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import RUBRICS
from bot.domain.rubric import OwnRubric
from bot.errors import NotFoundError, RubricError


class SqlRubrics:
    """Keeps the rubrics of one owner; implements `RubricStore`."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._owner = owner
        self._place = place_of(engine.url)

    def latest(self) -> tuple[OwnRubric, ...]:
        """Return the latest version of each rubric, by id. Raises `StoreError`."""
        c = RUBRICS.c
        newest = (
            select(c.id, func.max(c.version).label("version"))
            .where(c.owner == self._owner)
            .group_by(c.id)
            .subquery()
        )
        query = (
            select(c.text, c.rubric)
            .join(newest, (newest.c.id == c.id) & (newest.c.version == c.version))
            .where(c.owner == self._owner)
            .order_by(c.id)
        )
        with explained(self._place), self._engine.connect() as connection:
            return tuple(OwnRubric(rubric, text) for text, rubric in connection.execute(query))

    def add(self, own: OwnRubric, at: datetime) -> None:
        """Store a new version; none is ever changed.

        Raises `RubricError` when that version was stored elsewhere meanwhile, or `StoreError`.
        """
        row = {
            "owner": self._owner,
            "id": own.rubric.id,
            "version": own.rubric.version,
            "made_at": at,
            "text": own.text,
            "rubric": own.rubric,
        }
        with explained(self._place):
            try:
                with self._engine.begin() as connection:
                    connection.execute(insert(RUBRICS).values(row))
            except IntegrityError as error:
                raise RubricError(
                    f"评分标准 {own.rubric.id!r} 刚在别处保存过；请刷新页面，看过新版本后再保存。"
                ) from error.orig

    def delete(self, rubric_id: str) -> None:
        """Remove all versions of a rubric. Raises `NotFoundError` or `StoreError`."""
        mine = RUBRICS.c.owner == self._owner, RUBRICS.c.id == rubric_id
        with explained(self._place), self._engine.begin() as connection:
            if connection.execute(delete(RUBRICS).where(*mine)).rowcount == 0:
                raise NotFoundError(f"没有自己的评分标准 {rubric_id!r}；它可能已被删除。")
