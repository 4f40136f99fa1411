"""Concept groups (概念组) as people edit them: a group a line, spellings parted by ` / `."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_SEPARATOR = re.compile(r"(?:^|(?<=\s))/(?:(?=\s)|$)")
_INSIDE = re.compile(r"\s*\n\s*|\s+/\s+")
_TIGHT = re.compile(r"[^\s|(]/[^\s|)]")
_WIDE = re.compile(r"[\u3400-\u9fff]")


def lines_of(groups: Sequence[Sequence[str]]) -> str:
    """Return the groups as lines."""
    # In a spelling a space and a slash mean the same, so nothing is lost by writing it tight.
    return "\n".join(
        " / ".join(_INSIDE.sub(lambda found: "/" if "/" in found[0] else " ", one) for one in group)
        for group in groups
    )


def groups_of(lines: str) -> tuple[tuple[str, ...], ...]:
    """Return what the lines say; empty lines and empty spellings are left out."""
    found = (
        tuple(piece.strip() for piece in _SEPARATOR.split(line.strip()) if piece.strip())
        for line in lines.split("\n")
    )
    return tuple(group for group in found if group)


def tight(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    """Give the spellings in which a slash between Chinese words was perhaps meant to part two."""
    for spelling in (one for group in groups for one in group):
        if any(_WIDE.search(found) for found in _TIGHT.findall(spelling)):
            yield spelling
