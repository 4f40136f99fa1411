"""An earlier answer is looked up, with the bank as its grade knew it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import pytest

from bot.domain.bank import Bank
from bot.domain.session import AgainOf, Session, SessionPlan, begin
from bot.errors import NotFoundError
from bot.services.comparing import Comparisons
from tests import fakes
from tests.fakes import NOON, MemoryStore

QUESTION = fakes.question()
BANK = fakes.bank(QUESTION).model_copy(update={"version": 2})
FORMER = fakes.bank(fakes.question(points=QUESTION.key_points[:2]))


class Earlier:
    """Knows one earlier answer to Q01, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...], datetime]] = []

    def before(
        self, bank_id: str, question_ids: Collection[str], moment: datetime
    ) -> dict[str, AgainOf]:
        self.asked.append((bank_id, tuple(question_ids), moment))
        known = {"Q01": AgainOf(session_id="before", turn_id="before-1")}
        return {name: where for name, where in known.items() if name in question_ids}


class Desk:
    """Comparisons with everything around them in reach."""

    def __init__(self, former: Bank | None = FORMER) -> None:
        self.store = MemoryStore()
        self.earlier = Earlier()
        self.wanted: list[tuple[str, int]] = []

        def former_bank(bank_id: str, version: int) -> Bank | None:
            self.wanted.append((bank_id, version))
            return former

        self.comparisons = Comparisons(
            bank=BANK,
            rubrics=fakes.rubrics(),
            store=self.store,
            earlier=self.earlier,
            former_bank=former_bank,
        )

    def keep(self, session_id: str, bank_name: str) -> Session:
        """Store a session with one answer that was graded by that version of the bank."""
        session = begin(session_id, SessionPlan(bank_id="demo", question_ids=("Q01",)), NOON)
        session = session.ask(question_id="Q01", says="说", now=NOON).answer("并行", now=NOON)
        graded = fakes.graded(QUESTION, source=fakes.provenance(bank=bank_name))
        return self.store.save(session.record(f"{session_id}-1", graded))


WHERE = AgainOf(session_id="before", turn_id="before-1")


def test_two_answers_of_one_version_are_compared_without_a_former_bank():
    desk = Desk()
    desk.keep("before", "demo@2")
    later = desk.keep("after", "demo@2").turns[0]

    found = desk.comparisons.with_earlier(later, WHERE)

    assert (found.earlier.id, found.later.id) == ("before-1", "after-1")
    assert len(found.points) == 3
    assert found.points_note is None
    assert desk.wanted == []


def test_a_former_version_tells_which_key_points_are_the_same_and_is_read_once():
    desk = Desk()
    desk.keep("before", "demo@1")
    later = desk.keep("after", "demo@2").turns[0]

    for _ in range(2):
        found = desk.comparisons.with_earlier(later, WHERE)

    assert [one.id for one in found.points] == ["Q01.a", "Q01.b"]
    assert desk.wanted == [("demo", 1)]


@pytest.mark.parametrize("former", [None, fakes.bank(fakes.question("Q09"))])
def test_a_version_or_question_that_nobody_kept_leaves_key_points_out(former: Bank | None):
    desk = Desk(former)
    desk.keep("before", "demo@1")
    later = desk.keep("after", "demo@2").turns[0]

    found = desk.comparisons.with_earlier(later, WHERE)

    assert found.points == ()
    assert found.points_note is not None
    assert len(found.slots) == 3


def test_an_answer_that_was_deleted_is_named():
    desk = Desk()
    later = desk.keep("after", "demo@2").turns[0]

    with pytest.raises(NotFoundError, match="'before'"):
        desk.comparisons.with_earlier(later, WHERE)

    desk.keep("before", "demo@2")
    with pytest.raises(NotFoundError, match="'before-7'"):
        desk.comparisons.with_earlier(later, AgainOf(session_id="before", turn_id="before-7"))


def test_earlier_answers_are_looked_up_for_all_questions_of_a_session_at_once():
    desk = Desk()
    session = desk.keep("after", "demo@2")

    assert desk.comparisons.previous(session) == {"Q01": WHERE}
    assert desk.earlier.asked == [("demo", ("Q01",), NOON)]
    assert desk.comparisons.latest("Q01", NOON) == WHERE
    assert desk.comparisons.latest("Q02", NOON) is None


def test_a_session_without_a_question_asks_nobody():
    desk = Desk()

    plan = SessionPlan(bank_id="demo", question_ids=("Q01",))

    assert desk.comparisons.previous(begin("s", plan, NOON)) == {}
    assert desk.earlier.asked == []
