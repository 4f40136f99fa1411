"""Overclaims (绝对化断言): promises without limit, with or without a marker word."""

from __future__ import annotations

import re

from bot.domain.claims import OverclaimClaim
from bot.domain.folding import fold
from bot.domain.question import Slot
from bot.domain.target import Target
from bot.offline.reading import Found, Reading
from bot.offline.settings import OfflineSettings, OverclaimPattern

_LIMITS = (Slot.PREMISE_COST, Slot.COST, Slot.ASSUMPTION)


def overclaims(reading: Reading, target: Target, settings: OfflineSettings) -> list[OverclaimClaim]:
    """Return the overclaims of the answer, each with a conditional rewrite."""
    claims: list[OverclaimClaim] = []
    taken: list[Found] = []
    for pattern in settings.overclaims:
        for match in re.finditer(pattern.pattern, reading.text):
            found = Found(match.start(), match.end())
            if _is_exempt(reading, found, pattern, settings):
                continue
            span = reading.clause(found)
            if any(span.start < other.end and other.start < span.end for other in taken):
                continue
            taken.append(span)
            claims.append(_claim(reading, span, found, pattern, target))
    return claims


def _is_exempt(
    reading: Reading, found: Found, pattern: OverclaimPattern, settings: OfflineSettings
) -> bool:
    stretch = reading.stretch_at(found.start)
    if stretch.text.endswith("?"):
        return True
    clause = reading.clause(found)
    before = reading.text[clause.start : found.start]
    if re.search(settings.scope_negation, before):
        return True
    inside = reading.text[max(clause.start, found.start - 6) : found.end + 6]
    if any(re.search(term, inside) for term in settings.exempt):
        return True
    if not pattern.strong and re.search(
        settings.condition, reading.text[stretch.start : found.start]
    ):
        return True
    return reading.is_refuted(found)


def _claim(
    reading: Reading, span: Found, found: Found, pattern: OverclaimPattern, target: Target
) -> OverclaimClaim:
    softened = _softened(reading, span, found, pattern)
    limits = [point.says for point in target.key_points if point.slot in _LIMITS]
    when = f"；要交代的条件或代价，例如：{limits[0]}" if limits else "；并交代成立的条件与代价"
    return OverclaimClaim(
        quote=reading.original(span).strip(" ，,。"),
        why=pattern.why,
        rewrite=f"在条件成立时，{softened}{when}。",
    )


def _softened(reading: Reading, span: Found, found: Found, pattern: OverclaimPattern) -> str:
    whole = reading.original(span).strip(" ，,。")
    words = reading.original(found)
    if not pattern.softer or fold(words).text != reading.text[found.start : found.end]:
        return f"“{whole}”可能成立，但不保证"
    return whole.replace(words, pattern.softer, 1)
