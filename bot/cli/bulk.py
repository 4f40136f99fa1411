"""Grading a file of answers: streamed in and out, in order, resumable after any kill."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from bot.cli.bulk_lines import Done, done, given, require_same, whole_lines
from bot.cli.bulk_workers import by_processes, by_threads
from bot.domain.bank import Bank
from bot.domain.grade import Outcome, Ungraded, UngradedReason
from bot.errors import ConfigError, JudgeUnavailableError
from bot.ports import Clock
from bot.services.grading import Grader
from bot.settings import Settings

GIVE_UP = 20
"""So many answers in a row without a judge end the run: the rest would fare no better."""

_WORTH_PROCESSES = 200_000
"""Bytes of input; below, starting processes takes longer than grading."""

_OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)

Work = Callable[[Iterator[bytes]], Iterator[Done]]
"""Turns lines of the input into outcomes, in order."""


class Summary(NamedTuple):
    """What a run did."""

    graded: int
    ungraded: int
    kept: int
    """Lines of an earlier output that were left as they are."""
    levels: dict[int, int]
    judges: dict[str, int]
    tokens: int
    seconds: float


def work_of(
    settings: Settings,
    bank: Bank,
    grader: Grader,
    source: Path,
    *,
    concurrency: int,
    computes: bool,
) -> Work:
    """Return who grades: processes for the offline judge, which computes, else threads."""
    workers = min(concurrency, os.cpu_count() or 1)
    if computes and workers > 1 and source.stat().st_size > _WORTH_PROCESSES:
        return lambda lines: by_processes(settings, lines, workers)
    # Threads cannot speed up what computes.
    threads = 1 if computes else concurrency
    return lambda lines: by_threads(bank, grader, lines, threads)


def grade_file(
    source: Path, output: Path, work: Work, *, resume: bool, console: Console, clock: Clock
) -> Summary:
    """Grade every line of `source` into `output`.

    With `resume`, whole lines of an earlier output are kept and the rest is added; without it an
    existing output is refused, so that nothing is lost. Raises `ConfigError`, and
    `JudgeUnavailableError` when the judge stays away: what was graded until then is kept.
    """
    if output.exists() and not resume:
        raise ConfigError(f"{output} 已经存在；用 --resume 接着评，或换一个 --output。")
    try:
        kept = whole_lines(output) if output.exists() else 0
        if kept:
            require_same(source, output, kept)
        with source.open("rb") as file, output.open("ab") as target:
            total = sum(1 for _ in given(file)) - kept
            file.seek(0)
            rest = islice(given(file), kept, None)
            return _written(work(rest), target, output, kept, total, console, clock)
    except OSError as error:
        raise ConfigError(
            f"{error.filename or output}：无法读写（{error.strerror}）；请检查路径与空间，"
            "已评的部分可以用 --resume 接着评。"
        ) from error


def retry_file(
    source: Path, output: Path, work: Work, *, console: Console, clock: Clock
) -> Summary:
    """Grade again what the judge left ungraded in `output`; everything else stays as it is.

    The new output takes the place of the old one when it is complete; a broken run is gone on
    with. Raises as `grade_file` does.
    """
    if not output.is_file():
        raise ConfigError(f"{output}：还没有评分结果；请先不带 --retry 评一遍。")
    part = output.with_name(f"{output.name}.retry")
    try:
        there = whole_lines(output)
        require_same(source, output, there)
        kept = whole_lines(part) if part.exists() else 0
        with (
            source.open("rb") as file,
            output.open("rb") as old,
            output.open("rb") as copied,
            part.open("ab") as target,
        ):
            pairs = islice(zip(given(file), old, strict=False), kept, None)
            deque(islice(copied, kept), maxlen=0)
            found = _retried(pairs, copied, work)
            summary = _written(found, target, output, kept, there - kept, console, clock)
        part.replace(output)
    except OSError as error:
        raise ConfigError(
            f"{error.filename or output}：无法读写（{error.strerror}）；请检查路径与空间。"
        ) from error
    return summary


def _retried(
    pairs: Iterator[tuple[bytes, bytes]], copied: Iterator[bytes], work: Work
) -> Iterator[Done]:
    """Give the old outcomes with new ones in the place of those that are worth another try."""
    before: deque[int] = deque([0])
    """How many old outcomes stand before each new one; the last entry still grows."""

    def again() -> Iterator[bytes]:
        for raw, old in pairs:
            if _is_worth_a_try(old):
                before.append(0)
                yield raw
            else:
                before[-1] += 1

    for found in work(again()):
        yield from _as_they_were(copied, before.popleft())
        next(copied)
        yield found
    yield from _as_they_were(copied, before.popleft())


def _as_they_were(copied: Iterator[bytes], count: int) -> Iterator[Done]:
    for old in islice(copied, count):
        outcome = _OUTCOME.validate_json(old)
        yield done(outcome)._replace(text=old.decode("utf-8"))


def _is_worth_a_try(old: bytes) -> bool:
    if b'"ungraded"' not in old:  # reads a tenth of the time of parsing
        return False
    outcome = _OUTCOME.validate_json(old)
    return isinstance(outcome, Ungraded) and outcome.reason is not UngradedReason.BAD_INPUT


def _written(
    found: Iterator[Done],
    target: BinaryIO,
    output: Path,
    kept: int,
    total: int,
    console: Console,
    clock: Clock,
) -> Summary:
    """Write the outcomes as they come and count them."""
    begun = clock.elapsed()
    counts: Counter[str] = Counter()
    levels: Counter[int] = Counter()
    judges: Counter[str] = Counter()
    with _progress(console) as bar:
        task = bar.add_task("评分", total=total, note="")
        for one in _while_judged(found, output):
            target.write(one.text.encode("utf-8"))
            target.flush()
            counts["graded" if one.level is not None else "ungraded"] += 1
            counts["tokens"] += one.tokens
            if one.level is not None:
                levels[one.level] += 1
                judges[one.judge or ""] += 1
            seconds = max(clock.elapsed() - begun, 1e-6)
            rate = (counts["graded"] + counts["ungraded"]) / seconds
            left = f" · 未评 {counts['ungraded']}" if counts["ungraded"] else ""
            bar.update(task, advance=1, note=f"{rate:.0f} 份/秒{left}")
    return Summary(
        graded=counts["graded"],
        ungraded=counts["ungraded"],
        kept=kept,
        levels=dict(sorted(levels.items())),
        judges=dict(judges),
        tokens=counts["tokens"],
        seconds=clock.elapsed() - begun,
    )


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]} · 还要"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def _while_judged(found: Iterator[Done], output: Path) -> Iterator[Done]:
    """Give the outcomes; those without a judge wait until it is clear that it came back.

    Raises `JudgeUnavailableError` when it stayed away; what waits is not given then, so that a
    resumed run grades it.
    """
    waiting: list[Done] = []
    for one in found:
        if not one.is_unavailable:
            yield from waiting
            waiting.clear()
            yield one
            continue
        waiting.append(one)
        if len(waiting) == GIVE_UP:
            raise JudgeUnavailableError(
                f"连续 {GIVE_UP} 份都没有评成（{one.message}），已停下；"
                f"评过的都在 {output}，问题解决后加 --resume 接着评。"
            )
    yield from waiting
