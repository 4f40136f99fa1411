"""Study plans that somebody asked to be stored, beside the sessions in the database."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Engine, delete, insert, select

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import PLANS
from bot.domain.plan import StudyPlan
from bot.errors import NotFoundError


class SqlPlans:
    """Keeps the study plans of one owner."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._owner = owner
        self._place = place_of(engine.url)

    def save(self, plan: StudyPlan) -> None:
        """Store the plan in the place of an earlier version of it. Raises `StoreError`."""
        row = {"id": plan.id, "owner": self._owner, "made_at": plan.made_at, "plan": plan}
        with explained(self._place), self._engine.begin() as connection:
            connection.execute(delete(PLANS).where(*self._is_mine(plan.id)))
            connection.execute(insert(PLANS).values(row))

    def all(self, limit: int = 50) -> tuple[StudyPlan, ...]:
        """Return the latest plans, newest first. Raises `StoreError`."""
        query = (
            select(PLANS.c.plan)
            .where(PLANS.c.owner == self._owner)
            .order_by(PLANS.c.made_at.desc(), PLANS.c.id)
            .limit(limit)
        )
        with explained(self._place), self._engine.connect() as connection:
            return tuple(connection.execute(query).scalars())

    def delete(self, plan_id: str) -> None:
        """Remove the plan. Raises `NotFoundError` or `StoreError`."""
        with explained(self._place), self._engine.begin() as connection:
            if connection.execute(delete(PLANS).where(*self._is_mine(plan_id))).rowcount == 0:
                raise NotFoundError(
                    f"找不到备考计划 {plan_id!r}，它可能已被删除；请刷新页面后另选一份。"
                )

    def _is_mine(self, plan_id: str) -> tuple[ColumnElement[bool], ...]:
        return PLANS.c.id == plan_id, PLANS.c.owner == self._owner
