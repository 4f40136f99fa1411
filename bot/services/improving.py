"""The better answer, made on request after the grade."""

from __future__ import annotations

from bot.domain.grade import BetterAnswer, Grade
from bot.domain.target import Target
from bot.errors import JudgeReplyError
from bot.ports import ChatModel, Message
from bot.prompts import better_answer as prompt


def improve(
    chat: ChatModel, target: Target, answer: str, given: Grade, *, secret: str
) -> BetterAnswer:
    """Return the candidate's answer rewritten from what they said and what was missing.

    Raises `JudgeReplyError` when a part is missing, and as the model does.
    """
    filled = chat.fill(
        prompt.BetterReply,
        (
            Message(role="system", text=prompt.SYSTEM),
            Message(role="user", text=prompt.user_message(target, answer, given, secret)),
        ),
        max_tokens=prompt.MAX_TOKENS,
    )
    better = prompt.check(filled.value, chat.name)
    if better is None:
        raise JudgeReplyError(
            f"模型 {chat.name} 没有给出完整的改写；可以再试一次，或对照参考答案自己改。"
        )
    return better
