"""Reads the probabilities of tokens in the form that OpenAI gave them."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import ConfigDict, FiniteFloat, StrictStr, TypeAdapter, ValidationError, with_config
from pydantic.types import Strict
from typing_extensions import TypedDict

from bot.domain.confidence import Token


@with_config(ConfigDict(extra="ignore"))
class _Choice(TypedDict):
    token: StrictStr
    logprob: Annotated[FiniteFloat, Strict()]


class _Chosen(_Choice):
    top_logprobs: NotRequired[list[_Choice] | None]


@with_config(ConfigDict(extra="ignore"))
class _Logprobs(TypedDict):
    content: list[_Chosen]


_LOGPROBS = TypeAdapter(_Logprobs)


def tokens_of(logprobs: object) -> tuple[Token, ...]:
    """Return the tokens of a reply; nothing when they are not told, or not all in that form."""
    if logprobs is None:
        return ()
    try:
        content = _LOGPROBS.validate_python(logprobs)["content"]
    except ValidationError:
        return ()
    return tuple(
        Token(
            one["token"],
            one["logprob"],
            tuple((other["token"], other["logprob"]) for other in one.get("top_logprobs") or ()),
        )
        for one in content
    )
