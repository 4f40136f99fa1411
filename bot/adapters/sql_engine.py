"""Connections to the database, set up so that no answer is lost."""

from __future__ import annotations

import json
import sqlite3
import time
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from bot.errors import StoreError

BUSY_SECONDS = 10.0
"""How long to wait for another process that writes to the same SQLite file."""

LINE_SECONDS = 60.0
"""How long to wait for other writers of this process before SQLite is left to sort them out."""

_WRITES = "mockbot.writes"


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
            **_pool(parsed),
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
        _line_up(engine)
    return engine


def _pool(url: URL) -> dict[str, int]:
    """Return as many connections to a file as there are threads: writers that wait hold theirs."""
    is_file = url.get_backend_name() == "sqlite" and url.database not in {None, "", ":memory:"}
    return {"pool_size": 10, "max_overflow": -1} if is_file else {}


def _line_up(engine: Engine) -> None:
    """Let the threads of this process write to an SQLite file one after another.

    SQLite's own waiting asks again now and then: among a hundred visitors some came too late each
    time until `BUSY_SECONDS` were over.
    """
    turn = Lock()

    def take(connection: Connection, _cursor: object, *rest: Any) -> None:
        context, kept = rest[2], connection.connection.record_info
        writes = context is not None and (context.isinsert or context.isupdate or context.isdelete)
        if writes and kept is not None and _WRITES not in kept:
            kept[_WRITES] = turn.acquire(timeout=LINE_SECONDS)

    def give(_raw: object, record: Any) -> None:
        if record.record_info.pop(_WRITES, False):
            turn.release()

    event.listen(engine, "before_cursor_execute", take)
    event.listen(engine, "checkin", give)


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
