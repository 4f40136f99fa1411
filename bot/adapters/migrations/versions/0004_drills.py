"""Cards of follow-up drills and their reviews."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "drill_cards",
        sa.Column("owner", sa.String, primary_key=True, server_default="local"),
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("card", sa.JSON, nullable=False),
    )
    op.create_table(
        "drills",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        sa.Column("goal", sa.JSON, nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("revision", sa.Integer, nullable=False),
    )
    op.create_index("drills_latest", "drills", ["owner", "begun_at"])
    op.create_table(
        "drill_reviews",
        sa.Column(
            "drill_id", sa.String, sa.ForeignKey("drills.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        sa.Column("review", sa.JSON, nullable=False),
    )
    op.create_table(
        "drill_sources",
        sa.Column(
            "session_id",
            sa.String,
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        sa.Column("revision", sa.Integer, nullable=False),
    )
