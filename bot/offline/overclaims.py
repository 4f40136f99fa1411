"""Overclaims (绝对化断言): promises without limit, with or without a marker word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.domain.claims import OverclaimClaim
from bot.domain.target import Target
from bot.offline.concepts import LIMITS
from bot.offline.reading import Found, Reading
from bot.offline.settings import OfflineSettings, OverclaimPattern

_LEADING = re.compile(r"^(?:所以|因此|因为|而且|并且|但是|不过|那么|那)\s*")


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
            if any(span.start < one.span.end and one.span.start < span.end for one in made):
                continue
            if not _is_exempt(reading, found, pattern, settings):
                made.append(Promise(span, match, pattern))
    return made


def overclaims(reading: Reading, target: Target, made: Sequence[Promise]) -> list[OverclaimClaim]:
    """Return the overclaims, each with a conditional rewrite."""
    return [_claim(reading, one.span, one.match, one.pattern, target) for one in made]


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
    reading: Reading, span: Found, match: re.Match[str], pattern: OverclaimPattern, target: Target
) -> OverclaimClaim:
    quote = reading.original(span).strip(" ，,。、；;：:")
    limits = [point.says for point in target.key_points if point.slot in LIMITS]
    condition = f"写明条件或代价，例如：{limits[0]}" if limits else "写明条件或代价"
    softened = _softened(reading, quote, match, pattern)
    return OverclaimClaim(
        quote=quote,
        why=pattern.why,
        rewrite=f"{softened}，前提是【{condition}】。"
        if softened is not None
        else f"在【{condition}】的情况下，“{quote}”可能成立；否则不一定。",
    )


def _softened(
    reading: Reading, quote: str, match: re.Match[str], pattern: OverclaimPattern
) -> str | None:
    """Return the clause with its marker word softened, or None where it has none."""
    if not pattern.softer or match.groupdict().get("mark") is None:
        return None
    marker = reading.original(Found(*match.span("mark")))
    softened = quote.replace(marker, pattern.softer, 1)
    return None if softened == quote else _LEADING.sub("", softened)
