"""Judging the number of a calculation task: right, mixed up, a typical mistake, or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.domain.claims import Claims, ErrorClaim, Flag, PointClaim, SlotClaim, Verdict
from bot.domain.question import NumericAnswer, Slot
from bot.domain.target import Target
from bot.domain.unit import shown
from bot.offline import units
from bot.offline.final_number import Candidate, candidates, offers_a_choice
from bot.offline.quantities import Quantity
from bot.offline.reading import Found, Reading

ROUGH = 0.1
"""A number that is no further off than this share is a rough estimate."""

CLOSE_WEIGHT = 1
"""A right number that weighs so much less than the one taken for the result was not settled on."""


class Standing(NamedTuple):
    """What the final number of an answer is worth."""

    result: Verdict
    unit: Verdict
    why: str = ""
    """What is wrong with it; empty when nothing is."""
    flags: tuple[Flag, ...] = ()


_ABSENT = Standing(Verdict.NOT_MET, Verdict.NOT_MET)
_MIXED_UP = Standing(Verdict.PARTLY_MET, Verdict.PARTLY_MET, flags=(Flag.BINARY_DECIMAL,))
_ROUGH = Standing(Verdict.PARTLY_MET, Verdict.MET, flags=(Flag.ROUGH,))
_UNSETTLED = Standing(Verdict.PARTLY_MET, Verdict.PARTLY_MET, flags=(Flag.SEVERAL_RESULTS,))


def with_number(
    claims: Claims, reading: Reading, target: Target, expected: NumericAnswer
) -> Claims:
    """Return the claims with those on result and unit decided by the number in the answer."""
    found = candidates(reading, target.stem, expected.value, expected.unit)
    if not found:
        return _decided(claims, target, _ABSENT, ())
    number = Found(found[-1].quantity.start, found[-1].quantity.end)
    standing = _settled(reading, found, expected)
    decided = _decided(claims, target, standing, reading.sentence_numbers(number))
    if not standing.why:
        return decided
    error = ErrorClaim(quote=reading.original(number), why=standing.why)
    return decided.model_copy(update={"errors": (*claims.errors, error)})


def compare(one: Quantity, expected: NumericAnswer) -> Standing:
    """Compare a number with the one that is expected."""
    unit = Verdict.MET if one.readings else Verdict.NOT_MET
    if _agrees(one, one.readings or (expected.unit, *_base(expected)), expected):
        return Standing(Verdict.MET, unit)
    mixed = tuple(filter(None, map(units.other_prefix, one.readings)))
    # A typical mistake comes before a mix-up of GB and GiB, and that before both together.
    for readings in (one.readings or (expected.unit.value,), mixed):
        for wrong in expected.wrong:
            if not _agrees(one, readings, expected, wrong.value):
                continue
            if wrong.partly:
                return _MIXED_UP
            return Standing(Verdict.CONTRADICTED, unit, f"应约为 {_right(expected)}。{wrong.why}")
        if _agrees(one, mixed, expected):
            return _MIXED_UP
    slipped = [other for reading in one.readings for other in units.neighbours(reading)]
    if _agrees(one, slipped, expected):
        why = f"应约为 {_right(expected)}。数字对，单位或换算差了一级，请核对单位。"
        return Standing(Verdict.CONTRADICTED, Verdict.NOT_MET, why)
    if _agrees(one, one.readings, expected.model_copy(update={"tolerance": ROUGH})):
        return _ROUGH
    return Standing(Verdict.NOT_MET, Verdict.NOT_MET, f"应约为 {_right(expected)}。")


def _settled(reading: Reading, found: Sequence[Candidate], expected: NumericAnswer) -> Standing:
    """Compare the final number.

    Where the right number stands beside others, and it is open which one is meant, it is worth
    half; so it is where the right number weighs as much as a wrong final one.
    """
    final = compare(found[-1].quantity, expected)
    if final.result is Verdict.MET:
        return _UNSETTLED if offers_a_choice(reading, found) else final
    rivals = [one for one in found[:-1] if one.weight >= found[-1].weight - CLOSE_WEIGHT]
    if any(compare(one.quantity, expected).result is Verdict.MET for one in rivals):
        return _UNSETTLED
    return final


def _agrees(
    one: Quantity, readings: Iterable[str], expected: NumericAnswer, value: float | None = None
) -> bool:
    """Say whether the number, in one of these units, is the value in the expected unit."""
    wanted = expected.value if value is None else value
    factors = (units.factor(expected.unit, reading) for reading in readings)
    return any(
        factor is not None and one.agrees(wanted * factor, expected.tolerance) for factor in factors
    )


def _base(expected: NumericAnswer) -> tuple[str, ...]:
    """Return the unit in which a formula gives its result, where it is not the expected one."""
    return ("byte",) if units.factor(expected.unit, "byte") else ()


def _right(expected: NumericAnswer) -> str:
    return shown(expected.value, expected.unit)


def _decided(
    claims: Claims, target: Target, standing: Standing, sentences: tuple[int, ...]
) -> Claims:
    verdicts = {
        point.id: standing.unit if point.slot is Slot.UNIT else standing.result
        for point in target.key_points
        if point.slot is Slot.UNIT or (point.slot is Slot.RESULT and point.core)
    }
    points = tuple(
        PointClaim(
            key_point_id=claim.key_point_id,
            verdict=verdicts[claim.key_point_id],
            sentences=() if verdicts[claim.key_point_id] is Verdict.NOT_MET else sentences,
        )
        if claim.key_point_id in verdicts
        else claim
        for claim in claims.points
    )
    slots = tuple(_slot(claim, target, points) for claim in claims.slots)
    flags = tuple(dict.fromkeys((*claims.flags, *standing.flags)))
    return claims.model_copy(update={"points": points, "slots": slots, "flags": flags})


def _slot(claim: SlotClaim, target: Target, points: Sequence[PointClaim]) -> SlotClaim:
    """Fill a slot by its points: clear when all are met, partial when one is met or partly."""
    ids = {point.id for point in target.key_points if point.slot is claim.slot}
    mine = [point for point in points if point.key_point_id in ids]
    counted = [one for one in mine if one.verdict in (Verdict.MET, Verdict.PARTLY_MET)]
    full = all(one.verdict is Verdict.MET for one in mine)
    return SlotClaim(
        slot=claim.slot,
        level=2 if full else 1 if counted else 0,
        sentences=tuple(sorted({number for one in counted for number in one.sentences})),
    )
