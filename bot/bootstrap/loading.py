"""Models of this machine, loaded in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bot.bootstrap.background import Background
from bot.ports import Clock


class Loadable(Protocol):
    """A model that takes time to load."""

    @property
    def name(self) -> str:
        """Return its name."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Say whether a call would be answered without loading first."""
        ...

    def start(self, progress: Callable[[float], None]) -> object:
        """Load it unless it is loaded; `progress` gets the seconds. Raises `ConfigError`."""
        ...


class Free:
    """A gate that is closed while something is done in the background."""

    def __init__(self, busy_says: Callable[[], str | None]) -> None:
        """Take what says in a sentence what is done."""
        self._busy_says = busy_says

    def closed_because(self) -> str | None:
        """Return what is done now, or None."""
        return self._busy_says()


class ModelLoad:
    """The loading of one model; a gate that is closed where it could not be loaded."""

    def __init__(self, model: Loadable, clock: Clock) -> None:
        """Take the model; nothing is loaded yet."""
        self._model = model
        self._run = Background("load", clock)
        self._seconds = 0.0

    def begin(self, *, again: bool = False) -> None:
        """Begin to load, once or `again`."""
        if not self._model.is_loaded:
            self._run.begin(lambda _: self._model.start(self._note), again=again)

    @property
    def is_running(self) -> bool:
        """Say whether it is being loaded."""
        return self._run.is_running and not self._model.is_loaded

    @property
    def says(self) -> str:
        """Return how far it is, in a sentence."""
        return f"正在载入模型 {self._model.name}（已 {self._seconds:.0f} 秒），这期间可以先开始。"

    def closed_because(self) -> str | None:
        """Return why it could not be loaded, or None."""
        if self._run.failure is None or self._model.is_loaded:
            return None
        return f"{self._run.failure}现在由离线评分代替。"

    def _note(self, seconds: float) -> None:
        self._seconds = seconds
