"""Several people on one server: the way in, what each of them sees, and what administrators see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.owner import owner_of
from bot.errors import SignInError
from bot.ui import state
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

ROOT = Path(__file__).parents[2]
ISSUER = "https://id.example"
AUTH = {
    "redirect_uri": "http://localhost:8501/oauth2callback",
    "cookie_secret": "x" * 40,
    "client_id": "mockbot",
    "client_secret": "s",
    "server_metadata_url": f"{ISSUER}/.well-known/openid-configuration",
}

Visit = Callable[..., AppTest]


@pytest.fixture
def shared(product: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """A server that several people share."""
    monkeypatch.setenv("BOT_SHARED", "true")
    monkeypatch.setenv("BOT_ADMINS", "boss@example.com")
    monkeypatch.setattr(Services, "build_index", lambda _: None)
    st.cache_resource.clear()
    base = state.process_services()
    yield base
    base.store.close()
    st.cache_resource.clear()


@pytest.fixture
def visit(shared: Services) -> Visit:
    """Open a page as somebody; as nobody without a name."""

    def opens(page: str = "interview", who: str | None = None, **query: str) -> AppTest:
        at = AppTest.from_file(ROOT / "app.py", default_timeout=30)
        at.secrets["auth"] = AUTH
        at.user = {"is_logged_in": False} if who is None else claims(who)
        for name, value in query.items():
            at.query_params[name] = value
        if page != "interview":
            at.switch_page(f"bot/ui/pages/{page}.py")
        return at.run()

    return opens


def claims(name: str) -> dict[str, object]:
    return {
        "is_logged_in": True,
        "iss": ISSUER,
        "sub": name,
        "email": f"{name}@example.com",
        "email_verified": True,
    }


def labels(at: AppTest) -> set[str]:
    return {one.label for one in at.button}


def answered_by(shared: Services, name: str) -> str:
    theirs = shared.for_owner(owner_of(ISSUER, name))
    session = theirs.interviews.begin_with(("S01",), follow_ups=0)
    return theirs.interviews.answer(session, "只有安娜知道的回答。").id


@pytest.mark.parametrize("page", ["interview", "sessions", "report", "bank", "admin"])
def test_nobody_sees_anything_but_the_way_in(visit: Visit, shared: Services, page: str) -> None:
    session_id = answered_by(shared, "anna")

    at = visit(page, session=session_id) if page != "admin" else visit()

    assert not at.exception
    assert "登录" in labels(at)
    assert "开始面试" not in labels(at)
    assert "只有安娜知道" not in shown(at)
    assert "请先登录" in shown(at)


def test_without_a_provider_the_page_stays_closed_and_says_why(visit: Visit) -> None:
    at = AppTest.from_file(ROOT / "app.py", default_timeout=30)
    at.user = {}

    at.run()

    assert "没有设置登录" in at.error[0].value
    assert "登录" not in labels(at)
    assert "开始面试" not in labels(at)


def test_each_sees_their_own_sessions_and_another_address_finds_nothing(
    visit: Visit, shared: Services
) -> None:
    session_id = answered_by(shared, "anna")

    hers = visit("sessions", "anna")
    his = visit("sessions", "bert")
    tried = visit("report", "bert", session=session_id)
    again = visit("interview", "bert", session=session_id)

    assert session_id in shown(hers)
    assert session_id not in shown(his)
    assert "还没有面试记录" in shown(his)
    for at in (tried, again):
        assert not at.exception
        assert "只有安娜知道" not in shown(at)
        assert any("没有找到这场面试" in one.value for one in at.warning)


def test_who_is_signed_in_is_shown_with_the_way_out(visit: Visit) -> None:
    at = visit(who="anna")

    assert "退出" in labels(at)
    assert "anna@example.com" in [one.value for one in at.text]


def test_several_providers_have_a_button_each(shared: Services) -> None:
    at = AppTest.from_file(ROOT / "app.py", default_timeout=30)
    at.secrets["auth"] = {"redirect_uri": "x", "cookie_secret": "y", "okta": {}, "google": {}}
    at.user = {"is_logged_in": False}

    at.run()

    assert {"用 okta 登录", "用 google 登录"} <= labels(at)


def test_an_administrator_sees_usage_and_no_answers(visit: Visit, shared: Services) -> None:
    answered_by(shared, "anna")
    visit(who="anna")

    at = visit("admin", "boss")

    assert not at.exception
    rows = at.dataframe[0].value
    anna = rows[rows["用户"] == "anna@example.com"].iloc[0]
    assert (anna["面试"], anna["作答"]) == (1, 1)
    assert "只有安娜知道" not in shown(at) + rows.to_string()


def test_others_do_not_see_usage(visit: Visit, shared: Services) -> None:
    at = visit("admin", "anna")

    assert at.exception or not at.dataframe


def test_a_page_that_is_reached_without_signing_in_gets_no_services(shared: Services) -> None:
    with pytest.raises(SignInError):
        state.shared_services()


def test_alone_on_this_machine_nobody_signs_in(open_page: Callable[..., AppTest]) -> None:
    at = open_page()

    assert "开始面试" in labels(at)
    assert not {"登录", "退出"} & labels(at)
