"""The endpoint adapter against a real server that plays the quirks of real providers."""

from __future__ import annotations

import gc
import json
import logging
import socket
import stat
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, SecretStr

from bot.adapters.chat_models import open_chat_model
from bot.adapters.endpoint import MOST_REQUESTS, Endpoint
from bot.adapters.endpoint_manner import FileMemory, Manner, Method, ProcessMemory, Quirk, key_of
from bot.domain.confidence import likelihoods
from bot.domain.usage import Usage
from bot.errors import (
    BotError,
    ConfigError,
    JudgeReplyError,
    JudgeUnavailableError,
    QuotaError,
)
from bot.ports import Message
from tests.contract.quirk_server import FILLED, QUIRKS, QuirkServer

pytestmark = pytest.mark.contract

KEY = "sk-canary-key-5Yq"
PROMPT = "canary-prompt：只看候选人的句子"
ANSWER = "canary-answer：显存不够所以要分页"
MESSAGES = (Message(role="system", text=PROMPT), Message(role="user", text=ANSWER))


class Small(BaseModel):
    """A form."""

    note: str = Field(description="先写理由")
    sentences: list[int]
    verdict: Literal["met", "not_met"]


@pytest.fixture(scope="module")
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()
    gc.collect()  # an open connection would warn


@pytest.fixture
def slept() -> list[float]:
    return []


Opener = Callable[..., Endpoint]


@pytest.fixture
def opened(server: QuirkServer, slept: list[float]) -> Iterator[Opener]:
    made: list[Endpoint] = []
    server.seen.clear()

    def open_one(model: str, **options: Any) -> Endpoint:
        given = {"base_url": server.url, "key": SecretStr(KEY), "sleep": slept.append} | options
        endpoint = open_chat_model(model, **given)
        assert isinstance(endpoint, Endpoint)
        made.append(endpoint)
        return endpoint

    yield open_one
    for endpoint in made:
        endpoint.close()


def methods(server: QuirkServer, model: str) -> list[str]:
    return [seen.format for seen in server.of(model)]


def fill(endpoint: Endpoint, *, max_tokens: int = 128) -> dict[str, Any]:
    return endpoint.fill(Small, MESSAGES, max_tokens=max_tokens).value


class TestLadder:
    def test_a_willing_endpoint_fills_the_form_in_one_request(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        filled = opened("willing").fill(Small, MESSAGES, max_tokens=128)

        assert filled.value == FILLED
        assert filled.method == "json_schema"
        assert filled.usage == Usage(prompt=100, cached=64, reply=20)
        (seen,) = server.of("willing")
        assert seen.path == "/v1/chat/completions"
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        assert seen.body["temperature"] == 0
        assert seen.body["max_tokens"] == 128
        assert seen.body["response_format"]["json_schema"]["strict"] is True
        schema = seen.body["response_format"]["json_schema"]["schema"]
        assert list(schema["properties"]) == schema["required"] == ["note", "sentences", "verdict"]
        assert schema["additionalProperties"] is False
        assert "title" not in json.dumps(schema)
        assert "json" in seen.text.lower()

    @pytest.mark.parametrize(
        ("model", "tried"),
        [
            pytest.param("no-schema", ["json_schema", "function_calling"], id="schema refused"),
            pytest.param(
                "deepseek", ["json_schema", "function_calling", "json_mode"], id="tool_choice too"
            ),
            pytest.param(
                "no-jinja", ["json_schema", "function_calling", "json_mode"], id="500 for tools"
            ),
            pytest.param(
                "only-text",
                ["json_schema", "function_calling", "json_mode", "text"],
                id="all refused",
            ),
            pytest.param("tools-cut", ["json_schema", "function_calling"], id="arguments cut"),
            pytest.param(
                "tools-ignored", ["json_schema", "function_calling"], id="words, no tool call"
            ),
            pytest.param(
                "tools-double",
                ["json_schema", "function_calling", "json_mode"],
                id="arguments encoded twice",
            ),
            pytest.param(
                "tools-object",
                ["json_schema", "function_calling", "json_mode"],
                id="arguments as an object",
            ),
        ],
    )
    def test_the_best_method_that_is_taken_is_found_once_and_remembered(
        self, server: QuirkServer, opened: Opener, model: str, tried: list[str]
    ) -> None:
        endpoint = opened(model)
        first = endpoint.fill(Small, MESSAGES, max_tokens=128)
        assert methods(server, model) == tried

        second = endpoint.fill(Small, MESSAGES, max_tokens=128)

        assert methods(server, model) == [*tried, tried[-1]]
        assert first.value == second.value
        assert first.value.items() <= FILLED.items() or first.value["note"] == "x"
        assert first.method == second.method == endpoint.method == tried[-1]

    def test_the_method_survives_the_process_in_a_file_that_tells_no_secrets(
        self, server: QuirkServer, opened: Opener, tmp_path: Path
    ) -> None:
        path = tmp_path / "new" / "endpoint-methods.json"
        fill(opened("deepseek", memory=FileMemory(path)))
        server.seen.clear()

        fill(opened("deepseek", memory=FileMemory(path)))

        assert methods(server, "deepseek") == ["json_mode"]
        text = path.read_text(encoding="utf-8")
        assert not any(secret in text for secret in (KEY, "127.0.0.1", "deepseek", PROMPT))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [file.name for file in path.parent.iterdir()] == [path.name]

    def test_a_damaged_file_of_methods_costs_requests_and_no_more(
        self, server: QuirkServer, opened: Opener, tmp_path: Path
    ) -> None:
        path = tmp_path / "endpoint-methods.json"
        path.write_text('{"x": {"method": "telepathy"}}', encoding="utf-8")

        assert fill(opened("no-schema", memory=FileMemory(path))) == FILLED

        known = FileMemory(path).get(key_of(server.url, "no-schema"))
        assert known == Manner(method=Method.FUNCTION_CALLING)

    def test_the_schema_is_told_where_the_endpoint_does_not_enforce_one(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        fill(opened("only-text"))

        told = server.of("only-text")[-1].body["messages"][0]
        assert told["role"] == "system"
        assert told["content"].startswith(PROMPT)
        assert '"required":["note","sentences","verdict"]' in told["content"]

    def test_the_word_json_is_always_said(self, server: QuirkServer, opened: Opener) -> None:
        assert fill(opened("wants-the-word")) == FILLED
        assert len(server.of("wants-the-word")) == 1

    @pytest.mark.parametrize(
        ("model", "quirk"),
        [
            ("qwen3-32b", Quirk.NO_THINKING_SWITCH),
            ("no-temperature", Quirk.NO_TEMPERATURE),
            ("new-limit", Quirk.OTHER_LIMIT),
            ("not-strict", Quirk.NO_STRICT),
            ("demands-flag", Quirk.THINKING_FLAG),
        ],
    )
    def test_a_parameter_that_is_refused_is_changed_without_leaving_the_method(
        self, server: QuirkServer, opened: Opener, model: str, quirk: Quirk
    ) -> None:
        memory = ProcessMemory()
        endpoint = opened(model, memory=memory)

        assert fill(endpoint) == FILLED
        assert fill(endpoint) == FILLED

        assert methods(server, model) == ["json_schema"] * 3
        manner = Manner(method=Method.JSON_SCHEMA, quirks=frozenset({quirk}))
        assert memory.get(key_of(server.url, model)) == manner

    def test_one_garbled_reply_does_not_change_a_known_method(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        memory = ProcessMemory()
        memory.put(key_of(server.url, "endless"), Manner(method=Method.JSON_SCHEMA))
        endpoint = opened("endless", memory=memory)

        assert fill(endpoint) == FILLED

        assert methods(server, "endless") == ["json_schema", "function_calling"]
        assert endpoint.method == "json_schema"

    @pytest.mark.parametrize("model", ["chatty", "silent", "null"])
    def test_a_model_that_never_writes_json_is_given_up_in_bounded_time(
        self, server: QuirkServer, opened: Opener, model: str
    ) -> None:
        with pytest.raises(JudgeReplyError, match="没有可用的 JSON"):
            fill(opened(model))

        assert len(server.of(model)) == 4 <= MOST_REQUESTS


class TestProbabilities:
    def weighed(self, endpoint: Endpoint) -> tuple[float, ...]:
        filled = endpoint.fill(Small, MESSAGES, max_tokens=128, weighed=True)
        assert filled.value == FILLED
        return likelihoods(filled.tokens, ["met"], ["met", "part"], field="verdict")

    def test_they_are_asked_for_and_come_with_the_form(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        assert self.weighed(opened("weighs")) == (pytest.approx(0.8),)
        (seen,) = server.of("weighs")
        assert (seen.body["logprobs"], seen.body["top_logprobs"]) == (True, 1)

    def test_nobody_is_asked_for_them_who_is_not_to_give_them(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        endpoint = opened("willing")

        fill(endpoint)
        list(endpoint.say(MESSAGES, max_tokens=64))

        assert all("logprobs" not in seen.body for seen in server.of("willing"))

    def test_of_the_arguments_of_a_tool_they_are_not_asked(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        assert self.weighed(opened("weighs-but-no-schema")) == ()
        assert "logprobs" not in server.of("weighs-but-no-schema")[-1].body

    @pytest.mark.parametrize(
        "model", ["no-logprobs", "no-logprobs-403", "no-logprobs-500", "no-logprobs-unsaid"]
    )
    def test_a_refusal_is_remembered_and_costs_neither_the_method_nor_another_request(
        self, server: QuirkServer, opened: Opener, slept: list[float], model: str
    ) -> None:
        memory = ProcessMemory()
        endpoint = opened(model, memory=memory)

        assert self.weighed(endpoint) == ()
        assert self.weighed(endpoint) == ()
        assert self.weighed(opened(model, memory=memory)) == ()

        assert methods(server, model) == ["json_schema"] * 4
        assert slept == []
        known = memory.get(key_of(server.url, model))
        assert known is not None
        assert known.quirks == {Quirk.NO_LOGPROBS}

    def test_an_endpoint_that_ignores_the_wish_is_like_one_that_was_not_asked(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        assert self.weighed(opened("willing")) == ()
        assert len(server.of("willing")) == 1

    def test_what_cannot_be_read_is_left_out_and_the_form_is_kept(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        endpoint = opened("garbled-logprobs")

        assert [self.weighed(endpoint) for _ in range(7)] == [()] * 7
        assert len(server.of("garbled-logprobs")) == 7

    def test_a_wrong_key_is_not_tried_again_without_them(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
            self.weighed(opened("echo-401"))

        assert len(server.of("echo-401")) == 1


class TestReplies:
    @pytest.mark.parametrize(
        "model", ["thinks", "thinks-open", "thinks-without-beginning", "fenced", "prose"]
    )
    def test_the_object_is_found_in_what_stands_around_it(
        self, server: QuirkServer, opened: Opener, model: str
    ) -> None:
        assert fill(opened(model)) == FILLED
        assert len(server.of(model)) == 1

    def test_an_empty_reply_at_the_limit_doubles_the_limit_once(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        filled = opened("starved").fill(Small, MESSAGES, max_tokens=128)

        assert filled.value == FILLED
        assert [seen.body["max_tokens"] for seen in server.of("starved")] == [128, 256]
        assert filled.usage == Usage(prompt=200, cached=128, reply=40)

    def test_a_limit_that_never_suffices_is_doubled_only_once(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        with pytest.raises(JudgeReplyError):
            fill(opened("hungry"))

        assert [seen.body["max_tokens"] for seen in server.of("hungry")] == [128] + [256] * 4

    def test_endless_blanks_lead_to_the_next_method(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        assert fill(opened("endless")) == FILLED
        assert methods(server, "endless") == ["json_schema", "function_calling"]
        assert {seen.body["max_tokens"] for seen in server.of("endless")} == {128}

    def test_what_stands_before_endless_blanks_is_better_than_nothing(self, opened: Opener) -> None:
        assert fill(opened("always-endless")) == {"note": "x"}

    def test_a_truncated_object_keeps_its_complete_fields(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        assert fill(opened("truncated")) == {"note": "显存不够", "sentences": [1, 2]}
        assert len(server.of("truncated")) == 1

    def test_numbers_written_as_strings_are_left_to_the_form(self, opened: Opener) -> None:
        value = fill(opened("strings"))

        assert value["sentences"] == ["1", "2"]
        assert Small.model_validate(value).sentences == [1, 2]

    @pytest.mark.parametrize(
        ("model", "usage"),
        [
            ("no-usage", Usage()),
            ("deepseek-cache", Usage(prompt=100, cached=48, reply=20)),
        ],
    )
    def test_tokens_are_counted_as_the_endpoint_tells_them(
        self, opened: Opener, model: str, usage: Usage
    ) -> None:
        spent: list[Usage] = []

        filled = opened(model, spent=spent.append).fill(Small, MESSAGES, max_tokens=128)

        assert filled.usage == usage
        assert spent == [usage]


class TestErrors:
    @pytest.mark.parametrize(
        ("model", "error", "says"),
        [
            ("401", ConfigError, "OPENAI_API_KEY"),
            ("402", QuotaError, "余额"),
            ("403", ConfigError, "OPENAI_API_KEY"),
            ("quota-429", QuotaError, "余额"),
            ("404", ConfigError, "BOT_MODEL"),
            ("404-path", ConfigError, "/v1"),
            ("400-model", ConfigError, "BOT_MODEL"),
            ("429-long", JudgeUnavailableError, "3600 秒后"),
            ("overflow", JudgeUnavailableError, "上下文"),
            ("filtered", JudgeReplyError, "内容审查"),
            ("filtered-reply", JudgeReplyError, "内容审查"),
            ("error-inside", QuotaError, "余额"),
            ("html", ConfigError, "OPENAI_BASE_URL"),
        ],
    )
    def test_what_waiting_cannot_mend_is_said_after_one_request(
        self,
        server: QuirkServer,
        opened: Opener,
        slept: list[float],
        model: str,
        error: type[BotError],
        says: str,
    ) -> None:
        with pytest.raises(error) as raised:
            fill(opened(model))

        assert len(server.of(model)) == 1
        assert slept == []
        sentence = str(raised.value)
        assert says in sentence
        assert server.host in sentence
        assert sentence.endswith("。")
        assert sentence.count("。") == 1

    def test_too_many_requests_are_repeated_when_the_server_says(
        self, server: QuirkServer, opened: Opener, slept: list[float]
    ) -> None:
        assert fill(opened("429-once")) == FILLED
        assert slept == [7.0]
        assert len(server.of("429-once")) == 2

    def test_repeating_has_an_end(
        self, server: QuirkServer, opened: Opener, slept: list[float]
    ) -> None:
        with pytest.raises(JudgeUnavailableError, match=r"频率（HTTP 429）"):
            fill(opened("429-always"))

        assert slept == [1.0, 1.0]
        assert len(server.of("429-always")) == 3

    @pytest.mark.parametrize("status", ["500", "503"])
    def test_a_server_that_stays_broken_makes_the_judge_unavailable(
        self, opened: Opener, slept: list[float], status: str
    ) -> None:
        with pytest.raises(JudgeUnavailableError, match=f"HTTP {status}"):
            fill(opened(status))

        assert slept == [0.5, 1.0]

    def test_a_server_that_stumbles_once_goes_unnoticed(
        self, opened: Opener, slept: list[float]
    ) -> None:
        assert fill(opened("500-once")) == FILLED
        assert slept == [0.5]

    @pytest.mark.parametrize("model", ["drip", "mute"])
    def test_a_reply_has_to_be_complete_in_time(
        self, server: QuirkServer, opened: Opener, model: str
    ) -> None:
        endpoint = opened(model, timeout=0.2)
        begun = time.monotonic()

        with pytest.raises(JudgeUnavailableError, match="BOT_MODEL_TIMEOUT"):
            fill(endpoint)

        assert time.monotonic() - begun < 1.5  # the drip alone takes two seconds
        assert len(server.of(model)) == 1

    def test_a_redirect_is_not_followed_and_the_key_stays_here(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        elsewhere = QuirkServer()
        endpoint = opened("willing", base_url=f"http://{server.host}/redirect/{elsewhere.host}/v1")

        with pytest.raises(ConfigError, match=elsewhere.host):
            fill(endpoint)
        with pytest.raises(ConfigError, match=elsewhere.host):
            list(endpoint.say(MESSAGES, max_tokens=9))

        elsewhere.close()
        assert elsewhere.seen == []

    def test_a_closed_port_is_said(self, opened: Opener) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]

        with pytest.raises(JudgeUnavailableError, match=f"连不上.*127.0.0.1:{port}"):
            fill(opened("willing", base_url=f"http://127.0.0.1:{port}/v1"))

    def test_a_host_without_a_name_is_said(
        self, opened: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unknown(*_: object, **__: object) -> None:
            raise socket.gaierror(-2, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)

        with pytest.raises(JudgeUnavailableError, match=r"judge\.example.*主机名找不到"):
            fill(opened("willing", base_url="https://judge.example/v1"))

    def test_encryption_with_a_server_that_has_none_is_said(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        with pytest.raises(JudgeUnavailableError, match="加密连接"):
            fill(opened("willing", base_url=server.url.replace("http:", "https:")))

    @pytest.mark.parametrize("key", ["sk-我的密钥", "sk-a b", "sk-a\nb"])
    def test_a_key_that_no_header_can_carry_is_named_not_shown(
        self, opened: Opener, key: str
    ) -> None:
        with pytest.raises(ConfigError, match="OPENAI_API_KEY") as raised:
            opened("willing", key=SecretStr(key))

        assert key not in str(raised.value)

    @pytest.mark.parametrize("model", ["deepseek:deepseek-chat", "gpt-5", "moonshot:kimi-k2"])
    def test_a_known_provider_without_a_key_is_said_before_anybody_is_asked(
        self, model: str
    ) -> None:
        with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
            open_chat_model(model)

    def test_a_provider_whose_package_is_missing_is_said(self) -> None:
        endpoint = open_chat_model("fireworks:llama")

        with pytest.raises(ConfigError, match="fireworks"):
            endpoint.fill(Small, MESSAGES, max_tokens=9)


class TestForeignProviders:
    def test_a_provider_of_langchain_fills_and_speaks(
        self, server: QuirkServer, opened: Opener, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://{server.host}")
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_VERSION", "2024-06-01")
        endpoint = opened("azure_openai:willing")

        filled = endpoint.fill(Small, MESSAGES, max_tokens=128)
        spoken = "".join(endpoint.say(MESSAGES, max_tokens=64))

        assert filled.value == FILLED
        assert filled.method == "function_calling"
        assert spoken == "请讲讲 PagedAttention。"


class TestSaying:
    def test_words_come_in_parts_and_are_counted(self, server: QuirkServer, opened: Opener) -> None:
        spent: list[Usage] = []

        parts = list(opened("willing", spent=spent.append).say(MESSAGES, max_tokens=64))

        assert parts == ["请", "讲讲 PagedAttention。"]
        assert spent == [Usage(prompt=100, cached=64, reply=20)]
        (seen,) = server.of("willing")
        assert seen.body["max_tokens"] == 64
        assert "response_format" not in seen.body

    def test_thinking_is_not_spoken(self, opened: Opener) -> None:
        assert list(opened("stream-thinks").say(MESSAGES, max_tokens=64)) == ["请", "讲讲。"]

    @pytest.mark.parametrize(
        ("model", "given"),
        [
            ("stream-reset", ["请讲讲", "分页"]),
            ("stream-cut", ["请讲讲"]),
            ("stream-error", ["请讲讲"]),
        ],
    )
    def test_a_stream_that_breaks_raises_after_what_was_given(
        self, opened: Opener, model: str, given: list[str]
    ) -> None:
        parts: list[str] = []

        with pytest.raises(JudgeUnavailableError):
            parts.extend(opened(model).say(MESSAGES, max_tokens=64))

        assert parts == given

    @pytest.mark.parametrize(
        ("model", "error"),
        [
            ("401", ConfigError),
            ("402", QuotaError),
            ("404", ConfigError),
            ("500", JudgeUnavailableError),
            ("filtered", JudgeReplyError),
            ("stream-silent", JudgeReplyError),
        ],
    )
    def test_errors_are_those_of_a_form(
        self, opened: Opener, model: str, error: type[BotError]
    ) -> None:
        with pytest.raises(error):
            list(opened(model).say(MESSAGES, max_tokens=64))

    def test_a_busy_server_is_asked_again(self, opened: Opener, slept: list[float]) -> None:
        assert list(opened("stream-429").say(MESSAGES, max_tokens=64)) == ["好"]
        assert slept == [3.0]

    def test_an_endpoint_that_does_not_count_streams_still_speaks(
        self, server: QuirkServer, opened: Opener
    ) -> None:
        endpoint = opened("no-stream-usage")
        assert list(endpoint.say(MESSAGES, max_tokens=64)) == ["好"]
        assert list(endpoint.say(MESSAGES, max_tokens=64)) == ["好"]
        assert len(server.of("no-stream-usage")) == 3
        assert endpoint.method is None

    def test_a_listener_may_leave_in_the_middle(self, opened: Opener) -> None:
        parts = opened("willing").say(MESSAGES, max_tokens=64)
        assert next(parts) == "请"

        parts.close()  # type: ignore[attr-defined]


class TestSecrets:
    @pytest.mark.parametrize("model", sorted(QUIRKS))
    def test_no_key_prompt_or_answer_in_errors_or_logs(
        self,
        opened: Opener,
        model: str,
        caplog: pytest.LogCaptureFixture,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        caplog.set_level(logging.INFO)
        endpoint = opened(model, timeout=0.15)
        said = [repr(endpoint), repr(vars(endpoint))]

        for call in (
            lambda: endpoint.fill(Small, MESSAGES, max_tokens=128),
            lambda: endpoint.fill(Small, MESSAGES, max_tokens=128, weighed=True),
            lambda: list(endpoint.say(MESSAGES, max_tokens=64)),
        ):
            try:
                call()
            except BotError as error:
                said += _everything(error)

        said += [record.getMessage() + str(record.exc_info) for record in caplog.records]
        said += capfd.readouterr()
        text = "\n".join(said)
        assert "canary" not in text
        assert FILLED["note"] not in text

    def test_many_threads_share_an_endpoint(self, server: QuirkServer, opened: Opener) -> None:
        endpoint = opened("slow")

        with ThreadPoolExecutor(16) as pool:
            values = list(pool.map(lambda _: fill(endpoint), range(48)))

        assert values == [FILLED] * 48
        assert len(server.of("slow")) == 48


def _everything(error: BaseException | None) -> list[str]:
    """Return all that an error and those behind it say."""
    said: list[str] = []
    while error is not None:
        said += [str(error), repr(error), repr(vars(error))]
        error = error.__cause__ or error.__context__
    return said
