"""Folding: one form for texts that differ only in width, case, script, spacing or decoration."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import opencc

_SIMPLIFY = opencc.OpenCC("t2s")
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f")
_DECORATION = frozenset("*`#>~\"'“”‘’「」『』《》〈〉")
_OPERATORS = frozenset("*~>")
"""Decoration that means something between two numbers or words: `2*32`, `20~30`, `batch>8`."""
_BULLET = re.compile(
    r"(?m)^[^\S\n]*(?:(?:[-+](?!\d)|[•·●○▪◦]|\d{1,2}\s*(?:\.(?!\d)|[、)])|\(\d{1,2}\s*\))\s*)+(?=\S)"
)
"""Of folded characters; a decimal (1.5) and a sign (-5) are no bullets."""


class Folded(NamedTuple):
    """A folded text and, for each of its characters, the offset it came from.

    `text` and `offsets` have the same length; offsets never decrease.
    """

    text: str
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Translate a non-empty folded span to a span of the original, end exclusive."""
        return self.offsets[start], self.offsets[end - 1] + 1


@lru_cache(maxsize=512)
def fold(text: str) -> Folded:
    """Fold width (NFKC), case, 繁/简, spacing, bullets, quotes and markdown marks.

    One space remains between two ASCII words and none beside a Chinese character;
    a line break counts as a space. Punctuation stays, since it separates sentences.
    """
    plain = _without_bullets(
        _without_decoration(
            [
                (folded, offset)
                for offset, char in enumerate(text)
                if char not in _INVISIBLE
                for folded in _fold_char(char)
            ]
        )
    )
    chars: list[str] = []
    offsets: list[int] = []
    for is_space, run in groupby(plain, key=lambda item: item[0].isspace()):
        if not is_space:
            for char, offset in run:
                chars.append(char)
                offsets.append(offset)
        elif chars and _is_word(chars[-1]):
            chars.append(" ")
            offsets.append(next(run)[1])
    return _without_spaces_beside_chinese(chars, offsets)


@lru_cache(maxsize=8192)
def _fold_char(char: str) -> str:
    if char.isascii():
        return char.lower()
    simplified: str = _SIMPLIFY.convert(unicodedata.normalize("NFKC", char).casefold())
    return simplified


def _without_decoration(plain: list[tuple[str, int]]) -> list[tuple[str, int]]:
    chars = ["", *(char for char, _ in plain), ""]
    return [
        item
        for item, before, after in zip(plain, chars, chars[2:], strict=False)
        if item[0] not in _DECORATION
        or (item[0] in _OPERATORS and _is_alphanumeric(before) and _is_alphanumeric(after))
    ]


def _without_bullets(plain: list[tuple[str, int]]) -> list[tuple[str, int]]:
    dropped = {
        at
        for found in _BULLET.finditer("".join(char for char, _ in plain))
        for at in range(found.start(), found.end())
    }
    return [item for at, item in enumerate(plain) if at not in dropped]


def _is_alphanumeric(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _is_word(char: str) -> bool:
    return char.isascii() and not char.isspace()


def _without_spaces_beside_chinese(chars: list[str], offsets: list[int]) -> Folded:
    kept = [
        index
        for index, char in enumerate(chars)
        if char != " " or (index + 1 < len(chars) and _is_word(chars[index + 1]))
    ]
    return Folded("".join(chars[i] for i in kept), tuple(offsets[i] for i in kept))


def simplified(text: str) -> str:
    """Return the text in simplified characters; everything else stays."""
    plain: str = _SIMPLIFY.convert(text)
    return plain
