"""Judging answers to questions that nobody wrote concepts for, as imported banks have them.

Each key point is a clause of the reference answer. It counts by the share of its words that the
answer has and, where something that compares meanings is given, by that too. A question that asks
yes or no is decided by its verdict first. Nothing here was fitted to rated answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from enum import Enum
from statistics import fmean
from typing import NamedTuple

from bot.domain.claims import PointClaim, SlotClaim, Verdict
from bot.domain.folding import fold
from bot.domain.question import KeyPoint
from bot.domain.target import Target
from bot.offline.reading import Found, Reading
from bot.offline.spelling import ENDS
from bot.ports import GroupTrace

Words = Callable[[str], list[str]]
"""Gives the words of a text, folded."""

Closeness = Callable[[str, str], float]
"""Says how near two clauses are in meaning, 0–1."""

FULL = 0.5
"""Who has half of the words of a clause says it all: other words do for the rest."""

MET, PARTLY = 1.0, 0.5
"""How much of that a met point has, and one that is partly met."""

VERDICT = 1 / 3
"""What the right verdict alone is worth: it is the conclusion of conclusion, reason and premise."""

NEAR = 3
"""A clause is looked for in so many sentences on end: far apart its words belong to other thoughts."""

CARRIES = 0.5
"""A sentence with so much of what the best one has is evidence too."""

METHOD = "reference-clauses"

_ASKS = re.compile(
    r"是否|能否|可否|会否|是不是|对不对|能不能|可不可以|会不会|有没有|[吗么][?。]?$|判断|正确|成立"
    r"|^(?:is|are|do|does|did|can|could|will|would|should|has|have)(?![a-z])"
)
_UNIVERSAL = re.compile(r"一定|总是|必然|必须|都|任何|所有|永远")
_DIGIT = re.compile(r"\d")
_SENTENCE = re.compile(rf"[^{ENDS}]+[{ENDS}]*")
_CLAUSE = re.compile(r"[^,。;!?:\x00]*[^\W_][^,。;!?:\x00]*")
_ANY = (
    r"(?P<open>不一定|未必|不见得|看情况|视情况|取决于|(?<![a-z])depends)"
    r"|(?P<no>{no}|不是|不对(?!应)|^否|(?<![a-z])no(?![a-z]))"
    r"|(?P<yes>{yes}|^是(?:的|$)|^对(?:的|$)|(?<![a-z])yes(?![a-z]))"
)
_STANCES = (
    re.compile(
        _ANY.format(
            no=r"不(?:太|完全|总是?)?(?:正确|准确|成立)|错误?|有误|(?<![a-z])(?:false|wrong|incorrect)(?![a-z])",
            yes=r"正确|成立|是对|对的?$|(?<![a-z])(?:true|correct|right)(?![a-z])",
        )
    ),
    re.compile(
        _ANY.format(
            no=r"不(?:可以|可能|可|能|会|行|需要|必|存在)|无法|没有|无需|(?<![a-z])(?:cannot|not)(?![a-z])",
            yes=r"可以|可能|能|会|一定|必须|需要|存在|有|行$",
        )
    ),
)
"""What judges a statement, and what says whether something can be; one is no answer to the other."""


_COUNTED = (Verdict.MET, Verdict.PARTLY_MET)


class Stance(Enum):
    """How a yes/no question is answered in the opening clause."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


class Agreement(Enum):
    """How the verdict of an answer stands to that of the reference."""

    SAME = "same"
    OPPOSED = "opposed"
    UNSETTLED = "unsettled"
    """One of the two says that it depends; the other does not."""
    NONE = "none"
    """Nothing is asked yes or no, or one of the two has no verdict."""


class Measured(NamedTuple):
    """What the answer says of the key points: the claims, and how much of each is said, 0–1."""

    claims: tuple[PointClaim, ...]
    shares: tuple[float, ...]


class _Told(NamedTuple):
    """A sentence of the answer: where it stands, what it says, its words."""

    found: Found
    text: str
    words: Set[str]


class Generic:
    """Judges by the clauses of the reference instead of authored concepts."""

    def __init__(self, words: Words, closeness: Closeness | None = None) -> None:
        """Take what cuts a text into words and, if wanted, what compares meanings."""
        self._words = words
        self._closeness = closeness

    def applies(self, target: Target) -> bool:
        """Say whether code made all key points, and nobody has accepted them."""
        return target.expected is None and all(point.generated for point in target.key_points)

    def measure(
        self,
        answer: str,
        reading: Reading,
        target: Target,
        contradicted: Collection[PointClaim] = (),
    ) -> Measured:
        """Look for every key point; those that are contradicted already stay so."""
        told = list(self._told(reading))
        agreement = agreement_of(answer, target.reference, target.stem)
        given = {claim.key_point_id: (claim, 0.0) for claim in contradicted}
        found = [
            given.get(point.id) or self._point(reading, target, point, told, agreement)
            for point in target.key_points
        ]
        return Measured(tuple(claim for claim, _ in found), tuple(share for _, share in found))

    def trace(self, reading: Reading, target: Target, point: KeyPoint) -> tuple[GroupTrace, ...]:
        """Return which words of the clause the answer has."""
        mine = {word for one in self._told(reading) for word in one.words}
        return tuple(
            GroupTrace(spellings=(word,), found=word if word in mine else None)
            for word in dict.fromkeys(self._words(point.says))
        )

    def _point(
        self,
        reading: Reading,
        target: Target,
        point: KeyPoint,
        told: Sequence[_Told],
        agreement: Agreement,
    ) -> tuple[PointClaim, float]:
        wanted = frozenset(self._words(point.says))
        asked = frozenset(self._words(target.stem))
        if wanted <= asked:
            asked = frozenset()
        each = [self._share(wanted, asked, point.says, [one]) for one in told]
        runs = [told[at : at + NEAR] for at in range(max(1, len(told) - NEAR + 1))]
        share = max(self._share(wanted, asked, point.says, run) for run in runs)
        verdict, share = _weighed(share / FULL, agreement)
        carriers: list[_Told] = []
        if verdict is not Verdict.NOT_MET:
            least = CARRIES * max(each, default=0.0)
            carriers = [one for one, has in zip(told, each, strict=True) if has and has >= least]
        if verdict is Verdict.CONTRADICTED or (verdict is Verdict.PARTLY_MET and not carriers):
            carriers = list(told[:1])
        numbers = {n for one in carriers for n in reading.sentence_numbers(one.found)}
        claim = PointClaim(key_point_id=point.id, verdict=verdict, sentences=tuple(sorted(numbers)))
        return claim, share

    def _told(self, reading: Reading) -> Iterator[_Told]:
        """Give the sentences; of mere lists the numbers alone, which say something in a list too."""
        for found in _SENTENCE.finditer(reading.stated):
            text = reading.text[found.start() : found.end()]
            numbers = {word for word in self._words(found[0]) if _DIGIT.search(word)}
            yield _Told(Found(*found.span()), text, numbers.union(self._words(text)))

    def _share(self, wanted: Set[str], asked: Set[str], says: str, told: Sequence[_Told]) -> float:
        """Return how much of a clause is said; words of the stem count beside others alone."""
        have = wanted & {word for one in told for word in one.words}
        if not have - asked:
            return 0.0
        recall = len(have) / len(wanted)
        if self._closeness is None:
            return recall
        return fmean((recall, max(self._closeness(one.text.strip("\0"), says) for one in told)))


def coverage(target: Target, measured: Measured) -> float:
    """Return the weighted mean of the shares."""
    return _mean(
        [(p.weight, share) for p, share in zip(target.key_points, measured.shares, strict=True)]
    )


def slot_claims(target: Target, measured: Measured) -> list[SlotClaim]:
    """Return a claim for every slot that the target has key points for."""
    claims = []
    for slot in dict.fromkeys(point.slot for point in target.key_points):
        mine = [
            (point.weight, share, claim)
            for point, claim, share in zip(target.key_points, *measured, strict=True)
            if point.slot is slot
        ]
        share = _mean([(weight, share) for weight, share, _ in mine])
        numbers = {n for _, _, c in mine if c.verdict in _COUNTED for n in c.sentences}
        claims.append(
            SlotClaim(
                slot=slot,
                level=2 if share >= MET else 1 if share >= PARTLY else 0,
                sentences=tuple(sorted(numbers)),
                share=share,
            )
        )
    return claims


def agreement_of(answer: str, reference: str, stem: str) -> Agreement:
    """Compare the verdicts in the opening clauses of an answer and of the reference.

    Where the stem claims something without exception, "it depends" is a no.
    """
    asked = fold(stem).text
    if not _ASKS.search(asked):
        return Agreement.NONE
    for pattern in _STANCES:
        mine, theirs = _stance(pattern, answer), _stance(pattern, reference)
        if mine is None or theirs is None:
            continue
        if _UNIVERSAL.search(asked):
            mine, theirs = (Stance.NO if one is Stance.OPEN else one for one in (mine, theirs))
        if mine is theirs:
            return Agreement.SAME
        return Agreement.UNSETTLED if Stance.OPEN in (mine, theirs) else Agreement.OPPOSED
    return Agreement.NONE


def _stance(pattern: re.Pattern[str], text: str) -> Stance | None:
    """Return the verdict in the opening clause of a text."""
    opening = _CLAUSE.search(fold(text).text)
    found = pattern.search(opening[0].strip()) if opening else None
    return Stance(found.lastgroup) if found else None


def _weighed(share: float, agreement: Agreement) -> tuple[Verdict, float]:
    """Return the verdict on a clause and how much of it counts."""
    share = min(1.0, share)
    if agreement is Agreement.OPPOSED:
        return Verdict.CONTRADICTED, 0.0
    if agreement is Agreement.SAME:
        share = VERDICT + (1 - VERDICT) * share
        return Verdict.MET if share >= MET else Verdict.PARTLY_MET, share
    if agreement is Agreement.UNSETTLED:
        share = min(share, PARTLY)
    if share < PARTLY:
        return Verdict.NOT_MET, share
    return Verdict.MET if share >= MET else Verdict.PARTLY_MET, share


def _mean(weighted: Sequence[tuple[int, float]]) -> float:
    return sum(weight * share for weight, share in weighted) / sum(w for w, _ in weighted)
