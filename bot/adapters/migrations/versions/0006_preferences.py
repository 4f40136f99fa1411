"""What each owner chose in the settings, and the owners' own rubrics."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "preferences",
        sa.Column("owner", sa.String, primary_key=True, server_default="local"),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.JSON, nullable=False),
    )
    op.create_table(
        "rubrics",
        sa.Column("owner", sa.String, primary_key=True, server_default="local"),
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("rubric", sa.JSON, nullable=False),
    )
