"""What a candidate sees of a bad day: a sentence, and their words still there."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from streamlit.testing.v1 import AppTest

from bot.adapters import sql_engine
from bot.bootstrap import Services
from bot.domain.passage import Hit, Part, Passage
from bot.domain.session import Session
from bot.errors import ConfigError
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

ANSWER = "KV 让历史不必重算，代价是显存。"


@pytest.fixture
def lock(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Lets another program hold the database, or let it go again."""
    monkeypatch.setattr(sql_engine, "BUSY_SECONDS", 0.05)
    file = services.settings.data_dir / "sessions.db"
    _ = services.store
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        yield lambda: other.execute("ROLLBACK" if other.in_transaction else "BEGIN EXCLUSIVE")


def test_an_answer_that_a_locked_database_does_not_take_is_put_back_into_the_input(
    open_page: Callable[..., AppTest],
    begin: Callable[..., Session],
    services: Services,
    lock: Callable[[], None],
) -> None:
    session = begin("S01", "S02")
    at = open_page(session=session.id)

    lock()
    at.chat_input[0].set_value(ANSWER).run()

    assert [one.value for one in at.warning] == [
        one.value for one in at.warning if "正被另一个程序占用" in one.value
    ]
    assert "已放回输入框" in at.warning[0].value
    assert at.chat_input[0].proto.value == ANSWER
    assert services.store.load(session.id) == session

    lock()
    at.chat_input[0].set_value(ANSWER).run()

    stored = services.store.load(session.id)
    assert [turn.answer.text for turn in stored.turns if turn.answer] == [ANSWER]
    assert stored.turns[0].grade is not None
    assert not at.warning
    assert not at.error


def test_a_key_that_stops_working_leaves_the_answer_ungraded_and_the_interview_goes_on(
    open_page: Callable[..., AppTest],
    begin: Callable[..., Session],
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise ConfigError("密钥不对；请检查 OPENAI_API_KEY。")

    session = begin("S01", "S02")
    at = open_page(session=session.id)
    with monkeypatch.context() as wrong:
        wrong.setattr(services.offline_judge, "judge", refuse)
        at.chat_input[0].set_value(ANSWER).run()

    assert "未评分：密钥不对" in shown(at).replace("\\", "")
    assert "第 2 / 2 题" in shown(at)

    at.button(key=f"regrade-{session.turns[0].id}").click().run()

    assert services.store.load(session.id).turns[0].grade is not None


class TestManyAtOnce:
    def test_an_answer_is_embedded_only_for_those_who_open_the_box_with_related_passages(
        self,
        open_page: Callable[..., AppTest],
        begin: Callable[..., Session],
        services: Services,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        asked: list[str] = []
        near = Passage(
            id="small/S02/reason", bank_id="small", question_id="S02", part=Part.REASON, text="附近"
        )

        def related(question_id: str, text: str) -> tuple[Hit, ...]:
            asked.append(text)
            return (Hit(passage=near, similarity=0.9),)

        monkeypatch.setattr(services.index_state, "_ready", True)
        monkeypatch.setattr(services.retrieval, "reference_of", lambda _question_id: ())
        monkeypatch.setattr(services.retrieval, "related", related)
        session = begin("S01", "S02")
        at = open_page(session=session.id)

        at.chat_input[0].set_value(ANSWER).run()
        assert asked == []

        at.session_state[f"reference-box-{session.turns[0].id}"] = True
        at.run().run()

        assert asked == [ANSWER]
        assert "附近" in shown(at)
