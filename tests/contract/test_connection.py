"""A try of models and voice against a real server: each step says what works, and nothing is raised."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import NamedTuple

import pytest
from pydantic import SecretStr

from bot.bootstrap import Services
from bot.bootstrap.choices import Keys, choices_of, lacks_key, model_settings
from bot.bootstrap.connection import Step, try_out
from bot.bootstrap.typed_models import ModelSettings
from bot.domain.preferences import Preferences
from bot.domain.speech import Heard
from bot.errors import SpeechError
from bot.settings import Settings
from tests.contract.audio_server import audio_server
from tests.contract.quirk_server import QuirkServer

pytestmark = pytest.mark.contract

KEY = SecretStr("sk-canary")


@pytest.fixture(scope="module")
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()
    gc.collect()  # an open connection would warn


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    found = Services(Settings(_env_file=None, data_dir=tmp_path))
    yield found
    found.store.close()


class Waiting(NamedTuple):
    """Hears nothing until it is told to."""

    done: Event

    def transcribe(self, audio: bytes, *, prompt: str) -> Heard:
        self.done.wait(20)
        raise SpeechError("too late")


def tried(services: Services, address: str, model: str, longest: float = 20.0) -> dict[str, Step]:
    typed = ModelSettings(model=model, base_url=address, key=KEY)
    steps = try_out(services.with_models(typed), longest=longest)
    return {step.title: step for step in steps}


def test_an_endpoint_that_works_is_told_with_its_method_and_its_speed(
    services: Services, server: QuirkServer
) -> None:
    found = tried(services, server.url, "obliging")

    assert [step.works for step in found.values()] == [True, True, True, None, None]
    assert "（json_schema）" in found["结构化输出"].says
    assert "秒" in found["速度"].says
    assert "还没有考" in found["评分考核"].says


@pytest.mark.parametrize(
    ("model", "sentence"),
    [("401", "不接受这个密钥"), ("404", "没有这个模型"), ("402", "余额"), ("echo-401", "密钥")],
)
def test_a_step_that_fails_is_a_sentence_in_the_words_of_the_page(
    services: Services, server: QuirkServer, model: str, sentence: str
) -> None:
    found = tried(services, server.url, model)

    assert found["对话"].works is False
    assert sentence in found["对话"].says
    assert found["结构化输出"].works is None
    assert not any("OPENAI" in step.says or "canary" in step.says for step in found.values())


def test_without_a_network_it_says_so(services: Services) -> None:
    found = tried(services, "http://127.0.0.1:9/v1", "x")

    assert found["对话"].works is False
    assert "连不上" in found["对话"].says


def test_a_step_that_takes_too_long_is_given_up(services: Services) -> None:
    done = Event()
    chosen = Preferences(stt_model="whisper-1", stt_base_url="http://127.0.0.1:9/v1")
    waiting = services.with_choices(choices_of(chosen, Keys(speech=KEY), ()))
    waiting.voice.__dict__["transcriber"] = Waiting(done)

    steps = {step.title: step for step in try_out(waiting, longest=0.05)}
    done.set()

    assert steps["语音"].works is False
    assert "0.05 秒内没有完成" in steps["语音"].says


def test_voice_is_tried_with_a_tone(services: Services) -> None:
    with audio_server() as heard:
        chosen = Preferences(stt_model="whisper-1", stt_base_url=heard.url)
        choices = choices_of(chosen, Keys(speech=KEY), ())
        steps = {step.title: step for step in try_out(services.with_choices(choices))}
        asked = list(heard.asked)

    assert steps["对话"].works is None
    assert steps["语音"].works is True
    assert asked[0].clip.startswith(b"RIFF")


def test_the_key_of_the_environment_goes_to_no_other_address(tmp_path: Path) -> None:
    environment = Settings(
        _env_file=None,
        data_dir=tmp_path,
        model="m",
        openai_base_url="https://a.example/v1",
        openai_api_key="sk-env",
        stt_model="s",
    )
    base = Services(environment)
    chosen = Preferences(
        preset="other", base_url="https://b.example/v1", model="n", stt_model="w", stt_base_url=""
    )
    typed = model_settings(chosen, Keys())
    assert typed is not None

    mine = base.with_models(typed).with_choices(choices_of(chosen, Keys(), ()))

    assert mine.models.settings.openai_api_key is None
    assert mine.voice.settings.stt_base_url == "https://b.example/v1"
    assert mine.voice.settings.stt_api_key is None
    assert mine.voice.settings.openai_api_key is None


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Preferences(), False),
        (Preferences(preset="deepseek", model="deepseek-chat"), True),
        (Preferences(preset="ollama", model="qwen2.5:7b"), False),
        (Preferences(preset="local", model="/a.gguf"), False),
        (Preferences(preset="other", base_url="https://api.moonshot.cn/v1", model="m"), True),
    ],
)
def test_providers_on_the_internet_want_a_key(chosen: Preferences, *, expected: bool) -> None:
    assert lacks_key(chosen, Keys()) is expected
    assert lacks_key(chosen, Keys(chat=KEY)) is False
