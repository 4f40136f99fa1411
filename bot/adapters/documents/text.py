"""Text from bytes: encodings, and what is no text at all."""

from __future__ import annotations

import codecs
import re
import unicodedata

from bot.adapters.documents import limits
from bot.domain.document import Line
from bot.errors import ImportFileError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins like this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_PRIVATE = re.compile(r"[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BREAK = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_SAMPLE = 20_000


def decode(name: str, content: bytes) -> str:
    """Return the text by its byte order mark, else as strict UTF-8, else as GB18030."""
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return _checked(name, _strictly(name, content[len(bom) :], encoding))
    try:
        return _checked(name, content.decode("utf-8"))
    except UnicodeDecodeError:
        return _checked(name, _strictly(name, content, "gb18030"))


def lines_of(name: str, text: str) -> tuple[Line, ...]:
    """Return the numbered lines."""
    lines = _BREAK.split(text)
    if len(lines) > limits.MOST_LINES:
        raise ImportFileError(
            f"{name}：有 {len(lines)} 行，上限是 {limits.MOST_LINES} 行；请拆成几个文件。"
        )
    return tuple(Line(f"第 {number} 行", line) for number, line in enumerate(lines, start=1))


def cleaned(text: str) -> str:
    """Replace what no file could hold: half of a surrogate pair, as JSON may escape it."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _strictly(name: str, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise ImportFileError(
            f"{name}：认不出文字编码（不是 UTF-8、UTF-16 或 GB18030），也可能不是文本文件；"
            "请另存为 UTF-8 文本。"
        ) from error


def _checked(name: str, text: str) -> str:
    """Refuse what decodes by chance: text has no control characters, and hardly unknown ones."""
    if not text.strip():
        raise ImportFileError(f"{name}：文件是空的；请选择有内容的文档。")
    sample = text[:_SAMPLE]
    strange = len(_PRIVATE.findall(sample)) + sum(
        unicodedata.category(char) == "Cn" for char in sample
    )
    if _CONTROL.search(text) or strange * 100 > len(sample):
        raise ImportFileError(
            f"{name}：看起来是二进制文件，不是文档；支持 TXT、MD、CSV、XLSX、DOCX、"
            "文字版 PDF、JSON、JSONL 与 YAML。"
        )
    return text
