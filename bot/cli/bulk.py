"""Grading a file of answers: streamed in and out, in order, resumable."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError
from rich.console import Console
from rich.progress import Progress

from bot.domain.bank import Bank
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.question import Frozen
from bot.domain.target import target_of
from bot.errors import ConfigError, NotFoundError
from bot.services.grading import Grader


class Line(Frozen):
    """One line of the input."""

    id: str = Field(min_length=1)
    question_id: str = Field(min_length=1)
    answer: str


class Summary(NamedTuple):
    """How many answers were graded, stayed ungraded, or were there already."""

    graded: int
    ungraded: int
    kept: int


def grade_file(
    source: Path,
    output: Path,
    bank: Bank,
    grader: Grader,
    *,
    concurrency: int,
    resume: bool,
    console: Console,
) -> Summary:
    """Grade every line of `source` into `output`.

    With `resume`, whole lines of an earlier output are kept and the rest is added; without it an
    existing output is refused, so that nothing is lost. Raises `ConfigError`.
    """
    if not source.is_file():
        raise ConfigError(f"{source}：没有这个文件；请检查 --input。")
    if output.exists() and not resume:
        raise ConfigError(f"{output} 已经存在；用 --resume 接着评，或换一个 --output。")
    kept = _whole_lines(output) if resume and output.exists() else 0
    counts = {"graded": 0, "ungraded": 0}
    try:
        with (
            source.open(encoding="utf-8-sig", errors="replace") as lines,
            output.open("a", encoding="utf-8") as target,
            ThreadPoolExecutor(concurrency) as pool,
            Progress(console=console, transient=True) as bar,
        ):
            task = bar.add_task("评分", total=None)
            rest = (line for number, line in enumerate(_given(lines)) if number >= kept)
            for outcome in _in_order(pool, bank, grader, rest, window=concurrency * 4):
                target.write(outcome.model_dump_json() + "\n")
                target.flush()
                counts["graded" if isinstance(outcome, Grade) else "ungraded"] += 1
                bar.advance(task)
    except OSError as error:
        raise ConfigError(f"{output}：无法写入（{error.strerror}）；请检查路径与空间。") from error
    return Summary(counts["graded"], counts["ungraded"], kept)


def _given(lines: Iterator[str]) -> Iterator[str]:
    return (line for line in lines if line.strip())


def _in_order(
    pool: ThreadPoolExecutor, bank: Bank, grader: Grader, lines: Iterator[str], *, window: int
) -> Iterator[Grade | Ungraded]:
    """Grade with a bounded number of answers under way and give the outcomes in input order."""
    waiting: deque[Future[Grade | Ungraded]] = deque()
    for line in lines:
        waiting.append(pool.submit(_grade_line, bank, grader, line))
        if len(waiting) >= window:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _grade_line(bank: Bank, grader: Grader, text: str) -> Grade | Ungraded:
    try:
        line = Line.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "整行"
        return Ungraded(
            id=_id_of(text),
            question_id="",
            reason=UngradedReason.BAD_INPUT,
            message=f"这一行读不懂（{field}：{first['type']}）；每行要有 id、question_id、answer。",
        )
    try:
        target = target_of(bank.find(line.question_id))
    except NotFoundError as error:
        return Ungraded(
            id=line.id,
            question_id=line.question_id,
            reason=UngradedReason.BAD_INPUT,
            message=str(error),
        )
    return grader.grade(line.id, target, line.answer)


def _id_of(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    return str(value.get("id", "")) if isinstance(value, dict) else ""


def _whole_lines(output: Path) -> int:
    """Count the whole lines of an earlier output and cut off a broken last one."""
    count = 0
    end = 0
    with output.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            count += 1
            end += len(line)
    with output.open("r+b") as file:
        file.truncate(end)
    return count
