"""What a user chose in the settings, a row a value, beside the sessions in the database."""

from __future__ import annotations

from sqlalchemy import Engine, delete, insert, select

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import PREFERENCES
from bot.domain.preferences import Preferences, ReadPreferences, preferences_of


class SqlPreferences:
    """Keeps the preferences of one owner; implements `PreferenceStore`."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._owner = owner
        self._place = place_of(engine.url)

    def load(self) -> ReadPreferences:
        """Return what was chosen, and what could not be read. Raises `StoreError`."""
        columns = PREFERENCES.c.name, PREFERENCES.c.value
        query = select(*columns).where(PREFERENCES.c.owner == self._owner)
        with explained(self._place), self._engine.connect() as connection:
            return preferences_of({row.name: row.value for row in connection.execute(query)})

    def save(self, chosen: Preferences) -> None:
        """Store what differs from the defaults; names of a newer version stay. Raises `StoreError`."""
        rows = [
            {"owner": self._owner, "name": name, "value": value}
            for name, value in chosen.model_dump(mode="json", exclude_defaults=True).items()
        ]
        known = PREFERENCES.c.name.in_(tuple(Preferences.model_fields))
        with explained(self._place), self._engine.begin() as connection:
            connection.execute(delete(PREFERENCES).where(PREFERENCES.c.owner == self._owner, known))
            if rows:
                connection.execute(insert(PREFERENCES), rows)
