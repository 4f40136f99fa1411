"""The offline judge (离线评分): looks up what the bank's authors wrote down; needs no model.

It cannot tell a fluent falsehood for which no misconception was authored; every grade of it is
labelled so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.domain.bank import Bank
from bot.domain.claims import Claims, ErrorClaim
from bot.domain.question import Term
from bot.domain.target import Target
from bot.offline.calculation import with_number
from bot.offline.concepts import hits_of, mistakes, point_claims
from bot.offline.homophones import Homophones
from bot.offline.overclaims import overclaims, promises
from bot.offline.reading import Reading
from bot.offline.settings import OfflineSettings
from bot.offline.spelling import Spellings, spelling_texts
from bot.offline.structure import slot_claims
from bot.ports import GroupTrace, JudgeIdentity, Judgement, PointTrace


class OfflineJudge:
    """Judges by authored concepts, misconceptions and overclaim patterns."""

    def __init__(self, terms: Mapping[str, Term], settings: OfflineSettings) -> None:
        """Take the terms that spellings may name, and the lexicons."""
        self._spellings = Spellings(terms)
        self._settings = settings
        self._homophones = Homophones(terms.values())
        self.identity = JudgeIdentity(kind="offline", prompt_version=f"offline-{settings.version}")

    def judge(self, target: Target, answer: str) -> Judgement:
        """Return claims about `answer`; raises nothing."""
        reading = Reading(answer, target.stem, self._settings, self._homophones.mended)
        wrong = mistakes(reading, target, self._spellings)
        made = promises(reading, self._settings)
        reading.spoil([one.span for one in made])
        points = point_claims(reading, target, self._spellings, self._settings, wrong)
        claims = Claims(
            points=tuple(points),
            slots=tuple(slot_claims(target, points, self._settings)),
            overclaims=tuple(overclaims(reading, target, made)),
            errors=tuple(
                ErrorClaim(quote=reading.original(one.found).strip(), why=one.misconception.why)
                for one in wrong
            ),
            flags=reading.flags,
        )
        if target.expected is not None:
            claims = with_number(claims, reading, target, target.expected)
        return Judgement(by=self.identity, claims=claims)

    def explain(self, target: Target, answer: str) -> tuple[PointTrace, ...]:
        """Return which concept groups of each key point were found, in which words."""
        reading = Reading(answer, target.stem, self._settings, self._homophones.mended)
        reading.spoil([one.span for one in promises(reading, self._settings)])
        traces = []
        for point in target.key_points:
            found = hits_of(reading, point, self._spellings, self._settings)
            groups = tuple(
                GroupTrace(
                    spellings=tuple(spelling_texts(group)),
                    found=reading.original(found[number]) if number in found else None,
                )
                for number, group in enumerate(point.concepts)
            )
            traces.append(PointTrace(id=target.point_id(point), says=point.says, groups=groups))
        return tuple(traces)


def terms_of(banks: Iterable[Bank]) -> dict[str, Term]:
    """Return the terms of the banks by id."""
    return {term.id: term for bank in banks for term in bank.terms}
