"""Sessions in the terminal: listed, reported, exported and imported."""

from __future__ import annotations

import json
import sys
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from bot.errors import ConfigError, ImportFileError
from bot.services.reporting.files import ReportForm

if TYPE_CHECKING:
    from bot.bootstrap import Services

_JUDGES = {"offline": "离线", "llm": "模型", "mixed": "混合"}


def print_sessions(services: Services, console: Console, *, limit: int, as_json: bool) -> None:
    """List the latest sessions."""
    found = services.store.summaries(limit)
    if as_json:
        typer.echo(json.dumps([one.model_dump(mode="json") for one in found], ensure_ascii=False))
        return
    if not found:
        console.print("还没有面试记录；用 `mockbot interview` 或网页开始一场。")
        return
    table = Table("场次", "开始", "状态", "作答", "平均分", "评分者")
    for one in found:
        table.add_row(
            one.id,
            f"{one.begun_at.astimezone():%Y-%m-%d %H:%M}",
            "已结束" if one.finished_at else "进行中",
            str(one.answered),
            "—" if one.mean_score is None else f"{one.mean_score:.1f}",
            _JUDGES.get(one.judge or "", "—"),
        )
    console.print(table)


def write_report(
    services: Services, session_id: str, form: str | None, output: Path | None
) -> None:
    """Write the report of a session to a file or to standard output.

    Raises `ConfigError` for a form that does not exist, and as `ReportFiles.write` does.
    """
    wanted = _form(form, output)
    session = services.store.load(session_id)
    _write(services.report_files.write(session, wanted, _zone(services)), output)


def write_grades(services: Services, output: Path | None) -> None:
    """Write the grades of all sessions as CSV to a file or to standard output."""
    _write(services.report_files.grades(_zone(services)), output)


def take_report(services: Services, file: Path, console: Console) -> None:
    """Import a report that was exported as JSON. Raises `ImportFileError`."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ImportFileError(f"{file}：无法读取（{error.strerror}）；请检查路径。") from error
    console.print(services.report_files.take(content).says, markup=False, highlight=False)


def _form(form: str | None, output: Path | None) -> ReportForm:
    """Return the form that was asked for, by name or by the end of the file's name."""
    known = [one.value for one in ReportForm]
    if form is None:
        form = output.suffix.lower().lstrip(".") if output is not None else ""
        form = ReportForm.MARKDOWN if form in ("", "txt") else form
    if form not in known:
        raise ConfigError(f"不支持的格式 {form!r}；可用：{'、'.join(known)}。")
    return ReportForm(form)


def _zone(services: Services) -> tzinfo:
    zone = services.clock.now().astimezone().tzinfo
    assert zone is not None  # noqa: S101 - astimezone always sets one
    return zone


def _write(content: bytes, output: Path | None) -> None:
    if output is None:
        if content.startswith(b"%PDF") and sys.stdout.isatty():
            raise ConfigError("PDF 不能显示在终端里；请用 -o 写到文件。")
        typer.echo(content, nl=False)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise ConfigError(f"{output}：无法写入（{error.strerror}）；请换一个位置。") from error
