"""Sessions and their turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        sa.Column("bank_id", sa.String, nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("revision", sa.Integer, nullable=False),
    )
    op.create_index("sessions_latest", "sessions", ["owner", "begun_at"])
    op.create_table(
        "turns",
        sa.Column(
            "session_id",
            sa.String,
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("id", sa.String, nullable=False),
        sa.Column("question_id", sa.String, nullable=False),
        sa.Column("follow_up_id", sa.String),
        sa.Column("kind", sa.String),
        sa.Column("score", sa.Float),
        sa.Column("level", sa.Integer),
        sa.Column("judge", sa.String),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("says", sa.Text, nullable=False),
        sa.Column("answer", sa.JSON),
        sa.Column("outcome", sa.JSON),
    )
