"""Connections to the open internet alone, for addresses that a user of a shared server typed."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import httpx2

from bot.domain.reach import is_public
from bot.errors import ConfigError

Resolver = Callable[[str, int], Sequence[str]]
"""Returns the numeric addresses of a host. Raises `OSError`."""


def resolve(host: str, port: int) -> tuple[str, ...]:
    """Return the numeric addresses of a host, asked of the system. Raises `OSError`."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


def require_public(url: str, resolver: Resolver = resolve) -> None:
    """Raise `ConfigError` unless every address of the host is one of the open internet."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        _public(host, parts.port or (443 if parts.scheme == "https" else 80), resolver)
    except OSError:
        raise ConfigError(f"找不到主机 {host!r}；请检查接口地址的拼写。") from None


def _public(host: str, port: int, resolver: Resolver) -> str:
    addresses = resolver(host, port)
    if not addresses or not all(is_public(one) for one in addresses):
        raise ConfigError(
            f"接口地址 {host!r} 指向本机或内网，多人模式下不能使用；请填写公网地址，"
            "或请管理员设置 BOT_PRIVATE_ENDPOINTS=true。"
        )
    return addresses[0]


class PublicBackend(httpcore2.NetworkBackend):
    """Opens connections to the address that was checked: a second look-up could tell another."""

    def __init__(self, resolver: Resolver = resolve) -> None:
        """Take what looks hosts up."""
        self._resolver = resolver
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Return a connection. Raises `ConfigError` for an address that is not public."""
        try:
            address = _public(host, port, self._resolver)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        return self._sockets.connect_tcp(
            address,
            port,
            timeout=timeout,
            local_address=local_address,
            socket_options=socket_options,
        )

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.NetworkStream:
        """Raise `ConfigError`: a socket of this machine is not on the internet."""
        raise ConfigError("多人模式下不能连接本机的套接字。")

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._sockets.sleep(seconds)


class PublicTransport(httpx2.HTTPTransport):
    """Sends requests over connections of `PublicBackend`, past any proxy."""

    def __init__(self, limits: httpx2.Limits, resolver: Resolver = resolve) -> None:
        """Take the limits of the pool."""
        super().__init__(trust_env=False, limits=limits)
        self._pool.close()
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(trust_env=False),
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=PublicBackend(resolver),
        )
