"""What tests of the drill share: a store in memory, and builders of cards and services."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.adapters.fsrs_scheduler import FsrsScheduler
from bot.domain.bank import Bank
from bot.domain.card import Aim, Card, Miss, Rung, Schedule, Standing
from bot.domain.drill import Drill
from bot.domain.question import Slot
from bot.domain.session import Session
from bot.errors import NotFoundError, SessionConflictError
from bot.ports import Judge
from bot.services.deck import Deck
from bot.services.drilling import Drills
from bot.services.grading import Grader
from tests.fakes import NOON, FakeClock, MemoryStore, rubrics


class MemoryDrills:
    """Keeps cards and drills in dicts, by the revision rule of the real store."""

    def __init__(self, sessions: MemoryStore) -> None:
        self._sessions = sessions
        self._cards: dict[str, Card] = {}
        self._drills: dict[str, Drill] = {}
        self._collected: dict[str, int] = {}

    def cards(self) -> tuple[Card, ...]:
        return tuple(self._cards[name] for name in sorted(self._cards))

    def card(self, card_id: str) -> Card:
        if card_id not in self._cards:
            raise NotFoundError(f"找不到卡片 {card_id!r}。")
        return self._cards[card_id]

    def save_cards(self, cards: Sequence[Card]) -> None:
        for card in cards:
            self._require(card)
        for card in cards:
            self._keep(card)

    def uncollected(self, limit: int) -> tuple[str, ...]:
        newest = sorted(self._sessions.sessions.values(), key=lambda one: one.begun_at)[::-1]
        return tuple(one.id for one in newest if self._collected.get(one.id) != one.revision)[
            :limit
        ]

    def collected(self, session: Session, cards: Sequence[Card]) -> None:
        self.save_cards(cards)
        self._collected[session.id] = session.revision

    def save(self, drill: Drill, card: Card | None = None) -> Drill:
        stored = self._drills.get(drill.id)
        if (0 if stored is None else stored.revision) != drill.revision:
            raise SessionConflictError("这次训练在别处有了新进度。")
        if card is not None:
            self._require(card)
            self._keep(card)
        self._drills[drill.id] = drill.model_copy(update={"revision": drill.revision + 1})
        return self._drills[drill.id]

    def load(self, drill_id: str) -> Drill:
        if drill_id not in self._drills:
            raise NotFoundError(f"找不到训练 {drill_id!r}。")
        return self._drills[drill_id]

    def open_drill(self) -> Drill | None:
        left = [one for one in self._drills.values() if not one.is_finished]
        return max(left, key=lambda one: (one.begun_at, one.id), default=None)

    def _require(self, card: Card) -> None:
        stored = self._cards.get(card.id)
        if (0 if stored is None else stored.revision) != card.revision:
            raise SessionConflictError("这张卡片在别处有了新进度。")

    def _keep(self, card: Card) -> None:
        self._cards[card.id] = card.model_copy(update={"revision": card.revision + 1})


class Bench:
    """The drill service over one bank, in memory, with a clock that a test moves."""

    def __init__(self, bank: Bank, judge: Judge) -> None:
        self.clock = FakeClock()
        self.sessions = MemoryStore()
        self.store = MemoryDrills(self.sessions)
        self.bank: Bank | None = bank
        grader = Grader(judge=judge, rubrics=rubrics(), bank_name=bank.name, clock=self.clock)

        def bank_of(bank_id: str) -> Bank:
            if self.bank is None or self.bank.id != bank_id:
                raise NotFoundError(f"没有题库 {bank_id!r}。")
            return self.bank

        self.deck = Deck(
            store=self.store,
            sessions=self.sessions,
            bank_of=bank_of,
            grader_of=lambda _: grader,
            clock=self.clock,
        )
        self.drills = Drills(
            deck=self.deck,
            store=self.store,
            bank_of=bank_of,
            grader_of=lambda _: grader,
            scheduler=FsrsScheduler(),
            clock=self.clock,
        )

    def add(self, *cards: Card) -> None:
        """Put cards into the deck."""
        self.store.save_cards(cards)


def aim(slot: Slot = Slot.PREMISE_COST, *points: str, follow_up_id: str | None = None) -> Aim:
    """Return an aim at the premise of Q01, or at another part."""
    return Aim(
        bank_id="demo",
        question_id="Q01",
        slot=slot,
        points=points or ("c",),
        follow_up_id=follow_up_id,
    )


def miss(at: datetime = NOON, turn_id: str = "s-1") -> Miss:
    """Return the answer that showed the weakness."""
    return Miss(session_id="s", turn_id=turn_id, at=at)


def card(
    id: str = "demo/Q01/premise_cost",
    *,
    aims: Aim | None = None,
    missed: Miss | None = None,
    due: datetime = NOON,
    rung: Rung = Rung.HEADLINE,
    is_own: bool = True,
    **standing: object,
) -> Card:
    """Return a card, by default of one's own answer and due at noon."""
    fields = {"schedule": Schedule(due=due), "rung": rung, **standing}
    return Card(
        id=id,
        aim=aims or aim(),
        miss=missed or (miss() if is_own else None),
        standing=Standing.model_validate(fields),
    )
