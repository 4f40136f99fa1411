"""The history of main answers in short, written with the sessions and read for charts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Engine, select

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import ATTEMPTS
from bot.domain.grade import Provenance
from bot.domain.progress import Attempt, Marks, attempts_of
from bot.domain.session import Session

_SOURCE = {"judge", "model", "prompt_version", "rubric", "based_on", "bank"}
_SHARES = TypeAdapter(dict[str, float])
_IDS = TypeAdapter(tuple[str, ...])


class SqlAttempts:
    """Reads the attempts of one owner."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._owner = owner
        self._place = place_of(engine.url)

    def all(self) -> tuple[Attempt, ...]:
        """Return all attempts, oldest first. Raises `StoreError`."""
        c = ATTEMPTS.c
        columns = (c.session_id, c.bank_id, c.question_id, c.asked_at)
        numbers = (c.score, c.level, c.shares, c.overclaims, c.contradicted)
        query = (
            select(*columns, *numbers, c.source)
            .where(c.owner == self._owner)
            .order_by(c.asked_at, c.session_id, c.position)
        )
        # Thousands of answers have a handful of sources: each is read once.
        source_of = cache(Provenance.model_validate_json)
        with explained(self._place), self._engine.connect() as connection:
            return tuple(
                Attempt(row[0], row[1], row[2], row[3], _marks(row[4:], source_of))
                for row in connection.execute(query)
            )


def _marks(values: Sequence[Any], source_of: Callable[[str], Provenance]) -> Marks | None:
    score, level, shares, overclaims, contradicted, source = values
    if source is None:
        return None
    wrong = _IDS.validate_json(contradicted) if contradicted else ()
    shared = _SHARES.validate_json(shares)
    return Marks(score, level, shared, overclaims, wrong, source_of(source))


def attempt_rows(session: Session, positions: Collection[int], owner: str) -> list[dict[str, Any]]:
    """Return the attempts at these positions of the session as values of their columns."""
    return [
        {
            "session_id": attempt.session_id,
            "position": position,
            "owner": owner,
            "bank_id": attempt.bank_id,
            "question_id": attempt.question_id,
            "asked_at": attempt.at,
            **_values(attempt.marks),
        }
        for position, attempt in attempts_of(session)
        if position in positions
    ]


def _values(given: Marks | None) -> dict[str, Any]:
    if given is None:
        return dict.fromkeys(Marks._fields)
    return {
        "score": given.score,
        "level": given.level,
        "overclaims": given.overclaims,
        "shares": _SHARES.dump_json(dict(given.shares)).decode(),
        "contradicted": _IDS.dump_json(given.contradicted).decode() if given.contradicted else None,
        "source": given.source.model_dump_json(include=_SOURCE),
    }
