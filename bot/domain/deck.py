"""The deck (卡组): which cards an interview or a bank brings, and which of them want an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime, tzinfo
from typing import NamedTuple

from bot.domain.bank import Bank
from bot.domain.card import Aim, Card, Miss, Schedule, Standing
from bot.domain.claims import Verdict
from bot.domain.family import family_and_seed
from bot.domain.grade import Grade
from bot.domain.question import FollowUp, Question, Slot
from bot.domain.report import GOOD
from bot.domain.rubric import Rubric, SlotCriterion
from bot.domain.session import FeedbackMode, Session, Turn
from bot.domain.target import Target, target_of
from bot.errors import NotFoundError

FOR_ONCE = (Slot.RESULT, Slot.UNIT)
"""The numbers of a calculation task are for once: it is the way there that can be drilled."""

RubricOf = Callable[[Target], Rubric]


def cards_from(session: Session, bank: Bank, rubric_of: RubricOf) -> tuple[Card, ...]:
    """Return the cards that a session brings: one a weak slot, and follow-ups that probe it.

    A session whose grades are shown at its end brings nothing before. Questions that the bank no
    longer has are left out.
    """
    if session.plan.mode is FeedbackMode.AT_END and not session.is_finished:
        return ()
    found: dict[str, Card] = {}
    for turn in session.turns:
        is_hidden = turn == session.to_guess  # its grade is not yet seen
        if is_hidden or turn.follow_up_id is not None or turn.grade is None or turn.answer is None:
            continue
        try:
            question = bank.find(turn.question_id)
        except NotFoundError:
            continue
        weak = _weak_slots(question, turn.grade, rubric_of(target_of(question)))
        miss = Miss(session_id=session.id, turn_id=turn.id, at=turn.answer.at)
        for slot in weak:
            card = _slot_card(bank.id, question, slot, turn.grade, miss)
            found[card.id] = card
        for card in _follow_up_cards(session, bank.id, question, weak, miss.at):
            found[card.id] = card
    return tuple(found.values())


def cards_of_bank(bank: Bank, now: datetime, section_id: str | None = None) -> tuple[Card, ...]:
    """Return a card for every follow-up of the bank, or of one section."""
    return tuple(
        _follow_up_card(bank.id, question, probe, None, now)
        for part in bank.sections
        if section_id in (None, part.section.id)
        for question in part.questions
        for probe in question.follow_ups
    )


def merged(stored: Mapping[str, Card], found: Iterable[Card]) -> tuple[Card, ...]:
    """Return the found cards that are new, and the stored ones that a later miss changed."""
    changed = []
    for card in found:
        mine = stored.get(card.id)
        after = card if mine is None else mine.missed_again(card)
        if after != mine:
            changed.append(after)
    return tuple(changed)


class Queue(NamedTuple):
    """What wants an answer now: due first, then new; stubborn cards stand apart."""

    due: tuple[Card, ...]
    new: tuple[Card, ...]
    leeches: tuple[Card, ...]
    soon: tuple[Card, ...]
    """Cards of today whose minutes are not yet over, the next first."""

    def next(self, *, without: Collection[str] = (), after: str | None = None) -> Card | None:
        """Return the card to ask now, or None.

        Not of the question that was asked just before, if there is another: its reference has
        just been read.
        """
        left = [card for card in (*self.due, *self.new) if card.id not in without]
        other = next((card for card in left if card.aim.question_id != after), None)
        return other or (left[0] if left else None)


def queue(cards: Iterable[Card], now: datetime, zone: tzinfo, new_limit: int) -> Queue:
    """Sort the deck for now; at most `new_limit` new cards are begun on one day in `zone`."""
    today = now.astimezone(zone).date()
    active = [card for card in cards if not card.suspended]
    learnable = sorted((card for card in active if not card.is_leech), key=_by_due)
    begun = sum(
        card.miss is None and at.astimezone(zone).date() == today
        for card in active
        if (at := card.standing.begun_at) is not None
    )
    is_due = {card.id for card in learnable if card.standing.schedule.is_due(now, zone)}
    fresh = [card for card in learnable if card.is_new]
    return Queue(
        due=tuple(card for card in learnable if card.id in is_due and not card.is_new),
        new=tuple(fresh[: max(0, new_limit - begun)]),
        leeches=tuple(sorted((card for card in active if card.is_leech), key=_by_due)),
        soon=tuple(
            card
            for card in learnable
            if card.id not in is_due
            and not card.is_new
            and card.standing.schedule.falls_on(zone) <= today
        ),
    )


def _by_due(card: Card) -> tuple[datetime, str]:
    return card.standing.schedule.due, card.id


def _weak_slots(question: Question, given: Grade, rubric: Rubric) -> tuple[Slot, ...]:
    """Return the slots that are not filled, or have a core key point missing or any turned."""
    criteria = {one.slot: one.id for one in rubric.criteria if isinstance(one, SlotCriterion)}
    levels = {one.id: one.level for one in given.criteria}
    weak = []
    for slot in dict.fromkeys(point.slot for point in question.key_points):
        verdicts = [
            (point.core, verdict)
            for point in question.key_points
            if point.slot is slot
            and (verdict := _verdict(given, f"{question.id}.{point.id}")) is not Verdict.MET
        ]
        is_empty = levels.get(criteria.get(slot, ""), 0) < 2
        if verdicts and (
            is_empty or any(core or one is Verdict.CONTRADICTED for core, one in verdicts)
        ):
            weak.append(slot)
    return tuple(slot for slot in weak if slot not in FOR_ONCE)


def _verdict(given: Grade, point_id: str) -> Verdict:
    found = next((one.verdict for one in given.key_points if one.id == point_id), None)
    return Verdict.NOT_MET if found is None else found


def _slot_card(bank_id: str, question: Question, slot: Slot, given: Grade, miss: Miss) -> Card:
    is_met = {
        point.id: _verdict(given, f"{question.id}.{point.id}") is Verdict.MET
        for point in question.key_points
        if point.slot is slot
    }
    return Card(
        id=f"{bank_id}/{_family(question.id)}/{slot.value}",
        aim=Aim(
            bank_id=bank_id,
            question_id=question.id,
            slot=slot,
            points=tuple(id for id, met in is_met.items() if not met),
        ),
        known=tuple(id for id, met in is_met.items() if met),
        miss=miss,
        standing=Standing(schedule=Schedule(due=miss.at)),
    )


def _follow_up_cards(
    session: Session, bank_id: str, question: Question, weak: Collection[Slot], at: datetime
) -> Iterator[Card]:
    """Give the follow-ups that were answered badly, and those not asked that probe a weak slot."""
    asked = {turn.follow_up_id: turn for turn in session.follow_ups_of(question.id)}
    for probe in question.follow_ups:
        turn = asked.get(probe.id)
        if turn is not None and _is_bad(turn) and turn.answer is not None:
            miss = Miss(session_id=session.id, turn_id=turn.id, at=turn.answer.at)
            yield _follow_up_card(bank_id, question, probe, miss, miss.at)
        elif turn is None and probe.aims_at in weak:
            yield _follow_up_card(bank_id, question, probe, None, at)


def _is_bad(turn: Turn) -> bool:
    return turn.grade is not None and turn.grade.level < GOOD


def _follow_up_card(
    bank_id: str, question: Question, probe: FollowUp, miss: Miss | None, due: datetime
) -> Card:
    return Card(
        id=f"{bank_id}/{_family(question.id)}.{probe.id}",
        aim=Aim(
            bank_id=bank_id,
            question_id=question.id,
            slot=probe.aims_at,
            follow_up_id=probe.id,
            points=tuple(point.id for point in probe.key_points),
        ),
        miss=miss,
        standing=Standing(schedule=Schedule(due=due)),
    )


def _family(question_id: str) -> str:
    """Return what a task of the same family is known by, whatever its numbers are."""
    return family_and_seed(question_id)[0] or question_id
