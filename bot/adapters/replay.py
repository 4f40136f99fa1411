"""A chat model that gives recorded replies: prompt, form and scoring are measured without a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, JsonValue, ValidationError

from bot.domain.question import Frozen
from bot.errors import ConfigError, JudgeReplyError
from bot.ports import Filled, Message
from bot.prompts.judge import prompt_hash

SECRET = "replay"  # noqa: S105 - fixed, so that the fence and with it the prompt's hash repeat


class Recorded(Frozen):
    """One line of the file: the hash of a prompt and the reply to it."""

    id: str
    prompt: str
    reply: dict[str, JsonValue]


class ReplayChat:
    """Answers each prompt with the reply that was recorded for exactly this prompt."""

    name = "replay"

    def __init__(self, path: Path) -> None:
        """Read the recorded replies. Raises `ConfigError` with the line."""
        self._replies: dict[str, dict[str, JsonValue]] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}：无法读取录制的回复。") from error
        for number, line in enumerate(lines, start=1):
            try:
                one = Recorded.model_validate_json(line)
            except ValidationError as error:
                raise ConfigError(f"{path}:{number}：录制的回复格式有误。") from error
            self._replies[one.prompt] = one.reply

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        """Return the recorded reply. Raises `JudgeReplyError` when there is none."""
        key = prompt_hash(messages)
        if key not in self._replies:
            raise JudgeReplyError(f"没有录制过这个提示词（{key}）的回复；提示词变了就要重新录制。")
        return Filled(value=self._replies[key], method="replay")

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """Raise `JudgeReplyError`: spoken words are not recorded."""
        raise JudgeReplyError("录制的回复只用于评分。")
