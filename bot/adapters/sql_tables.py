"""The tables of the session store and the types of their columns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

from bot.domain.exam import ExamResult
from bot.domain.grade import BetterAnswer, Outcome
from bot.domain.session import Answer, SessionPlan, Turn


class Moment(TypeDecorator[datetime]):
    """An aware time; SQLite keeps no zone, so every time is stored in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time as it is stored."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the stored time, aware again."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Document(TypeDecorator[Any]):
    """A value of the domain as JSON; None is NULL."""

    impl = JSON
    cache_ok = True

    def __init__(self, adapter: TypeAdapter[Any]) -> None:
        super().__init__(none_as_null=True)
        self.adapter = adapter

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Return the value as JSON."""
        return None if value is None else self.adapter.dump_python(value, mode="json")

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the value of the domain; raises `ValueError` when the JSON does not fit."""
        return None if value is None else self.adapter.validate_python(value)


METADATA = MetaData()

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("id", String, primary_key=True),
    Column("owner", String, nullable=False, server_default="local"),
    Column("bank_id", String, nullable=False),
    Column("plan", Document(TypeAdapter(SessionPlan)), nullable=False),
    Column("begun_at", Moment, nullable=False),
    Column("finished_at", Moment),
    Column("revision", Integer, nullable=False),
    Index("sessions_latest", "owner", "begun_at"),
)

# The short columns come before the long ones: SQLite then lists sessions without reading answers.
TURNS = Table(
    "turns",
    METADATA,
    Column("session_id", ForeignKey(SESSIONS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("id", String, nullable=False),
    Column("question_id", String, nullable=False),
    Column("follow_up_id", String),
    Column("kind", String),
    Column("score", Float),
    Column("level", Integer),
    Column("judge", String),
    Column("asked_at", Moment, nullable=False),
    Column("says", Text, nullable=False),
    Column("answer", Document(TypeAdapter(Answer))),
    Column("outcome", Document(TypeAdapter(Outcome))),
    Column("better", Document(TypeAdapter(BetterAnswer))),
)

USAGE = Table(
    "usage",
    METADATA,
    Column("month", String, primary_key=True),
    Column("model", String, primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("prompt", Integer, nullable=False),
    Column("cached", Integer, nullable=False),
    Column("reply", Integer, nullable=False),
)

EXAMS = Table(
    "exams",
    METADATA,
    Column("key", String, primary_key=True),
    Column("result", Document(TypeAdapter(ExamResult)), nullable=False),
)

TURN_COLUMNS = tuple(TURNS.c[name] for name in Turn.model_fields)
"""The columns that make up a turn; the others repeat parts of them for lists and charts."""


def turn_values(turn: Turn) -> dict[str, Any]:
    """Return a turn as values of its columns."""
    return {
        **{column.name: getattr(turn, column.name) for column in TURN_COLUMNS},
        "kind": turn.answer.kind.value if turn.answer else None,
        "score": turn.grade.score if turn.grade else None,
        "level": turn.grade.level if turn.grade else None,
        "judge": turn.grade.provenance.judge if turn.grade else None,
    }
