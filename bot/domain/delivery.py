"""Delivery (表达): how an answer was said, from its text and time; never part of a grade."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from statistics import fmean

from bot.domain.bank import Bank
from bot.domain.claims import Verdict
from bot.domain.evidence import Evidence
from bot.domain.fillers import corrections, fillers
from bot.domain.question import Frozen, Slot
from bot.domain.session import AnswerKind, Session, Turn
from bot.domain.target import Target, target_of

SHORTEST, LONGEST = 60.0, 90.0
"""Seconds of speaking that an answer to a question should take."""

SPEAKING_PACE = 240.0
"""Units a minute of somebody who explains something in Chinese; a typed answer is read at it."""

FASTEST = 600.0
"""Nobody types or says more units a minute: such an answer was pasted and has no pace."""

_UNIT = re.compile(r"[A-Za-z0-9]+(?:[._'+-][A-Za-z0-9]+)*|[\u3400-\u9fff\uf900-\ufaff]")
_CONCLUSIONS = frozenset({Slot.CONCLUSION, Slot.RESULT})


class Length(StrEnum):
    """How the speaking time of an answer stands to the target."""

    SHORT = "short"
    RIGHT = "right"
    LONG = "long"


class Delivery(Frozen):
    """The delivery figures of one answer."""

    units: int
    """Chinese characters, and words and numbers of other scripts; marks and spaces do not count."""
    seconds: float
    """From the question to the answer, or of the speech alone."""
    is_speech: bool
    """Whether `seconds` are of the speech alone, pauses included; otherwise reading, thinking and
    typing are in them."""
    pace: float | None
    """Units a minute over `seconds`; None where there is no text, no time, or a pasted text."""
    spoken: float
    """Seconds of speech: measured, or what the text takes at `SPEAKING_PACE`."""
    length: Length | None
    """None for a follow-up, which has no target."""
    conclusion_after: int | None = None
    """Units before the first conclusion; None where the grade found none."""
    conclusion_seconds: float | None = None
    """Seconds before it, estimated at the pace; None without a pace."""
    fillers: tuple[Evidence, ...] = ()
    corrections: tuple[Evidence, ...] = ()
    pauses: tuple[float, ...] = ()
    """Lengths in seconds of the silences in a spoken answer."""


class DeliveryMeans(Frozen):
    """Means over the main answers of a session; a figure that no answer has is None."""

    answers: int
    pace: float | None
    spoken: float
    right_length: int
    """How many answers keep to the target."""
    conclusion_after: float | None
    conclusion_seconds: float | None
    fillers: int
    """Of all answers together."""
    fillers_per_100: float
    """Fillers in 100 units."""
    corrections: int
    is_speech: bool
    """Whether the times of all answers are of the speech alone."""


def count_units(text: str) -> int:
    """Return the length of a text as it is spoken.

    A Chinese character is one; so is a word or number of another script, such as `vLLM`, `1.5` or
    `KV-cache`. Marks and spaces are none.
    """
    return len(_UNIT.findall(text))


def measure(
    text: str,
    seconds: float,
    *,
    spoken_seconds: float | None = None,
    pauses: tuple[float, ...] = (),
    conclusion_at: int | None = None,
    has_target: bool = True,
) -> Delivery:
    """Return the delivery figures of an answer.

    Args:
        text: the answer.
        seconds: from the question to the answer, ≥ 0.
        spoken_seconds: of the speech alone, where it was heard; counts instead of `seconds`.
        pauses: seconds of the silences in it, which are part of it.
        conclusion_at: the character at which the first conclusion begins.
        has_target: whether the answer should take `SHORTEST` to `LONGEST` seconds.
    """
    units = count_units(text)
    taken = seconds if spoken_seconds is None else spoken_seconds
    pace = units / taken * 60 if units and taken > 0 else None
    pace = None if pace is None or pace > FASTEST else pace
    spoken = units / SPEAKING_PACE * 60 if spoken_seconds is None else spoken_seconds
    before = None if conclusion_at is None else count_units(text[:conclusion_at])
    return Delivery(
        units=units,
        seconds=taken,
        is_speech=spoken_seconds is not None,
        pace=pace,
        spoken=spoken,
        length=_length(spoken) if has_target else None,
        conclusion_after=before,
        conclusion_seconds=None if before is None or pace is None else before / pace * 60,
        fillers=fillers(text),
        corrections=corrections(text),
        pauses=pauses,
    )


def delivery_of(turn: Turn, target: Target) -> Delivery | None:
    """Return the delivery figures of a turn, or None where nothing was said."""
    if turn.answer is None or turn.answer.kind is not AnswerKind.ANSWERED:
        return None
    sound = turn.answer.speech.sound if turn.answer.speech is not None else None
    return measure(
        turn.answer.text,
        turn.answer.seconds,
        spoken_seconds=None if sound is None else sound.speaking + sum(sound.pauses),
        pauses=() if sound is None else sound.pauses,
        conclusion_at=conclusion_at(turn, target),
        has_target=turn.follow_up_id is None,
    )


def conclusion_at(turn: Turn, target: Target) -> int | None:
    """Return the character at which the first proved conclusion of a graded answer begins.

    Of a calculation the result is the conclusion; a design and a follow-up have none.
    """
    if turn.grade is None or turn.follow_up_id is not None:
        return None
    wanted = {target.point_id(one) for one in target.key_points if one.slot in _CONCLUSIONS}
    starts = [
        evidence.start
        for point in turn.grade.key_points
        if point.id in wanted and point.verdict in (Verdict.MET, Verdict.PARTLY_MET)
        for evidence in point.evidence
    ]
    return min(starts, default=None)


def means_of(session: Session, bank: Bank) -> DeliveryMeans | None:
    """Return the means over the main answers of a session, or None when nothing was said."""
    found = [
        figures
        for turn in session.turns
        if turn.follow_up_id is None
        and (figures := delivery_of(turn, target_of(bank.find(turn.question_id)))) is not None
    ]
    if not found:
        return None
    units, said = sum(one.units for one in found), sum(len(one.fillers) for one in found)
    return DeliveryMeans(
        answers=len(found),
        pace=_mean(one.pace for one in found),
        spoken=fmean(one.spoken for one in found),
        right_length=sum(one.length is Length.RIGHT for one in found),
        conclusion_after=_mean(one.conclusion_after for one in found),
        conclusion_seconds=_mean(one.conclusion_seconds for one in found),
        fillers=said,
        fillers_per_100=100 * said / units if units else 0.0,
        corrections=sum(len(one.corrections) for one in found),
        is_speech=all(one.is_speech for one in found),
    )


def _length(spoken: float) -> Length:
    if spoken < SHORTEST:
        return Length.SHORT
    return Length.RIGHT if spoken <= LONGEST else Length.LONG


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
