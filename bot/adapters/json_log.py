"""The log as JSON lines on stderr, for whatever collects the logs of servers."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

FIELDS = "fields"
"""Under this name of `extra` a record carries values beside its message."""


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON: when, how bad, who, what, and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= getattr(record, FIELDS, {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class _ToStderr(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(f"{self.format(record)}\n")


def log_json_lines(level: str) -> None:
    """Write what our parts log from this level on to stderr; a second call sets the level alone."""
    logger = logging.getLogger("bot")
    logger.setLevel(level)
    if not any(isinstance(one, _ToStderr) for one in logger.handlers):
        handler = _ToStderr()
        handler.setFormatter(JsonLines())
        logger.addHandler(handler)
