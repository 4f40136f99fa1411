"""Versions of the banks that an owner imported, beside the sessions in the database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pydantic import ValidationError
from sqlalchemy import (
    JSON,
    ColumnElement,
    Engine,
    delete,
    func,
    insert,
    select,
    type_coerce,
    update,
)
from sqlalchemy.exc import IntegrityError

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import BANKS
from bot.domain.bank import Bank
from bot.errors import BankError, StoreError

# Looked into here: a bank that cannot be read is no fault of the database.
_JSON = type_coerce(BANKS.c.bank, JSON)

KEPT = 20
"""So many former versions of a bank are kept."""


class SqlBanks:
    """Keeps the banks of one owner; the newest version that was not undone is in place."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def in_place(self) -> dict[str, int]:
        """Return the version in place of every bank, by id. Raises `StoreError`."""
        query = (
            select(BANKS.c.id, func.max(BANKS.c.version).label("version"))
            .where(BANKS.c.owner == self._owner, BANKS.c.bank.is_not(None))
            .group_by(BANKS.c.id)
            .order_by(BANKS.c.id)
        )
        with explained(self._place), self._engine.connect() as connection:
            return {row.id: row.version for row in connection.execute(query)}

    def versions(self, bank_id: str) -> tuple[int, ...]:
        """Return the versions that are kept, the one in place last. Raises `StoreError`."""
        query = select(BANKS.c.version).where(*self._is(bank_id), BANKS.c.bank.is_not(None))
        with explained(self._place), self._engine.connect() as connection:
            return tuple(connection.execute(query.order_by(BANKS.c.version)).scalars())

    def latest_number(self, bank_id: str) -> int:
        """Return the highest version there ever was, 0 before the first. Raises `StoreError`."""
        query = select(func.coalesce(func.max(BANKS.c.version), 0)).where(*self._is(bank_id))
        with explained(self._place), self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def load(self, bank_id: str, version: int) -> Bank | None:
        """Return a version of a bank, or None where it is not kept.

        Raises `BankError` for one that cannot be read, or `StoreError`.
        """
        query = select(_JSON).where(*self._is(bank_id), BANKS.c.version == version)
        with explained(self._place), self._engine.connect() as connection:
            found = connection.execute(query).scalar()
        try:
            return None if found is None else Bank.model_validate(found)
        except ValidationError:
            raise BankError(
                f"题库 {bank_id} 第 {version} 版的记录不完整，读不出来；请在“导入”页撤销它。"
            ) from None

    def add(self, bank: Bank, at: datetime, may_follow: Callable[[int | None], bool]) -> None:
        """Put a bank in place, if it may follow the version that is there (None: there is none).

        Raises `StoreError`; then nothing was changed.
        """
        row = {"owner": self._owner, "id": bank.id, "version": bank.version, "made_at": at}
        with explained(self._place), self._engine.begin() as connection:
            # Writing first takes the lock: two writers cannot both find what they expect.
            try:
                connection.execute(insert(BANKS).values({**row, "bank": bank}))
            except IntegrityError:
                raise StoreError(
                    f"题库 {bank.id} 正在别处修改，这次没有保存；请刷新页面再试。"
                ) from None
            kept = select(BANKS.c.version).where(*self._is(bank.id), BANKS.c.bank.is_not(None))
            former = [
                version
                for version in connection.execute(kept.order_by(BANKS.c.version)).scalars()
                if version != bank.version
            ]
            if not may_follow(former[-1] if former else None):
                raise StoreError(
                    f"题库 {bank.id} 已在别处改为第 {former[-1]} 版，这次没有保存；请刷新页面再试。"
                )
            old = (*self._is(bank.id), BANKS.c.version.in_(former[:-KEPT]))
            connection.execute(delete(BANKS).where(*old))

    def drop(self, bank_id: str, version: int) -> bool:
        """Undo a version, and say whether it was there. Raises `StoreError`."""
        mine = (*self._is(bank_id), BANKS.c.version == version, BANKS.c.bank.is_not(None))
        with explained(self._place), self._engine.begin() as connection:
            return bool(connection.execute(update(BANKS).where(*mine).values(bank=None)).rowcount)

    def _is(self, bank_id: str) -> tuple[ColumnElement[bool], ...]:
        return BANKS.c.owner == self._owner, BANKS.c.id == bank_id
