"""A small OpenID Connect provider: whoever comes chooses who they are."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

PEOPLE = ("anna", "bert")
CLIENT = "mockbot"


class IdentityServer:
    """Serves metadata, keys, a page to choose a person, and tokens."""

    def __init__(self) -> None:
        self._key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
        self._nonces: dict[str, str] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.get(self)

            def do_POST(self) -> None:
                outer.post(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def secrets(self, address: str) -> str:
        """Return the file that tells a page at the address to use this provider."""
        values = {
            "redirect_uri": f"{address}/oauth2callback",
            "cookie_secret": "a secret that is long enough for a test",
            "client_id": CLIENT,
            "client_secret": "s",
            "server_metadata_url": f"{self.url}/.well-known/openid-configuration",
        }
        return "[auth]\n" + "".join(f"{name} = {json.dumps(it)}\n" for name, it in values.items())

    def get(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/.well-known/openid-configuration":
                self._json(request, self._metadata())
            case "/keys":
                self._json(request, {"keys": [self._key.as_dict(private=False)]})
            case "/authorize":
                links = "".join(self._link(name, query) for name in PEOPLE)
                _reply(request, "text/html; charset=utf-8", links.encode())
            case _:
                request.send_error(404)

    def post(self, request: BaseHTTPRequestHandler) -> None:
        length = int(request.headers.get("Content-Length", 0))
        form = parse_qs(request.rfile.read(length).decode())
        name = form["code"][0]
        claims = {
            "iss": self.url,
            "sub": name,
            "aud": CLIENT,
            "iat": int(time.time()),
            "exp": int(time.time()) + 600,
            "nonce": self._nonces.get(name, ""),
            "email": f"{name}@example.com",
            "email_verified": True,
        }
        token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self._key)
        kinds = {"access_token": "a", "token_type": "Bearer", "expires_in": 600}
        self._json(request, {**kinds, "id_token": token})

    def _metadata(self) -> dict[str, object]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def _link(self, name: str, query: dict[str, str]) -> str:
        self._nonces[name] = query.get("nonce", "")
        back = urlencode({"code": name, "state": query["state"]})
        return f'<a href="{query["redirect_uri"]}?{back}">{name}</a> '

    def _json(self, request: BaseHTTPRequestHandler, value: object) -> None:
        _reply(request, "application/json", json.dumps(value).encode())


def _reply(request: BaseHTTPRequestHandler, kind: str, body: bytes) -> None:
    request.send_response(200)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
