"""The settings page: presets fill the fields, a try says what works, and keys are kept nowhere."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.bootstrap.presets import PRESETS
from bot.domain.preferences import Preferences
from bot.domain.session import Persona, Session
from tests.contract.quirk_server import QuirkServer, Seen
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]
CANARY = "sk-canary-5f2e9a"


@pytest.fixture(scope="module")
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()
    gc.collect()  # an open connection would warn


@pytest.fixture(autouse=True)
def no_exam(product: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no exam begin in the background of these pages."""
    monkeypatch.setenv("BOT_JUDGE_EXAM", "override")


def key_of(seen: Seen) -> str:
    """Return the key that a request came with."""
    return {name.lower(): value for name, value in seen.headers.items()}["authorization"]


def field(at: AppTest, label: str):  # type: ignore[no-untyped-def]
    return next(one for one in at.text_input if one.label.startswith(label))


def press(at: AppTest, key: str) -> AppTest:
    return next(one for one in at.button if one.key == key).click().run()


def typed(at: AppTest, server: QuirkServer, model: str) -> AppTest:
    at.selectbox(key="settings.preset").set_value("other").run()
    field(at, "接口地址").set_value(server.url)
    field(at, "模型名").set_value(model)
    field(at, "密钥").set_value(CANARY)
    return at


@pytest.mark.parametrize("preset", [one for one in PRESETS if one.base_url], ids=lambda p: p.id)
def test_a_preset_fills_in_address_and_model(open_page: OpenPage, preset):  # type: ignore[no-untyped-def]
    at = open_page("settings")

    at.selectbox(key="settings.preset").set_value(preset.id).run()

    assert field(at, "接口地址").value == preset.base_url
    assert field(at, "模型名").value == preset.example
    assert field(at, "密钥").label == f"密钥（{'需要' if preset.needs_key else '通常不需要'}）"
    assert field(at, "密钥").proto.type == field(at, "密钥").proto.PASSWORD
    assert not at.error


def test_a_try_says_step_by_step_what_works(open_page: OpenPage, server: QuirkServer):
    at = typed(open_page("settings"), server, "obliging")

    text = shown(press(at, "settings.test"))

    for step in ("✓ **对话**", "✓ **结构化输出**", "✓ **速度**", "– **语音**"):
        assert step in text
    assert "json\\_schema" in text
    assert not at.error


@pytest.mark.parametrize(
    ("model", "sentence"),
    [("401", "不接受这个密钥"), ("404", "没有这个模型"), ("chatty", "模型接口的格式")],
)
def test_what_does_not_work_is_one_sentence(
    open_page: OpenPage, server: QuirkServer, model: str, sentence: str
):
    at = typed(open_page("settings"), server, model)

    text = shown(press(at, "settings.test"))

    assert "✗ **对话**" in text
    assert sentence in text
    assert "没有测：先解决上一步" in text
    assert "OPENAI" not in text
    assert not at.error


def test_an_endpoint_that_needs_a_key_is_not_asked_without_one(open_page: OpenPage):
    at = open_page("settings")
    at.selectbox(key="settings.preset").set_value("deepseek").run()

    press(at, "settings.test")

    assert [one.value for one in at.error] == ["DeepSeek 需要密钥；请填写密钥后再测试。"]


def test_a_key_is_used_and_is_in_no_row_no_file_no_log_and_no_variable(
    open_page: OpenPage, services: Services, server: QuirkServer, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG, "bot")
    at = typed(open_page("settings"), server, "obliging")

    press(at, "settings.test")
    press(at, "settings.save")

    asked = server.of("obliging")
    assert asked
    assert all(key_of(one) == f"Bearer {CANARY}" for one in asked)
    assert field(at, "密钥").value == ""
    saved = services.store.preferences.load().chosen
    assert (saved.preset, saved.base_url, saved.model) == ("other", server.url, "obliging")
    services.store.close()
    folder = services.settings.data_dir
    files = [one for one in folder.rglob("*") if one.is_file()]
    assert files
    assert not [one for one in files if CANARY.encode() in one.read_bytes()]
    assert CANARY not in caplog.text
    assert CANARY not in str(dict(os.environ))
    assert services.models.settings.openai_api_key is None
    assert CANARY not in shown(at)


def test_a_key_does_not_go_to_another_address(
    open_page: OpenPage, services: Services, server: QuirkServer
):
    at = press(typed(open_page("settings"), server, "obliging"), "settings.save")
    other = QuirkServer()
    try:
        field(at, "接口地址").set_value(other.url)
        press(at, "settings.test")
        asked = other.of("obliging")
    finally:
        other.close()

    assert asked
    assert all(CANARY not in key_of(one) for one in asked)


def test_without_its_key_the_saved_model_waits_and_the_page_says_so(
    open_page: OpenPage, services: Services
):
    services.store.preferences.save(Preferences(preset="deepseek", model="deepseek-chat"))

    at = open_page("interview")

    assert "DeepSeek 的密钥只留在浏览器会话里" in shown(at)
    assert "离线评分" in shown(at)
    assert not at.error


def test_nothing_chosen_leaves_the_environment_as_it_is(
    product: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    server: QuirkServer,
):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("BOT_MODEL", "willing")
    at: AppTest = request.getfixturevalue("open_page")("settings")

    table = at.table[-1].value
    rows = {row.iloc[0]: tuple(row.iloc[1:]) for _, row in table.iterrows()}

    assert rows["模型"] == ("willing", "环境变量")
    assert rows["接口地址"] == (f"`{server.url}`", "环境变量")
    assert rows["评几次"] == ("1", "默认")


def test_what_an_interview_begins_with_is_saved(open_page: OpenPage, services: Services):
    chosen = Preferences(questions=2, persona=Persona.PRESSING, self_score=True)
    services.store.preferences.save(chosen)

    at = open_page()

    assert at.number_input[0].value == 2
    assert at.radio[1].value == Persona.PRESSING
    assert at.checkbox(key="setup.self_score").value is True


def test_an_own_rubric_is_tried_saved_and_grades(
    open_page: OpenPage, services: Services, begin: Callable[..., Session]
):
    at = part(open_page("settings"), "rubrics")
    press(at, "settings.rubric.begin")
    area = at.text_area(key="settings.rubric.text")
    text = area.value

    area.set_value(text.replace("max: 35", "max: 30")).run()
    assert "criteria 的 max 加起来是 95，应当是 100" in at.error[0].value
    own = text.replace("max: 35", "max: 25").replace("max: 15,", "max: 25,")
    at.text_area(key="settings.rubric.text").set_value(own).run()
    changes = at.table[-1].value
    assert next(iter(changes["改前"])).endswith("/ 35")
    assert next(iter(changes["改后"])).endswith("/ 25")
    press(at, "settings.rubric.use")

    assert services.store.preferences.load().chosen.rubrics == {
        "structured-answer": "my-structured-answer"
    }
    session = begin("S01")
    page = open_page(session=session.id)
    page.chat_input[0].set_value("KV 让历史不必重算。因为每步只为新 token 做投影。").run()
    given = services.store.load(session.id).turns[0].grade
    assert given is not None
    assert given.provenance.rubric == "my-structured-answer@1"
    assert not page.error


def part(at: AppTest, name: str) -> AppTest:
    at.session_state["settings.part"] = name
    return at.run()
