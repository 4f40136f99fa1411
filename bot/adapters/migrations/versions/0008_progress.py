"""The history in short, filled in from the stored turns, and study plans."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

AT_ONCE = 500
SOURCE = ("judge", "model", "prompt_version", "rubric", "bank")


def upgrade() -> None:
    attempts = op.create_table(
        "attempts",
        sa.Column("session_id", sa.String, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        sa.Column("bank_id", sa.String, nullable=False),
        sa.Column("question_id", sa.String, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("level", sa.Integer),
        sa.Column("overclaims", sa.Integer),
        sa.Column("shares", sa.String),
        sa.Column("contradicted", sa.String),
        sa.Column("source", sa.String),
        sa.ForeignKeyConstraint(
            ["session_id", "position"], ["turns.session_id", "turns.position"], ondelete="CASCADE"
        ),
    )
    op.create_index("attempts_in_order", "attempts", ["owner", "asked_at"])
    op.create_table(
        "plans",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
    )
    op.create_index("plans_latest", "plans", ["owner", "made_at"])
    _fill(attempts)


def _fill(attempts: sa.Table) -> None:
    sessions = sa.table("sessions", sa.column("id"), sa.column("owner"), sa.column("bank_id"))
    turns = sa.table(
        "turns",
        *(sa.column(name) for name in ("session_id", "position", "question_id", "follow_up_id")),
        sa.column("kind"),
        sa.column("asked_at", sa.DateTime(timezone=True)),
        sa.column("outcome", sa.JSON),
    )
    c = turns.c
    stored = (
        sa.select(
            c.session_id,
            c.position,
            sessions.c.owner,
            sessions.c.bank_id,
            c.question_id,
            c.asked_at,
            # As text: a record that somebody broke must not keep the others from being read.
            sa.cast(c.outcome, sa.Text).label("outcome"),
        )
        .select_from(turns.join(sessions, sessions.c.id == c.session_id))
        .where(c.follow_up_id.is_(None), c.kind.in_(["answered", "dont_know"]))
    )
    connection = op.get_bind()
    for rows in connection.execute(stored).mappings().partitions(AT_ONCE):
        values = [{**row, **_marks(row["outcome"])} for row in rows]
        for one in values:
            del one["outcome"]
        connection.execute(sa.insert(attempts), values)


def _marks(outcome: str | None) -> dict[str, Any]:
    """Return the numbers of a stored grade as they were written in this version."""
    none = dict.fromkeys(("score", "level", "overclaims", "shares", "contradicted", "source"))
    try:
        found = json.loads(outcome or "null")
        if found is None or found["status"] != "graded":
            return none
        source = {name: found["provenance"][name] for name in SOURCE}
        shares = {
            one["id"]: round(one["points"] / one["max"], 4) if one["max"] else 0.0
            for one in found["criteria"]
        }
        wrong = [one["id"] for one in found["key_points"] if one["verdict"] == "contradicted"]
        return {
            "score": found["score"],
            "level": found["level"],
            "overclaims": len(found["overclaims"]),
            "shares": _written(shares),
            "contradicted": _written(wrong) if wrong else None,
            "source": _written(source),
        }
    except (ValueError, KeyError, TypeError):
        return none


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
