"""Tries out, step by step, whether models and voice work as they are set (测试连接)."""

from __future__ import annotations

import io
import math
import re
import struct
import wave
from collections.abc import Callable, Iterator
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, NamedTuple, TypeVar

from pydantic import BaseModel

from bot.bootstrap.models import Models
from bot.bootstrap.services import Services
from bot.errors import BotError
from bot.ports import Clock, Message
from bot.services.limiting import require

ResultT = TypeVar("ResultT")

LONGEST: Final = 30.0
"""Seconds for one step; a model of this machine may take longer to load."""

LONGEST_LOAD: Final = 180.0
SLOW: Final = 15.0
"""Seconds for a reply of a few tokens; an interview is no fun beyond that."""

_ASKED_BEFORE = 20.0
_METHODS = {
    "json_schema": "按 JSON Schema 约束输出，最可靠",
    "function_calling": "函数调用",
    "json_mode": "JSON 模式",
    "text": "从普通文字里读出 JSON，较容易出错",
}
_TYPED = {
    "BOT_STT_API_KEY 或 OPENAI_API_KEY": "密钥",
    "OPENAI_API_KEY": "密钥",
    "OPENAI_BASE_URL": "接口地址",
    "BOT_STT_BASE_URL": "语音接口地址",
    "BOT_STT_MODEL 或 BOT_TTS_MODEL": "语音转写模型",
    "BOT_JUDGE_MODEL": "评分模型",
    "BOT_MODEL": "模型",
}
"""What the page calls the variables that an error names."""


class Step(NamedTuple):
    """What was tried, whether it works (None: not tried), and a sentence."""

    title: str
    works: bool | None
    says: str


class _Word(BaseModel):
    """A form that costs next to nothing to fill in."""

    word: str


class _Timed(NamedTuple):
    seconds: float
    first: float
    """Seconds to the first word."""


def try_out(services: Services, *, longest: float = LONGEST) -> Iterator[Step]:
    """Give the steps as they are done; what goes wrong is said, and never raised."""
    models = services.models
    is_typed = services.typed is not None
    if models.is_set:
        yield from _models(services, models, longest, is_typed=is_typed)
    else:
        yield Step("对话", None, "没有设置模型；离线评分不需要它。")
    yield _tried("语音", lambda: _voice(services, longest), is_typed=True)


def _models(
    services: Services, models: Models, longest: float, *, is_typed: bool
) -> Iterator[Step]:
    seconds = min(models.settings.model_timeout, _ASKED_BEFORE)
    quick = replace(models, settings=models.settings.model_copy(update={"model_timeout": seconds}))
    times: list[_Timed] = []

    def chat() -> Step:
        if services.settings.shared:
            require(services.take, services.settings.answers_per_hour)
        import langchain_openai  # noqa: F401 - its seconds are not the model's

        asked = models if models.loads else quick  # what is loaded once need not be loaded again
        allowed = LONGEST_LOAD if models.loads else longest
        times.append(_within(allowed, lambda: _greeted(asked, services.clock)))
        return Step("对话", True, f"模型 {asked.chat.name} 有回应。")

    def form() -> Step:
        asked = models if models.loads else quick
        begun = services.clock.elapsed()
        wanted = (Message(role="user", text='只输出一个 JSON 对象：{"word":"好"}'),)
        filled = _within(longest, lambda: asked.judge_chat.fill(_Word, wanted, max_tokens=200))
        times.append(_Timed(services.clock.elapsed() - begun, 0.0))
        how = _METHODS.get(filled.method, filled.method)
        return Step(
            "结构化输出", True, f"评分模型 {asked.judge_chat.name}：{how}（{filled.method}）。"
        )

    first = _tried("对话", chat, is_typed=is_typed)
    yield first
    if first.works:
        yield _tried("结构化输出", form, is_typed=is_typed)
        yield _speed(times)
    else:
        yield Step("结构化输出", None, "没有测：先解决上一步。")
        yield Step("速度", None, "没有测：先解决上一步。")
    if quick.process is None:
        _let_go(quick)
    yield _tried("评分考核", lambda: _exam(models), is_typed=is_typed)


def _let_go(models: Models) -> None:
    """Close the connections that were opened for the test alone."""
    for name in ("chat", "judge_chat"):
        close = getattr(models.__dict__.get(name), "close", None)
        if close is not None:
            close()


def _greeted(models: Models, clock: Clock) -> _Timed:
    begun = clock.elapsed()
    first = None
    for _ in models.chat.say((Message(role="user", text="只回答一个字：好"),), max_tokens=200):
        first = first or clock.elapsed()
    ended = clock.elapsed()
    return _Timed(ended - begun, (first or ended) - begun)


def _speed(times: list[_Timed]) -> Step:
    slowest = max(one.seconds for one in times)
    says = f"第一个字 {times[0].first:.1f} 秒，最慢的一次 {slowest:.1f} 秒"
    if slowest > SLOW:
        return Step("速度", False, f"{says}；面试时会等很久，请换一个更快的模型。")
    return Step("速度", True, f"{says}。")


def _exam(models: Models) -> Step:
    result = models.exam_result
    if result is None:
        return Step("评分考核", None, "还没有考；开始面试时在后台进行，通过之前由离线评分。")
    if result.passed:
        return Step("评分考核", True, f"已通过（{result.score}）。")
    if models.settings.judge_exam == "override":
        return Step(
            "评分考核", False, f"只通过 {result.score}；按 BOT_JUDGE_EXAM=override 仍由它评分。"
        )
    return Step("评分考核", False, f"只通过 {result.score}，由离线评分代替；详见评分说明页。")


def _voice(services: Services, longest: float) -> Step:
    voice = services.voice
    if not voice.can_hear:
        return Step("语音", None, "没有设置语音转写；可以打字作答。")
    begun = services.clock.elapsed()
    _within(longest, lambda: voice.transcriber.transcribe(_tone(), prompt=""))
    seconds = services.clock.elapsed() - begun
    return Step("语音", True, f"转写可用（{voice.settings.stt_model}，{seconds:.1f} 秒）。")


def _tried(title: str, step: Callable[[], Step], *, is_typed: bool) -> Step:
    try:
        return step()
    except BotError as error:
        says = str(error)
        for name, said in _TYPED.items() if is_typed else ():
            says = re.sub(f" ?{name} ?", said, says)
        return Step(title, False, says)


def _within(seconds: float, call: Callable[[], ResultT]) -> ResultT:
    """Return what the call returns in time. Raises as it does, and `BotError` when time is up."""
    outcome: SimpleQueue[tuple[ResultT | None, Exception | None]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((call(), None))
        except Exception as error:
            outcome.put((None, error))

    Thread(target=run, name="try-out", daemon=True).start()
    try:
        value, error = outcome.get(timeout=seconds)
    except Empty:
        raise BotError(f"{seconds:g} 秒内没有完成；请检查地址和网络，或稍后再试。") from None
    if isinstance(error, BotError):
        raise error
    if error is not None:
        # Its text may hold the key or the address.
        raise BotError(
            f"意外中断（{type(error).__name__}）；请检查填写的内容，或稍后再试。"
        ) from None
    return value  # type: ignore[return-value]  # there is a value where there is no error


def _tone() -> bytes:
    """Return half a second of a quiet tone as WAV."""
    rate = 16_000
    samples = (int(3000 * math.sin(2 * math.pi * 440 * at / rate)) for at in range(rate // 2))
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"".join(struct.pack("<h", one) for one in samples))
    return held.getvalue()
