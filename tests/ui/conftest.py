"""The pages in a simulated browser, and the services behind them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import FeedbackMode, Session
from bot.ui import state

ROOT = Path(__file__).parents[2]

Open = Callable[..., AppTest]


@pytest.fixture
def services(product: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """The services that the pages use; the index is not built unless a test asks for it."""
    st.cache_resource.clear()
    st.cache_data.clear()
    monkeypatch.setattr(Services, "build_index", lambda _: None)
    shared = state.services()
    yield shared
    if "store" in shared.__dict__:
        shared.store.close()
    st.cache_resource.clear()


@pytest.fixture
def open_page(services: Services) -> Open:
    """Open a page by the name of its file, with the session or other things the address names."""

    def open_it(name: str = "interview", *, session: str | None = None, **query: str) -> AppTest:
        at = AppTest.from_file(ROOT / "app.py", default_timeout=30)
        if session is not None:
            at.query_params["session"] = session
        for key, value in query.items():
            at.query_params[key] = value
        if name != "interview":
            at.switch_page(f"bot/ui/pages/{name}.py")
        return at.run()

    return open_it


@pytest.fixture
def begin(services: Services) -> Callable[..., Session]:
    """Begin a session without the page."""

    def begin_it(
        *question_ids: str,
        follow_ups: int = 0,
        mode: FeedbackMode = FeedbackMode.AFTER_EACH,
    ) -> Session:
        return services.interviews.begin_with(
            question_ids or ("S01",), follow_ups=follow_ups, mode=mode
        )

    return begin_it


@pytest.fixture
def left(services: Services, begin: Callable[..., Session]) -> Callable[..., Session]:
    """Return a session whose first question has been open for ten minutes."""

    def leave(*question_ids: str) -> Session:
        session = begin(*question_ids)
        return services.store.save(session.resumed(session.begun_at - timedelta(minutes=10)))

    return leave


@pytest.fixture
def answered(services: Services, begin: Callable[..., Session]) -> Callable[..., Session]:
    """Return a session whose questions were answered with these texts, and which then ended."""

    def answer_all(**texts: str) -> Session:
        session = begin(*texts)
        for text in texts.values():
            session = services.interviews.answer(session, text)
            session = services.interviews.go_on(services.interviews.grade_waiting(session))
        return session

    return answer_all
