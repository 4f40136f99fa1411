"""The index, built in the background while the page is used already."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread

from bot.errors import BotError
from bot.services.indexing import Retrieval


class IndexState:
    """How far the index is, while it is built in the background."""

    def __init__(self) -> None:
        """Begin without an index."""
        self._lock = Lock()
        self._begun = False
        self._done, self._total = 0, 0
        self._ready = False
        self._failure: str | None = None

    @property
    def is_ready(self) -> bool:
        """Say whether the index can be asked."""
        return self._ready

    @property
    def says(self) -> str:
        """Return the state in a sentence."""
        return self._says("参考答案直接取自题库")

    @property
    def says_searching(self) -> str:
        """Return the state in a sentence for somebody who looks for questions."""
        return self._says("先按词查找")

    def _says(self, meanwhile: str) -> str:
        if self._ready:
            return "检索索引已就绪。"
        if self._failure is not None:
            return self._failure
        done = f"（{self._done}/{self._total}）" if self._total else ""
        return f"检索索引正在后台建立{done}，{meanwhile}。"

    def build(self, retrieval: Callable[[], Retrieval]) -> None:
        """Begin to build the index in a thread of its own, once."""
        with self._lock:
            if self._begun:
                return
            self._begun = True
        Thread(target=self._build, args=(retrieval,), name="index", daemon=True).start()

    def _build(self, retrieval: Callable[[], Retrieval]) -> None:
        try:
            retrieval().refresh(self._progress)
        except BotError as error:
            self._failure = str(error)
        else:
            self._ready = True

    def _progress(self, done: int, total: int) -> None:
        self._done, self._total = done, total
