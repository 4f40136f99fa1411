"""Run by alembic; it uses the connection of `migrate`, whose transaction holds the lock."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
