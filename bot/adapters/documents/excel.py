"""XLSX by openpyxl: values of cells, as last computed; nothing is run."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.adapters.documents import limits
from bot.adapters.documents.tables import Table, require_rows, row
from bot.domain.document import Document, Row
from bot.errors import ImportFileError

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_LAST_ROW = 1_048_576
"""Excel has no more; a file that claims more would be padded up to it."""


def read_excel(name: str, content: bytes) -> Document:
    """Return the sheets of an XLSX file. Raises `ImportFileError`."""
    try:
        with warnings.catch_warnings():
            # openpyxl warns of parts that it does not keep; only values are read here.
            warnings.simplefilter("ignore")
            tables = tuple(_tables(name, content))
    except ImportFileError:
        raise
    except Exception as error:  # openpyxl raises what the broken file makes it meet
        raise ImportFileError(f"{name}：文件已损坏，打不开；请用 Excel 重新另存一份。") from error
    return Document(name, tables=tables)


def _tables(name: str, content: bytes) -> Iterator[Table]:
    from openpyxl import load_workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    try:
        if len(book.worksheets) > limits.MOST_SHEETS:
            raise ImportFileError(
                f"{name}：工作表超过 {limits.MOST_SHEETS} 个；请只保留有题目的工作表。"
            )
        for sheet in book.worksheets:
            if isinstance(sheet, ReadOnlyWorksheet):
                sheet.reset_dimensions()  # what a sheet says of its size need not be true
            yield tuple(_rows(name, sheet))
    finally:
        book.close()


def _rows(name: str, sheet: Worksheet) -> Iterator[Row]:
    count = 0
    found = sheet.iter_rows(
        min_row=1, max_row=_LAST_ROW, max_col=limits.MOST_COLUMNS, values_only=True
    )
    for number, values in enumerate(found, start=1):
        cells = [_text(value) for value in values]
        if not any(cells):
            continue
        count += 1
        require_rows(name, count)
        yield row(f"{sheet.title} 第 {number} 行", cells)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    # Excel writes a carriage return inside a cell like this.
    return str(value).replace("_x000D_", "").strip()
