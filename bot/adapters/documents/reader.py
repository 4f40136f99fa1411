"""A file read by what it is: its content decides, its suffix helps where content cannot tell."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath

from bot.adapters.documents import limits
from bot.adapters.documents.archive import Office, office_kind
from bot.adapters.documents.excel import read_excel
from bot.adapters.documents.pdf import read_pdf
from bot.adapters.documents.records import json_lines, json_records, yaml_records
from bot.adapters.documents.tables import delimited, pipe_tables
from bot.adapters.documents.text import decode, lines_of
from bot.adapters.documents.word import read_word
from bot.domain.document import Document, Line
from bot.errors import ImportFileError

_MACRO_SUFFIXES = frozenset({".xlsm", ".xltm", ".xlam", ".xlsb", ".docm", ".dotm", ".pptm"})
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF_WITHIN = 1024


class FileDocuments:
    """Reads question documents from files."""

    def read(self, name: str, content: bytes) -> Document:
        """Return the document. Raises `ImportFileError`, and nothing else."""
        name = PurePath(name.replace("\\", "/")).name[:120] or "文件"
        suffix = PurePath(name).suffix.casefold()
        _require_bounded(name, content)
        if suffix in _MACRO_SUFFIXES:
            raise ImportFileError(f"{name}：带宏的 Office 文件不导入；请另存为 .docx 或 .xlsx。")
        if content.startswith(b"PK"):
            kind = office_kind(name, content)
            return read_word(name, content) if kind is Office.WORD else read_excel(name, content)
        if content.startswith(_OLD_OFFICE):
            raise ImportFileError(
                f"{name}：是旧版或有密码的 Office 文件；请去掉密码，另存为 .docx 或 .xlsx。"
            )
        if b"%PDF-" in content[:_PDF_WITHIN]:
            return read_pdf(name, content)
        return _read_text(name, suffix, decode(name, content))


def _require_bounded(name: str, content: bytes) -> None:
    if not content.strip():
        raise ImportFileError(f"{name}：文件是空的；请选择有内容的文档。")
    if len(content) > limits.LARGEST_FILE:
        size = len(content) / limits.MIB
        most = limits.LARGEST_FILE // limits.MIB
        raise ImportFileError(f"{name}：文件有 {size:.1f} MiB，上限是 {most} MiB；请拆成几个文件。")


def _read_text(name: str, suffix: str, text: str) -> Document:
    begins = text.lstrip()[:9].casefold()
    if begins.startswith(("{\\rtf", "<!doctype", "<html")):
        raise ImportFileError(f"{name}：是 RTF 或网页文件；请另存为 DOCX、纯文本或 Markdown。")
    lines = lines_of(name, text)
    if suffix in {".yaml", ".yml"}:
        return Document(name, records=yaml_records(name, text))
    if suffix in {".json", ".jsonl", ".ndjson"} or begins.startswith(("{", "[")):
        return _read_json(name, suffix, text, lines)
    if suffix in {".csv", ".tsv"}:
        rows = delimited(name, text)
        return Document(name, tables=(rows,) if rows else (), other=Document(name, lines=lines))
    return Document(name, lines=lines, other=_table_or_yaml(name, text, lines))


def _read_json(name: str, suffix: str, text: str, lines: tuple[Line, ...]) -> Document:
    """Read one value, else a value a line; text that only begins with a bracket stays text."""
    is_lines = suffix in {".jsonl", ".ndjson"}
    try:
        if not is_lines:
            return Document(name, records=json_records(name, text))
    except ImportFileError:
        records, skipped = json_lines(name, lines)
        if len(records) > len(skipped):
            return Document(name, records=records, skipped=skipped)
        if suffix == ".json":
            raise
        return Document(name, lines=lines)
    records, skipped = json_lines(name, lines)
    return Document(name, records=records, skipped=skipped)


def _table_or_yaml(name: str, text: str, lines: tuple[Line, ...]) -> Document | None:
    """Return another reading of plain text, where there is one."""
    if tables := pipe_tables(lines):
        return Document(name, tables=tables)
    if text.startswith(("# yaml-language-server", "bank:", "questions:", "- id:", "---\nbank:")):
        with suppress(ImportFileError):
            return Document(name, records=yaml_records(name, text))
    with suppress(ImportFileError):
        if rows := delimited(name, text):
            return Document(name, tables=(rows,))
    return None
