"""A shared server connects to no address that is not public, whatever a name server says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import httpx2
import pytest
from pydantic import SecretStr

from bot.adapters import public_http
from bot.adapters.chat_models import open_chat_model
from bot.adapters.endpoint_http import client
from bot.errors import ConfigError
from bot.ports import Message

pytestmark = pytest.mark.contract

HELLO = (Message(role="user", text="好"),)


class Secret(BaseHTTPRequestHandler):
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"secret")

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def inside() -> Iterator[int]:
    """A service of this machine that nobody outside should reach."""
    Secret.seen.clear()
    server = HTTPServer(("127.0.0.1", 0), Secret)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "0x7f.1", "127.1"]
)
def test_an_inner_address_is_refused_however_it_is_written(inside: int, host: str) -> None:
    with (
        client(f"http://{host}:{inside}", timeout=5, elapsed=lambda: 0.0, public_only=True) as http,
        pytest.raises((ConfigError, httpx2.ConnectError)),
    ):
        http.get(f"http://{host}:{inside}/")

    assert Secret.seen == []


def test_a_name_that_changes_between_look_up_and_connection_reaches_nothing(
    inside: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([("93.184.215.14",), ("127.0.0.1",), ("127.0.0.1",)])
    monkeypatch.setattr(public_http, "resolve", lambda host, port: next(answers))
    url = f"http://rebound.example:{inside}"
    public_http.require_public(url, public_http.resolve)
    transport = public_http.PublicTransport(httpx2.Limits(), lambda h, p: next(answers))

    with (
        httpx2.Client(transport=transport) as http,
        pytest.raises(ConfigError, match="指向本机或内网"),
    ):
        http.get(url)

    assert Secret.seen == []


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    opened: list[str] = []

    class Sockets:
        def connect_tcp(self, host: str, *_: object, **__: object) -> object:
            opened.append(host)
            raise OSError("no network in tests")

    backend = public_http.PublicBackend(lambda host, port: ("1.1.1.1", "8.8.8.8"))
    backend._sockets = Sockets()  # type: ignore[assignment]

    with pytest.raises(OSError, match="no network"):
        backend.connect_tcp("any.example", 443)

    assert opened == ["1.1.1.1"]


def test_one_inner_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(ConfigError, match="指向本机或内网"):
        public_http.require_public("https://mixed.example", lambda h, p: ("1.1.1.1", "10.0.0.1"))


def test_an_unknown_host_is_one_sentence() -> None:
    def unknown(host: str, port: int) -> tuple[str, ...]:
        raise OSError("no such host")

    with pytest.raises(ConfigError, match=r"找不到主机 'typo\.example'"):
        public_http.require_public("https://typo.example/v1", unknown)


def test_a_model_at_an_inner_address_is_refused_in_a_sentence_and_not_asked(inside: int) -> None:
    chat = open_chat_model(
        "x", key=SecretStr("k"), base_url=f"http://127.0.0.1:{inside}/v1", public_only=True
    )

    with pytest.raises(ConfigError, match="指向本机或内网，多人模式下不能使用"):
        list(chat.say(HELLO, max_tokens=5))

    assert Secret.seen == []


@pytest.mark.parametrize("model", ["local:/etc/passwd", "anthropic:claude", "bedrock:x"])
def test_files_and_keys_of_the_server_cannot_be_asked_for(model: str) -> None:
    with pytest.raises(ConfigError, match="多人模式下不能使用模型"):
        open_chat_model(model, key=SecretStr("k"), public_only=True)
