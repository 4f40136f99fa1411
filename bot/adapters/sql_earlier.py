"""Earlier answers to questions, found in the tables of the session store."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Engine, func, select

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import SESSIONS, TURNS
from bot.domain.session import AgainOf


class SqlEarlierAnswers:
    """Finds the answers of one owner; implements `EarlierAnswers`."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date, and whose answers to find."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def before(
        self, bank_id: str, question_ids: Collection[str], moment: datetime
    ) -> dict[str, AgainOf]:
        """Return, by question, the latest graded main answer of earlier than `moment`."""
        latest_first = TURNS.c.asked_at.desc(), TURNS.c.session_id.desc()
        ranked = (
            select(
                TURNS.c.question_id,
                TURNS.c.session_id,
                TURNS.c.id,
                func.row_number()
                .over(partition_by=TURNS.c.question_id, order_by=latest_first)
                .label("place"),
            )
            .join(SESSIONS)
            .where(
                SESSIONS.c.owner == self._owner,
                SESSIONS.c.bank_id == bank_id,
                TURNS.c.question_id.in_(question_ids),
                TURNS.c.follow_up_id.is_(None),
                TURNS.c.score.is_not(None),
                TURNS.c.asked_at < moment,
            )
            .subquery()
        )
        query = select(ranked).where(ranked.c.place == 1)
        with explained(self._place), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return {row.question_id: AgainOf(session_id=row.session_id, turn_id=row.id) for row in rows}
