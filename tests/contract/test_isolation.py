"""What one owner stored is nothing to another, through whichever store or service they try."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path

import pytest

from bot.bootstrap import Services
from bot.domain.dispute import DisputeAbout
from bot.domain.drill import Goal
from bot.domain.session import Session
from bot.domain.usage import Usage
from bot.errors import BotError, NotFoundError
from bot.services.reporting.files import ReportForm
from bot.settings import read_settings
from tests.unit.test_plan import study_plan

pytestmark = pytest.mark.contract

TEXT = "问：什么是分页？\n答：把显存切成固定大小的块，因此碎片少；代价是多一次查表。\n"
MINE = "只有安娜知道的回答：历史的键值不必重算，直接从显存读取，代价是占用显存。"


class SameText:
    """Finds texts alike that are the same; the real embedding takes seconds."""

    def pairs(self, texts: object, others: object, at_least: float, progress: object) -> tuple[()]:
        return ()


@pytest.fixture(params=[pytest.param(None, id="sqlite"), pytest.param("database", id="postgresql")])
def base(
    product: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    if request.param is not None:
        monkeypatch.setenv("BOT_DATABASE_URL", request.getfixturevalue(request.param))
    monkeypatch.setenv("BOT_KEEP_AUDIO", "true")
    services = Services(read_settings())
    yield services
    services.store.close()


@pytest.fixture
def anna(base: Services) -> Services:
    """An owner who has something of everything."""
    found = base.for_owner("anna")
    found.imports._likeness = SameText()  # type: ignore[assignment]
    found.imports.accept(found.imports.preview("a.txt", TEXT.encode()), "private")
    there = found.for_bank("private")
    session = answered(there, there.bank.questions[0].id)
    found.voice.keep(b"RIFF....", session.turns[0].id)
    answered(found, "S01")
    found.disputes.about_grade(session.id, session.turns[0].id, DisputeAbout.GRADE, "我不同意")
    found.drills.deck.add_follow_ups("small")
    found.drills.begin(Goal(cards=1), UTC)
    found.store.plans.save(study_plan("S01"))
    found.store.ledger.spend("2026-11", "m", Usage(prompt=5, reply=7))
    found.store.owners.seen("anna@example.com", found.clock.now())
    return found


def answered(services: Services, question_id: str) -> Session:
    session = services.interviews.begin_with((question_id,), follow_ups=0)
    session = services.interviews.answer(session, MINE)
    return services.interviews.go_on(services.interviews.grade_waiting(session))


def contents(packed: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed)) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_another_owner_finds_refuses_and_changes_nothing(base: Services, anna: Services) -> None:
    bert = base.for_owner("bert")
    session_id = anna.store.summaries()[0].id
    session = anna.store.load(session_id)
    dispute = anna.store.disputes.latest()[0]
    drill = anna.store.drills.open_drill()
    cards = anna.store.drills.cards()
    before = contents(anna.export_mine())
    assert drill is not None
    assert cards
    tries: tuple[Callable[[], object], ...] = (
        lambda: bert.store.load(session_id),
        lambda: bert.store.delete(session_id),
        lambda: bert.store.save(session),
        lambda: bert.store.save(session.model_copy(update={"revision": 0})),
        lambda: bert.interviews.answer(session, "x"),
        lambda: bert.store.disputes.load(dispute.id),
        lambda: bert.store.disputes.save(dispute),
        lambda: bert.disputes.about_grade(session_id, session.turns[0].id, DisputeAbout.GRADE, "x"),
        lambda: bert.disputes.regrade(dispute.id),
        lambda: bert.store.drills.load(drill.id),
        lambda: bert.store.drills.save(drill),
        lambda: bert.store.drills.card(cards[0].id),
        lambda: bert.store.drills.save_cards([cards[0]]),
        lambda: bert.store.drills.collected(session, []),
        lambda: bert.for_bank("private"),
        lambda: bert.banks.load("private"),
        lambda: bert.imports.undo("private"),
        lambda: bert.editing.undo("private"),
    )

    for attempt in tries:
        with pytest.raises(BotError):
            attempt()

    assert bert.store.summaries() == ()
    assert bert.store.disputes.latest() == ()
    assert bert.store.disputes.of_turn(session_id, session.turns[0].id) == ()
    assert bert.store.drills.cards() == ()
    assert bert.store.drills.open_drill() is None
    assert bert.store.drills.uncollected(10) == ()
    assert bert.store.attempts.all() == ()
    assert bert.store.plans.all() == ()
    assert bert.store.records.of_bank("small") == {}
    assert bert.store.records.answers("small", ["S01"]) == ()
    assert bert.store.earlier.before("small", ["S01"], bert.clock.now()) == {}
    assert bert.store.ledger.spent("2026-11") == {}
    assert bert.banks.names() == ("small",)
    assert "只有安娜知道" not in "".join(map(str, contents(bert.export_mine()).values()))
    assert contents(anna.export_mine()) == before


def test_a_report_of_another_is_imported_beside_it_and_not_over_it(
    base: Services, anna: Services
) -> None:
    session = anna.store.load(anna.store.summaries()[0].id)
    report = anna.report_files.write(session, ReportForm.JSON, UTC)
    bert, carl = base.for_owner("bert"), base.for_owner("carl")

    taken = [one.report_files.take(report) for one in (bert, carl, bert)]

    assert [one.done for one in taken] == ["renamed", "renamed", "known"]
    assert len({session.id, *(one.session.id for one in taken)}) == 3
    assert anna.store.load(session.id) == session


def test_the_same_names_can_be_used_by_two_and_stay_apart(base: Services, anna: Services) -> None:
    bert = base.for_owner("bert")
    bert.imports._likeness = SameText()  # type: ignore[assignment]
    other = TEXT.replace("分页", "抢占")
    bert.imports.accept(bert.imports.preview("b.txt", other.encode()), "private")

    there, here = anna.for_bank("private"), bert.for_bank("private")

    assert [one.stem for one in there.bank.questions] == ["什么是分页？"]
    assert [one.stem for one in here.bank.questions] == ["什么是抢占？"]
    assert there.parts.space != here.parts.space
    assert there.retrieval is not here.retrieval


def test_what_is_costly_is_made_once_for_everybody(base: Services) -> None:
    anna, bert = base.for_owner("anna"), base.for_owner("bert")

    assert anna.offline_judge is bert.offline_judge is base.offline_judge
    assert anna.for_bank("small").retrieval is bert.retrieval
    assert anna.index_state is bert.index_state
    assert anna.rubrics == bert.rubrics
    assert anna.store._engine is bert.store._engine


def test_the_export_has_everything_and_nothing_of_others(base: Services, anna: Services) -> None:
    answered(base.for_owner("bert"), "S01")

    found = contents(anna.export_mine())

    turns = json.loads(found["data/turns.json"])
    assert [one["answer"]["text"] for one in turns] == [MINE, MINE]
    assert {one["owner"] for one in json.loads(found["data/sessions.json"])} == {"anna"}
    assert "什么是分页" in found["banks/private/0001.yaml"].decode()
    assert [name for name in found if name.startswith("audio/")]
    assert json.loads(found["data/disputes.json"])[0]["dispute"]["note"] == "我不同意"


def test_deleting_leaves_numbers_of_usage_and_nothing_else(
    base: Services, anna: Services, product: Path
) -> None:
    bert = answered(base.for_owner("bert"), "S01")

    anna.delete_mine()

    left = {name: rows for name, rows in anna.store.own_data.tables() if rows}
    assert set(left) <= {"usage", "allowances"}
    assert anna.banks.names() == ("small",)
    assert not list((product / "audio").rglob("*.*"))
    assert base.for_owner("bert").store.load(bert.id) == bert
    with pytest.raises(NotFoundError):
        anna.for_bank("private")
    assert contents(anna.export_mine())["data/turns.json"] == b"[]"


def test_an_administrator_sees_figures_and_no_answers(base: Services, anna: Services) -> None:
    bert = base.for_owner("bert")
    answered(bert, "S01")
    bert.store.ledger.spend("2026-11", "m", Usage(prompt=1, reply=1))

    figures = {one.owner: one for one in base.store.owners.figures("2026-11")}

    assert (figures["anna"].sessions, figures["anna"].answers, figures["anna"].tokens) == (2, 2, 12)
    assert figures["anna"].label == "anna@example.com"
    assert (figures["bert"].sessions, figures["bert"].answers, figures["bert"].tokens) == (1, 1, 2)
    assert figures["bert"].label is None
    assert MINE not in str(figures)
    assert base.store.ledger.total("2026-11") == 14


def test_the_hours_allowance_is_counted_for_each_owner(
    base: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = base.settings.model_copy(update={"shared": True, "answers_per_hour": 2})
    shared = Services(settings)
    anna, bert = shared.for_owner("anna"), shared.for_owner("bert")

    outcomes = [answered(anna, "S01").turns[0].outcome for _ in range(3)]

    assert [one.status if one else None for one in outcomes] == ["graded", "graded", "ungraded"]
    assert "每人每小时最多 2 次" in str(outcomes[2])
    assert answered(bert, "S01").turns[0].outcome.status == "graded"  # type: ignore[union-attr]
    again = Services(settings).for_owner("anna")  # another process knows it too
    assert again.take() is not None
    again.store.close()
    shared.store.close()
