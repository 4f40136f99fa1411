"""Overclaims (绝对化断言): promises without limit, with or without a marker word."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.offline.reading import Found, Reading
from bot.offline.settings import OfflineSettings, OverclaimPattern


class Promise(NamedTuple):
    """An overclaim: the clauses it stands in, the words that make it one, and their pattern."""

    span: Found
    match: re.Match[str]
    pattern: OverclaimPattern


def promises(reading: Reading, settings: OfflineSettings) -> list[Promise]:
    """Return where the answer promises too much; no two share a clause."""
    made: list[Promise] = []
    for pattern in settings.overclaims:
        for match in re.finditer(pattern.pattern, reading.text):
            found = Found(match.start(), match.end())
            span = reading.clause(found)
            if any(span.overlaps(one.span) for one in made):
                continue
            if not _is_exempt(reading, found, pattern, settings):
                made.append(Promise(span, match, pattern))
    return made


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
