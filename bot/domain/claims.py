"""Claims (判定主张): what a judge says about an answer; `check` turns it into findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, TypeVar

from pydantic import Field

from bot.domain.evidence import Evidence, Match, cite, locate
from bot.domain.question import Frozen, Slot
from bot.domain.sentence import split
from bot.domain.target import Target


class Verdict(StrEnum):
    """How an answer stands to one key point (判定)."""

    MET = "met"
    PARTLY_MET = "partly_met"
    NOT_MET = "not_met"
    CONTRADICTED = "contradicted"


SAID = (Verdict.MET, Verdict.PARTLY_MET)
"""Verdicts that earn something, given evidence."""


class Flag(StrEnum):
    """Something about an answer or its grade that a reader should know."""

    NO_CONTENT = "no_content"
    ECHO = "echo"
    INJECTION = "injection"
    KEYWORD_LIST = "keyword_list"
    QUOTE_NOT_FOUND = "quote_not_found"
    EVIDENCE_MISSING = "evidence_missing"
    BINARY_DECIMAL = "binary_decimal"
    ROUGH = "rough"
    SEVERAL_RESULTS = "several_results"
    UNSTABLE = "unstable"
    UNFOUNDED = "unfounded"
    FOREIGN = "foreign"
    CAPPED_CONTRADICTION = "capped_contradiction"
    CAPPED_ERROR = "capped_error"
    CAPPED_NO_POINT = "capped_no_point"
    CAPPED_OVERCLAIMS = "capped_overclaims"


SlotLevel = Annotated[int, Field(ge=0, le=2)]
Share = Annotated[float, Field(ge=0, le=1)]


class PointClaim(Frozen):
    """A verdict on one key point with the numbers of the sentences that show it."""

    key_point_id: str
    verdict: Verdict
    sentences: tuple[int, ...] = ()


class SlotClaim(Frozen):
    """How well one slot is filled (0 absent or wrong, 1 partial, 2 clear), and where."""

    slot: Slot
    level: SlotLevel
    sentences: tuple[int, ...] = ()
    share: Share | None = None
    """How much of the slot is filled, from a judge that measures; it counts instead of the level."""


class OverclaimClaim(Frozen):
    """Words that promise more than the field does (绝对化断言)."""

    quote: str
    why: str
    rewrite: str


class ErrorClaim(Frozen):
    """Words that are wrong."""

    quote: str
    why: str


class Claims(Frozen):
    """Everything a judge says about one answer."""

    points: tuple[PointClaim, ...] = ()
    slots: tuple[SlotClaim, ...] = ()
    overclaims: tuple[OverclaimClaim, ...] = ()
    errors: tuple[ErrorClaim, ...] = ()
    flags: tuple[Flag, ...] = ()
    coverage: Share | None = None
    """The share of the key points that is covered, from a judge that measures more finely than
    in verdicts."""
    probe: Slot | None = None
    """The slot that the judge would ask about next."""


class Ruled(Frozen):
    """What rules find in an answer that need no model."""

    overclaims: tuple[OverclaimClaim, ...] = ()
    stated: Mapping[str, frozenset[str]] = {}
    """The key points, by id, that words quoted from the answer state on their own."""
    names_something: bool = True
    """Whether any concept that belongs to a key point stands in the answer."""


class PointFinding(Frozen):
    """A verdict on one key point with its evidence (判定记录)."""

    id: str
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()


class SlotFinding(Frozen):
    """The level of one slot with its evidence."""

    slot: Slot
    level: SlotLevel
    evidence: tuple[Evidence, ...] = ()
    share: Share | None = None


class Overclaim(Frozen):
    """An over-scoped claim, why it is one, and how to say it with its condition."""

    start: int
    end: int
    quote: str
    why: str
    rewrite: str
    match: Match = Match.VERIFIED


class AnswerError(Frozen):
    """A wrong statement of the answer and what is wrong with it."""

    start: int
    end: int
    quote: str
    why: str
    match: Match = Match.VERIFIED


FaultT = TypeVar("FaultT", Overclaim, AnswerError)


class Findings(Frozen):
    """Claims that were checked against the answer; points and slots in the target's order."""

    points: tuple[PointFinding, ...]
    slots: tuple[SlotFinding, ...] = ()
    overclaims: tuple[Overclaim, ...] = ()
    errors: tuple[AnswerError, ...] = ()
    flags: tuple[Flag, ...] = ()
    coverage: Share | None = None
    opening_ends: int = 0
    """Where the second sentence of the answer ends: a conclusion before it stands first."""


def backed(claims: Claims, ruled: Ruled, target: Target, answer: str) -> Claims:
    """Return a model's claims held against what the rules find, and against each other.

    Words that promise too much by a rule are an overclaim, unless the model has called them one, or
    an error, itself. Words that by rule do not, and state a key point that the model itself calls
    met, are none: what is right may be said with confidence. Where the core is reversed and no key
    point is met, what the model calls overclaims are errors: no condition makes them true. Where
    not a single concept of the question stands in the answer, no key point is met, whatever the
    model says.
    """
    claims = _wrong_altogether(claims, target)
    promised = [(one, place) for one in ruled.overclaims if (place := locate(one.quote, answer))]
    met = {one.key_point_id for one in claims.points if one.verdict is Verdict.MET}
    own = tuple(
        one
        for one in claims.overclaims
        if not met & ruled.stated.get(one.quote, frozenset())
        or _meets(one.quote, [place for _, place in promised], answer)
    )
    quotes = [one.quote for one in own] + [one.quote for one in claims.errors]
    places = [place for one in quotes if (place := locate(one, answer)) is not None]
    added = [one for one, place in promised if not any(place.overlaps(other) for other in places)]
    points, flags = claims.points, claims.flags
    if not ruled.names_something and any(one.verdict in SAID for one in points):
        flags = (*flags, Flag.UNFOUNDED)
        points = tuple(
            PointClaim(key_point_id=one.key_point_id, verdict=Verdict.NOT_MET)
            if one.verdict in SAID
            else one
            for one in points
        )
    return claims.model_copy(
        update={"points": points, "overclaims": (*own, *added), "flags": flags}
    )


def _wrong_altogether(claims: Claims, target: Target) -> Claims:
    verdicts = {one.key_point_id: one.verdict for one in claims.points}
    is_reversed = any(
        point.core and verdicts.get(point.id) is Verdict.CONTRADICTED for point in target.key_points
    )
    if not is_reversed or any(one in SAID for one in verdicts.values()):
        return claims
    errors = tuple(ErrorClaim(quote=one.quote, why=one.why) for one in claims.overclaims)
    return claims.model_copy(update={"overclaims": (), "errors": (*claims.errors, *errors)})


def _meets(quote: str, places: Sequence[Evidence], answer: str) -> bool:
    found = locate(quote, answer)
    return found is not None and any(found.overlaps(one) for one in places)


def check(claims: Claims, target: Target, answer: str) -> Findings:
    """Look every claim up in the answer.

    A key point that the judge left out is not met; one that the target does not have is dropped,
    and so is a quote that does not stand in the answer. Nothing is raised: valid parts survive.
    """
    sentences = split(answer)
    points = {claim.key_point_id: claim for claim in claims.points}
    flags = list(claims.flags)
    overclaims = [
        Overclaim(**_span(found), why=one.why, rewrite=one.rewrite)
        for one in claims.overclaims
        if (found := locate(one.quote, answer)) is not None
    ]
    errors = [
        AnswerError(**_span(found), why=one.why)
        for one in claims.errors
        if (found := locate(one.quote, answer)) is not None
    ]
    if len(overclaims) + len(errors) < len(claims.overclaims) + len(claims.errors):
        flags.append(Flag.QUOTE_NOT_FOUND)
    checked = []
    for point in target.key_points:
        claim = points.get(point.id) or PointClaim(key_point_id=point.id, verdict=Verdict.NOT_MET)
        evidence = cite(claim.sentences, sentences)
        if claim.verdict in SAID and not evidence:
            flags.append(Flag.EVIDENCE_MISSING)
        checked.append(
            PointFinding(id=target.point_id(point), verdict=claim.verdict, evidence=evidence)
        )
    return Findings(
        points=tuple(checked),
        slots=tuple(
            SlotFinding(
                slot=claim.slot,
                level=claim.level,
                evidence=cite(claim.sentences, sentences),
                share=claim.share,
            )
            for claim in claims.slots
        ),
        overclaims=_once(overclaims),
        errors=_once(errors),
        flags=tuple(dict.fromkeys(flags)),
        coverage=claims.coverage,
        opening_ends=sentences[min(2, len(sentences)) - 1].end if sentences else 0,
    )


def _span(found: Evidence) -> dict[str, object]:
    return {"start": found.start, "end": found.end, "quote": found.quote, "match": found.match}


def _once(found: list[FaultT]) -> tuple[FaultT, ...]:
    """Drop a fault whose words overlap with those of an earlier one: it would be punished twice."""
    kept: list[FaultT] = []
    for one in found:
        if not any(one.start < other.end and other.start < one.end for other in kept):
            kept.append(one)
    return tuple(kept)
