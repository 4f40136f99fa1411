"""Connects files of the Batch API with the judging model of the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bot.adapters.batch_files import BatchReplies, request_line, write_requests
from bot.adapters.chat_models import FOREIGN, LOCAL, address_of, methods_memory, provider_of
from bot.adapters.endpoint_manner import Manner, key_of
from bot.bootstrap.services import Services
from bot.domain.target import Target
from bot.errors import ConfigError, JudgeUnavailableError
from bot.prompts import judge as prompt
from bot.services.grading import Grader
from bot.services.llm_judge import LlmJudge, is_asked, messages_for

__all__ = ["grader_of_replies", "requests_of", "write_requests"]


def requests_of(services: Services, answers: Iterable[tuple[Target, str]]) -> Iterator[str]:
    """Give the lines of the request file, one for each prompt; empty answers need none.

    Raises `ConfigError` or `JudgeUnavailableError` when the model may not grade.
    """
    line = _writer(services)
    read = services.grader_with(services.models.llm_judge).read
    asked: set[str] = set()
    for target, whole in answers:
        answer = read(target, whole)
        messages = messages_for(target, answer, services.models.secret)
        name = prompt.prompt_hash(messages)
        if name in asked or not is_asked(target, answer):
            continue
        asked.add(name)
        yield line(target, answer)


def grader_of_replies(services: Services, replies: Path) -> Grader:
    """Return a grader over the replies of a batch.

    Raises `ConfigError` or `JudgeUnavailableError` when the model may not grade.
    """
    _require_allowed(services)
    given = _given(services)
    _, model = provider_of(given)
    spending = services.models.spending
    chat = BatchReplies(replies, model=model, spent=lambda usage: spending.spend(given, usage))
    return services.grader_with(LlmJudge(chat, secret=services.models.secret))


def _writer(services: Services) -> Callable[[Target, str], str]:
    given = _given(services)
    provider, model = provider_of(given)
    if given.startswith(LOCAL) or provider in FOREIGN:
        raise ConfigError(f"{given!r} 没有兼容 OpenAI 的批量接口；请不带 --batch 评分。")
    _require_allowed(services)
    base_url = address_of(given, services.settings.openai_base_url).url
    memory = methods_memory(services.settings.data_dir)
    manner = memory.get(key_of(base_url, model)) or Manner()

    def line(target: Target, answer: str) -> str:
        return request_line(
            messages_for(target, answer, services.models.secret),
            prompt.JudgeReply,
            model=model,
            base_url=base_url,
            manner=manner,
            max_tokens=prompt.MAX_REPLY_TOKENS,
        )

    return line


def _given(services: Services) -> str:
    given = services.settings.judge_model or services.settings.model
    if given is None:
        raise ConfigError("没有配置模型；--batch 需要 BOT_MODEL 或 BOT_JUDGE_MODEL。")
    return given


def _require_allowed(services: Services) -> None:
    closed = services.models.exam_gate.closed_because()
    if closed is not None:
        raise JudgeUnavailableError(f"{closed}它通过之前不能批量评分。")
