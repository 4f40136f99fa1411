"""Connections to the database, set up so that no answer is lost."""

from __future__ import annotations

import json
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from bot.errors import StoreError

BUSY_SECONDS = 10.0
"""How long to wait for another process that writes to the same SQLite file."""


def make_engine(url: str) -> Engine:
    """Return an engine that has not connected yet. Raises `StoreError` for a wrong URL."""
    # Errors come without their cause: it may repeat the password.
    try:
        parsed = make_url(url)
        engine = create_engine(
            parsed,
            hide_parameters=True,
            json_serializer=partial(json.dumps, ensure_ascii=False),
            # A server may have been restarted since the last use of a connection.
            pool_pre_ping=parsed.get_backend_name() != "sqlite",
        )
    except ModuleNotFoundError as error:
        raise StoreError(
            f"缺少数据库驱动 {error.name!r}；请运行 pip install 'mockbot[postgres]'，"
            "并让 BOT_DATABASE_URL 以 postgresql+psycopg:// 开头。"
        ) from None
    except (ArgumentError, ValueError):
        raise StoreError(
            "BOT_DATABASE_URL 不是数据库地址；请写成 sqlite:///文件路径 "
            "或 postgresql+psycopg://用户:密码@主机/库名。"
        ) from None
    if parsed.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _configure)
    return engine


def prepare_file(engine: Engine) -> None:
    """Make the folder of an SQLite file, and let readers go on while another process writes.

    Raises `OSError` or what SQLAlchemy raises.
    """
    file = engine.url.database
    if file and not file.startswith((":memory:", "file:")):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    # SQLite does not wait for its lock here, so processes that start together need this loop.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            with engine.connect() as connection:
                if connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
                    connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                return
        except OperationalError as error:
            kind = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
            if kind != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _configure(connection: Any, _record: object) -> None:
    """Make a connection of SQLite wait for others, keep references, and lose no answer."""
    for setting in (
        f"busy_timeout={BUSY_SECONDS * 1000:.0f}",
        "foreign_keys=ON",
        "synchronous=FULL",  # NORMAL may lose the last commits with the power
        "fullfsync=ON",  # on macOS, fsync alone does not reach the disk
    ):
        connection.execute(f"PRAGMA {setting}")
