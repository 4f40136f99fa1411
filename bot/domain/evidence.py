"""Evidence (作答原文): a judge's words are looked up in the answer, not believed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import StrEnum

from rapidfuzz import fuzz

from bot.domain.folding import Folded, fold
from bot.domain.question import Frozen
from bot.domain.sentence import Sentence

CLOSE = 85.0
"""From this similarity (0–100, rapidfuzz partial ratio) on, a quote counts as lightly edited."""


class Match(StrEnum):
    """How well a quote stands in the answer."""

    VERIFIED = "verified"
    CLOSE = "close"


class Evidence(Frozen):
    """Characters `start` to `end` of the answer, end exclusive, and what stands there."""

    start: int
    end: int
    quote: str
    match: Match = Match.VERIFIED

    def overlaps(self, other: Evidence) -> bool:
        """Say whether the two share a character."""
        return self.start < other.end and other.start < self.end


def cite(numbers: Iterable[int], sentences: tuple[Sentence, ...]) -> tuple[Evidence, ...]:
    """Return the cited sentences as evidence; numbers that do not exist are dropped."""
    wanted = set(numbers)
    return tuple(
        Evidence(start=one.start, end=one.end, quote=one.text)
        for one in sentences
        if one.number in wanted
    )


def locate(quote: str, answer: str) -> Evidence | None:
    """Return where `quote` stands in `answer`, or None if it does not.

    Width, case, script, spacing, punctuation and markdown do not count. A quote that was lightly
    edited is found too and marked as close.
    """
    needle, haystack = _letters(fold(quote)), _letters(fold(answer))
    if not needle.text:
        return None
    at = haystack.text.find(needle.text)
    if at >= 0:
        start, end = haystack.span(at, at + len(needle.text))
        return Evidence(start=start, end=end, quote=answer[start:end])
    if len(needle.text) < 6 or len(needle.text) > len(haystack.text):
        return None
    near = fuzz.partial_ratio_alignment(needle.text, haystack.text, score_cutoff=CLOSE)
    if near is None or near.dest_end <= near.dest_start:
        return None
    start, end = haystack.span(near.dest_start, near.dest_end)
    return Evidence(start=start, end=end, quote=answer[start:end], match=Match.CLOSE)


def _letters(folded: Folded) -> Folded:
    """Drop spaces and punctuation, and keep what carries meaning."""
    kept = [
        index
        for index, char in enumerate(folded.text)
        if unicodedata.category(char)[0] in "LN" or char in "+=×<%"
    ]
    return Folded(
        "".join(folded.text[index] for index in kept),
        tuple(folded.offsets[index] for index in kept),
    )
