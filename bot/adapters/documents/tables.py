"""Tables written as text: CSV in its dialects, and the pipe tables of Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from bot.adapters.documents import limits
from bot.domain.document import Line, Row
from bot.errors import ImportFileError

Table = tuple[Row, ...]

_DELIMITERS = ("\t", ",", ";", "|", "，")
_RULE_CELL = re.compile(r":?-+:?")
_SAMPLE = 64 * 1024
_SAMPLE_ROWS = 30


def delimited(name: str, text: str) -> Table:
    """Return the rows of a CSV text, or none if nothing separates columns."""
    delimiter = _delimiter(text)
    if delimiter is None:
        return ()
    rows: list[Row] = []
    # Universal newlines: an old file may end its lines with a carriage return alone.
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter)
    first = 1
    try:
        for cells in reader:
            rows.append(row(f"第 {first} 行", cells))
            require_rows(name, len(rows))
            first = reader.line_num + 1
    except csv.Error as error:
        raise ImportFileError(
            f"{name}：第 {reader.line_num} 行不像表格（{error}）；请检查引号与分隔符。"
        ) from error
    return tuple(rows)


def pipe_tables(lines: Sequence[Line]) -> tuple[Table, ...]:
    """Return the tables that are written as `| … | … |`."""
    tables: list[Table] = []
    rows: list[Row] = []
    for line in (*lines, Line("", "")):
        text = line.text.strip()
        if text.startswith("|") and text.endswith("|") and len(text) > 2:
            cells = [cell.strip() for cell in text[1:-1].split("|")]
            if not all(_RULE_CELL.fullmatch(cell) for cell in cells):
                rows.append(row(line.place, cells))
        elif rows:
            tables.append(tuple(rows))
            rows = []
    return tuple(tables)


def row(place: str, cells: Iterable[str]) -> Row:
    """Return a row, cut to the columns that can matter."""
    return Row(place, tuple(islice(cells, limits.MOST_COLUMNS)))


def require_rows(name: str, count: int) -> None:
    """Raise `ImportFileError` when there are too many rows."""
    if count > limits.MOST_ROWS:
        raise ImportFileError(
            f"{name}：表格超过 {limits.MOST_ROWS} 行；请拆成几个文件，或删除多余的空行。"
        )


def _delimiter(text: str) -> str | None:
    """Return the delimiter by which most rows at the beginning have as many columns.

    `csv.Sniffer` takes letters for delimiters and is slow on long cells.
    """
    worth = {delimiter: _evenness(text, delimiter) for delimiter in _DELIMITERS}
    best = max(worth, key=lambda one: worth[one])
    return best if worth[best] else None


def _evenness(text: str, delimiter: str) -> int:
    widths = Counter(
        len(cells) for cells in _first_rows(text[:_SAMPLE], delimiter) if len(cells) > 1
    )
    return max((count * width for width, count in widths.items()), default=0)


def _first_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from islice(
            csv.reader(io.StringIO(text, newline=None), delimiter=delimiter), _SAMPLE_ROWS
        )
    except csv.Error:
        return
