"""A report as a reader sees it (复盘报告): headings, tables, answers with marks; no form of a file.

Markdown, HTML and PDF are made from the same document, so that they cannot say different things.
All texts are plain; whoever writes a file escapes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

Tone: TypeAlias = Literal["good", "part", "bad"]
"""How marked words stand: they earned points, a part of them, or cost some."""

_STRONGEST_FIRST: tuple[Tone, ...] = ("bad", "good", "part")

_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Controls and halves of characters: no file of text may hold all of them."""

_DIRECTIONS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""They would let an answer turn around the words that stand beside it."""


class Mark(NamedTuple):
    """Characters `start` to `end` of an answer, exclusive, and what they are marked as."""

    start: int
    end: int
    tone: Tone
    label: str


class Piece(NamedTuple):
    """A piece of an answer; `ends` are the labels of the marks that end with it."""

    text: str
    tone: Tone | None = None
    ends: tuple[str, ...] = ()


class Facts(NamedTuple):
    """Names with their values."""

    pairs: tuple[tuple[str, str], ...]


class Paragraph(NamedTuple):
    """A paragraph after a lead in bold; either may be empty."""

    lead: str
    text: str = ""


class Notice(NamedTuple):
    """A sentence that a reader must not miss."""

    text: str


class Bullets(NamedTuple):
    """A list; each item is a lead in bold, and a text."""

    items: tuple[Paragraph, ...]


class Quote(NamedTuple):
    """What the candidate said, in pieces, after a lead."""

    lead: str
    pieces: tuple[Piece, ...]


class Cell(NamedTuple):
    """A cell of a table; with `share` (0–1) it has a bar, with `anchor` it leads to a section."""

    text: str
    share: float | None = None
    anchor: str | None = None


class Table(NamedTuple):
    """A table; `widths` are relative."""

    columns: tuple[str, ...]
    widths: tuple[int, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block: TypeAlias = Facts | Paragraph | Notice | Bullets | Quote | Table


class Section(NamedTuple):
    """A heading of depth 2 or 3 with what belongs to it; `anchor` is unique in the document."""

    title: str
    anchor: str
    blocks: tuple[Block, ...]
    depth: Literal[2, 3] = 2


class ReportDocument(NamedTuple):
    """The whole report; `label` stands on every page, `at` is when the session ended or began."""

    title: str
    label: str
    at: datetime
    facts: Facts
    sections: tuple[Section, ...]


def printable(text: str) -> str:
    """Return `text` without what no reader sees: controls, and signs that turn the direction.

    Every line break is one of Unix; a control becomes U+FFFD, so that nothing vanishes in silence.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSHOWN.sub("\ufffd", _DIRECTIONS.sub("", lines))


def pieces(text: str, marks: Sequence[Mark]) -> tuple[Piece, ...]:
    """Cut an answer where marks begin and end; their texts, joined, are `printable(text)`.

    Of marks on the same words the strongest tone counts, and each label stands where its mark ends.
    A mark that does not lie within the text is left out.
    """
    if not text:
        return ()
    # Cut first, clean afterwards: the places are those of the text as it was stored. A line break
    # of two characters keeps its length, in case that a cut goes through it.
    text = text.replace("\r\n", "\u202d\n")
    kept = [one for one in marks if 0 <= one.start < one.end <= len(text)]
    cuts = sorted({0, len(text), *(at for one in kept for at in (one.start, one.end))})
    spans = list(pairwise(cuts))
    labels = [_labels(kept, start, end) for start, end in spans]
    made = [
        Piece(
            text=printable(text[start:end]),
            tone=_tone(kept, start, end),
            ends=tuple(one for one in here if one not in following),
        )
        for (start, end), here, following in zip(spans, labels, [*labels[1:], ()], strict=True)
    ]
    return tuple(_joined(made))


def _covering(marks: Sequence[Mark], start: int, end: int) -> Iterator[Mark]:
    return (one for one in marks if one.start <= start and end <= one.end)


def _labels(marks: Sequence[Mark], start: int, end: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.label for one in _covering(marks, start, end)))


def _tone(marks: Sequence[Mark], start: int, end: int) -> Tone | None:
    tones = {one.tone for one in _covering(marks, start, end)}
    return next((tone for tone in _STRONGEST_FIRST if tone in tones), None)


def _joined(made: Sequence[Piece]) -> Iterator[Piece]:
    """Join pieces that a reader could not tell apart."""
    held: Piece | None = None
    for piece in made:
        if held is not None and held.tone == piece.tone and not held.ends:
            held = Piece(held.text + piece.text, piece.tone, piece.ends)
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held
