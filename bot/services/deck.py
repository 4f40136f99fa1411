"""The deck: filled from interviews and banks, sorted by what is due, and kept in order by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from functools import cache

from bot.domain.bank import Bank
from bot.domain.card import Card
from bot.domain.deck import Queue, cards_from, cards_of_bank, merged, queue
from bot.domain.drill_question import aim_at
from bot.domain.session import Session
from bot.errors import BankError, NotFoundError, SessionConflictError
from bot.ports import Clock, DrillStore, SessionStore
from bot.services.grading import Grader

NEW_PER_DAY = 10
"""So many follow-ups of the bank are begun on one day; one's own weaknesses come all."""

COLLECTED_AT_ONCE = 200
"""Sessions whose cards are taken when the deck is opened."""


class Deck:
    """The cards of one candidate over all banks; every step may raise `StoreError`."""

    def __init__(
        self,
        *,
        store: DrillStore,
        sessions: SessionStore,
        bank_of: Callable[[str], Bank],
        grader_of: Callable[[str], Grader],
        clock: Clock,
    ) -> None:
        """Connect the parts; banks and graders are asked for by the bank's id."""
        self._store = store
        self._sessions = sessions
        self._bank_of = bank_of
        self._grader_of = grader_of
        self._clock = clock

    def collect(self) -> int:
        """Take the cards of all sessions that changed since the last time; return how many.

        Doing so twice changes nothing. A session whose bank is gone brings none.
        """
        changed = 0
        stored: dict[str, Card] = {}
        # The oldest first, so that the latest miss is the one that stays.
        for name in reversed(self._store.uncollected(COLLECTED_AT_ONCE)):
            stored = stored or {card.id: card for card in self._store.cards()}
            try:
                session = self._sessions.load(name)
                cards = self._brought_by(session, stored)
                self._store.collected(session, cards)
            except (NotFoundError, SessionConflictError):
                stored = {}  # deleted, or collected, by another tab at this moment
                continue
            changed += len(cards)
            for card in cards:
                stored[card.id] = card.model_copy(update={"revision": card.revision + 1})
        return changed

    def add_follow_ups(self, bank_id: str, section_id: str | None = None) -> int:
        """Add every follow-up of a bank, or of one section; return how many are new to the deck.

        Raises `BankError` or `NotFoundError`.
        """
        have = {card.id for card in self._store.cards()}
        found = cards_of_bank(self._bank_of(bank_id), self._clock.now(), section_id)
        cards = [card for card in found if card.id not in have]
        self._store.save_cards(cards)
        return len(cards)

    def cards(self) -> tuple[Card, ...]:
        """Return all cards but those of which the banks have nothing left to ask."""
        # A bank may be looked up in the database: once for the whole deck.
        bank_of = cache(self._bank_or_none)
        return tuple(
            card for card in self._store.cards() if _can_be_asked(card, bank_of(card.aim.bank_id))
        )

    def queue(self, zone: tzinfo, cards: tuple[Card, ...] | None = None) -> Queue:
        """Return what wants an answer now, on the calendar of `zone`."""
        mine = self.cards() if cards is None else cards
        return queue(mine, self._clock.now(), zone, NEW_PER_DAY)

    def suspend(self, card_id: str, *, suspended: bool = True) -> None:
        """Take a card out of the queue, or put it back. Raises `NotFoundError`."""
        card = self._store.card(card_id)
        self._store.save_cards([card.model_copy(update={"suspended": suspended})])

    def reset(self, card_id: str) -> None:
        """Let a card begin anew, such as a stubborn one that was learned in another way.

        Raises `NotFoundError`.
        """
        self._store.save_cards([self._store.card(card_id).reset(self._clock.now())])

    def _brought_by(self, session: Session, stored: Mapping[str, Card]) -> tuple[Card, ...]:
        try:
            bank = self._bank_of(session.plan.bank_id)
            rubric_of = self._grader_of(session.plan.bank_id).rubric_of
        except (BankError, NotFoundError):
            return ()
        return merged(stored, cards_from(session, bank, rubric_of))

    def _bank_or_none(self, bank_id: str) -> Bank | None:
        try:
            return self._bank_of(bank_id)
        except (BankError, NotFoundError):
            return None


def _can_be_asked(card: Card, bank: Bank | None) -> bool:
    if bank is None:
        return False
    try:
        aim_at(card, bank.find(card.aim.question_id))
    except (BankError, NotFoundError):
        return False
    return True
