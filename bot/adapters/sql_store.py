"""Sessions in an SQL database: a file of SQLite by default, or a server of PostgreSQL."""

from __future__ import annotations

from copy import copy

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from bot.adapters.migrations import is_current, migrate
from bot.adapters.sql_allowances import SqlAllowances
from bot.adapters.sql_attempts import SqlAttempts, attempt_rows
from bot.adapters.sql_banks import SqlBanks
from bot.adapters.sql_disputes import SqlDisputes
from bot.adapters.sql_drills import SqlDrills
from bot.adapters.sql_earlier import SqlEarlierAnswers
from bot.adapters.sql_engine import make_engine, prepare_file
from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_ledger import SqlLedger
from bot.adapters.sql_own_data import SqlOwnData
from bot.adapters.sql_owners import SqlOwners
from bot.adapters.sql_plans import SqlPlans
from bot.adapters.sql_preferences import SqlPreferences
from bot.adapters.sql_records import SqlRecords
from bot.adapters.sql_rubrics import SqlRubrics
from bot.adapters.sql_tables import ATTEMPTS, SESSIONS, TURN_COLUMNS, TURNS, turn_values
from bot.adapters.sql_writes import save_revision
from bot.domain.session import AnswerKind, Session, SessionSummary, Turn
from bot.errors import NotFoundError, SessionConflictError, StoreError


def open_store(url: str, owner: str = "local") -> SqlStore:
    """Return a store that is ready: its folder exists and its tables are up to date.

    Raises `StoreError`.
    """
    store = SqlStore(url, owner)
    try:
        store.prepare()
    except StoreError:
        store.close()
        raise
    return store


class SqlStore:
    """Keeps the sessions of one owner; implements `SessionStore`."""

    def __init__(self, url: str, owner: str = "local") -> None:
        self._engine = make_engine(url)
        self._place = place_of(self._engine.url)
        self._owner = owner

    def prepare(self) -> None:
        """Make the folder and the tables where they are missing. Raises `StoreError`."""
        with explained(self._place):
            if self._engine.dialect.name == "sqlite":
                prepare_file(self._engine)
            with self._engine.connect() as connection:
                current = is_current(connection)
            if not current:
                with self._engine.begin() as connection:
                    migrate(connection)

    def for_owner(self, owner: str) -> SqlStore:
        """Return the store of another owner, over the same connections."""
        other = copy(self)
        other._owner = owner
        return other

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    @property
    def ledger(self) -> SqlLedger:
        """Return the ledger of the same owner in the same database."""
        return SqlLedger(self._engine, self._owner)

    @property
    def banks(self) -> SqlBanks:
        """Return the banks of the same owner in the same database."""
        return SqlBanks(self._engine, self._owner)

    @property
    def allowances(self) -> SqlAllowances:
        """Return what the same owner may still ask for."""
        return SqlAllowances(self._engine, self._owner)

    @property
    def owners(self) -> SqlOwners:
        """Return what remembers the same owner, and counts what everybody did."""
        return SqlOwners(self._engine, self._owner)

    @property
    def own_data(self) -> SqlOwnData:
        """Return all that is stored of the same owner."""
        return SqlOwnData(self._engine, self._owner)

    @property
    def drills(self) -> SqlDrills:
        """Return the cards and drills of the same owner in the same database."""
        return SqlDrills(self._engine, self._owner)

    @property
    def disputes(self) -> SqlDisputes:
        """Return the owner's disputes in the same database."""
        return SqlDisputes(self._engine, self._owner)

    @property
    def records(self) -> SqlRecords:
        """Return what the owner's sessions tell about questions."""
        return SqlRecords(self._engine, self._owner)

    @property
    def attempts(self) -> SqlAttempts:
        """Return the history of the same owner in short."""
        return SqlAttempts(self._engine, self._owner)

    @property
    def plans(self) -> SqlPlans:
        """Return the study plans of the same owner."""
        return SqlPlans(self._engine, self._owner)

    @property
    def preferences(self) -> SqlPreferences:
        """Return what the same owner chose in the settings."""
        return SqlPreferences(self._engine, self._owner)

    @property
    def rubrics(self) -> SqlRubrics:
        """Return the rubrics that the same owner wrote."""
        return SqlRubrics(self._engine, self._owner)

    @property
    def earlier(self) -> SqlEarlierAnswers:
        """Return what finds earlier answers of the same owner."""
        return SqlEarlierAnswers(self._engine, self._owner)

    def save(self, session: Session) -> Session:
        """Store the session in one transaction and return it with its new revision.

        Raises `SessionConflictError` when it was saved or deleted elsewhere, or `StoreError`.
        """
        with explained(self._place), self._engine.begin() as connection:
            # Writing first takes the lock: two savers cannot both find the revision they expect.
            self._take(connection, session)
            self._write_turns(connection, session)
        return session.model_copy(update={"revision": session.revision + 1})

    def load(self, session_id: str) -> Session:
        """Return the session. Raises `NotFoundError` or `StoreError`."""
        with explained(self._place), self._engine.connect() as connection:
            return self._read(connection, session_id)

    def summaries(self, limit: int = 200) -> tuple[SessionSummary, ...]:
        """Return the latest sessions, newest first. Raises `StoreError`."""
        newest_first = (SESSIONS.c.begun_at.desc(), SESSIONS.c.id.desc())
        latest = select(SESSIONS.c.id).where(SESSIONS.c.owner == self._owner)
        is_main = TURNS.c.follow_up_id.is_(None)
        query = (
            select(
                SESSIONS,
                func.count().filter(TURNS.c.kind != AnswerKind.SKIPPED.value).label("answered"),
                func.avg(TURNS.c.score).filter(is_main).label("mean_score"),
                func.min(TURNS.c.judge).label("judge"),
                func.max(TURNS.c.judge).label("other_judge"),
            )
            .select_from(SESSIONS.outerjoin(TURNS))
            .where(SESSIONS.c.id.in_(latest.order_by(*newest_first).limit(limit)))
            .group_by(SESSIONS.c.id)
            .order_by(*newest_first)
        )
        with explained(self._place), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(
            SessionSummary(
                id=row.id,
                bank_id=row.bank_id,
                begun_at=row.begun_at,
                finished_at=row.finished_at,
                questions=len(row.plan.question_ids),
                answered=row.answered,
                mean_score=row.mean_score,
                judge=row.judge if row.judge == row.other_judge else "mixed",
            )
            for row in rows
        )

    def delete(self, session_id: str) -> None:
        """Remove the session and all its turns. Raises `NotFoundError` or `StoreError`."""
        with explained(self._place), self._engine.begin() as connection:
            done = connection.execute(delete(SESSIONS).where(*self._is_mine(session_id)))
            if done.rowcount == 0:
                raise _unknown(session_id)

    def _is_mine(self, session_id: str) -> tuple[ColumnElement[bool], ...]:
        return SESSIONS.c.id == session_id, SESSIONS.c.owner == self._owner

    def _take(self, connection: Connection, session: Session) -> None:
        """Write the session's own row, if the stored one has the revision that was loaded."""
        values = {
            "bank_id": session.plan.bank_id,
            "plan": session.plan,
            "begun_at": session.begun_at,
            "finished_at": session.finished_at,
        }
        save_revision(
            connection,
            SESSIONS,
            self._is_mine(session.id),
            key={"id": session.id, "owner": self._owner},
            values=values,
            revision=session.revision,
            conflict=_conflict,
        )

    def _write_turns(self, connection: Connection, session: Session) -> None:
        """Replace the turns that differ from the stored ones."""
        stored, turns = self._read(connection, session.id).turns, session.turns
        changed = [
            at
            for at in range(max(len(stored), len(turns)))
            if stored[at : at + 1] != turns[at : at + 1]
        ]
        rows = [
            {"session_id": session.id, "position": at, **turn_values(turns[at])}
            for at in changed
            if at < len(turns)
        ]
        if any(at < len(stored) for at in changed):
            old = TURNS.c.session_id == session.id, TURNS.c.position.in_(changed)
            connection.execute(delete(TURNS).where(*old))
        if rows:
            connection.execute(insert(TURNS), rows)
        # Those of turns that were deleted went with them.
        if attempts := attempt_rows(session, changed, self._owner):
            connection.execute(insert(ATTEMPTS), attempts)

    def _read(self, connection: Connection, session_id: str) -> Session:
        # One statement, so that the row and its turns are of one revision on every database.
        query = (
            select(SESSIONS, *(column.label(f"turn_{column.name}") for column in TURN_COLUMNS))
            .select_from(SESSIONS.outerjoin(TURNS))
            .where(*self._is_mine(session_id))
            .order_by(TURNS.c.position)
        )
        rows = connection.execute(query).mappings().all()
        if not rows:
            raise _unknown(session_id)
        first = rows[0]
        return Session(
            id=first["id"],
            plan=first["plan"],
            begun_at=first["begun_at"],
            finished_at=first["finished_at"],
            revision=first["revision"],
            turns=tuple(
                Turn.model_validate({c.name: row[f"turn_{c.name}"] for c in TURN_COLUMNS})
                for row in rows
                if row["turn_id"] is not None
            ),
        )


def _unknown(session_id: str) -> NotFoundError:
    return NotFoundError(f"找不到面试 {session_id!r}，它可能已被删除；请从历史列表里另选一场。")


def _conflict() -> SessionConflictError:
    return SessionConflictError("这场面试已在别处更新或删除，这次没有保存；请刷新页面后再继续。")
