"""Brings the tables of the session store up to date; each version is a file in `versions`."""

from __future__ import annotations

from sqlalchemy import Connection, inspect

from bot.errors import StoreError

HEAD = "0008"
"""The newest version; known here so that a start with current tables need not import alembic."""

_LOCK = 0x6D6F636B  # any number will do, as long as every version of ours takes the same


def is_current(connection: Connection) -> bool:
    """Say whether the tables have the newest version."""
    if not inspect(connection).has_table("alembic_version"):
        return False
    version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return version == HEAD


def migrate(connection: Connection) -> None:
    """Bring the tables up to date; whoever starts at the same time waits and finds them done.

    Raises `StoreError` when a newer version made them.
    """
    # Takes 0.4 s, so it comes neither at the top nor while others wait for the lock.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    if is_current(connection):
        return
    config = Config()
    config.set_main_option("script_location", "bot.adapters:migrations")
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:  # the stored version has no file here
        raise StoreError(
            "面试记录的数据库由更新版本的 mockbot 建立，这个版本读不了；"
            "请升级 mockbot，或用 BOT_DATABASE_URL 换一个数据库。"
        ) from error
