"""Turns what a model call raises into one sentence: what, where, and what to do.

Nothing that a server said gets into a sentence: it may repeat the key, the prompt or the answer.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from bot.adapters.base_url import host_of
from bot.adapters.endpoint_sentences import SENTENCES, Kind
from bot.errors import BotError

_RETRIED = {Kind.BUSY, Kind.SERVER, Kind.BROKEN}
LONGEST_PAUSE = 20.0
"""Seconds; who is told to wait longer is told so at once, instead of being kept waiting."""
_FIRST_PAUSE = 0.5
_LONGEST_REASON = 600

# What providers write, in any case; a body may be JSON or not, so the whole of it is searched.
_SAID: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.FILTERED,
        re.compile(
            r"content_?filter|content[ _]policy|data_?inspection|inappropriate content|high risk"
            r"|contentfilter|敏感|违规|不安全"
        ),
    ),
    (
        Kind.QUOTA,
        re.compile(
            r"insufficient[ _](?:user_)?quota|insufficient[ _]?balance|exceeded_current_quota"
            r"|arrearage|in arrears|quota_?exhausted|余额不足|余额已|欠费|额度已用"
        ),
    ),
    (
        Kind.OVERFLOW,
        re.compile(
            r"context[ _](?:length|window|size)|maximum context|prompt is too long|too many tokens"
            r"|range of input length|exceeds? the available context"
        ),
    ),
    (
        Kind.MODEL,
        re.compile(
            r"model_?not_?found|model[ _]not[ _]exist|model \S+ (?:not found|does not exist)"
            r"|(?:unknown|invalid|no such) model|model.{0,80}(?:not found|does(?: not|n't) exist)"
            r"|模型不存在"
        ),
    ),
    (
        Kind.BLIND,
        re.compile(
            r"image_?url|image[ _]inputs?|(?:not|n't) support.{0,40}(?:images?|vision|multimodal)"
            r"|(?:images?|vision|multimodal).{0,40}not supported|不支持.{0,12}(?:图|视觉|多模态)"
        ),
    ),
    (Kind.KEY, re.compile(r"invalid[ _]api[ _-]?key|incorrect api key|authentication_error")),
)
_BY_STATUS = {
    401: Kind.KEY, 402: Kind.QUOTA, 403: Kind.PERMISSION, 404: Kind.ADDRESS, 405: Kind.ADDRESS,
    408: Kind.TIMEOUT, 413: Kind.OVERFLOW, 429: Kind.BUSY, 504: Kind.TIMEOUT,
}  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """What went wrong with one request; `said` is what the server wrote, for decisions only."""

    kind: Kind
    status: int = 0
    said: str = field(default="", repr=False)
    name: str = ""
    target: str = ""
    wait: float | None = None
    """Seconds that the server asked to wait."""

    def pause(self, attempt: int) -> float | None:
        """Return the seconds after which another attempt makes sense, if one does."""
        if self.kind not in _RETRIED or (self.wait or 0) > LONGEST_PAUSE:
            return None
        return _FIRST_PAUSE * 2**attempt if self.wait is None else self.wait


def place_of(base_url: str, model: str) -> str:
    """Return model and host, as sentences name them."""
    return f"模型 {model!r}（{host_of(base_url)}）"


def error_of(failure: Failure, place: str) -> BotError:
    """Return our error, to be raised where no foreign one is being handled."""
    kind, template = SENTENCES[failure.kind]
    wait = failure.wait
    return kind(
        template.format(
            place=place,
            status=failure.status or "?",
            target=failure.target or "别处",
            name=failure.name,
            pause=f"在 {wait:.0f} 秒后" if wait else "稍后",
        )
    )


def failure_of(error: Exception) -> Failure:
    """Return what an exception of the client libraries means."""
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Mapping):
        return _failure_inside(error.args[0])  # langchain: HTTP 200 with an error in the body
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    if isinstance(status, int) and status >= 300:
        headers = getattr(response, "headers", {})
        return _failure_said(status, _body_of(error), headers)
    if _is_a(error, "ContextOverflowError"):
        return Failure(Kind.OVERFLOW)
    if kind := _kind_of_connection(error):
        return Failure(kind, name=type(error).__name__)
    if _is_a(error, "APIError"):  # an error event inside a stream
        return _failure_said(0, _body_of(error), {})
    if isinstance(error, (ValueError, TypeError, LookupError, AttributeError)):
        return Failure(Kind.STRANGE, name=type(error).__name__)
    return Failure(Kind.OTHER, name=type(error).__name__)


def _failure_said(status: int, said: str, headers: Mapping[str, str]) -> Failure:
    if 300 <= status < 400:
        target = host_of(headers.get("location", "")) or "自己的另一个地址"
        return Failure(Kind.MOVED, status, target=target)
    kind = next((kind for kind, pattern in _SAID if pattern.search(said)), None)
    if kind is None or (kind is Kind.KEY and status not in (0, 400, 403)):
        kind = _BY_STATUS.get(status)
    if kind is None:
        kind = Kind.REFUSED if 400 <= status < 500 else Kind.SERVER
    if kind is Kind.ADDRESS and re.search(r"tool|endpoints? found|response_format", said):
        kind = Kind.REFUSED  # OpenRouter: nobody offers the model with these parameters
    return Failure(kind, status, said, wait=_wait(headers) if kind is Kind.BUSY else None)


def _failure_inside(body: Mapping[object, object]) -> Failure:
    code = body.get("code")
    status = int(str(code)) if str(code) in map(str, range(400, 600)) else 0
    return _failure_said(status, _beginning(str(body)), {})


def _body_of(error: Exception) -> str:
    return _beginning(f"{getattr(error, 'code', '')} {getattr(error, 'body', '') or error}")


def _beginning(said: str) -> str:
    """Return where the reason stands; further on a server may repeat the prompt."""
    return said.lower()[:_LONGEST_REASON]


def _wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of Retry-After, which may be a number or a date."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        given = headers.get("retry-after", "")
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", given):
            return float(given)
        until, now = (parsedate_to_datetime(text) for text in (given, headers.get("date", "")))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _kind_of_connection(error: Exception) -> Kind | None:
    chain = list(_chain(error))
    if any(_is_a(one, "TimeoutException", "APITimeoutError", "ModelTimeoutError") for one in chain):
        return Kind.TIMEOUT
    for one in chain:
        if isinstance(one, ssl.SSLError):
            return Kind.TLS
        if isinstance(one, socket.gaierror):
            return Kind.NAME
        if isinstance(one, (ConnectionResetError, BrokenPipeError)):
            return Kind.BROKEN
    if any(_is_a(one, "ConnectError", "ProxyError") for one in chain):
        return Kind.CLOSED
    if any(_is_a(one, "TransportError", "APIConnectionError", "OSError") for one in chain):
        return Kind.BROKEN
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_a(error: BaseException, *names: str) -> bool:
    """Say whether the error is of such a class; by name, so that no library is loaded for it."""
    return any(base.__name__ in names for base in type(error).__mro__)
