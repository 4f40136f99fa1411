"""The lexicons and thresholds of the offline judge; read from `rubrics/judges/offline.yaml`."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from bot.domain.question import Frozen, Text


def _is_pattern(source: str) -> str:
    try:
        re.compile(source)
    except re.error as error:
        raise ValueError(f"正则表达式有误（{error}）：{source!r}") from error
    return source


Pattern = Annotated[str, AfterValidator(_is_pattern)]
Share = Annotated[float, Field(ge=0, le=1)]
Instead = Literal["condition", "cost", "cases"]
"""What to say instead of an overclaim that no softer word repairs."""


class OverclaimPattern(Frozen):
    """A way to promise too much; `softer` replaces the group `mark` in the rewrite."""

    pattern: Pattern
    why: Text
    softer: str = ""
    instead: Instead = "condition"
    """`cost` and `cases` are for words that stay wrong under any condition: no cost, every case."""
    strong: bool = False
    """Whether the words promise too much even after a stated condition."""


class OfflineSettings(Frozen):
    """Patterns are regular expressions over folded text."""

    version: Annotated[int, Field(ge=1)]
    window: Annotated[int, Field(ge=1)]
    """Within so many folded characters the concept groups of a key point must stand together."""
    partly_at: Share
    """From this share of concept groups on, a key point is partly met."""
    slot_full_at: Share
    """From this weighted share of its key points on, a slot is clear (2)."""
    slot_full_points: Annotated[int, Field(ge=1)]
    """As many met key points make a slot clear too."""
    list_items: Annotated[int, Field(ge=2)]
    negation: Pattern
    own_negation: Pattern
    refutation: Pattern
    hearsay: Pattern
    condition: Pattern
    retraction: Pattern
    """Words that take back what the same clause said before them."""
    predicates: Pattern
    scope_negation: Pattern
    exempt: tuple[Pattern, ...]
    overclaims: tuple[OverclaimPattern, ...]
