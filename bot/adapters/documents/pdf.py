"""PDF with text by pypdf; pictures of text are refused."""

from __future__ import annotations

import io
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bot.adapters.documents import limits
from bot.adapters.documents.text import cleaned
from bot.domain.document import Document, Line, Skipped
from bot.errors import ImportFileError

if TYPE_CHECKING:
    from pypdf import PdfReader

_PAGE_NUMBER = re.compile(
    r"^(?:[-–— ]*\d{1,4}[-–— ]*|第 ?\d{1,4} ?页.{0,12}|\d{1,4} ?/ ?\d{1,4}|page \d{1,4}.{0,10})$",
    re.IGNORECASE,
)
_RADICALS = {
    ord(radical): char
    for radical, char in zip(
        "⺟⺠⻁⻄⻅⻆⻉⻋⻓⻔⻘⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻬⻮⻰",
        "母民虎西见角贝车长门青页风飞食马骨鬼鱼鸟麦黄齐齿龙",
        strict=True,
    )
} | {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
"""Fonts give a character and its radical the same shape, and PDF programs pick the radical."""

_SPACES = re.compile(r"[ \u00a0]{2,}")
_BEFORE_MARK = re.compile(r" (?=[，。；：、？！（）“”‘’《》])")
_AFTER_MARK = re.compile(r"(?<=[，。；：、？！（）“”‘’《》]) ")
_NUMBER_OF_PAGE = re.compile(r"\d+ ?/ ?\d+|第 ?\d+ ?页|page \d+", re.IGNORECASE)
_REPEATED = 3
"""A line that stands among the first or last two of so many pages is the page's, not the author's."""


def read_pdf(name: str, content: bytes) -> Document:
    """Return the lines of a PDF. Raises `ImportFileError`."""
    from pypdf import PdfReader

    # It reports every oddity of a file on stderr; here the file is either read or refused.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        return _read(name, PdfReader(io.BytesIO(content)))
    except ImportFileError:
        raise
    except Exception as error:  # pypdf raises what the broken file makes it meet
        raise ImportFileError(f"{name}：PDF 已损坏，打不开；请重新导出一份。") from error


def _read(name: str, reader: PdfReader) -> Document:
    if reader.is_encrypted:
        raise ImportFileError(f"{name}：PDF 有密码或权限保护；请去掉保护后另存一份。")
    if len(reader.pages) > limits.MOST_PAGES:
        raise ImportFileError(
            f"{name}：PDF 有 {len(reader.pages)} 页，上限是 {limits.MOST_PAGES} 页；请拆成几个文件。"
        )
    pages: list[list[str]] = []
    size = 0
    for page in reader.pages:
        text = _restored(cleaned(page.extract_text()))
        size += len(text)
        if size > limits.LARGEST_FILE:
            raise ImportFileError(f"{name}：PDF 里的文字太多；请拆成几个文件。")
        pages.append([line.rstrip() for line in text.splitlines()])
    if not any(line.strip() for page in pages for line in page):
        raise ImportFileError(
            f"{name}：PDF 里没有文字，可能是扫描件；请先做文字识别（OCR），或粘贴文字。"
        )
    if sum(line.count("\x00") for page in pages for line in page) * 20 > size:
        raise ImportFileError(
            f"{name}：PDF 的文字编码读不出来；请复制其中的文字粘贴，或另存为 DOCX。"
        )
    return _document(name, pages)


def _restored(text: str) -> str:
    """Undo what PDF programs do to Chinese text: radicals, and blanks around marks."""
    text = _SPACES.sub(" ", text.translate(_RADICALS))
    return _AFTER_MARK.sub("", _BEFORE_MARK.sub("", text))


def _document(name: str, pages: Sequence[Sequence[str]]) -> Document:
    edges = Counter(_unnumbered(line) for page in pages for line in _edges(page))
    lines: list[Line] = []
    skipped: list[Skipped] = []
    for number, page in enumerate(pages, start=1):
        mine = _edges(page)
        for text in page:
            is_edge = text in mine
            if is_edge and _PAGE_NUMBER.match(text.strip()):
                continue
            count = edges[_unnumbered(text)] if is_edge else 0
            if count >= _REPEATED and count * 2 > len(pages):
                skipped.append(
                    Skipped(f"第 {number} 页", "每页都有的页眉或页脚", text.strip()[:60])
                )
            else:
                lines.append(Line(f"第 {number} 页", text))
    return Document(name, lines=tuple(lines), skipped=tuple(_once(skipped)), is_wrapped=True)


def _edges(page: Sequence[str]) -> set[str]:
    filled = [line for line in page if line.strip()]
    return {*filled[:2], *filled[-2:]}


def _unnumbered(line: str) -> str:
    """Return the line without a page's number in it, so that footers are equal."""
    return _NUMBER_OF_PAGE.sub("#", line)


def _once(skipped: Iterable[Skipped]) -> list[Skipped]:
    first: dict[str, Skipped] = {}
    for one in skipped:
        first.setdefault(_unnumbered(one.text), one)
    return list(first.values())
