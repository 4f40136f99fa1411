"""Which key points an answer meets: the authored concepts are looked up in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.domain.claims import PointClaim, Verdict
from bot.domain.folding import fold
from bot.domain.question import KeyPoint, Misconception, Slot
from bot.domain.target import Target
from bot.offline.reading import Found, Reading, Stretch
from bot.offline.settings import OfflineSettings
from bot.offline.spelling import Spellings

LIMITS = (Slot.PREMISE_COST, Slot.COST, Slot.ASSUMPTION)
"""The slots in which conditions, limits and costs are named."""


class Mistake(NamedTuple):
    """A misconception that an answer states, and where."""

    misconception: Misconception
    found: Found


def mistakes(reading: Reading, target: Target, spellings: Spellings) -> list[Mistake]:
    """Return the misconceptions of the target that the answer states in earnest."""
    made = []
    for misconception in target.misconceptions:
        patterns = [spellings.any_of(group) for group in misconception.patterns]
        for stretch in reading.stretches():
            found = _all_within(reading, patterns, stretch)
            if found is not None and not reading.is_refuted(found):
                made.append(Mistake(misconception, reading.clause(found)))
                break
    return made


def point_claims(
    reading: Reading,
    target: Target,
    spellings: Spellings,
    settings: OfflineSettings,
    contradicted: Sequence[Mistake],
) -> list[PointClaim]:
    """Return a verdict on every key point.

    A word that the stem already has is no content: it counts only together with another group.
    """
    stem = fold(target.stem).text
    wrong = {one.misconception.contradicts: one.found for one in contradicted}
    claims = []
    for point in target.key_points:
        if (error := wrong.get(point.id)) is not None:
            claims.append(
                PointClaim(
                    key_point_id=point.id,
                    verdict=Verdict.CONTRADICTED,
                    sentences=reading.sentence_numbers(error),
                )
            )
            continue
        claims.append(_claim(reading, point, stem, spellings, settings))
    return claims


def _claim(
    reading: Reading,
    point: KeyPoint,
    stem: str,
    spellings: Spellings,
    settings: OfflineSettings,
) -> PointClaim:
    found = hits_of(reading, point, spellings, settings)
    words = [reading.text[hit.start : hit.end] for hit in found.values()]
    told = sum(map(len, words)) > 1 and any(word not in stem for word in words)
    verdict = Verdict.NOT_MET
    if told and len(found) == len(point.concepts):
        verdict = Verdict.MET
    elif told and len(found) / len(point.concepts) >= settings.partly_at:
        verdict = Verdict.PARTLY_MET
    numbers = sorted({n for hit in found.values() for n in reading.sentence_numbers(hit)})
    return PointClaim(
        key_point_id=point.id,
        verdict=verdict,
        sentences=tuple(numbers) if verdict is not Verdict.NOT_MET else (),
    )


def hits_of(
    reading: Reading, point: KeyPoint, spellings: Spellings, settings: OfflineSettings
) -> dict[int, Found]:
    """Return where the concept groups of a key point stand together, by group number.

    A promise without limit is no premise and no cost, whatever words it uses. Where one group
    alone makes the point, a single character such as 看 or 测 is not enough.
    """
    shortest = 2 if len(point.concepts) == 1 else 1
    hits = [
        [
            (hit, number)
            for hit in reading.hits(spellings.any_of(group))
            if hit.end - hit.start >= shortest
            and (point.slot not in LIMITS or not reading.is_spoiled(hit))
        ]
        for number, group in enumerate(point.concepts)
    ]
    return _nearest(hits, settings.window)


def _nearest(hits: Sequence[Sequence[tuple[Found, int]]], window: int) -> dict[int, Found]:
    """Return the hits of as many groups as stand together within the window, closest first.

    Concepts that lie far apart belong to different thoughts.
    """
    ordered = sorted(hit for group in hits for hit in group)
    best: dict[int, Found] = {}
    narrowest = 0
    for at, (first, _) in enumerate(ordered):
        inside: dict[int, Found] = {}
        for hit, group in ordered[at:]:
            if hit.end - first.start > window:
                break
            inside.setdefault(group, hit)
        width = max((hit.end for hit in inside.values()), default=0) - first.start
        if len(inside) > len(best) or (len(inside) == len(best) and width < narrowest):
            best, narrowest = inside, width
    return best


def _all_within(
    reading: Reading, patterns: Sequence[re.Pattern[str]], stretch: Stretch
) -> Found | None:
    """Return the span of one hit of every pattern inside the sentence, or None."""
    spans = []
    for pattern in patterns:
        hit = next(
            (
                found
                for found in pattern.finditer(reading.text, stretch.start, stretch.end)
                if not reading.is_negated(found.start())
            ),
            None,
        )
        if hit is None:
            return None
        spans.append(hit.span())
    return Found(min(start for start, _ in spans), max(end for _, end in spans))
