"""An arrow of a drawing, and the lines of Mermaid text that arrows and labels stand in."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

LONGEST_LINE = 400
LONGEST_NAME = 80


class Stroke(StrEnum):
    """How an arrow is drawn."""

    SOLID = "实线"
    DOTTED = "虚线"
    THICK = "粗线"


class Arrow(NamedTuple):
    """An arrow between two named things, as the drawing shows them."""

    source: str
    target: str
    label: str = ""
    stroke: Stroke = Stroke.SOLID
    is_directed: bool = True
    is_message: bool = False
    """Whether it stands in a sequence diagram, where every arrow is a message."""


class Line(NamedTuple):
    """A line of a diagram: characters `start` to `end` of its text, and what it draws.

    A line that is not understood `is_plain`: its text can be taken as it stands.
    """

    start: int
    end: int
    arrows: tuple[Arrow, ...] = ()
    labels: tuple[str, ...] = ()
    """Labels of nodes and titles of groups; a break inside one is a line end."""
    notes: tuple[str, ...] = ()
    """Notes, comments, and the words at the head of a block."""
    is_plain: bool = False

    @property
    def too_long(self) -> bool:
        """Say whether the line is longer than anybody draws; reading it would take time."""
        return self.end - self.start > LONGEST_LINE


_TAG = re.compile(r"<[^<>\n]*>")
_BREAK = re.compile(r"<br\s*/?>|\\n", re.IGNORECASE)
_ENTITY = re.compile(r"#\w+;")


def spans_of(source: str) -> tuple[Line, ...]:
    """Return the lines that are not blank, without the spaces around them."""
    spans = []
    at = 0
    for text in source.splitlines(keepends=True):
        start = at + len(text) - len(text.lstrip())
        end = at + len(text.rstrip())
        if start < end:
            spans.append(Line(start, end))
        at += len(text)
    return tuple(spans)


def shown_label(text: str) -> str:
    """Return a label as the drawing shows it: without quotes and tags, a break as a line end."""
    plain = _TAG.sub("", _BREAK.sub("\n", text)).strip().strip('"`').strip()
    return _ENTITY.sub(" ", plain)


def shown_name(label: str) -> str:
    """Return a label as the name at the end of an arrow: on one line, and not endless."""
    return " ".join(label.split())[:LONGEST_NAME]
