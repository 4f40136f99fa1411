"""`mockbot grade --input`: a file of answers, by a judge or by way of the Batch API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from bot.bootstrap import Services
from bot.cli.bulk import Summary, Work, grade_file, retry_file, work_of
from bot.cli.bulk_lines import Line, given, read_line
from bot.cli.bulk_workers import by_threads
from bot.cli.judges import OFFLINE, ensure_exam, grader_of, is_offline
from bot.domain.target import Target, target_of
from bot.errors import ConfigError, NotFoundError


class Wish(NamedTuple):
    """What the options ask for."""

    source: Path
    output: Path | None
    batch: Path | None
    judge: str | None
    concurrency: int
    resume: bool
    retry: bool


def grade_many(services: Services, wish: Wish, console: Console) -> int:
    """Do what is wished and return how many answers stayed ungraded. Raises `BotError`."""
    output, batch, clock = wish.output, wish.batch, services.clock
    if output is None and batch is None:
        raise ConfigError("批量评分需要 --output。")
    if not wish.source.is_file():
        raise ConfigError(f"{wish.source}：没有这个文件；请检查 --input。")
    if batch is not None and is_offline(services, wish.judge):
        raise ConfigError(
            "--batch 需要模型：请设置 BOT_MODEL（见 .env.example），并去掉 --judge offline。"
        )
    if output is None:
        return _write_requests(services, wish.source, batch or Path(), console)
    work = _work(services, wish, console)
    if wish.retry:
        summary = retry_file(wish.source, output, work, console=console, clock=clock)
    else:
        summary = grade_file(
            wish.source, output, work, resume=wish.resume, console=console, clock=clock
        )
    for line in _lines(summary, output):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return summary.ungraded


def _work(services: Services, wish: Wish, console: Console) -> Work:
    bank = services.bank
    if wish.batch is not None:
        from bot.bootstrap.batches import grader_of_replies

        replies = grader_of_replies(services, wish.batch)
        return lambda lines: by_threads(bank, replies, lines, 1)
    return work_of(
        services.settings,
        bank,
        grader_of(services, wish.judge, console, in_bulk=True),
        wish.source,
        concurrency=wish.concurrency,
        computes=is_offline(services, wish.judge),
    )


def _write_requests(services: Services, source: Path, target: Path, console: Console) -> int:
    """Write the requests, in as many files as the API's limits ask for."""
    from bot.bootstrap.batches import requests_of, write_requests

    ensure_exam(services, console)
    with source.open("rb") as file:
        lines = requests_of(services, _answers(services, given(file)))
        files, count = write_requests(lines, target)
    console.print(
        f"写出 {count} 个请求 → {'、'.join(map(str, files)) or '（没有需要模型评的作答）'}；"
        "完成后把回复合成一个文件，用 --batch 回复文件 --output 结果文件 读入。",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return 0


def _answers(services: Services, lines: Iterator[bytes]) -> Iterator[tuple[Target, str]]:
    """Give the answers that can be graded; the others are told when the grades are written."""
    for raw in lines:
        line = read_line(raw)
        if isinstance(line, Line):
            try:
                yield target_of(services.bank.find(line.question_id)), line.answer
            except NotFoundError:
                continue


def _lines(summary: Summary, output: Path) -> Iterator[str]:
    """Give the summary."""
    yield (
        f"已评 {summary.graded} 份，未评 {summary.ungraded} 份，"
        f"沿用上次 {summary.kept} 份 → {output}"
    )
    if not summary.graded:
        return
    levels = "、".join(f"{level} 级 {count}" for level, count in summary.levels.items())
    yield f"等级：{levels}"
    judges = "、".join(
        f"{'离线评分' if judge == OFFLINE else '模型评分'} {count} 份"
        for judge, count in sorted(summary.judges.items())
    )
    tokens = f"，{summary.tokens:,} token" if summary.tokens else ""
    rate = summary.graded / max(summary.seconds, 1e-6)
    yield f"来源：{judges}；用时 {summary.seconds:.1f} 秒（{rate:.0f} 份/秒）{tokens}"
