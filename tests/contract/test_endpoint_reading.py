"""The parts of the endpoint adapter that need no server: addresses, switches, schemas, replies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from bot.adapters.base_url import BaseUrl, normalise
from bot.adapters.chat_models import address_of, provider_of
from bot.adapters.endpoint_manner import Manner, Quirk
from bot.adapters.endpoint_quirks import limit_name, thinking_off
from bot.adapters.json_reply import read_object, spoken_parts, without_thinking
from bot.adapters.reply_form import schema_of
from bot.errors import ConfigError

WANTED = ("a", "b", "c")

scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from(WANTED), values, min_size=1)


class TestAddress:
    @pytest.mark.parametrize(
        ("pasted", "url"),
        [
            ("https://api.deepseek.com/v1/chat/completions", "https://api.deepseek.com/v1"),
            ("https://host.example/v1/completions/", "https://host.example/v1"),
            ("https://host.example/v1/models", "https://host.example/v1"),
            ("https://host.example/proxy/v1//chat/completions", "https://host.example/proxy/v1"),
            (" 'HTTPS://Host.Example/V1' ", "https://host.example/V1"),
            ("https：//host.example／v1", "https://host.example/v1"),
            ("host.example/v1", "https://host.example/v1"),
            ("localhost:8000/v1", "http://localhost:8000/v1"),
            ("192.168.1.7:8000", "http://192.168.1.7:8000"),
            ("gpu-box:8000/v1", "http://gpu-box:8000/v1"),
            ("https://host.example/v1?key=secret#x", "https://host.example/v1"),
            ("https://api.openai.com", "https://api.openai.com/v1"),
            ("localhost:11434", "http://localhost:11434/v1"),
            ("https://open.bigmodel.cn/", "https://open.bigmodel.cn/api/paas/v4"),
        ],
    )
    def test_what_was_pasted_is_mended_and_that_is_said(self, pasted: str, url: str) -> None:
        found = normalise(pasted)

        assert found.url == url
        assert found.note is not None
        assert url in found.note
        assert "secret" not in found.note
        assert normalise(url) == BaseUrl(url, None)

    @pytest.mark.parametrize(
        "url", ["https://host.example/v1", "https://host.example", "http://[::1]:8000/v1"]
    )
    def test_a_good_address_is_kept_without_a_word(self, url: str) -> None:
        assert normalise(url) == BaseUrl(url, None)
        assert normalise(f"{url}/") == BaseUrl(url, None)

    @pytest.mark.parametrize(
        "pasted", ["ftp://host/v1", "https://", "https://host:port/v1", "https://[::1/v1", ""]
    )
    def test_what_is_no_address_is_said(self, pasted: str) -> None:
        with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
            normalise(pasted)

    def test_a_password_in_the_address_is_refused_and_not_repeated(self) -> None:
        with pytest.raises(ConfigError) as raised:
            normalise("https://me:secret@host.example/v1")

        assert "secret" not in str(raised.value)

    @given(st.text(max_size=40))
    def test_any_text_gives_an_address_or_our_error(self, text: str) -> None:
        try:
            found = normalise(text)
        except ConfigError:
            return

        assert normalise(found.url) == BaseUrl(found.url, None)


class TestNames:
    @pytest.mark.parametrize(
        ("given_name", "split"),
        [
            ("deepseek:deepseek-chat", ("deepseek", "deepseek-chat")),
            ("ollama:qwen2.5:7b", ("ollama", "qwen2.5:7b")),
            ("qwen2.5:7b", ("", "qwen2.5:7b")),
            ("anthropic:claude", ("anthropic", "claude")),
            ("gpt-5", ("", "gpt-5")),
        ],
    )
    def test_only_a_known_provider_stands_before_the_colon(
        self, given_name: str, split: tuple[str, str]
    ) -> None:
        assert provider_of(given_name) == split

    def test_an_address_that_was_set_goes_before_the_providers(self) -> None:
        assert address_of("deepseek:x", None).url == "https://api.deepseek.com/v1"
        assert address_of("deepseek:x", "http://127.0.0.1:1/v1").url == "http://127.0.0.1:1/v1"
        assert address_of("x", None).url == "https://api.openai.com/v1"


class TestSwitches:
    @pytest.mark.parametrize(
        ("host", "model", "extra"),
        [
            ("dashscope.aliyuncs.com", "qwen-plus", {"enable_thinking": False}),
            ("dashscope-intl.aliyuncs.com", "qwen3-8b", {"enable_thinking": False}),
            ("api.siliconflow.cn", "Qwen/Qwen3-8B", {"enable_thinking": False}),
            ("api.siliconflow.cn", "Qwen/Qwen2.5-7B-Instruct", {}),
            ("api.deepseek.com", "deepseek-chat", {"thinking": {"type": "disabled"}}),
            ("open.bigmodel.cn", "glm-4.6", {"thinking": {"type": "disabled"}}),
            ("open.bigmodel.cn", "glm-4-flash", {}),
            ("api.moonshot.cn", "kimi-k2.5", {"thinking": {"type": "disabled"}}),
            ("api.openai.com", "gpt-4.1", {}),
            ("127.0.0.1:11434", "qwen3:8b", {"reasoning_effort": "none"}),
            ("127.0.0.1:8000", "llama-3", {}),
        ],
    )
    def test_thinking_is_switched_off_as_each_provider_wants(
        self, host: str, model: str, extra: dict[str, Any]
    ) -> None:
        assert thinking_off(f"https://{host}/v1", model, Manner()) == extra

    def test_servers_of_open_models_take_it_through_the_template(self) -> None:
        extra = thinking_off("http://10.0.0.1:8000/v1", "Qwen/Qwen3-32B", Manner())

        assert extra == {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}

    def test_the_limit_has_the_name_that_the_host_knows(self) -> None:
        other = Manner(quirks=frozenset({Quirk.OTHER_LIMIT}))
        assert limit_name("https://api.openai.com/v1", Manner()) == "max_completion_tokens"
        assert limit_name("https://api.openai.com/v1", other) == "max_tokens"
        assert limit_name("https://api.deepseek.com/v1", Manner()) == "max_tokens"


class Point(BaseModel):
    """Written for developers."""

    title: str = Field(description="题目")
    level: int = Field(default=0, ge=0, le=2)


class Form(BaseModel):
    """Written for developers."""

    a: list[Point]
    b: Point | None = None


class Tree(BaseModel):
    """A form that contains itself."""

    children: list[Tree] = []


class TestSchema:
    def test_references_and_annotations_are_gone_and_every_object_is_closed(self) -> None:
        schema = schema_of(Form)

        assert "$ref" not in schema.text
        assert "$defs" not in schema.text
        assert "developers" not in schema.text
        assert "default" not in schema.text
        assert schema.fields == {"a", "b"}
        point = json.loads(schema.text)["properties"]["a"]["items"]
        assert list(point["properties"]) == point["required"] == ["title", "level"]
        assert point["properties"]["title"] == {"type": "string", "description": "题目"}
        assert point["additionalProperties"] is False

    def test_a_form_may_contain_itself(self) -> None:
        assert "$ref" not in schema_of(Tree).text


class TestReading:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            pytest.param('{"a": 1, "b": "x', {"a": 1}, id="cut in a string"),
            pytest.param('{"a": 1, "b": 12', {"a": 1}, id="cut in a number"),
            pytest.param('{"a": 1, "b', {"a": 1}, id="cut in a key"),
            pytest.param('{"a": [{"b": 1}, {"b": 2', {"a": [{"b": 1}]}, id="cut in a list"),
            pytest.param('{"a": [1, 2}', {"a": [1, 2]}, id="bracket forgotten"),
            pytest.param('{"a": 1, "b": [2],}', {"a": 1, "b": [2]}, id="comma too many"),
            pytest.param('{"a": "x" "b": 2}', {"a": "x", "b": 2}, id="comma forgotten"),
            pytest.param("{'a': 'x', 'b': True}", {"a": "x", "b": True}, id="Python"),
            pytest.param("{a: met, b: None}", {"a": "met", "b": None}, id="no quotes"),
            pytest.param("{“a”：“x”，“b”：2}", {"a": "x", "b": 2}, id="Chinese keyboard"),
            pytest.param('{"a": "说"一定"更快"}', {"a": '说"一定"更快'}, id="quotes inside"),
            pytest.param('{"a": "第一行\n第二行"}', {"a": "第一行\n第二行"}, id="line break"),
            pytest.param('{"a": 1, // why\n "b": 2}', {"a": 1, "b": 2}, id="comment"),
            pytest.param('{"a": NaN, "b": 1e999}', {"a": None, "b": None}, id="not finite"),
            pytest.param('{"a": "\\ud83d"}', {"a": "\ufffd"}, id="half a character"),
            pytest.param('{"a": 1} 更正：{"a": 2}', {"a": 2}, id="the last of two"),
            pytest.param('{"a": 1, "b": 2} 例如 {"a": 9}', {"a": 1, "b": 2}, id="the fuller one"),
            pytest.param('{"Form": {"a": 1}}', {"a": 1}, id="wrapped in its name"),
            pytest.param('{"result": {"a": 1}}', {"a": 1}, id="wrapped"),
            pytest.param('{"a": 1, "z": 2}', {"a": 1}, id="more than was wanted"),
        ],
    )
    def test_complete_fields_survive(self, text: str, value: dict[str, Any]) -> None:
        assert read_object([text], WANTED, "Form") == value

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "没有",
            "{}",
            '{"z": 1}',
            "[1, 2]",
            '{"type": "object", "properties": {"a": {"type": "string"}}}',
            '{"a"',
            "{" * 5000,
            '{"z":' * 5000,
            '{"a":[' * 5000,
        ],
    )
    def test_nothing_is_invented_where_there_is_nothing(self, text: str) -> None:
        assert not read_object([text], WANTED, "Form") or "[" in text

    @given(objects, st.text(alphabet="好{}[]\"'`：, \n", max_size=12))
    def test_what_was_written_well_is_read_as_it_was(self, value: dict[str, Any], end: str) -> None:
        text = json.dumps(value, ensure_ascii=False)

        assert read_object([f"```json\n{text}\n```\n{end}"], WANTED) == value

    @given(objects, st.integers(1, 400))
    def test_a_cut_gives_back_no_field_that_was_not_written(
        self, value: dict[str, Any], length: int
    ) -> None:
        text = json.dumps(value, ensure_ascii=False)[:length]

        found = read_object([text], WANTED) or {}

        assert found.keys() <= value.keys()

    @given(st.text(alphabet='{}[]",:\\abc1 \n“”：', max_size=60))
    def test_any_text_can_be_read(self, text: str) -> None:
        found = read_object([text], WANTED)

        json.dumps(found, allow_nan=False).encode()

    def test_a_tag_inside_a_string_is_not_thinking(self) -> None:
        text = '{"a": "<think>x</think>y"}'

        assert without_thinking(text) == text

    @given(st.lists(st.integers(1, 6), min_size=1, max_size=40))
    def test_thinking_is_left_out_wherever_a_stream_is_cut(self, lengths: list[int]) -> None:
        rest, parts = "<think>嗯……</think>\n\n请讲讲 <分页>。", []
        for length in lengths:
            parts.append(rest[:length])
            rest = rest[length:]

        assert "".join(spoken_parts([*parts, rest])) == "请讲讲 <分页>。"
