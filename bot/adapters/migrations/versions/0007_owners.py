"""Usage by owner, the owners' banks, who they are, and what they may still ask for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "banks",
        sa.Column("owner", sa.String, primary_key=True, server_default="local"),
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bank", sa.JSON),
    )
    op.create_table(
        "owners",
        sa.Column("owner", sa.String, primary_key=True, server_default="local"),
        sa.Column("label", sa.String, nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "allowances",
        sa.Column("owner", sa.String, primary_key=True, server_default="local"),
        sa.Column("left", sa.Float, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.rename_table("usage", "usage_of_all")
    op.create_table(
        "usage",
        sa.Column("owner", sa.String, nullable=False, server_default="local"),
        sa.Column("month", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in COUNTS),
        # The key of the former table has the name that this one would get by itself.
        sa.PrimaryKeyConstraint("owner", "month", "model", name="usage_by_owner"),
    )
    counts = ", ".join(COUNTS)
    op.execute(
        f"INSERT INTO usage (owner, month, model, {counts}) "  # noqa: S608 - our own names
        f"SELECT 'local', month, model, {counts} FROM usage_of_all"
    )
    op.drop_table("usage_of_all")


COUNTS = ("calls", "prompt", "cached", "reply")
