"""Lines of Chinese and English text, broken where a reader expects it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

_OPENING = "“‘（《〈「『【〔［(\\[{"
_CLOSING = "”’）》〉」』】〕］)\\]}，。；：！？、,.;:!?…—％%"
_LETTERS = rf"[^\s{_OPENING}{_CLOSING}\u2e80-\U0010ffff]+"
_TOKEN = re.compile(
    r"\n|[^\S\n]+"
    # A word or number, or one Chinese character; a mark stays with what it belongs to.
    rf"|[{_OPENING}]*(?:{_LETTERS}(?:[,.:;!?%]+{_LETTERS})*|[\u2e80-\U0010ffff])?[{_CLOSING}]*"
)


class Run(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: str


Measure: TypeAlias = Callable[[str, str], float]
"""Returns the width of a text in a style."""

Line: TypeAlias = list[Run]


def broken(runs: Sequence[Run], width: float, measure: Measure) -> Iterator[Line]:
    """Break runs into lines that are at most so wide; what is wider alone is cut anywhere.

    Chinese may break between any two characters, but no line begins with a closing mark or ends
    with an opening one. A line break in a text stays one.
    """
    line: Line = []
    used = 0.0
    for run in runs:
        for text in _TOKEN.findall(run.text):
            wide = measure(text, run.style) if text != "\n" else 0.0
            if text == "\n":
                yield _tidy(line)
                line, used = [], 0.0
                continue
            if used + wide > width and line:
                yield _tidy(line)
                line, used = [], 0.0
            if not line and text.isspace():
                continue
            *full, text = _cut(text, run.style, width, measure) if wide > width else (text,)
            yield from ([Run(piece, run.style)] for piece in full)
            line.append(Run(text, run.style))
            used += measure(text, run.style)
    yield _tidy(line)


def _cut(text: str, style: str, width: float, measure: Measure) -> list[str]:
    """Cut a text into pieces that fit."""
    pieces = [""]
    used = 0.0
    for sign in text:
        wide = measure(sign, style)
        if used + wide > width and pieces[-1]:
            pieces.append("")
            used = 0.0
        pieces[-1] += sign
        used += wide
    return pieces


def _tidy(line: Line) -> Line:
    """Join what has one style, and take the space at the end away."""
    joined: Line = []
    for run in line:
        if joined and joined[-1].style == run.style:
            joined[-1] = Run(joined[-1].text + run.text, run.style)
        else:
            joined.append(run)
    while joined and not joined[-1].text.strip():
        joined.pop()
    if joined:
        joined[-1] = Run(joined[-1].text.rstrip(), joined[-1].style)
    return joined
