"""Who grades the lines of a file: threads that wait for a model, or processes that compute."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from bot.bootstrap import Services
from bot.cli.bulk_lines import Done, grade_line
from bot.domain.bank import Bank
from bot.errors import ConfigError
from bot.services.grading import Grader
from bot.settings import Settings

GivenT = TypeVar("GivenT")
FoundT = TypeVar("FoundT")

_CHUNK = 32
"""Lines that go to a process together: passing them costs less than grading one."""

_AHEAD = 4
"""Tasks under way for each worker; it bounds memory whatever the size of the file."""


def by_threads(
    bank: Bank, grader: Grader, lines: Iterator[bytes], concurrency: int
) -> Iterator[Done]:
    """Give the outcomes in input order; for judges that spend their time waiting."""
    pool = ThreadPoolExecutor(concurrency)
    try:
        yield from _in_order(
            pool, lambda raw: grade_line(bank, grader, raw), lines, concurrency * _AHEAD
        )
    finally:
        pool.shutdown(cancel_futures=True)


def by_processes(settings: Settings, lines: Iterator[bytes], workers: int) -> Iterator[Done]:
    """Give the offline judge's outcomes in input order; each process has a core of its own.

    Raises `ConfigError` when a process was killed.
    """
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start, (settings,))
    try:
        chunks = iter(lambda: tuple(islice(lines, _CHUNK)), ())
        for found in _in_order(pool, _grade_chunk, chunks, workers * _AHEAD):
            yield from found
    except BrokenProcessPool as error:
        raise ConfigError(
            "一个评分进程被系统结束了（多半是内存不足）；已评的都保存了，"
            "请调小 --concurrency 后加 --resume 接着评。"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: Executor, work: Callable[[GivenT], FoundT], items: Iterator[GivenT], window: int
) -> Iterator[FoundT]:
    """Work with a bounded number of items under way and give the results in order."""
    waiting: deque[Future[FoundT]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) >= window:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


# -- inside a worker process ----------------------------------------------------------------------

_mine: dict[str, Services] = {}


def _start(settings: Settings) -> None:
    """Make the product of this process, and end with the process that started it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        # A killed parent leaves its queue open at this end: nothing else would tell.
        threading.Thread(target=_end_with, args=(parent.join,), daemon=True).start()
    _mine["services"] = Services(settings)


def _end_with(wait: Callable[[], None]) -> None:
    wait()
    os._exit(1)


def _grade_chunk(lines: tuple[bytes, ...]) -> tuple[Done, ...]:
    services = _mine["services"]
    return tuple(grade_line(services.bank, services.offline_grader, raw) for raw in lines)
