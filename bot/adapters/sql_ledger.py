"""What models have cost and how they did in their exams, beside the sessions in the database."""

from __future__ import annotations

from sqlalchemy import Engine, delete, func, insert, select

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import EXAMS, USAGE
from bot.adapters.sql_writes import change_or_add
from bot.domain.exam import ExamResult
from bot.domain.usage import Usage


class SqlLedger:
    """Adds up one owner's tokens by month and model; implements `Ledger`.

    The total of a month, which a budget is held against, and exam results are everybody's.
    """

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date, and who spends."""
        self._engine = engine
        self._owner = owner
        self._place = place_of(engine.url)

    def spend(self, month: str, model: str, usage: Usage) -> None:
        """Add a call to the month (`2026-11`). Raises `StoreError`."""
        key = {"owner": self._owner, "month": month, "model": model}
        more = {
            "calls": USAGE.c.calls + 1,
            "prompt": USAGE.c.prompt + usage.prompt,
            "cached": USAGE.c.cached + usage.cached,
            "reply": USAGE.c.reply + usage.reply,
        }
        first = {"calls": 1, "prompt": usage.prompt, "cached": usage.cached, "reply": usage.reply}
        with explained(self._place):
            change_or_add(self._engine, USAGE, key=key, change=more, add=first)

    def spent(self, month: str) -> dict[str, Usage]:
        """Return what each model cost the owner in the month. Raises `StoreError`."""
        mine = USAGE.c.owner == self._owner, USAGE.c.month == month
        query = select(USAGE).where(*mine).order_by(USAGE.c.model)
        with explained(self._place), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return {
            row.model: Usage(prompt=row.prompt, cached=row.cached, reply=row.reply) for row in rows
        }

    def total(self, month: str) -> int:
        """Return the tokens of the month, all owners and models together. Raises `StoreError`."""
        query = select(func.coalesce(func.sum(USAGE.c.prompt + USAGE.c.reply), 0)).where(
            USAGE.c.month == month
        )
        with explained(self._place), self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def get(self, key: str) -> ExamResult | None:
        """Return an exam result, or None. Raises `StoreError`."""
        with explained(self._place), self._engine.connect() as connection:
            found = connection.execute(select(EXAMS.c.result).where(EXAMS.c.key == key)).scalar()
        return found if isinstance(found, ExamResult) else None

    def put(self, result: ExamResult) -> None:
        """Store an exam result in the place of an earlier one. Raises `StoreError`."""
        with explained(self._place), self._engine.begin() as connection:
            connection.execute(delete(EXAMS).where(EXAMS.c.key == result.key))
            connection.execute(insert(EXAMS).values(key=result.key, result=result))
