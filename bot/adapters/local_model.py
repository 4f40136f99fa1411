"""A model in a GGUF file, served by llama.cpp on this machine (extra `[local]`)."""

from __future__ import annotations

import atexit
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Final

from pydantic import BaseModel, SecretStr

from bot.adapters import local_server
from bot.adapters.endpoint import Endpoint
from bot.adapters.endpoint_driver import OpenAIDriver
from bot.adapters.endpoint_manner import Manner, Method, ProcessMemory, key_of
from bot.adapters.reply_form import FormSchema
from bot.domain.usage import Usage
from bot.errors import ConfigError
from bot.ports import Filled, Message

CONTEXT: Final = 8192
TIMEOUT: Final = 900.0
"""Seconds for one reply: a laptop without a graphics card writes a few tokens a second."""
_INSTALL = "pip install 'mockbot[local]'"
_MAGIC = b"GGUF"
_TICK = 0.25

Loading = Callable[[float], None]
"""Called while the model is loaded, with the seconds since that began."""


class LocalModel:
    """A chat model of this machine; loaded at the first use, gone with the process.

    The server is a child process: while llama.cpp loads a model it holds Python's lock, and no page
    could be drawn for that long.
    """

    def __init__(
        self, path: Path, *, context: int = CONTEXT, spent: Callable[[Usage], None] | None = None
    ) -> None:
        """Take the file. Raises `ConfigError` when it or the extra is missing."""
        _check(path)
        self._path = path
        self._context = context
        self._spent = spent
        self._lock = Lock()
        self._endpoint: Endpoint | None = None
        self._process: subprocess.Popen[str] | None = None
        self._failures, self._failure = 0, ""

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self._path.name

    @property
    def is_loaded(self) -> bool:
        """Say whether a call would be answered without loading first."""
        return self._endpoint is not None and self._is_running()

    def start(self, progress: Loading | None = None) -> Endpoint:
        """Load the model unless it is loaded, and return the endpoint on it.

        Raises `ConfigError` when llama.cpp cannot load the file.
        """
        failures = self._failures
        with self._lock:
            if self._endpoint is None or not self._is_running():
                if failures != self._failures:
                    raise ConfigError(self._failure)  # that was waited for; once is enough
                self._stop()
                self._endpoint = self._started(progress or (lambda _: None))
            return self._endpoint

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        """Return the form filled in; llama.cpp enforces its schema. Raises as an endpoint does."""
        return self.start().fill(form, messages, max_tokens=max_tokens, weighed=weighed)

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """Give the model's words as they come. Raises as an endpoint does."""
        yield from self.start().say(messages, max_tokens=max_tokens)

    def counting(self, spent: Callable[[Usage], None]) -> CountedModel:
        """Return the same model with another account of its tokens."""
        return CountedModel(self, spent)

    def close(self) -> None:
        """End the server; a later call starts it again."""
        with self._lock:
            self._stop()

    def _started(self, progress: Loading) -> Endpoint:
        key = secrets.token_urlsafe(32)  # other users and pages of this machine may find the port
        process = subprocess.Popen(  # noqa: S603 - our own program, by path
            [sys.executable, str(local_server.__file__)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # llama.cpp's log
            encoding="utf-8",
        )
        self._process = process
        atexit.register(self.close)
        address, guided = _address_of(process, self._wanted(key), progress)
        if not address:
            self._stop()
            self._failures += 1
            self._failure = (
                f"llama.cpp 无法载入模型文件 {str(self._path)!r}；"
                "请检查文件是否完整、内存是否足够，或换一个更小的 GGUF 模型。"
            )
            raise ConfigError(self._failure)
        base_url = f"{address}/v1"
        memory = ProcessMemory()
        memory.put(key_of(base_url, self.name), Manner(method=Method.JSON_SCHEMA))
        driver = OpenAIDriver(
            model=self.name,
            base_url=base_url,
            key=SecretStr(key),
            timeout=TIMEOUT,
            elapsed=time.monotonic,
            grammar=compact_grammar if guided else None,
        )
        return Endpoint(driver, name=self.name, address=base_url, memory=memory, spent=self._spent)

    def _wanted(self, key: str) -> str:
        wanted = {"path": str(self._path.absolute()), "key": key, "context": self._context}
        return json.dumps(wanted) + "\n"

    def _is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _stop(self) -> None:
        endpoint, process = self._endpoint, self._process
        self._endpoint = self._process = None
        atexit.unregister(self.close)
        if endpoint is not None:
            endpoint.close()
        if process is not None:
            process.kill()
            process.communicate()


class CountedModel:
    """A model of this machine whose tokens go to an account of their own."""

    def __init__(self, model: LocalModel, spent: Callable[[Usage], None]) -> None:
        """Take the model, which others use too."""
        self._model = model
        self._spent = spent

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self._model.name

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        """Return the form filled in. Raises as an endpoint does."""
        endpoint = self._model.start().counting(self._spent)
        return endpoint.fill(form, messages, max_tokens=max_tokens, weighed=weighed)

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """Give the model's words as they come. Raises as an endpoint does."""
        yield from self._model.start().counting(self._spent).say(messages, max_tokens=max_tokens)


def _check(path: Path) -> None:
    try:
        with path.open("rb") as file:
            is_model = file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise ConfigError(
            f"读不到模型文件 {str(path)!r}（{error.strerror}）；"
            "请把 BOT_MODEL 写成 local:/路径/模型.gguf，指向一个存在的文件。"
        ) from error
    if not is_model:
        raise ConfigError(
            f"{str(path)!r} 不是 GGUF 模型文件；请下载 GGUF 格式的对话模型，再填入 BOT_MODEL。"
        )
    if find_spec("xllamacpp") is None:
        raise ConfigError(f"本地模型需要额外的组件；请运行 {_INSTALL}，然后重试。")


def compact_grammar(form: FormSchema) -> str:
    """Return the grammar of a form without blanks between its parts, in llguidance's language.

    Held to a response format, models indent: a judge's reply took 267 tokens, and without blanks
    150, in about half of the time.
    """
    blanks = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
    schema = {**form.schema, "x-guidance": blanks}
    return f"%llguidance {{}}\nstart: %json {json.dumps(schema, ensure_ascii=False)}"


def _address_of(process: subprocess.Popen[str], wanted: str, progress: Loading) -> tuple[str, bool]:
    """Return where the server listens, and whether it knows llguidance's grammars.

    The address is empty when it ended before that.
    """
    pipe_in, pipe_out = process.stdin, process.stdout
    if pipe_in is None or pipe_out is None:
        return "", False
    lines: SimpleQueue[str] = SimpleQueue()
    Thread(target=lambda: lines.put(pipe_out.readline()), daemon=True).start()
    begun = time.monotonic()
    try:
        pipe_in.write(wanted)
        pipe_in.flush()
    except OSError:
        return "", False
    while True:
        progress(time.monotonic() - begun)
        try:
            address, _, known = lines.get(timeout=_TICK).strip().partition(" ")
        except Empty:
            continue
        return address, known == local_server.GUIDED
