"""The HTTP client of an endpoint: no redirects, and an end to every reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx2

from bot.adapters.base_url import is_loopback
from bot.adapters.public_http import PublicTransport

_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=64, keepalive_expiry=30.0)
_LONGEST_CONNECT = 10.0


def timeouts(seconds: float) -> httpx2.Timeout:
    """Return the time limits of one call."""
    return httpx2.Timeout(seconds, connect=min(seconds, _LONGEST_CONNECT))


def client(
    base_url: str, *, timeout: float, elapsed: Callable[[], float], public_only: bool = False
) -> httpx2.Client:
    """Return a client that follows no redirect: the key must not go to another host.

    With `public_only` it connects to nothing but the open internet.

    A read may take `timeout`, and so may all reads of a reply together: a server that sends a byte
    now and then would else be waited for without an end.
    """

    def begin(request: httpx2.Request) -> None:
        request.extensions["mockbot.until"] = elapsed() + timeout

    def watch(response: httpx2.Response) -> None:
        stream = response.stream
        if isinstance(stream, httpx2.SyncByteStream):
            until = response.request.extensions["mockbot.until"]
            response.stream = _Watched(stream, lambda: elapsed() > until)

    return httpx2.Client(
        timeout=timeouts(timeout),
        limits=_LIMITS,
        follow_redirects=False,
        # A proxy could not reach this machine, and would look up a public name by itself.
        trust_env=not is_loopback(base_url) and not public_only,
        transport=PublicTransport(_LIMITS) if public_only else None,
        event_hooks={"request": [begin], "response": [watch]},
    )


class _Watched(httpx2.SyncByteStream):
    """A body that ends with a timeout when it is late."""

    def __init__(self, stream: httpx2.SyncByteStream, is_late: Callable[[], bool]) -> None:
        self._stream = stream
        self._is_late = is_late

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if self._is_late():
                raise httpx2.ReadTimeout("the reply took too long as a whole")
            yield chunk

    def close(self) -> None:
        self._stream.close()
