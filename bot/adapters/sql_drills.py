"""Cards and drills, beside the sessions in the database."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Engine, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.adapters.sql_errors import explained, place_of
from bot.adapters.sql_tables import DRILL_CARDS, DRILL_REVIEWS, DRILL_SOURCES, DRILLS, SESSIONS
from bot.adapters.sql_writes import save_revision
from bot.domain.card import Card
from bot.domain.drill import Drill
from bot.domain.review import Review
from bot.domain.session import Session
from bot.errors import NotFoundError, SessionConflictError


class SqlDrills:
    """Keeps the deck and the drills of one owner; implements `DrillStore`."""

    def __init__(self, engine: Engine, owner: str) -> None:
        """Take the engine of a store whose tables are up to date."""
        self._engine = engine
        self._place = place_of(engine.url)
        self._owner = owner

    def cards(self) -> tuple[Card, ...]:
        """Return the whole deck, by id. Raises `StoreError`."""
        query = select(DRILL_CARDS).where(DRILL_CARDS.c.owner == self._owner)
        with explained(self._place), self._engine.connect() as connection:
            rows = connection.execute(query.order_by(DRILL_CARDS.c.id)).all()
        return tuple(_with_revision(row.card, row.revision) for row in rows)

    def card(self, card_id: str) -> Card:
        """Return a card. Raises `NotFoundError` or `StoreError`."""
        query = select(DRILL_CARDS).where(*self._is_card(card_id))
        with explained(self._place), self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFoundError(f"找不到卡片 {card_id!r}；请刷新页面。")
        return _with_revision(row.card, row.revision)

    def save_cards(self, cards: Sequence[Card]) -> None:
        """Store cards, all or none. Raises `SessionConflictError` or `StoreError`."""
        with explained(self._place), self._engine.begin() as connection:
            for card in cards:
                self._save_card(connection, card)

    def uncollected(self, limit: int) -> tuple[str, ...]:
        """Return the latest sessions that have changed since their cards were collected.

        Raises `StoreError`.
        """
        is_collected = and_(
            DRILL_SOURCES.c.session_id == SESSIONS.c.id,
            DRILL_SOURCES.c.revision == SESSIONS.c.revision,
        )
        query = (
            select(SESSIONS.c.id)
            .select_from(SESSIONS.outerjoin(DRILL_SOURCES, is_collected))
            .where(SESSIONS.c.owner == self._owner, DRILL_SOURCES.c.session_id.is_(None))
            .order_by(SESSIONS.c.begun_at.desc(), SESSIONS.c.id.desc())
            .limit(limit)
        )
        with explained(self._place), self._engine.connect() as connection:
            return tuple(connection.execute(query).scalars())

    def collected(self, session: Session, cards: Sequence[Card]) -> None:
        """Store the cards of a session, and that it was collected at its revision.

        Raises `SessionConflictError` when another tab did so at the same time, or `StoreError`.
        """
        row = {"session_id": session.id, "owner": self._owner, "revision": session.revision}
        with explained(self._place), self._engine.begin() as connection:
            mine = (
                DRILL_SOURCES.c.session_id == session.id,
                DRILL_SOURCES.c.owner == self._owner,
            )
            connection.execute(delete(DRILL_SOURCES).where(*mine))
            known = SESSIONS.c.id == session.id, SESSIONS.c.owner == self._owner
            if connection.execute(select(SESSIONS.c.id).where(*known)).first() is None:
                raise _conflict()
            for card in cards:
                self._save_card(connection, card)
            try:
                connection.execute(insert(DRILL_SOURCES).values(row))
            except IntegrityError as error:
                # Collected elsewhere at this moment, or deleted.
                raise _conflict() from error.orig

    def save(self, drill: Drill, card: Card | None = None) -> Drill:
        """Store the drill, and with it the card that it moved; all or nothing.

        Raises `SessionConflictError` or `StoreError`.
        """
        with explained(self._place), self._engine.begin() as connection:
            # Writing first takes the lock: two savers cannot both find the revision they expect.
            self._take(connection, drill)
            self._write_reviews(connection, drill)
            if card is not None:
                self._save_card(connection, card)
        return drill.model_copy(update={"revision": drill.revision + 1})

    def load(self, drill_id: str) -> Drill:
        """Return a drill. Raises `NotFoundError` or `StoreError`."""
        with explained(self._place), self._engine.connect() as connection:
            drill = self._read(connection, *self._is_drill(drill_id))
        if drill is None:
            raise NotFoundError(f"找不到训练 {drill_id!r}；请从“追问训练”重新开始。")
        return drill

    def open_drill(self) -> Drill | None:
        """Return the latest drill that is not finished, if any. Raises `StoreError`."""
        latest = (
            select(DRILLS.c.id)
            .where(DRILLS.c.owner == self._owner, DRILLS.c.finished_at.is_(None))
            .order_by(DRILLS.c.begun_at.desc(), DRILLS.c.id.desc())
            .limit(1)
        )
        with explained(self._place), self._engine.connect() as connection:
            return self._read(connection, DRILLS.c.id.in_(latest))

    def _is_card(self, card_id: str) -> tuple[ColumnElement[bool], ...]:
        return DRILL_CARDS.c.owner == self._owner, DRILL_CARDS.c.id == card_id

    def _is_drill(self, drill_id: str) -> tuple[ColumnElement[bool], ...]:
        return DRILLS.c.owner == self._owner, DRILLS.c.id == drill_id

    def _save_card(self, connection: Connection, card: Card) -> None:
        save_revision(
            connection,
            DRILL_CARDS,
            self._is_card(card.id),
            key={"owner": self._owner, "id": card.id},
            values={"card": card},
            revision=card.revision,
            conflict=_conflict,
        )

    def _take(self, connection: Connection, drill: Drill) -> None:
        """Write the drill's own row, if the stored one has the revision that was loaded."""
        values = {
            "goal": drill.goal,
            "begun_at": drill.begun_at,
            "finished_at": drill.finished_at,
        }
        save_revision(
            connection,
            DRILLS,
            self._is_drill(drill.id),
            key={"id": drill.id, "owner": self._owner},
            values=values,
            revision=drill.revision,
            conflict=_conflict,
        )

    def _write_reviews(self, connection: Connection, drill: Drill) -> None:
        """Write the reviews that differ from the stored ones."""
        stored = self._reviews(connection, drill.id)
        for at, review in enumerate(drill.reviews):
            if at >= len(stored):
                row = {"drill_id": drill.id, "position": at, "owner": self._owner}
                connection.execute(insert(DRILL_REVIEWS).values({**row, "review": review}))
            elif stored[at] != review:
                mine = DRILL_REVIEWS.c.drill_id == drill.id, DRILL_REVIEWS.c.position == at
                connection.execute(update(DRILL_REVIEWS).where(*mine).values(review=review))
        if len(stored) > len(drill.reviews):  # a question that was never answered
            left = (
                DRILL_REVIEWS.c.drill_id == drill.id,
                DRILL_REVIEWS.c.position >= len(drill.reviews),
            )
            connection.execute(delete(DRILL_REVIEWS).where(*left))

    def _read(self, connection: Connection, *which: ColumnElement[bool]) -> Drill | None:
        # One statement, so that the row and its reviews are of one revision on every database.
        query = (
            select(DRILLS, DRILL_REVIEWS.c.review)
            .select_from(DRILLS.outerjoin(DRILL_REVIEWS))
            .where(*which)
            .order_by(DRILL_REVIEWS.c.position)
        )
        rows = connection.execute(query).all()
        if not rows:
            return None
        first = rows[0]
        return Drill(
            id=first.id,
            goal=first.goal,
            begun_at=first.begun_at,
            finished_at=first.finished_at,
            reviews=tuple(row.review for row in rows if row.review is not None),
            revision=first.revision,
        )

    def _reviews(self, connection: Connection, drill_id: str) -> list[Review]:
        query = select(DRILL_REVIEWS.c.review).where(DRILL_REVIEWS.c.drill_id == drill_id)
        return list(connection.execute(query.order_by(DRILL_REVIEWS.c.position)).scalars())


def _with_revision(card: Card, revision: int) -> Card:
    """Return the card with the revision of its row; the document holds the one before."""
    return card.model_copy(update={"revision": revision})


def _conflict() -> SessionConflictError:
    return SessionConflictError("这次训练在别处有了新进度，这一步没有保存；请刷新页面后继续。")
