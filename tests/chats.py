"""Chat models that say what they were given, and how an endpoint would tell their probabilities."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, JsonValue

from bot.domain.confidence import Token
from bot.domain.usage import Usage
from bot.errors import BotError
from bot.ports import Filled, Message

COST = Usage(prompt=100, cached=40, reply=20)


class CannedChat:
    """Fills forms and says words as it was told, the last thing for ever; remembers what it was asked."""

    name = "canned"

    def __init__(
        self, *fills: dict[str, JsonValue] | Filled | BotError, says: Sequence[str | BotError] = ()
    ) -> None:
        self._fills = fills
        self._says = says
        self.asked: list[tuple[Message, ...]] = []
        self.forms: list[type[BaseModel]] = []

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        given = self._fills[min(len(self.asked), len(self._fills) - 1)]
        self.asked.append(tuple(messages))
        self.forms.append(form)
        if isinstance(given, BotError):
            raise given
        if isinstance(given, Filled):
            return given
        return Filled(value=given, method="canned", usage=COST)

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        self.asked.append(tuple(messages))
        for one in self._says:
            if isinstance(one, BotError):
                raise one
            yield one


def judged(
    verdicts: dict[str, str], slots: dict[str, int], *, sentence: int = 1
) -> dict[str, JsonValue]:
    """Return the reply of a judge; what is met or filled rests on one sentence."""
    return {
        "points": [
            {"id": id, "s": [] if verdict == "no" else [sentence], "v": verdict}
            for id, verdict in verdicts.items()
        ],
        "slots": [
            {"slot": slot, "s": [sentence] if level else [], "v": level}
            for slot, level in slots.items()
        ],
        "overclaims": [],
        "errors": [],
        "probe": next(iter(slots), ""),
    }


def tokens_of(text: str, sure: float = 1.0, pattern: str = r"\w+|\s+|[^\w\s]") -> list[Token]:
    """Return a text as tokens; every verdict has the probability `sure` and one rival."""
    rivals = {
        "met": "part",
        "part": "no",
        "no": "wrong",
        "wrong": "no",
        "0": "1",
        "1": "0",
        "2": "1",
    }
    tokens = []
    for piece in re.findall(pattern, text, re.DOTALL):
        word = re.sub(r"\W", "", piece)
        if word not in rivals or sure == 1.0:
            tokens.append(Token(piece, 0.0))
            continue
        rival = piece.replace(word, rivals[word])
        others = ((piece, math.log(sure)), (rival, math.log(1 - sure)), ("meta", -9.0))
        tokens.append(Token(piece, math.log(sure), others))
    return tokens


def as_openai(tokens: Sequence[Token]) -> dict[str, Any]:
    """Return tokens in the form that OpenAI gave them."""
    return {
        "content": [
            {
                "token": one.text,
                "logprob": one.logprob,
                "bytes": list(one.text.encode()),
                "top_logprobs": [
                    {"token": text, "logprob": logprob, "bytes": None}
                    for text, logprob in one.others
                ],
            }
            for one in tokens
        ],
        "refusal": None,
    }


def weighed(reply: dict[str, JsonValue], sure: float) -> Filled:
    """Return the reply of a judge that was so sure of each verdict."""
    text = json.dumps(reply, ensure_ascii=False)
    return Filled(value=reply, method="canned", usage=COST, tokens=tuple(tokens_of(text, sure)))
