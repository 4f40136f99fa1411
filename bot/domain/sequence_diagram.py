"""A sequence diagram in Mermaid read line by line: who sends what to whom."""

from __future__ import annotations

import re

from bot.domain.arrow import Arrow, Line, Stroke, shown_label, shown_name, spans_of
from bot.domain.flowchart import COMMENT, LAYOUT

HEADER = re.compile(r"sequenceDiagram(?![A-Za-z])", re.IGNORECASE)

_PARTICIPANT = re.compile(
    r"(?:create\s+)?(?:participant|actor)\s+(?P<id>[^\s@]+)(?:@\{[^}]*\})?"
    r"(?:\s+as\s+(?P<label>.*))?$"
)
_MESSAGES = tuple(
    re.compile(
        rf"(?P<a>[^:]+?)\s*(?P<arrow>{arrow})\s*[+-]?\s*(?P<b>[^:]+?)\s*(?::\s*(?P<label>.*))?$"
    )
    # A name may hold a hyphen before x, so that the doubtful arrows come last.
    for arrow in (r"<<--?>>|--?>>?", r"--?[x)]")
)
_NOTE = re.compile(r"note\s+(?:over|left of|right of)\s+[^:]*:\s*(?P<text>.*)$", re.IGNORECASE)
_BLOCK = re.compile(
    r"(?:loop|alt|else|opt|par|and|critical|option|break|rect|box)(?:\s+(?P<text>.*))?$"
)
_SILENT = re.compile(r"(?:autonumber|activate|deactivate|destroy)(?:\s.*)?$")


def sequence_lines(source: str) -> tuple[Line, ...]:
    """Return the lines of a sequence diagram; who takes part may be named on another line."""
    spans = spans_of(source)
    names: dict[str, str] = {}
    for span in spans:
        if found := _PARTICIPANT.match(source[span.start : span.end]):
            names[found["id"]] = shown_name(shown_label(found["label"] or found["id"]))
    return tuple(_read(span, source[span.start : span.end], names) for span in spans)


def _read(span: Line, text: str, names: dict[str, str]) -> Line:
    if span.too_long:
        return span._replace(is_plain=True)
    if HEADER.match(text) or LAYOUT.match(text) or _SILENT.match(text):
        return span
    if found := _PARTICIPANT.match(text):
        return span._replace(labels=(shown_label(found["label"] or found["id"]),))
    for pattern in (COMMENT, _NOTE, _BLOCK):
        if found := pattern.match(text):
            return span._replace(notes=(shown_label(found["text"] or ""),))
    for pattern in _MESSAGES:
        if found := pattern.match(text):
            return span._replace(arrows=_arrows(found, names))
    return span._replace(is_plain=True)


def _arrows(found: re.Match[str], names: dict[str, str]) -> tuple[Arrow, ...]:
    source, target = (names.get(found[one], shown_name(found[one])) for one in ("a", "b"))
    stroke = Stroke.DOTTED if "--" in found["arrow"] else Stroke.SOLID
    label = shown_name(shown_label(found["label"] or ""))
    forth = Arrow(source, target, label, stroke, is_message=True)
    if found["arrow"].startswith("<<"):
        return forth, Arrow(target, source, label, stroke, is_message=True)
    return (forth,)
