"""Judging answers to questions that nobody wrote concepts for, as imported banks have them.

Each key point is a clause of the reference answer. It counts by the share of its words that the
answer has and, where a likeness of meaning is given, by that too. A question that asks yes or no
is decided by the verdict first. Nothing here was fitted to rated answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bot.domain.claims import PointClaim, Verdict
from bot.domain.folding import fold
from bot.domain.question import KeyPoint
from bot.domain.target import Target
from bot.offline.reading import Found, Reading

Words = Callable[[str], list[str]]
"""Gives the words of a text."""

Likeness = Callable[[str, str], float]
"""Says how alike two clauses are in meaning, 0–1."""

MET, PARTLY = 0.5, 0.25
"""Half of the words of a clause say it, a quarter of them a part: other words do for the rest."""

CARRIES = 0.5
"""A sentence that has so much of what the best one has is shown as evidence too."""

_CLAUSE = re.compile(r"[^,。;!?:]*[^\W_][^,。;!?:]*")
_ASKS = re.compile(
    r"是否|能否|可否|会否|对吗|对不对|是不是|能不能|可不可以|会不会|有没有|(?:吗|么)[?。]?$|判断|正确|成立"
    r"|^(?:is|are|do|does|did|can|could|will|would|should|has|have)(?![a-z])"
)
_VERDICTS = (
    re.compile(
        r"(?P<no>不(?:太|完全|总是?)?(?:正确|对|准确|成立)|错误?|有误|否(?:定|$)|(?<![a-z])(?:false|wrong|incorrect)(?![a-z]))"
        r"|(?P<yes>正确|成立|对(?:$|的)|^对|(?<![a-z])(?:true|correct|right)(?![a-z]))"
    ),
    re.compile(
        r"(?P<no>不(?:一定|可以|可能|可|能|会|行|是|需要|必|存在)|未必|无法|没有|无需|(?<![a-z])(?:no|not)(?![a-z]))"
        r"|(?P<yes>可以|可能|能|会|一定|必须|需要|存在|有|行$|是的?$|(?<![a-z])yes(?![a-z]))"
    ),
)
"""Judgements of a statement come before verbs: 这个说法可以说是错误的 says no."""


class _Told(NamedTuple):
    """A sentence of the answer with its place and its words."""

    found: Found
    text: str
    words: frozenset[str]


class Generic:
    """Judges by the clauses of the reference instead of authored concepts."""

    def __init__(self, words: Words, likeness: Likeness | None = None) -> None:
        """Take what cuts a text into words and, if wanted, what compares meanings."""
        self._words = words
        self._likeness = likeness

    def applies(self, target: Target) -> bool:
        """Say whether code made all key points, and nobody has accepted them."""
        return all(point.generated for point in target.key_points)

    def point_claims(
        self, reading: Reading, target: Target, given: Sequence[PointClaim]
    ) -> list[PointClaim]:
        """Return the claims on every key point; one that is contradicted already stays so."""
        told = [
            _Told(Found(one.start, one.end), one.text, frozenset(self._words(one.text)))
            for one in reading.stretches()
        ]
        verdict = agreement(reading.text, target.reference, target.stem)
        claims = {claim.key_point_id: claim for claim in given}
        return [
            self._claim(reading, point, target.stem, told, verdict, claims[point.id])
            for point in target.key_points
        ]

    def _claim(self, reading, point, stem, told, verdict, given):
        if given.verdict is Verdict.CONTRADICTED:
            return given
        share, carriers = self.share(point, stem, told)
        if MODE["concepts"] and given.verdict is Verdict.MET:
            share = max(share, MET)
        if verdict is True:
            share = (1 + share) / 2
        self.last.append(0 if verdict is False else share)
        return given


MODE = dict(concepts=False, stem=True)


def agreement(answer, reference, stem):
    if not _ASKS.search(fold(stem).text):
        return None
    e = stance(fold(reference).text)
    g = stance(answer)
    return None if e is None or g is None else e == g


def stance(text):
    m = _CLAUSE.search(text)
    if not m:
        return None
    for v in _VERDICTS:
        f = v.search(m[0].strip())
        if f:
            return f["yes"] is not None
