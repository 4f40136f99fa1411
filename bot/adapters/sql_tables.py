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
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

from bot.domain.bank import Bank
from bot.domain.card import Card
from bot.domain.dispute import Dispute
from bot.domain.drill import Goal
from bot.domain.exam import ExamResult
from bot.domain.grade import BetterAnswer, Outcome
from bot.domain.plan import StudyPlan
from bot.domain.review import Review
from bot.domain.rubric import Rubric
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
    Column("guess", Integer),
)

DISPUTES = Table(
    "disputes",
    METADATA,
    Column("id", String, primary_key=True),
    Column("owner", String, nullable=False, server_default="local"),
    # A dispute holds words of the answer: they go with it when the session is deleted.
    Column("session_id", ForeignKey(SESSIONS.c.id, ondelete="CASCADE")),
    Column("turn_id", String),
    Column("made_at", Moment, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("dispute", Document(TypeAdapter(Dispute)), nullable=False),
    Index("disputes_latest", "owner", "made_at"),
    Index("disputes_session", "session_id"),
)

USAGE = Table(
    "usage",
    METADATA,
    Column("owner", String, primary_key=True, server_default="local"),
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

DRILL_CARDS = Table(
    "drill_cards",
    METADATA,
    Column("owner", String, primary_key=True, server_default="local"),
    Column("id", String, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("card", Document(TypeAdapter(Card)), nullable=False),
)

DRILLS = Table(
    "drills",
    METADATA,
    Column("id", String, primary_key=True),
    Column("owner", String, nullable=False, server_default="local"),
    Column("goal", Document(TypeAdapter(Goal)), nullable=False),
    Column("begun_at", Moment, nullable=False),
    Column("finished_at", Moment),
    Column("revision", Integer, nullable=False),
    Index("drills_latest", "owner", "begun_at"),
)

DRILL_REVIEWS = Table(
    "drill_reviews",
    METADATA,
    Column("drill_id", ForeignKey(DRILLS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("owner", String, nullable=False, server_default="local"),
    Column("review", Document(TypeAdapter(Review)), nullable=False),
)

# Sessions whose cards are in the deck, and at which revision they were taken.
DRILL_SOURCES = Table(
    "drill_sources",
    METADATA,
    Column("session_id", ForeignKey(SESSIONS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("owner", String, nullable=False, server_default="local"),
    Column("revision", Integer, nullable=False),
)

# Beside the turns, not in them: a history of years is read without going past any answer.
ATTEMPTS = Table(
    "attempts",
    METADATA,
    Column("session_id", String, primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("owner", String, nullable=False, server_default="local"),
    Column("bank_id", String, nullable=False),
    Column("question_id", String, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("score", Float),
    Column("level", Integer),
    Column("overclaims", Integer),
    # JSON as text: thousands of rows are read at once, and a `Document` takes three times as long.
    Column("shares", String),
    Column("contradicted", String),
    Column("source", String),
    ForeignKeyConstraint(
        ["session_id", "position"], ["turns.session_id", "turns.position"], ondelete="CASCADE"
    ),
    Index("attempts_in_order", "owner", "asked_at"),
)

PREFERENCES = Table(
    "preferences",
    METADATA,
    Column("owner", String, primary_key=True, server_default="local"),
    Column("name", String, primary_key=True),
    Column("value", JSON, nullable=False),
)

# Every version stays: grades name the one that they were made with.
RUBRICS = Table(
    "rubrics",
    METADATA,
    Column("owner", String, primary_key=True, server_default="local"),
    Column("id", String, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("made_at", Moment, nullable=False),
    Column("text", Text, nullable=False),
    Column("rubric", Document(TypeAdapter(Rubric)), nullable=False),
)

PLANS = Table(
    "plans",
    METADATA,
    Column("id", String, primary_key=True),
    Column("owner", String, nullable=False, server_default="local"),
    Column("made_at", Moment, nullable=False),
    Column("plan", Document(TypeAdapter(StudyPlan)), nullable=False),
    Index("plans_latest", "owner", "made_at"),
)

# A version without a bank was undone: its number is not used again.
BANKS = Table(
    "banks",
    METADATA,
    Column("owner", String, primary_key=True, server_default="local"),
    Column("id", String, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("made_at", Moment, nullable=False),
    Column("bank", Document(TypeAdapter(Bank))),
)

OWNERS = Table(
    "owners",
    METADATA,
    Column("owner", String, primary_key=True, server_default="local"),
    Column("label", String, nullable=False),
    Column("seen_at", Moment, nullable=False),
)

ALLOWANCES = Table(
    "allowances",
    METADATA,
    Column("owner", String, primary_key=True, server_default="local"),
    Column("left", Float, nullable=False),
    Column("at", Moment, nullable=False),
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
