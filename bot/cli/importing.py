"""`mockbot import`: the preview in a terminal, the import, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from bot.bootstrap import Services
from bot.domain.document import Skipped
from bot.errors import ImportFileError
from bot.services.drafts import Duplicate, ImportPreview, excerpt
from bot.services.merging import Merge

SHOWN = 30
"""So many lines of each table are printed; the counts are always whole."""

MOST_READ = 64 << 20
"""No more of a file is read into memory; far less is refused already."""


def preview_file(services: Services, path: Path, console: Console) -> ImportPreview:
    """Return what an import of the file would bring. Raises `ImportFileError`."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_READ)
    except OSError as error:
        raise ImportFileError(
            f"{path}：无法读取（{error.strerror}）；请检查路径与权限。"
        ) from error
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("按含义查重", total=None)
        return services.imports.preview(
            path.name, content, lambda done, total: bar.update(task, completed=done, total=total)
        )


def print_preview(console: Console, preview: ImportPreview) -> None:
    """Print what was understood, what was not and why, and what the banks have already."""
    console.print(
        f"{preview.name}：认出 {len(preview.sections)} 个章节、{len(preview.drafts)} 道题、"
        f"{sum(len(one.follow_ups) for one in preview.drafts)} 个追问；"
        f"跳过 {len(preview.skipped)} 处，近似重复 {len(preview.duplicates)} 处。",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    table = Table("编号", "章节", "题干", "答案字数", "采分点", "出处")
    for draft in preview.drafts[:SHOWN]:
        points = len(draft.question.key_points) if draft.question else 0
        cells = (draft.id, draft.section.title, excerpt(draft.stem), str(len(draft.answer)))
        table.add_row(*(escape(cell) for cell in cells), str(points), escape(draft.place))
    console.print(table)
    _print_rest(console, len(preview.drafts))
    for warning in preview.warnings[:SHOWN]:
        console.print(f"提示：{warning}", markup=False, highlight=False, soft_wrap=True)
    _print_rest(console, len(preview.warnings))
    if preview.skipped:
        _print_skipped(console, preview.skipped)
    if preview.duplicates:
        _print_duplicates(console, preview.duplicates)


def print_merge(console: Console, done: Merge, *, is_written: bool) -> None:
    """Print what the import did, or would do."""
    said = "已导入" if is_written else "（试运行，没有写入）将导入"
    if not done.added and not done.changed:
        said = "没有新内容，题库没有改动："
    console.print(
        f"{said} {done.bank.name}：新增 {done.added} 道，更新 {done.changed} 道，"
        f"未变 {done.unchanged} 道，共 {len(done.bank.questions)} 道。",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    if is_written and (done.added or done.changed):
        console.print(
            f"采分点由答案自动生成，可用 BOT_BANK={done.bank.id} 或网页选择这个题库；"
            f"撤销：mockbot import --undo --bank {done.bank.id}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )


def undo(services: Services, bank_id: str, console: Console) -> None:
    """Take back the last import into a bank, and say what is there now."""
    version = services.imports.undo(bank_id)
    said = (
        f"已撤销：题库 {bank_id} 回到 {bank_id}@{version}。"
        if version is not None
        else f"已撤销：题库 {bank_id} 是新导入的，已移除。"
    )
    console.print(said, markup=False, highlight=False, soft_wrap=True)


def _print_skipped(console: Console, skipped: Sequence[Skipped]) -> None:
    table = Table("跳过", "原因", "内容")
    for one in skipped[:SHOWN]:
        table.add_row(escape(one.place), escape(one.reason), escape(one.text))
    console.print(table)
    _print_rest(console, len(skipped))


def _print_duplicates(console: Console, found: Sequence[Duplicate]) -> None:
    table = Table("近似重复", "相似度", "已有的题", "题干")
    for one in found[:SHOWN]:
        where = f"{one.bank_id}/{one.question_id}" if one.bank_id else f"本文件 {one.question_id}"
        table.add_row(
            one.draft_id, f"{one.similarity:.2f}", escape(where), escape(excerpt(one.stem))
        )
    console.print(table)
    _print_rest(console, len(found))


def _print_rest(console: Console, count: int) -> None:
    if count > SHOWN:
        console.print(f"……另有 {count - SHOWN} 条未列出。", markup=False)
