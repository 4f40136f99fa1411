"""The clock of the machine."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """Tells the machine's time."""

    def now(self) -> datetime:
        """Return the time now, in UTC."""
        return datetime.now(UTC)

    def elapsed(self) -> float:
        """Return seconds of the monotonic clock."""
        return time.monotonic()
