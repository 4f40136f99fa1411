"""A picture of a drawing read by a model that can see; the candidate corrects it before it counts."""

from __future__ import annotations

from bot.domain.session import LONGEST_ANSWER
from bot.errors import JudgeUnavailableError, PictureError
from bot.ports import ChatModel, Message
from bot.prompts import picture as prompt
from bot.prompts.picture import PictureText
from bot.services.judging import Gate


def read_picture(chat: ChatModel, png: bytes, *, gate: Gate) -> PictureText:
    """Return what the picture shows as Mermaid text.

    Raises `JudgeUnavailableError` when the budget is spent, `PictureError` when no drawing was
    found in it, and as the model does.
    """
    closed = gate.closed_because()
    if closed is not None:
        raise JudgeUnavailableError(closed)
    filled = chat.fill(
        prompt.PictureReply,
        (
            Message(role="system", text=prompt.SYSTEM),
            Message(role="user", text=prompt.USER, picture=png),
        ),
        max_tokens=prompt.MAX_TOKENS,
    )
    # A fence is added to it, and words may be.
    read = prompt.check(filled.value, LONGEST_ANSWER // 2)
    if read is None:
        raise PictureError(
            f"模型 {chat.name} 没有从图片里读出一张图；请换一张更清楚的图片，或直接写文字、Mermaid。"
        )
    return read
