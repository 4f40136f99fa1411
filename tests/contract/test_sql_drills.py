"""Every store keeps cards and drills in the same way: SQLite, PostgreSQL, and the one of the tests."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.sql_store import SqlStore
from bot.domain.card import Card, CardState, Rating, Rung, Schedule, Standing
from bot.domain.drill import Drill, Goal
from bot.domain.grade import Ungraded, UngradedReason
from bot.domain.review import Moved
from bot.domain.session import Session, SessionPlan, begin
from bot.errors import NotFoundError, SessionConflictError
from bot.ports import DrillStore, SessionStore
from tests.contract.conftest import Opener
from tests.drilling import MemoryDrills, aim, card, miss
from tests.fakes import NOON, MemoryStore, graded, question

pytestmark = pytest.mark.contract

STRANGE = "显存\u200b不够👩🏽‍💻\x00\u2028“引号” \\ '; DROP TABLE drills; --"
UNGRADED = Ungraded(
    id="d-1", question_id="Q01", reason=UngradedReason.REPLY_INVALID, message="读不懂"
)

_floats = st.none() | st.floats(0.001, 1e5)
_moments = st.integers(0, 10**10).map(lambda ms: NOON + timedelta(milliseconds=ms))
_schedules = st.builds(
    Schedule,
    due=_moments,
    state=st.sampled_from(CardState),
    step=st.none() | st.integers(0, 3),
    stability=_floats,
    difficulty=_floats,
    last_review=st.none() | _moments,
)
_standings = st.builds(
    Standing,
    schedule=_schedules,
    rung=st.sampled_from(Rung),
    reps=st.integers(0, 99),
    lapses=st.integers(0, 9),
    begun_at=st.none() | _moments,
)


class Kept:
    """A drill store beside the session store of the same owner."""

    def __init__(self, drills: DrillStore, sessions: SessionStore) -> None:
        self.drills = drills
        self.sessions = sessions


@pytest.fixture(params=["file", "database", "memory"], ids=["sqlite", "postgresql", "memory"])
def open_kept(request: pytest.FixtureRequest, opener: Opener) -> Callable[[], Kept]:
    """Opens the same stores as often as it is called."""
    if request.param == "memory":
        sessions = MemoryStore()
        kept = Kept(MemoryDrills(sessions), sessions)
        return lambda: kept
    place = request.getfixturevalue(request.param)

    def opens() -> Kept:
        store: SqlStore = opener(place)
        return Kept(store.drills, store)

    return opens


@pytest.fixture
def kept(open_kept: Callable[[], Kept]) -> Kept:
    return open_kept()


def asked(id: str = "d") -> Drill:
    """Return a new drill that asked its first card."""
    drill = Drill(id=id, goal=Goal(cards=3), begun_at=NOON)
    return drill.ask(card(), aim=card().aim, says="为什么？", now=NOON)


def moved(rating: Rating = Rating.GOOD) -> Moved:
    before = card().standing
    after = before.reviewed(rating, Schedule(due=NOON + timedelta(days=2), last_review=NOON), NOON)
    return Moved(before=before, after=after)


def interview(id: str = "s", minutes: int = 0) -> Session:
    plan = SessionPlan(bank_id="demo", question_ids=("Q01",))
    return begin(id, plan, NOON + timedelta(minutes=minutes))


class TestCards:
    def test_cards_come_back_as_they_were_saved_with_their_revision(
        self, kept: Kept, open_kept: Callable[[], Kept]
    ) -> None:
        kept.drills.save_cards([card("b"), card("a", is_own=False)])

        found = open_kept().drills.cards()

        assert [one.id for one in found] == ["a", "b"]
        assert found[1] == card("b").model_copy(update={"revision": 1})
        assert kept.drills.card("b") == found[1]

    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(first=_standings, second=_standings)
    def test_whatever_a_schedule_is_it_comes_back_to_the_last_bit(
        self, kept: Kept, first: Standing, second: Standing
    ) -> None:
        stored = next((one for one in kept.drills.cards()), card())
        for standing in (first, second):
            kept.drills.save_cards([stored.model_copy(update={"standing": standing})])
            stored = kept.drills.card(stored.id)

            assert stored.standing == standing

    def test_every_time_comes_back_the_same_moment(self, kept: Kept) -> None:
        abroad = NOON.astimezone(timezone(timedelta(hours=8)))
        kept.drills.save_cards([card(due=abroad, missed=miss(abroad))])

        assert kept.drills.card(card().id).standing.schedule.due == NOON

    def test_an_older_revision_is_refused_and_nothing_of_the_rest_is_kept(self, kept: Kept) -> None:
        kept.drills.save_cards([card("a")])
        old = kept.drills.card("a")
        kept.drills.save_cards([old.model_copy(update={"suspended": True})])

        with pytest.raises(SessionConflictError):
            kept.drills.save_cards([card("new"), old])

        assert [one.id for one in kept.drills.cards()] == ["a"]
        assert kept.drills.card("a").suspended

    def test_a_card_is_not_made_twice(self, kept: Kept) -> None:
        kept.drills.save_cards([card()])

        with pytest.raises(SessionConflictError):
            kept.drills.save_cards([card()])

    def test_an_unknown_card_is_said(self, kept: Kept) -> None:
        with pytest.raises(NotFoundError):
            kept.drills.card("nothing")


class TestDrills:
    def test_each_step_of_a_drill_comes_back_as_it_was_saved(
        self, kept: Kept, open_kept: Callable[[], Kept]
    ) -> None:
        drill = kept.drills.save(asked())
        steps: list[Callable[[Drill], Drill]] = [
            lambda one: one.answer(STRANGE, now=NOON, pushback="你确定吗？"),
            lambda one: one.reply(STRANGE, now=NOON),
            lambda one: one.record("d-1", UNGRADED, rating=None),
            lambda one: one.record("d-1", graded(question()), rating=Rating.GOOD, moved=moved()),
            lambda one: one.correct("d-1", Rating.HARD, moved(Rating.HARD)),
            lambda one: one.ask(card("l"), aim=aim(), says="然后？", now=NOON),
            lambda one: one.finish(NOON),
        ]

        for step in steps:
            drill = kept.drills.save(step(drill))

            assert open_kept().drills.load("d") == drill

        assert drill.revision == len(steps) + 1
        assert len(drill.reviews) == 1

    def test_a_later_revision_is_not_overwritten(self, kept: Kept) -> None:
        first = kept.drills.save(asked())
        later = kept.drills.save(first.answer("甲", now=NOON))

        with pytest.raises(SessionConflictError, match="别处"):
            kept.drills.save(first.answer("乙", now=NOON))

        assert kept.drills.load("d") == later

    def test_a_drill_and_the_card_it_moves_are_stored_together_or_not_at_all(
        self, kept: Kept
    ) -> None:
        kept.drills.save_cards([card()])
        drill = kept.drills.save(asked())
        stale = kept.drills.card(card().id)
        kept.drills.save_cards([stale.model_copy(update={"suspended": True})])

        with pytest.raises(SessionConflictError):
            kept.drills.save(drill.answer("甲", now=NOON), stale)
        assert kept.drills.load("d") == drill

        fresh = kept.drills.card(card().id)
        after = fresh.model_copy(update={"standing": moved().after})
        saved = kept.drills.save(drill.answer("甲", now=NOON), after)

        assert kept.drills.load("d") == saved
        assert kept.drills.card(card().id).standing == moved().after

    def test_the_latest_drill_that_is_not_finished_is_the_open_one(self, kept: Kept) -> None:
        assert kept.drills.open_drill() is None
        first = kept.drills.save(asked("a"))
        second = kept.drills.save(
            asked("b").model_copy(update={"begun_at": NOON + timedelta(minutes=1)})
        )
        assert kept.drills.open_drill() == second

        kept.drills.save(second.finish(NOON))

        assert kept.drills.open_drill() == first

    def test_an_unknown_drill_is_said(self, kept: Kept) -> None:
        with pytest.raises(NotFoundError):
            kept.drills.load("nothing")


class TestCollecting:
    def test_sessions_are_collected_once_and_again_after_a_change(self, kept: Kept) -> None:
        kept.sessions.save(interview("a"))
        newer = kept.sessions.save(interview("b", minutes=1))
        assert kept.drills.uncollected(9) == ("b", "a")
        assert kept.drills.uncollected(1) == ("b",)

        kept.drills.collected(newer, [card()])
        assert kept.drills.uncollected(9) == ("a",)
        assert [one.id for one in kept.drills.cards()] == [card().id]

        kept.sessions.save(newer.finish(NOON))
        assert kept.drills.uncollected(9) == ("b", "a")

    def test_a_conflict_leaves_the_session_uncollected(self, kept: Kept) -> None:
        kept.drills.save_cards([card()])
        session = kept.sessions.save(interview())

        with pytest.raises(SessionConflictError):
            kept.drills.collected(session, [card()])

        assert kept.drills.uncollected(9) == ("s",)


@pytest.fixture(params=["file", "database"], ids=["sqlite", "postgresql"])
def reopened(request: pytest.FixtureRequest, opener: Opener) -> Callable[..., SqlStore]:
    place = request.getfixturevalue(request.param)
    return lambda owner="local": opener(place, owner)


def test_each_owner_has_a_deck_and_drills_of_their_own(
    reopened: Callable[..., SqlStore],
) -> None:
    mine, theirs = reopened("me"), reopened("you")
    mine.drills.save_cards([card()])
    mine.drills.save(asked())
    mine.save(interview())

    assert theirs.drills.cards() == ()
    assert theirs.drills.open_drill() is None
    assert theirs.drills.uncollected(9) == ()
    with pytest.raises(NotFoundError):
        theirs.drills.load("d")
    theirs.drills.save_cards([card()])
    assert len(mine.drills.cards()) == 1


def test_deleting_an_interview_keeps_its_cards(reopened: Callable[..., SqlStore]) -> None:
    store = reopened()
    session = store.save(interview())
    store.drills.collected(session, [card()])

    store.delete("s")

    assert len(store.drills.cards()) == 1


def test_of_two_tabs_that_review_a_card_at_once_only_one_does(
    reopened: Callable[..., SqlStore],
) -> None:
    store = reopened()
    store.drills.save_cards([card()])
    read: Card = store.drills.card(card().id)
    drills = [store.drills.save(asked(name)) for name in "abcd"]

    def review(drill: Drill) -> bool:
        after = read.model_copy(update={"standing": moved().after})
        try:
            store.drills.save(drill.answer("甲", now=NOON), after)
        except SessionConflictError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(review, drills))

    assert done.count(True) == 1
    assert store.drills.card(card().id).revision == 2
