"""The index, built in the background while the page is used already."""

from __future__ import annotations

from collections.abc import Callable

from bot.bootstrap.background import Background
from bot.ports import Clock
from bot.services.indexing import Retrieval


class IndexState:
    """How far the index is, while it is built in the background."""

    def __init__(self, clock: Clock) -> None:
        """Begin without an index."""
        self._run = Background("index", clock)
        self._ready = False

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
        if self._run.failure is not None:
            return self._run.failure
        done = f"（{self._run.done}/{self._run.total}）" if self._run.total else ""
        return f"检索索引正在后台建立{done}，{meanwhile}。"

    def build(self, retrieval: Callable[[], Retrieval]) -> None:
        """Begin to build the index in a thread of its own, once."""

        def work(report: Callable[[int, int], None]) -> None:
            retrieval().refresh(report)
            self._ready = True

        self._run.begin(work)
