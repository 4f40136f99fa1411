"""DOCX by python-docx: paragraphs with their heading level, and tables; nothing is run."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bot.adapters.documents import limits
from bot.adapters.documents.tables import Table, require_rows, row
from bot.domain.document import Document, Line, Row
from bot.errors import ImportFileError

if TYPE_CHECKING:
    from docx.document import Document as DocxDocument
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PARAGRAPH, _TABLE, _TEXT_BOX = f"{_W}p", f"{_W}tbl", f"{_W}txbxContent"
_WRAPPERS = frozenset(f"{_W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo"))
_CHARACTERS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_HEADING = re.compile(r"^(?:heading|标题) ?([1-9])$", re.IGNORECASE)


def read_word(name: str, content: bytes) -> Document:
    """Return the paragraphs and tables of a DOCX file. Raises `ImportFileError`."""
    import docx

    try:
        return _read(name, docx.Document(io.BytesIO(content)))
    except ImportFileError:
        raise
    except Exception as error:  # python-docx raises what the broken file makes it meet
        raise ImportFileError(f"{name}：文件已损坏，打不开；请用 Word 重新另存一份。") from error


def _read(name: str, document: DocxDocument) -> Document:
    levels = _heading_levels(document)
    lines: list[Line] = []
    tables: list[Table] = []
    number = 0
    for block in _blocks(document.element.body):
        if block.tag == _TABLE:
            tables.append(tuple(_rows(name, block, len(tables) + 1)))
            continue
        number += 1
        level = levels.get(_style_of(block), 0)
        for text in _text(block).split("\n"):
            lines.append(Line(f"第 {number} 段", text, level if text.strip() else 0))
        if len(lines) > limits.MOST_LINES:
            raise ImportFileError(f"{name}：超过 {limits.MOST_LINES} 行；请拆成几个文件。")
    return Document(name, lines=tuple(lines), tables=tuple(tables))


def _heading_levels(document: DocxDocument) -> Mapping[str, int]:
    """Return the heading level by style id; Chinese editions name their styles in Chinese."""
    found = ((style.style_id, _HEADING.match(style.name or "")) for style in document.styles)
    return {style_id: int(match[1]) for style_id, match in found if match}


def _style_of(paragraph: _Element) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return style.get(f"{_W}val", "") if style is not None else ""


def _blocks(parent: _Element) -> Iterator[_Element]:
    for child in parent:
        if child.tag in (_PARAGRAPH, _TABLE):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _blocks(child)


def _text(paragraph: _Element) -> str:
    """Return the text, with insertions that nobody accepted yet and without deletions.

    A text box is not of the paragraph that it hangs on.
    """
    hidden = set()
    for box in paragraph.iter(_TEXT_BOX, _FALLBACK):
        hidden.update(box.iter())
    return "".join(
        (node.text or "") if node.tag == f"{_W}t" else _CHARACTERS.get(str(node.tag), "")
        for node in paragraph.iter()
        if node not in hidden
    )


def _rows(name: str, table: _Element, number: int) -> Iterator[Row]:
    for count, found in enumerate(table.iterchildren(f"{_W}tr"), start=1):
        require_rows(name, count)
        yield row(f"表格 {number} 第 {count} 行", _cells(found))


def _cells(found: _Element) -> Iterator[str]:
    for cell in found.iterchildren(f"{_W}tc"):
        yield "\n".join(_text(paragraph) for paragraph in cell.iter(_PARAGRAPH)).strip()
        span = cell.find(f"{_W}tcPr/{_W}gridSpan")
        width = span.get(f"{_W}val", "1") if span is not None else "1"
        yield from [""] * (min(int(width), limits.MOST_COLUMNS) - 1)
