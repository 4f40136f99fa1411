"""What single providers and models want differently, and what to change when one refuses."""

from __future__ import annotations

import re

from pydantic import JsonValue

from bot.adapters.base_url import host_of
from bot.adapters.endpoint_errors import Failure
from bot.adapters.endpoint_manner import Manner, Quirk
from bot.adapters.endpoint_sentences import Kind

_FLAG: dict[str, JsonValue] = {"enable_thinking": False}
_TYPE: dict[str, JsonValue] = {"thinking": {"type": "disabled"}}
_TEMPLATE: dict[str, JsonValue] = {
    "chat_template_kwargs": {"enable_thinking": False, "thinking": False}
}

_THINKING_OFF: tuple[tuple[str, str, dict[str, JsonValue]], ...] = (
    # host, model, what to add; the first that fits. Models are named where others refuse it.
    (r"dashscope.*\.aliyuncs\.com$", r"qwen|glm|deepseek|kimi", _FLAG),
    (r"\.siliconflow\.(cn|com)$", r"qwen3|glm-[4-9]\.|deepseek-v[3-9]\.|hunyuan-a13b", _FLAG),
    (r"\.modelscope\.cn$", r"qwen3|glm-[4-9]\.|deepseek-v[3-9]\.", _FLAG),
    (r"\.deepseek\.com$", r"", _TYPE),
    (r"(\.bigmodel\.cn|\.z\.ai)$", r"glm-(4\.[5-9]|[5-9])", _TYPE),
    (r"\.moonshot\.(cn|ai)$", r"kimi-(k2\.|k[3-9])", _TYPE),
    (r"\.volces\.com$", r"", _TYPE),
    (r"openrouter\.ai$", r"", {"reasoning": {"enabled": False}}),
    (r":11434$", r"", {"reasoning_effort": "none"}),
    (r"(\.openai\.com|\.openai\.azure\.com)$", r"", {}),  # refuse what they do not know
    (r"", r"qwen-?3|glm-[4-9]\.|deepseek-v[3-9]\.|hunyuan|\.gguf$", _TEMPLATE),
)

_NEW_LIMIT = re.compile(r"\.openai\.com$|\.openai\.azure\.com$")
_METHOD_WORDS = re.compile(
    r"response_format|json_schema|json_object|json schema|json mode|structured output|guided"
    r"|tool|function|grammar|logprob"
)
_WITHOUT_LOGPROBS = (Kind.REFUSED, Kind.PERMISSION, Kind.ADDRESS, Kind.SERVER)
"""OpenAI answers 403 for models that do not tell them, other servers 404 or 500."""


def thinking_off(base_url: str, model: str, manner: Manner) -> dict[str, JsonValue]:
    """Return what to add to a request so that the model answers without thinking first."""
    if Quirk.THINKING_FLAG in manner.quirks:
        return _FLAG
    if Quirk.NO_THINKING_SWITCH in manner.quirks:
        return {}
    host, name = host_of(base_url), model.lower()
    for at, models, extra in _THINKING_OFF:
        if re.search(at, host) and re.search(models, name):
            return extra
    return {}


def limit_name(base_url: str, manner: Manner) -> str:
    """Return the name by which the endpoint knows the limit of a reply."""
    is_new = bool(_NEW_LIMIT.search(host_of(base_url)))
    is_new ^= Quirk.OTHER_LIMIT in manner.quirks
    return "max_completion_tokens" if is_new else "max_tokens"


def softened(manner: Manner, failure: Failure, *, switches: bool, weighs: bool) -> Manner | None:
    """Return the manner with the quirk that a refusal shows, or None when it shows none.

    Args:
        manner: How it was asked.
        failure: The refusal.
        switches: Whether the request tried to switch thinking off.
        weighs: Whether it asked for the probabilities of tokens.
    """
    about_logprobs = weighs and failure.kind in _WITHOUT_LOGPROBS and "logprob" in failure.said
    if failure.kind is not Kind.REFUSED and not about_logprobs:
        return None
    quirk = _quirk_of(failure.said, switches=switches, weighs=weighs)
    return manner.having(quirk) if quirk is not None and quirk not in manner.quirks else None


def refuses_method(failure: Failure) -> bool:
    """Say whether a refusal may be about the way in which the form was asked for."""
    if failure.kind is Kind.SERVER:
        return bool(_METHOD_WORDS.search(failure.said))  # llama.cpp answers 500 to tools
    return failure.kind is Kind.REFUSED


def _quirk_of(said: str, *, switches: bool, weighs: bool) -> Quirk | None:
    if weighs and "logprob" in said:
        return Quirk.NO_LOGPROBS
    if re.search(r"enable_thinking must be set to false", said):
        return Quirk.THINKING_FLAG
    if switches and re.search(r"thinking|chat_template_kwargs|reasoning", said):
        return Quirk.NO_THINKING_SWITCH
    if re.search(r"max_(completion_)?tokens", said) and re.search(
        r"unsupported|not supported|unknown|unrecognized|not permitted|instead", said
    ):
        return Quirk.OTHER_LIMIT
    if "stream_options" in said:
        return Quirk.NO_STREAM_USAGE
    if "temperature" in said:
        return Quirk.NO_TEMPERATURE
    if re.search(r"invalid schema|additionalproperties|strict", said):
        return Quirk.NO_STRICT
    if _METHOD_WORDS.search(said):
        return None
    # It does not say what it did not understand: what can be done without goes first.
    if weighs:
        return Quirk.NO_LOGPROBS
    return Quirk.NO_THINKING_SWITCH if switches else None
