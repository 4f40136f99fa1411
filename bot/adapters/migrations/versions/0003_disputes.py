"""Notes about grades and references that somebody holds to be wrong."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "disputes",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        # The dispute holds words of the answer: they go with it when the session is deleted.
        sa.Column("session_id", sa.String, sa.ForeignKey("sessions.id", ondelete="CASCADE")),
        sa.Column("turn_id", sa.String),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("dispute", sa.JSON, nullable=False),
    )
    op.create_index("disputes_latest", "disputes", ["owner", "made_at"])
    op.create_index("disputes_session", "disputes", ["session_id"])
