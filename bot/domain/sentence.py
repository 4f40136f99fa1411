"""Sentences (句子): an answer cut into numbered pieces, with or without punctuation.

A line of a diagram is one sentence, whatever marks stand in it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.domain.diagram import diagram_lines

LONG = 80
"""A stretch longer than this without an end mark is cut at a softer place."""

SHORTEST_CUT = 24
"""A soft cut leaves at least this many characters on its left."""

_END = re.compile(r"(?:[。！？!?；;…]+|\.(?=\s|$|[\u4e00-\u9fff])(?<![0-9]\.))[”’」』）)\"']*|\n+")
_SOFT = (
    re.compile(r"[，,、：:]"),
    re.compile(r"(?=然后|所以|但是|不过|因为|而且|另外|代价|前提|如果|那这个时候)"),
    re.compile(r"(?<=[\u4e00-\u9fff])[ \u3000]+(?=[\u4e00-\u9fff])"),
    re.compile(r"[ \u3000]+"),
)
"""Where a long stretch may be cut, the better places first."""

_NUMBER = re.compile(r"\W*\d{1,2}\W*")
_CONTENT = re.compile(r"\w")


class Sentence(NamedTuple):
    """A piece of an answer: its number from 1, and its characters `start` to `end`, end exclusive."""

    number: int
    start: int
    end: int
    text: str


def split(text: str) -> tuple[Sentence, ...]:
    """Cut `text` into numbered sentences; pieces without a letter or digit are left out."""
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end in diagram_lines(text):
        spans += [*_cuts(text, at, start), (start, end)]
        at = end
    spans += _cuts(text, at, len(text))
    kept = [trimmed for span in spans if (trimmed := _trimmed(text, *span)) is not None]
    kept = _with_numbers_joined(text, kept)
    return tuple(
        Sentence(number, first, last, text[first:last])
        for number, (first, last) in enumerate(kept, start=1)
    )


def _cuts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut words at the end marks, and what is long between them at softer places."""
    cuts = []
    for stop in [*(found.end() for found in _END.finditer(text, start, end)), end]:
        cuts += _soft_cuts(text, start, stop)
        start = stop
    return cuts


def _with_numbers_joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the number of a list item to the sentence that follows it."""
    joined: list[tuple[int, int]] = []
    begun: int | None = None
    for start, end in spans:
        first = start if begun is None else begun
        if _NUMBER.fullmatch(text[start:end]) and (start, end) != spans[-1]:
            begun = first
            continue
        joined.append((first, end))
        begun = None
    return joined


def _soft_cuts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a stretch that is too long at the best soft places it has."""
    spans = []
    while end - start > LONG:
        window = (start + SHORTEST_CUT, min(start + LONG, end - SHORTEST_CUT))
        cuts = ([found.end() for found in soft.finditer(text, *window)] for soft in _SOFT)
        best = next((places[-1] for places in cuts if places), None)
        if best is None:
            break
        spans.append((start, best))
        start = best
    return [*spans, (start, end)]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    if not _CONTENT.search(piece):
        return None
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
