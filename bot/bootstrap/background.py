"""Work done in a thread of its own while the page is used already."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock, Thread
from typing import TypeAlias

from bot.errors import BotError
from bot.ports import Clock

Report: TypeAlias = Callable[[int, int], None]
"""Told what is done and how much there is in all."""

_log = logging.getLogger(__name__)


class Background:
    """One piece of work and how far it is; begun once, or again on request."""

    def __init__(self, name: str, clock: Clock) -> None:
        """Take the name of the thread, and the clock that its time is taken by."""
        self._name = name
        self._clock = clock
        self._lock = Lock()
        self._thread: Thread | None = None
        self._begun_at = 0.0
        self.done, self.total = 0, 0
        self.failure: str | None = None
        """Why it came to nothing, in a sentence."""

    @property
    def is_running(self) -> bool:
        """Say whether the work is under way."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """Return how long the work is under way."""
        return self._clock.elapsed() - self._begun_at

    def begin(self, work: Callable[[Report], object], *, again: bool = False) -> None:
        """Do the work in a thread, unless it is under way, or was begun before and not `again`."""
        with self._lock:
            if self.is_running or (self._thread is not None and not again):
                return
            self.done, self.total, self.failure = 0, 0, None
            self._begun_at = self._clock.elapsed()
            self._thread = Thread(target=self._run, args=(work,), name=self._name, daemon=True)
            self._thread.start()

    def _run(self, work: Callable[[Report], object]) -> None:
        try:
            work(self._report)
        except BotError as error:
            self.failure = str(error)
        except Exception as error:
            # Whoever looks on must not wait for ever; the traceback names places, no texts.
            _log.error("%s broke off: %s", self._name, type(error).__name__)
            _log.debug("%s broke off", self._name, exc_info=True)
            self.failure = f"后台工作意外中断（{type(error).__name__}）；请重试，详情见日志。"

    def _report(self, done: int, total: int) -> None:
        self.done, self.total = done, total
