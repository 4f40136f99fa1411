"""The offline judge (离线评分): looks up what the bank's authors wrote down; needs no model.

It cannot tell a fluent falsehood for which no misconception was authored; every grade of it is
labelled so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bot.domain.bank import Bank
from bot.domain.claims import Claims, ErrorClaim, Ruled, Verdict
from bot.domain.folding import fold
from bot.domain.question import Term
from bot.domain.sentence import split
from bot.domain.target import Target
from bot.offline import generic
from bot.offline.calculation import with_number
from bot.offline.concepts import hits_of, mistakes, point_claims
from bot.offline.homophones import Homophones
from bot.offline.overclaims import promises
from bot.offline.reading import Reading
from bot.offline.rewriting import overclaims, wrong_parts
from bot.offline.settings import OfflineSettings
from bot.offline.spelling import Spellings, spelling_texts
from bot.offline.structure import slot_claims
from bot.ports import GroupTrace, JudgeIdentity, Judgement, PointTrace

COPIED = 14
"""A sentence of so many characters is not like another one by chance; “不一定。” is."""


class OfflineJudge:
    """Judges by authored concepts, misconceptions and overclaim patterns."""

    def __init__(
        self,
        terms: Mapping[str, Term],
        settings: OfflineSettings,
        without_concepts: generic.Generic | None = None,
        texts: Iterable[str] = (),
        references: Mapping[str, str] | None = None,
    ) -> None:
        """Take the terms that spellings may name, the lexicons, and what judges generated points.

        `texts` are written without mishearings: their words stay. Without `without_concepts`
        generated points are looked up by their concepts like authored ones. `references` are
        reference answers by the ids of their questions: who copies one answers that question.
        """
        self._spellings = Spellings(terms)
        self._settings = settings
        self._without_concepts = without_concepts
        self._homophones = Homophones(terms.values(), texts)
        self._owners: dict[str, set[str]] = {}
        for question_id, reference in (references or {}).items():
            for one in split(reference):
                if len(one.text) >= COPIED:
                    self._owners.setdefault(fold(one.text).text, set()).add(question_id)
        self.identity = JudgeIdentity(kind="offline", prompt_version=f"offline-{settings.version}")

    def judge(self, target: Target, answer: str) -> Judgement:
        """Return claims about `answer`; raises nothing."""
        reading = self._read(target, answer)
        wrong = mistakes(reading, target, self._spellings)
        made = promises(reading, self._settings)
        reading.spoil([one.span for one in made])
        points = point_claims(reading, target, self._spellings, self._settings, wrong)
        slots = slot_claims(target, points, self._settings)
        method, coverage = None, None
        if (other := self._generic_for(target)) is not None:
            turned = [one for one in points if one.verdict is Verdict.CONTRADICTED]
            measured = other.measure(answer, reading, target, turned)
            points, coverage = list(measured.claims), generic.coverage(target, measured)
            slots = generic.slot_claims(target, measured)
            method = generic.METHOD
        claims = Claims(
            points=tuple(points),
            slots=tuple(slots),
            errors=tuple(
                ErrorClaim(quote=reading.original(one.found).strip(), why=one.misconception.why)
                for one in wrong
            ),
            flags=reading.flags,
            coverage=coverage,
        )
        if target.expected is not None:
            claims = with_number(claims, reading, target, target.expected)
        if made:  # most answers promise nothing, and a rewrite takes some looking around
            over = overclaims(reading, target, made, self._settings, wrong_parts(claims, answer))
            claims = claims.model_copy(update={"overclaims": tuple(over)})
        return Judgement(by=self.identity, claims=claims, method=method)

    @property
    def version(self) -> str:
        """Return the name and version of the rules."""
        return f"rules-{self._settings.version}"

    def foreign(self, target: Target, answer: str) -> tuple[tuple[int, int], ...]:
        """Return where sentences stand that are another question's and say nothing about this one.

        Such a one is, but for its dress, a sentence of another reference answer of the bank, and
        names no concept of the question.
        """
        return tuple(
            (one.start, one.end)
            for one in split(answer)
            if (owners := self._owners.get(fold(one.text).text))
            and target.question_id not in owners
            and not self._names_something(self._read(target, one.text), target)
        )

    def find(self, target: Target, answer: str, quotes: Sequence[str] = ()) -> Ruled:
        """Return the overclaims by rule, and whether the answer names anything of the question.

        Of each quote, return the key points that it states on its own.

        Key points without authored concepts, and a number that is asked for, can be met in words
        that nobody foresaw: there, something always counts as named.
        """
        reading = self._read(target, answer)
        made = promises(reading, self._settings)
        return Ruled(
            overclaims=self.judge(target, answer).claims.overclaims if made else (),
            stated={quote: self._stated(target, quote) for quote in quotes},
            names_something=self._names_something(reading, target),
        )

    def _names_something(self, reading: Reading, target: Target) -> bool:
        if target.expected is not None or self._generic_for(target) is not None:
            return True
        return any(
            hits_of(reading, point, self._spellings, self._settings) for point in target.key_points
        )

    def _read(self, target: Target, answer: str) -> Reading:
        return Reading(answer, target.stem, self._settings, self._homophones.mended)

    def _stated(self, target: Target, words: str) -> frozenset[str]:
        points = self.judge(target, words).claims.points
        return frozenset(one.key_point_id for one in points if one.verdict is Verdict.MET)

    def explain(self, target: Target, answer: str) -> tuple[PointTrace, ...]:
        """Return which concept groups of each key point were found, in which words."""
        reading = self._read(target, answer)
        reading.spoil([one.span for one in promises(reading, self._settings)])
        if (other := self._generic_for(target)) is not None:
            return tuple(
                PointTrace(
                    id=target.point_id(point),
                    says=point.says,
                    groups=other.trace(reading, target, point),
                )
                for point in target.key_points
            )
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

    def _generic_for(self, target: Target) -> generic.Generic | None:
        other = self._without_concepts
        return other if other is not None and other.applies(target) else None


def terms_of(banks: Iterable[Bank]) -> dict[str, Term]:
    """Return the terms of the banks by id."""
    return {term.id: term for bank in banks for term in bank.terms}


def references_of(bank: Bank) -> dict[str, str]:
    """Return the reference answers of a bank by the ids of their questions."""
    return {question.id: question.reference.joined for question in bank.questions}


def texts_of(bank: Bank) -> tuple[str, ...]:
    """Return the texts of a bank that its authors wrote as sentences."""
    return tuple(
        text
        for question in bank.questions
        for text in (
            question.stem,
            question.reference.joined,
            *(point.says for point in question.key_points),
            *(follow_up.reference for follow_up in question.follow_ups),
        )
    )
