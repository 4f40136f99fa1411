"""What a server tells of itself: lines of JSON and figures, without a word of anybody's."""

from __future__ import annotations

import json
import logging
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.adapters.json_log import JsonLines
from bot.bootstrap import Services
from bot.domain.session import Session
from bot.settings import read_settings

pytestmark = pytest.mark.contract

SECRET = "只有我知道的回答：历史的键值不必重算，直接从显存读取。"
KEY = "sk-never-in-a-log"


@pytest.fixture
def services(product: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("BOT_METRICS_PORT", str(probe.getsockname()[1]))
    monkeypatch.setenv("BOT_LOG_LEVEL", "INFO")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    found = Services(read_settings())
    yield found
    found.store.close()
    logging.getLogger("bot").setLevel(logging.NOTSET)


def answered(services: Services) -> Session:
    session = services.interviews.begin_with(("S01",), follow_ups=0)
    session = services.interviews.answer(session, SECRET)
    return services.interviews.grade_waiting(session)


def test_an_answer_is_a_line_with_ids_and_numbers_and_no_words(
    services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    services.commons.telemetry.begin()

    session = answered(services)

    told = capsys.readouterr().err
    lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    (line,) = [one for one in lines if one["logger"] == "bot.grading"]
    assert line["session"] == session.id
    assert line["question"] == "S01"
    assert (line["judge"], line["status"], line["tokens"]) == ("offline", "graded", 0)
    assert line["seconds"] >= 0
    assert SECRET not in told
    assert "键值" not in told
    assert KEY not in told


def test_figures_are_served_and_name_nobody(services: Services) -> None:
    services.commons.telemetry.begin()
    session = answered(services)

    port = services.settings.metrics_port
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as reply:
        shown = reply.read().decode()

    assert 'mockbot_answers_total{judge="offline",status="graded"} 1.0' in shown
    assert 'mockbot_grading_seconds_count{judge="offline"} 1.0' in shown
    assert "mockbot_open_sessions 1.0" in shown
    assert session.id not in shown
    assert "键值" not in shown


def test_a_port_that_is_taken_is_said_and_the_page_goes_on(
    services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", services.settings.metrics_port or 0))
        taken.listen()
        services.commons.telemetry.begin()

    assert "BOT_METRICS_PORT" in caplog.text
    assert answered(services).turns[0].grade is not None


def test_a_record_is_one_line_whatever_is_in_it() -> None:
    record = logging.LogRecord("bot.x", logging.WARNING, "f", 1, "两行\n%s", ("三",), None)

    line = JsonLines().format(record)

    assert "\n" not in line
    assert json.loads(line)["message"] == "两行\n三"
