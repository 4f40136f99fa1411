"""What models cost, their exams, and better answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("turns", sa.Column("better", sa.JSON))
    op.create_table(
        "usage",
        sa.Column("month", sa.String, primary_key=True),
        sa.Column("model", sa.String, primary_key=True),
        sa.Column("calls", sa.Integer, nullable=False),
        sa.Column("prompt", sa.Integer, nullable=False),
        sa.Column("cached", sa.Integer, nullable=False),
        sa.Column("reply", sa.Integer, nullable=False),
    )
    op.create_table(
        "exams",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("result", sa.JSON, nullable=False),
    )
