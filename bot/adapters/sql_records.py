"""What the stored sessions tell about the questions of a bank, asked of the database."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import JSON, ColumnElement, Engine, func, select, type_coerce

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import SESSIONS, TURNS
from bot.domain.record import PastAnswer, QuestionRecord
from bot.domain.session import AnswerKind

# Looked into here: PostgreSQL takes nothing out of a JSON text that has a NUL anywhere. Unlike the
# whole outcome, plain JSON costs next to nothing.
_OUTCOME = type_coerce(TURNS.c.outcome, JSON).label("outcome")


class SqlRecords:
    """Sums up the answers of one owner."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def of_bank(self, bank_id: str) -> dict[str, QuestionRecord]:
        """Return a record for every question that was answered, by its id. Raises `StoreError`."""
        question = TURNS.c.question_id
        graded_latest = TURNS.c.level.is_(None), TURNS.c.asked_at.desc(), TURNS.c.id.desc()
        ranked = (
            select(
                TURNS.c.session_id,
                TURNS.c.position,
                question,
                func.row_number()
                .over(partition_by=question, order_by=graded_latest)
                .label("place"),
                func.count().over(partition_by=question).label("answers"),
                func.max(TURNS.c.level).over(partition_by=question).label("best_level"),
                func.max(TURNS.c.asked_at).over(partition_by=question).label("latest_at"),
            )
            .join(SESSIONS)
            .where(*self._answered(bank_id))
            .subquery()
        )
        # The long column is read for the latest answers alone.
        here = (TURNS.c.session_id == ranked.c.session_id) & (TURNS.c.position == ranked.c.position)
        query = (
            select(ranked, TURNS.c.level, _OUTCOME)
            .join_from(ranked, TURNS, here)
            .where(ranked.c.place == 1)
        )
        with explained(self._place), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return {
            row.question_id: QuestionRecord(
                question_id=row.question_id,
                answers=row.answers,
                best_level=row.best_level,
                latest_level=row.level,
                overclaimed=bool(row.outcome and row.outcome.get("overclaims")),
                latest_at=row.latest_at,
            )
            for row in rows
        }

    def answers(
        self, bank_id: str, question_ids: Collection[str], limit: int = 20
    ) -> tuple[PastAnswer, ...]:
        """Return the latest answers to these questions, newest first. Raises `StoreError`."""
        columns = (TURNS.c[name] for name in PastAnswer.model_fields)
        query = (
            select(*columns)
            .join(SESSIONS)
            .where(*self._answered(bank_id), TURNS.c.question_id.in_(question_ids))
            .order_by(TURNS.c.asked_at.desc(), TURNS.c.id.desc())
            .limit(limit)
        )
        with explained(self._place), self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return tuple(PastAnswer.model_validate(dict(row)) for row in rows)

    def _answered(self, bank_id: str) -> tuple[ColumnElement[bool], ...]:
        return (
            SESSIONS.c.owner == self._owner,
            SESSIONS.c.bank_id == bank_id,
            TURNS.c.follow_up_id.is_(None),
            TURNS.c.kind.in_([AnswerKind.ANSWERED.value, AnswerKind.DONT_KNOW.value]),
        )
