"""Turns what a database raises into one sentence: what, where, and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import SQLAlchemyError, StatementError

from bot.errors import StoreError

_ELSEWHERE = "或用 BOT_DATABASE_URL 换一个位置"
_FULL = "磁盘已满，无法写入{place}；请腾出空间后重试。"
_READ_ONLY = f"{{place}}是只读的，无法写入；请加上写权限，{_ELSEWHERE}。"
_CORRUPT = f"{{place}}已损坏或不是 SQLite 数据库；请移走这个文件或恢复备份，{_ELSEWHERE}。"

_SQLITE = {
    sqlite3.SQLITE_BUSY: "{place}正被另一个程序占用；请关闭那个程序，然后重试。",
    sqlite3.SQLITE_LOCKED: "{place}正被另一个程序占用；请关闭那个程序，然后重试。",
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_IOERR: f"读写{{place}}时磁盘出错；请检查磁盘，{_ELSEWHERE}。",
    sqlite3.SQLITE_CORRUPT: _CORRUPT,
    sqlite3.SQLITE_NOTADB: _CORRUPT,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CANTOPEN: f"打不开{{place}}；请检查文件夹是否存在、是否可写，{_ELSEWHERE}。",
}

_POSTGRESQL = {"25006": _READ_ONLY, "42501": _READ_ONLY, "53100": _FULL}

_UNREACHABLE = "连不上{place}；请检查服务器是否在运行，以及 BOT_DATABASE_URL 的地址和密码。"
_OTHER = "读写{place}时出错（{code}）；请重试，若再次出现请查看日志。"


def place_of(url: URL) -> str:
    """Return where the database is, without a password."""
    if url.get_backend_name() == "sqlite":
        return f"数据库 {url.database!r} "
    return f"数据库 {url.database!r}（{url.host or '本机'}）"


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Raise `StoreError` instead of what SQLAlchemy and the system raise.

    The cause is the driver's error: SQLAlchemy's own would carry the statement into the log.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"无法建立{place}所在的文件夹（{error.strerror}）；请检查路径和写权限，{_ELSEWHERE}。"
        ) from error
    except SQLAlchemyError as error:
        cause = (error.orig if isinstance(error, StatementError) else None) or error
        raise StoreError(_sentence(cause).format(place=place, code=_code(cause))) from cause
    except ValueError:
        # Its message would repeat what is stored.
        raise StoreError(
            f"{place}里有一条记录不完整，读不出来；请恢复备份，或删除这场面试。"
        ) from None


def _sentence(cause: BaseException) -> str:
    if isinstance(cause, sqlite3.Error):
        # The low byte is the kind; the rest tells variants apart, such as a locked recovery.
        return _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF, _OTHER)
    state = getattr(cause, "sqlstate", None)
    if state is None and type(cause).__name__ == "OperationalError":
        return _UNREACHABLE  # psycopg has no code for what happens before the server answers
    return _POSTGRESQL.get(state or "", _OTHER)


def _code(cause: BaseException) -> str:
    code = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None)
    return str(code or type(cause).__name__)
