"""Who uses an installation and how much, for its administrators: numbers, and no answers."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine, func, select, union

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import OWNERS, SESSIONS, TURNS, USAGE
from bot.adapters.sql_writes import change_or_add
from bot.domain.owner import OwnerFigures
from bot.domain.session import AnswerKind


class SqlOwners:
    """Remembers when owners were seen, and counts what all of them did."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def seen(self, label: str, now: datetime) -> None:
        """Remember that the owner was here, and by which label they are known.

        Raises `StoreError`.
        """
        values = {"label": label, "seen_at": now}
        key = {"owner": self._owner}
        with explained(self._place):
            change_or_add(self._engine, OWNERS, key=key, change=values, add=values)

    def figures(self, month: str) -> tuple[OwnerFigures, ...]:
        """Return the figures of everybody, who was seen last first. Raises `StoreError`."""
        sessions = (
            select(SESSIONS.c.owner, func.count().label("sessions"))
            .group_by(SESSIONS.c.owner)
            .subquery()
        )
        answered = TURNS.c.kind.in_([AnswerKind.ANSWERED.value, AnswerKind.DONT_KNOW.value])
        answers = (
            select(SESSIONS.c.owner, func.count().label("answers"))
            .join_from(SESSIONS, TURNS)
            .where(answered)
            .group_by(SESSIONS.c.owner)
            .subquery()
        )
        tokens = (
            select(USAGE.c.owner, func.sum(USAGE.c.prompt + USAGE.c.reply).label("tokens"))
            .where(USAGE.c.month == month)
            .group_by(USAGE.c.owner)
            .subquery()
        )
        known = (OWNERS, sessions, tokens)
        everybody = union(*(select(table.c.owner) for table in known)).subquery()
        joined = everybody
        for table in (OWNERS, sessions, answers, tokens):
            joined = joined.outerjoin(table, table.c.owner == everybody.c.owner)  # type: ignore[assignment]
        query = select(
            everybody.c.owner,
            OWNERS.c.label,
            OWNERS.c.seen_at,
            func.coalesce(sessions.c.sessions, 0).label("sessions"),
            func.coalesce(answers.c.answers, 0).label("answers"),
            func.coalesce(tokens.c.tokens, 0).label("tokens"),
        ).select_from(joined)
        ordered = query.order_by(OWNERS.c.seen_at.desc().nulls_last(), everybody.c.owner)
        with explained(self._place), self._engine.connect() as connection:
            rows = connection.execute(ordered).mappings().all()
        return tuple(OwnerFigures.model_validate(dict(row)) for row in rows)

    def open_sessions(self, since: datetime) -> int:
        """Return how many sessions of everybody were begun since and go on. Raises `StoreError`."""
        query = select(func.count()).where(
            SESSIONS.c.finished_at.is_(None), SESSIONS.c.begun_at >= since
        )
        with explained(self._place), self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())
