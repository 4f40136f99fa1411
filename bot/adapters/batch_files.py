"""Files of OpenAI's Batch API: requests that are written now, replies that are read tomorrow.

The format (one JSON object a line, `custom_id`, `method`, `url`, `body`; at most 50 000 requests
and 200 MB a file) is that of https://platform.openai.com/docs/guides/batch; other providers that
have batches (DashScope, Zhipu, Moonshot, vLLM's `run-batch`) take the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, Field, ValidationError

from bot.adapters.endpoint_driver import asking, form_options
from bot.adapters.endpoint_manner import Manner, Method, Quirk
from bot.adapters.endpoint_quirks import limit_name, thinking_off
from bot.adapters.json_reply import read_object, without_thinking
from bot.adapters.reply_form import schema_of
from bot.domain.usage import Usage
from bot.errors import ConfigError, JudgeReplyError, JudgeUnavailableError
from bot.ports import Filled, Message
from bot.prompts.judge import prompt_hash

MOST_REQUESTS = 50_000
MOST_BYTES = 200_000_000

_URL = "/v1/chat/completions"


def request_line(
    messages: Sequence[Message],
    form: type[BaseModel],
    *,
    model: str,
    base_url: str,
    manner: Manner,
    max_tokens: int,
) -> str:
    """Return one line of a request file; its `custom_id` is the hash of the prompt."""
    schema = schema_of(form)
    method = manner.method or Method.JSON_SCHEMA
    extra = dict(thinking_off(base_url, model, manner))
    extra[limit_name(base_url, manner)] = max_tokens
    options = form_options(manner.using(method), schema, extra)
    said = asking(method, messages, schema)
    body = {
        "model": model,
        "messages": [{"role": one.role, "content": one.text} for one in said],
        **({} if Quirk.NO_TEMPERATURE in manner.quirks else {"temperature": 0}),
        **options,
        **extra,
    }
    line = {"custom_id": prompt_hash(messages), "method": "POST", "url": _URL, "body": body}
    return json.dumps(line, ensure_ascii=False) + "\n"


def write_requests(
    lines: Iterable[str], target: Path, *, most: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> tuple[tuple[Path, ...], int]:
    """Write the lines in as many files as the limits ask for; return the files and the count.

    Raises `ConfigError` when a file exists or cannot be written.
    """
    files: list[Path] = []
    count, size, total = 0, 0, 0
    with ExitStack() as stack:
        file: BinaryIO | None = None
        for line in lines:
            raw = line.encode("utf-8")
            if file is None or count == most or size + len(raw) > most_bytes:
                stack.close()
                files.append(_part(target, len(files) + 1))
                file = stack.enter_context(_new(files[-1]))
                count = size = 0
            file.write(raw)
            count, size, total = count + 1, size + len(raw), total + 1
    return tuple(files), total


def _part(target: Path, number: int) -> Path:
    return target if number == 1 else target.with_name(f"{target.stem}-{number}{target.suffix}")


def _new(path: Path) -> BinaryIO:
    try:
        return path.open("xb")
    except FileExistsError as error:
        raise ConfigError(f"{path} 已经存在；请换一个 --batch 文件名。") from error
    except OSError as error:
        raise ConfigError(f"{path}：无法写入（{error.strerror}）；请检查路径。") from error


class _Function(BaseModel):
    arguments: str = ""


class _Call(BaseModel):
    function: _Function = _Function()


class _Message(BaseModel):
    content: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(BaseModel):
    message: _Message


class _CachedTokens(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _CachedTokens | None = None


class _Body(BaseModel):
    choices: list[_Choice] = Field(default_factory=list)
    usage: _Usage | None = None


class _Response(BaseModel):
    status_code: int = 200
    body: _Body | None = None


class _Fault(BaseModel):
    code: str | None = None


class _ReplyLine(BaseModel):
    custom_id: str
    response: _Response | None = None
    error: _Fault | None = None


class BatchReplies:
    """A chat model whose replies stand in a file; it answers the prompts that were sent."""

    def __init__(
        self, path: Path, *, model: str, spent: Callable[[Usage], None] | None = None
    ) -> None:
        """Find where the replies stand; they are read one by one. Raises `ConfigError`."""
        self._path = path
        self._model = model
        self._spent = spent or (lambda _: None)
        self._places: dict[str, tuple[int, int]] = {}
        try:
            for name, start, length in _lines_of(path):
                self._places[name] = start, length
        except OSError as error:
            raise ConfigError(f"{path}：无法读取（{error.strerror}）；请检查 --batch。") from error

    @property
    def name(self) -> str:
        """Return the model's name, as grades quote it."""
        return self._model

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        """Return the reply to exactly this prompt.

        Raises `JudgeUnavailableError` when the file has none, or the endpoint refused it, and
        `JudgeReplyError` when no JSON object came back.
        """
        line = self._line(prompt_hash(messages))
        body = line.response.body if line.response is not None else None
        status = line.response.status_code if line.response is not None else None
        if body is None or not body.choices or status != 200:
            why = line.error.code if line.error is not None and line.error.code else status
            raise JudgeUnavailableError(f"批量接口没有完成这份作答（{why}）；可以加 --retry 重评。")
        usage = _usage_of(body.usage)
        self._spent(usage)
        schema = schema_of(form)
        message = body.choices[0].message
        texts = [call.function.arguments for call in message.tool_calls or ()]
        texts.append(without_thinking(message.content or ""))
        value = read_object(texts, schema.fields, schema.name)
        if value is None:
            raise JudgeReplyError("批量接口的回复里没有 JSON 对象，这份作答没有评分。")
        return Filled(value=value, method="batch", usage=usage)

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """Raise `JudgeUnavailableError`: nobody waits a day for a spoken word."""
        raise JudgeUnavailableError("批量接口只用于评分。")

    def _line(self, name: str) -> _ReplyLine:
        place = self._places.get(name)
        if place is None:
            raise JudgeUnavailableError(
                "批量回复里没有这份作答；它可能还没有完成，或题库、提示词在发出之后变了。"
            )
        start, length = place
        with self._path.open("rb") as file:
            file.seek(start)
            return _ReplyLine.model_validate_json(file.read(length))


def _lines_of(path: Path) -> Iterator[tuple[str, int, int]]:
    """Give the id of each line and where it stands. Raises `ConfigError` and `OSError`."""
    at = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if raw.strip():
                try:
                    yield _ReplyLine.model_validate_json(raw).custom_id, at, len(raw)
                except ValidationError as error:
                    raise ConfigError(
                        f"{path}:{number}：不是批量接口的回复；每行要有 custom_id 和 response。"
                    ) from error
            at += len(raw)


def _usage_of(counted: _Usage | None) -> Usage:
    if counted is None:
        return Usage()
    details = counted.prompt_tokens_details
    return Usage(
        prompt=counted.prompt_tokens,
        cached=(details.cached_tokens or 0) if details is not None else 0,
        reply=counted.completion_tokens,
    )
