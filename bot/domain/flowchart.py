"""A flowchart in Mermaid read line by line: who points at whom, with which arrow and label."""

from __future__ import annotations

import re
from itertools import product
from typing import NamedTuple

from bot.domain.arrow import LONGEST_LINE, Arrow, Line, Stroke, shown_label, shown_name, spans_of

HEADER = re.compile(r"(?:flowchart|graph)(?![A-Za-z])", re.IGNORECASE)
COMMENT = re.compile(r"%%\s*(?!\{)(?P<text>.*)$")
LAYOUT = re.compile(
    r"(?:end|direction\s+\w+|(?:classDef|class|style|linkStyle|click)\s.*"
    r"|title:?\s.*|acc(?:Title|Descr).*|---|%%\{.*)$",
    re.IGNORECASE,
)
"""Lines that change how a drawing looks and say nothing."""

MOST_PAIRS = 40
"""So many arrows may one link between groups of nodes stand for."""

_SUBGRAPH = re.compile(r"subgraph\s+(?P<id>[^\s\[]+)\s*(?:\[(?P<title>.*)\]|(?P<rest>.*))$")
_NODE = re.compile(r"(?:\w|[-./](?=\w))+")
_SHAPES = (
    re.compile(r"""@\{[^}]*?label:\s*["'](?P<label>[^"']*)["'][^}]*\}"""),
    re.compile(r"@\{(?P<label>)[^}]*\}"),
    re.compile(r'[\[({>][\[({/\\]*\s*"(?P<label>[^"]*)"\s*[/\\]?[\])}]+'),
    re.compile(r"\[[\[(/\\]*(?P<label>[^\]]*?)[)/\\]*\]+"),
    re.compile(r"\([\[(]*(?P<label>[^)]*?)\]?\)+"),
    re.compile(r"\{+(?P<label>[^}]*?)\}+"),
    re.compile(r">(?P<label>[^\]]*)\]"),
)
_CLASS = re.compile(r":::[\w-]+")
_AND = re.compile(r"\s*&\s*")
_EDGE_ID = re.compile(r"\s*(?:\w+@(?=[-=<]))?")
_HIDDEN = re.compile(r"~~~+\s*")
_LINKS = (
    # A-->|label|B
    re.compile(
        r"(?P<back><)?(?P<line>--+|-\.+-|==+)(?P<head>[>ox])?\s*\|\s*(?P<label>[^|]*?)\s*\|\s*"
    ),
    # A-->B, A---B
    re.compile(
        r"(?P<back><)?(?P<line>-\.+-|--+|==+)(?P<head>>|[ox](?=\s))(?P<label>)\s*"
        r"|(?P<bare>---+|===+|-\.+-)\s*"
    ),
    # A-- label -->B
    re.compile(
        r'(?P<back><)?(?P<line>--|-\.|==)\s*(?P<label>"[^"]*"|[^\s>=.-].*?)\s*'
        r"(?:--+|\.+-|==+)(?P<head>[>ox])?\s*"
    ),
)
_END = re.compile(r"\s*(?:;\s*|$)")


class _Link(NamedTuple):
    label: str
    stroke: Stroke
    points_back: bool
    points_forth: bool


class _Step(NamedTuple):
    """A link between groups of nodes, named by their ids."""

    left: tuple[str, ...]
    link: _Link
    right: tuple[str, ...]


class _NotUnderstoodError(Exception):
    """The line is no flowchart, or one with faults."""


def flowchart_lines(source: str) -> tuple[Line, ...]:
    """Return the lines of a flowchart; a label may stand on another line than the arrow."""
    return _Reader().lines(source)


class _Reader:
    def __init__(self) -> None:
        self._labels: dict[str, str] = {}
        self._line_labels: list[str] = []
        self._notes: list[str] = []

    def lines(self, source: str) -> tuple[Line, ...]:
        read: list[tuple[Line, list[_Step]]] = []
        for span in spans_of(source):
            self._line_labels, self._notes = [], []
            try:
                steps = self._steps(source[span.start : span.end])
            except _NotUnderstoodError:
                read.append((span._replace(is_plain=True), []))
            else:
                labels, notes = tuple(self._line_labels), tuple(self._notes)
                read.append((span._replace(labels=labels, notes=notes), steps))
        return tuple(
            line._replace(arrows=tuple(arrow for step in steps for arrow in self._arrows(step)))
            for line, steps in read
        )

    def _steps(self, text: str) -> list[_Step]:
        if len(text) > LONGEST_LINE:
            raise _NotUnderstoodError
        if HEADER.match(text):
            text = text.partition(";")[2].strip()
        if LAYOUT.match(text):
            return []
        if found := COMMENT.match(text):
            self._notes.append(found["text"])
            return []
        if found := _SUBGRAPH.match(text):
            title = shown_label(found["title"] or f"{found['id']}{found['rest'] or ''}")
            self._labels[found["id"]] = title
            self._line_labels.append(title)
            return []
        steps: list[_Step] = []
        at = 0
        while at < len(text):
            at = self._statement(text, at, steps)
        return steps

    def _statement(self, text: str, at: int, steps: list[_Step]) -> int:
        left, at = self._nodes(text, at)
        while True:
            at = _after(_EDGE_ID, text, at)
            if (end := _END.match(text, at)) is not None:
                return end.end()
            link, at = _link(text, at)
            right, at = self._nodes(text, at)
            if len(left) * len(right) > MOST_PAIRS:
                raise _NotUnderstoodError
            if link is not None:
                steps.append(_Step(left, link, right))
            left = right

    def _nodes(self, text: str, at: int) -> tuple[tuple[str, ...], int]:
        names: list[str] = []
        while True:
            found = _NODE.match(text, at)
            if found is None:
                raise _NotUnderstoodError
            at = self._shape(found[0], text, found.end())
            at = _after(_CLASS, text, at)
            names.append(found[0])
            joined = _AND.match(text, at)
            if joined is None:
                return tuple(names), at
            at = joined.end()

    def _shape(self, name: str, text: str, at: int) -> int:
        for shape in _SHAPES:
            if found := shape.match(text, at):
                if label := shown_label(found["label"]):
                    self._labels[name] = label
                    self._line_labels.append(label)
                return found.end()
        return at

    def _arrows(self, step: _Step) -> list[Arrow]:
        link = step.link
        arrows = []
        for pair in product(step.left, step.right):
            left, right = (shown_name(self._labels.get(one, one)) for one in pair)
            is_directed = link.points_back or link.points_forth
            if link.points_forth or not is_directed:
                arrows.append(Arrow(left, right, link.label, link.stroke, is_directed))
            if link.points_back:
                arrows.append(Arrow(right, left, link.label, link.stroke))
        return arrows


def _link(text: str, at: int) -> tuple[_Link | None, int]:
    """Return the link at a place, None for one that is not drawn, and where it ends."""
    if hidden := _HIDDEN.match(text, at):
        return None, hidden.end()
    for pattern in _LINKS:
        if found := pattern.match(text, at):
            parts = found.groupdict()
            drawn = parts["line"] or parts.get("bare") or ""
            stroke = (
                Stroke.DOTTED if "." in drawn else Stroke.THICK if "=" in drawn else Stroke.SOLID
            )
            label = shown_name(shown_label(parts["label"] or ""))
            heads = parts["back"] is not None, parts["head"] is not None
            return _Link(label, stroke, *heads), found.end()
    raise _NotUnderstoodError


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
