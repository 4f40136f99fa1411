"""A document of somebody else's, read but not yet understood (题目文档)."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import JsonValue


class Line(NamedTuple):
    """A line of a document's text; `level` is that of a heading, 0 for anything else."""

    place: str
    text: str
    level: int = 0


class Row(NamedTuple):
    """A row of a table; all cells are text."""

    place: str
    cells: tuple[str, ...]


class Record(NamedTuple):
    """A piece of structured data: plain values, lists and mappings."""

    place: str
    value: JsonValue


class Skipped(NamedTuple):
    """A part of a document that was not taken over: where it stands, why, and how it begins."""

    place: str
    reason: str
    text: str = ""


class Document(NamedTuple):
    """A document of somebody else's, read but not yet understood (题目文档)."""

    name: str
    lines: tuple[Line, ...] = ()
    tables: tuple[tuple[Row, ...], ...] = ()
    records: tuple[Record, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    is_wrapped: bool = False
    """Whether lines end where the page ends, as in a PDF, and not where the author ended them."""
    other: Document | None = None
    """Another reading of the same file: text with commas may be a table, or just text."""
