"""Speaks to chat models through LangChain: one request out, one reply back."""

from __future__ import annotations

import json
import warnings
from base64 import b64encode
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import JsonValue, SecretStr

from bot.adapters.endpoint_manner import Manner, Method, Quirk
from bot.adapters.endpoint_quirks import limit_name, thinking_off
from bot.adapters.logprobs import tokens_of
from bot.adapters.reply_form import FormSchema, with_schema, with_word
from bot.domain.confidence import Token
from bot.domain.usage import Usage
from bot.ports import Message

if TYPE_CHECKING:
    from httpx2 import Client
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk

_NO_KEY = "none"
"""Sent where no key is needed: the client library insists on one."""
_FILTERS = ("content_filter", "sensitive")
ALTERNATIVES = 1
"""So many likeliest tokens are asked for at each place. To read three of each took longer than all
the rest of a call, and a model that writes as it likes wants little else where it puts a verdict."""
HELD_ALTERNATIVES = 3
"""For a model that a grammar holds: some of what it wants it may not write."""


@dataclass(frozen=True)
class Request:
    """What is asked, and how."""

    messages: Sequence[Message]
    limit: int
    manner: Manner
    form: FormSchema | None = None
    weighed: bool = False
    """Whether the probabilities of the tokens are wanted."""

    @property
    def asks_logprobs(self) -> bool:
        """Say whether to ask for probabilities; of a tool's arguments nobody gives them."""
        manner = self.manner
        return (
            self.weighed
            and manner.method is not Method.FUNCTION_CALLING
            and Quirk.NO_LOGPROBS not in manner.quirks
        )


@dataclass(frozen=True)
class Reply:
    """What came back, or a part of it."""

    texts: tuple[str, ...]
    """What the model wrote: arguments of a tool call before words."""
    finish: str | None
    usage: Usage
    is_filtered: bool = False
    tokens: tuple[Token, ...] = ()


class Driver(Protocol):
    """Sends requests to one model; raises whatever its libraries raise."""

    @property
    def methods(self) -> tuple[Method, ...]:
        """Return the methods that can be tried, best first."""
        ...

    def ask(self, request: Request) -> Reply:
        """Return the reply."""
        ...

    def stream(self, request: Request) -> Generator[Reply, None, None]:
        """Give the reply in parts."""
        ...

    def switches_thinking(self, manner: Manner) -> bool:
        """Say whether a request in this manner tries to switch thinking off."""
        ...

    def close(self) -> None:
        """Let connections go."""
        ...


class OpenAIDriver:
    """Speaks to anything that is compatible with OpenAI's chat completions."""

    methods = tuple(Method)

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        key: SecretStr | None,
        timeout: float,
        elapsed: Callable[[], float],
        public_only: bool = False,
        grammar: Callable[[FormSchema], str] | None = None,
    ) -> None:
        """Take what a client needs; it is made at the first request.

        With `public_only` an address of this machine or of its network is refused. With `grammar`
        the server is llama.cpp's and is held to a form by that instead of by a response format.
        """
        self._model = model
        self._base_url = base_url
        self._key = key
        self._timeout = timeout
        self._elapsed = elapsed
        self._public_only = public_only
        self._grammar = grammar
        self._lock = Lock()
        self._client: Client | None = None
        self._made: BaseChatModel | None = None

    def ask(self, request: Request) -> Reply:
        """Return the reply."""
        messages, options = self._prepared(request)
        return reply_of(self._chat().invoke(messages, **options))

    def stream(self, request: Request) -> Generator[Reply, None, None]:
        """Give the reply in parts."""
        messages, options = self._prepared(request)
        options["stream_usage"] = Quirk.NO_STREAM_USAGE not in request.manner.quirks
        for chunk in self._chat().stream(messages, **options):
            yield reply_of(chunk)

    def switches_thinking(self, manner: Manner) -> bool:
        """Say whether a request in this manner tries to switch thinking off."""
        return bool(thinking_off(self._base_url, self._model, manner))

    def close(self) -> None:
        """Let connections go."""
        with self._lock:
            client, self._client, self._made = self._client, None, None
        if client is not None:
            client.close()

    def _prepared(self, request: Request) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
        """Return messages and options.

        Response format and limit go past LangChain: with a format it would parse the reply itself
        and lose what was cut off or fenced, and it renames the limit to what only OpenAI takes.
        """
        manner, form, messages = request.manner, request.form, request.messages
        method = manner.method or self.methods[0]
        extra = dict(thinking_off(self._base_url, self._model, manner))
        extra[limit_name(self._base_url, manner)] = request.limit
        options: dict[str, Any] = {"extra_body": extra}
        if form is not None:
            if Quirk.NO_TEMPERATURE not in manner.quirks:
                options["temperature"] = 0
            messages = asking(method, messages, form)
            if method is Method.JSON_SCHEMA and self._grammar is not None:
                extra["grammar"] = self._grammar(form)
            else:
                options |= form_options(manner.using(method), form, extra)
        if request.asks_logprobs:
            most = ALTERNATIVES if self._grammar is None else HELD_ALTERNATIVES
            options |= {"logprobs": True, "top_logprobs": most}
        return pairs(messages), options

    def _chat(self) -> BaseChatModel:
        made = self._made
        if made is None:
            with self._lock:
                made = self._made = self._made or self._make()
        return made

    def _make(self) -> BaseChatModel:
        from langchain_openai import ChatOpenAI

        from bot.adapters.endpoint_http import client, timeouts
        from bot.adapters.public_http import require_public

        # It prints advice in English on top of the refusals that are handled here.
        warnings.filterwarnings("ignore", "This model does not support OpenAI's structured output")
        warnings.filterwarnings("ignore", "Invalid schema for OpenAI's structured output")
        if self._public_only:
            require_public(self._base_url)
        self._client = client(
            self._base_url,
            timeout=self._timeout,
            elapsed=self._elapsed,
            public_only=self._public_only,
        )
        return ChatOpenAI(
            model=self._model,
            base_url=self._base_url,
            api_key=self._key or SecretStr(_NO_KEY),
            timeout=timeouts(self._timeout),
            max_retries=0,  # counted and slept by us, with the server's word on how long
            http_client=self._client,
            use_responses_api=False,
            cache=False,
        )


def asking(method: Method, messages: Sequence[Message], form: FormSchema) -> Sequence[Message]:
    """Return the messages with what a method needs to be said in them."""
    match method:
        case Method.JSON_SCHEMA:
            return with_word(messages)
        case Method.FUNCTION_CALLING:
            return messages
        case Method.JSON_MODE | Method.TEXT:
            return with_schema(messages, form)


def form_options(manner: Manner, form: FormSchema, extra: dict[str, JsonValue]) -> dict[str, Any]:
    """Return the options that ask for the form; a response format is added to `extra`."""
    match manner.method:
        case Method.JSON_SCHEMA:
            asked: dict[str, JsonValue] = {"name": form.name, "schema": dict(form.schema)}
            if Quirk.NO_STRICT not in manner.quirks:
                asked["strict"] = True
            extra["response_format"] = {"type": "json_schema", "json_schema": asked}
        case Method.JSON_MODE:
            extra["response_format"] = {"type": "json_object"}
        case Method.FUNCTION_CALLING:
            choice = {"type": "function", "function": {"name": form.name}}
            return {"tools": [tool(form)], "tool_choice": choice}
        case _:
            pass
    return {}


def tool(form: FormSchema) -> dict[str, Any]:
    """Return a tool whose arguments are the form."""
    function = {"name": form.name, "description": "提交填好的表单", "parameters": dict(form.schema)}
    return {"type": "function", "function": function}


def pairs(messages: Sequence[Message]) -> list[tuple[str, Any]]:
    """Return messages as LangChain takes them."""
    return [(message.role, _content(message)) for message in messages]


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return the text, or text and picture as parts, in OpenAI's form."""
    if message.picture is None:
        return message.text
    address = f"data:image/png;base64,{b64encode(message.picture).decode('ascii')}"
    return [
        {"type": "text", "text": message.text},
        {"type": "image_url", "image_url": {"url": address}},
    ]


def reply_of(message: AIMessage | AIMessageChunk) -> Reply:
    """Return what a message of LangChain holds."""
    arguments = [json.dumps(call["args"], ensure_ascii=False) for call in message.tool_calls]
    arguments += [str(call["args"]) for call in message.invalid_tool_calls if call["args"]]
    finish = message.response_metadata.get("finish_reason")
    return Reply(
        texts=(*arguments, str(message.text)),
        finish=finish if isinstance(finish, str) else None,
        usage=_usage_of(message),
        is_filtered=finish in _FILTERS or bool(message.additional_kwargs.get("refusal")),
        tokens=tokens_of(message.response_metadata.get("logprobs")),
    )


def _usage_of(message: AIMessage | AIMessageChunk) -> Usage:
    counted = message.usage_metadata
    if counted is None:
        return Usage()
    cached = counted.get("input_token_details", {}).get("cache_read")
    raw = message.response_metadata.get("token_usage")
    if cached is None and isinstance(raw, Mapping):  # DeepSeek's and Moonshot's own names
        cached = raw.get("prompt_cache_hit_tokens") or raw.get("cached_tokens")
    return Usage(
        prompt=counted["input_tokens"],
        cached=cached if isinstance(cached, int) else 0,
        reply=counted["output_tokens"],
    )
