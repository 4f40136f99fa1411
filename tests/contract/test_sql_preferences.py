"""What a user chose and the rubrics they wrote, on both databases; nobody sees those of others."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import inspect

from bot.adapters.sql_store import SqlStore
from bot.adapters.sql_tables import PREFERENCES
from bot.adapters.yaml_rubrics import RubricTexts
from bot.domain.preferences import Preferences
from bot.domain.rubric import OwnRubric
from bot.domain.session import Persona
from bot.errors import NotFoundError, RubricError
from tests.contract.conftest import Opener
from tests.fakes import NOON

pytestmark = pytest.mark.contract

CHOSEN = Preferences(
    preset="deepseek",
    base_url="https://api.deepseek.com/v1",
    model="deepseek-chat",
    judge_samples=3,
    questions=5,
    persona=Persona.PRESSING,
    rubrics={"follow-up": "mine"},
)
SHIPPED = Path(__file__).parents[2] / "rubrics" / "follow-up.yaml"


def own(version: int = 1, name: str = "mine") -> OwnRubric:
    texts = RubricTexts()
    text = texts.copy_of(SHIPPED.read_text(encoding="utf-8"), name, "follow-up")
    text = texts.with_version(text, version)
    return OwnRubric(texts.read(text), text)


@pytest.fixture
def store(reopen: Opener) -> SqlStore:
    return reopen()


def put(store: SqlStore, name: str, value: object) -> None:
    with store._engine.begin() as connection:
        row = {"owner": "local", "name": name, "value": value}
        connection.execute(PREFERENCES.insert().values(row))


def test_preferences_are_the_same_after_opening_again(store: SqlStore, reopen: Opener) -> None:
    assert store.preferences.load().chosen == Preferences()

    store.preferences.save(CHOSEN)
    store.preferences.save(CHOSEN.model_copy(update={"judge_samples": None}))

    expected = CHOSEN.model_copy(update={"judge_samples": None})
    assert reopen().preferences.load() == (expected, ())


def test_what_a_newer_version_stored_is_passed_over_and_kept(store: SqlStore) -> None:
    put(store, "of_tomorrow", {"a": 1})

    store.preferences.save(CHOSEN)

    assert store.preferences.load() == (CHOSEN, ())
    with store._engine.connect() as connection:
        assert "of_tomorrow" in connection.execute(PREFERENCES.select()).scalars().all() or any(
            row.name == "of_tomorrow" for row in connection.execute(PREFERENCES.select())
        )


def test_a_value_that_does_not_fit_becomes_the_default_and_is_told(store: SqlStore) -> None:
    put(store, "questions", 1000)
    put(store, "model", "x")

    chosen, faults = store.preferences.load()

    assert (chosen.questions, chosen.model) == (3, "x")
    assert len(faults) == 1
    assert "questions" in faults[0]


def test_every_version_of_a_rubric_stays_and_the_latest_counts(store: SqlStore) -> None:
    for version in (1, 2):
        store.rubrics.add(own(version), NOON)
    store.rubrics.add(own(name="other"), NOON)

    assert store.rubrics.latest() == (own(2), own(name="other"))
    with pytest.raises(RubricError, match="刚在别处保存过"):
        store.rubrics.add(own(2), NOON)

    store.rubrics.delete("mine")

    assert store.rubrics.latest() == (own(name="other"),)
    with pytest.raises(NotFoundError):
        store.rubrics.delete("mine")


def test_each_owner_sees_their_own_alone(store: SqlStore, reopen: Opener) -> None:
    store.preferences.save(CHOSEN)
    store.rubrics.add(own(), NOON)
    other = reopen("somebody")

    assert other.preferences.load().chosen == Preferences()
    assert other.rubrics.latest() == ()
    with pytest.raises(NotFoundError):
        other.rubrics.delete("mine")
    other.rubrics.add(own(), NOON)
    assert store.rubrics.latest() == (own(),)


def test_no_column_is_there_for_a_key(store: SqlStore) -> None:
    columns = {one["name"] for one in inspect(store._engine).get_columns("preferences")}

    assert columns == {"owner", "name", "value"}
    assert not any("key" in name for name in Preferences.model_fields)
