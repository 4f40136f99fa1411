"""What owners may still ask for this hour, shared by all processes of an installation."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Engine, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import ALLOWANCES
from bot.domain.allowance import Allowance, take


class SqlAllowances:
    """Keeps the allowance of one owner."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def take(self, per_hour: int, now: datetime) -> timedelta | None:
        """Take one of the hour's allowance, or return how long to wait. Raises `StoreError`."""
        mine = ALLOWANCES.c.owner == self._owner
        with explained(self._place):
            for _ in range(2):
                with self._engine.begin() as connection:
                    # Writing first takes the lock: two takers cannot both find the last one.
                    locked = update(ALLOWANCES).where(mine).values(owner=self._owner)
                    if connection.execute(locked).rowcount:
                        row = connection.execute(select(ALLOWANCES).where(mine)).one()
                        taken = take(Allowance(row.left, row.at), per_hour=per_hour, now=now)
                        kept = taken.kept._asdict()
                        connection.execute(update(ALLOWANCES).where(mine).values(kept))
                        return taken.wait
                taken = take(None, per_hour=per_hour, now=now)
                first = {"owner": self._owner, **taken.kept._asdict()}
                try:
                    with self._engine.begin() as connection:
                        connection.execute(insert(ALLOWANCES).values(first))
                except IntegrityError:
                    continue  # somebody else wrote the first row: take from it
                return taken.wait
        return timedelta(seconds=1)
