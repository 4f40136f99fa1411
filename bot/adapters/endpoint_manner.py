"""How an endpoint wants to be asked: which method, and what must be left out of a request."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from bot.domain.question import Frozen


class Method(StrEnum):
    """A way to get a filled form out of a model, best first."""

    JSON_SCHEMA = "json_schema"
    FUNCTION_CALLING = "function_calling"
    JSON_MODE = "json_mode"
    TEXT = "text"


class Quirk(StrEnum):
    """Something that an endpoint was seen to refuse, or to insist on."""

    NO_THINKING_SWITCH = "no_thinking_switch"
    THINKING_FLAG = "thinking_flag"
    """It wants `enable_thinking: false` although its address does not tell."""
    NO_STRICT = "no_strict"
    NO_TEMPERATURE = "no_temperature"
    OTHER_LIMIT = "other_limit"
    """It wants `max_completion_tokens` where others want `max_tokens`, or the reverse."""
    NO_STREAM_USAGE = "no_stream_usage"
    NO_LOGPROBS = "no_logprobs"


class Manner(Frozen):
    """What was learned about one endpoint and model."""

    method: Method | None = None
    """The best that it takes; None as long as no form was asked for."""
    quirks: frozenset[Quirk] = frozenset()

    def having(self, quirk: Quirk) -> Manner:
        """Return the manner with one quirk more."""
        return self.model_copy(update={"quirks": self.quirks | {quirk}})

    def using(self, method: Method) -> Manner:
        """Return the manner with another method."""
        return self.model_copy(update={"method": method})


class MannerMemory(Protocol):
    """Remembers manners, so that only the first call has to find out."""

    def get(self, key: str) -> Manner | None:
        """Return what is known, if anything is."""
        ...

    def put(self, key: str, manner: Manner) -> None:
        """Remember the manner."""
        ...


def key_of(base_url: str, model: str) -> str:
    """Return the key of an endpoint and model; it tells neither."""
    return hashlib.sha256(f"{base_url}\n{model}".encode()).hexdigest()[:32]


class ProcessMemory:
    """Remembers as long as the process lives."""

    def __init__(self) -> None:
        """Begin knowing nothing."""
        self._known: dict[str, Manner] = {}

    def get(self, key: str) -> Manner | None:
        """Return what is known, if anything is."""
        return self._known.get(key)

    def put(self, key: str, manner: Manner) -> None:
        """Remember the manner."""
        self._known[key] = manner


_FILE = TypeAdapter(dict[str, Manner])


class FileMemory:
    """Remembers in a JSON file; a file that is lost or damaged costs a few requests, no more."""

    def __init__(self, path: Path) -> None:
        """Take the path; neither it nor its folder has to exist."""
        self._path = path
        self._lock = Lock()
        self._known: dict[str, Manner] | None = None

    def get(self, key: str) -> Manner | None:
        """Return what is known, if anything is."""
        with self._lock:
            if self._known is None:
                self._known = self._read()
            return self._known.get(key)

    def put(self, key: str, manner: Manner) -> None:
        """Remember the manner; what another process wrote in the meantime stays."""
        with self._lock:
            self._known = {**(self._known or {}), **self._read(), key: manner}
            with suppress(OSError):
                self._write(self._known)

    def _read(self) -> dict[str, Manner]:
        try:
            return _FILE.validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return {}

    def _write(self, known: dict[str, Manner]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        values = {
            key: {"method": manner.method, "quirks": sorted(manner.quirks)}
            for key, manner in sorted(known.items())
        }
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(values, file, indent=1)
            Path(name).replace(self._path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
