"""A real HTTP server that speaks OpenAI's audio API and plays one quirk per model name."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MP3 = b"ID3" + b"\x00" * 64


_REFUSALS = {
    "json-only": (400, "response_format 'verbose_json' is not compatible with model"),
    "too-large": (413, "Maximum content size limit exceeded"),
    "wrong-kind": (415, "Unsupported Media Type"),
    "no-model": (404, "The model `x` does not exist"),
    "broken": (500, "oops"),
}


@dataclass
class Asked:
    """A request: its path, its headers, its fields, and the clip with its name and type."""

    path: str
    headers: dict[str, str]
    fields: dict[str, Any]
    clip: bytes = b""
    clip_name: str = ""
    clip_type: str = ""


@dataclass
class AudioServer:
    """Where the server is and what it was asked; `says` is what it hears in every clip."""

    url: str = ""
    says: str = "显存帶寬是瓶頸"
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def audio_server() -> Iterator[AudioServer]:
    """Run the server on this machine."""
    state = AudioServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            one = _read(self.path, dict(self.headers), body)
            state.asked.append(one)
            status, reply, headers = _reply(one, state.says)
            kind = "application/json" if isinstance(reply, dict) else "audio/mpeg"
            raw = json.dumps(reply).encode() if isinstance(reply, dict) else reply
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # who asked did not wait

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _read(path: str, headers: dict[str, str], body: bytes) -> Asked:
    headers = {name.lower(): value for name, value in headers.items()}
    kind = headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        return Asked(path, headers, json.loads(body or b"{}"))
    message = BytesParser(policy=HTTP).parsebytes(
        b"content-type: " + kind.encode() + b"\r\n\r\n" + body
    )
    one = Asked(path, headers, {})
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        raw = part.get_payload(decode=True)
        assert isinstance(raw, bytes)
        if name == "file":
            one.clip = raw
            one.clip_name = str(part.get_filename())
            one.clip_type = part.get_content_type()
        else:
            one.fields[str(name)] = raw.decode()
    return one


def _reply(one: Asked, says: str) -> tuple[int, dict[str, Any] | bytes, dict[str, str]]:
    model = one.fields["model"]
    if one.path.endswith("/audio/speech"):
        return 200, MP3, {}
    plain = {"text": says}
    segment = {"id": 0, "start": 0.0, "end": 2.0, "text": says, "avg_logprob": -0.2,
               "no_speech_prob": 0.01}  # fmt: skip
    verbose = {**plain, "task": "transcribe", "language": "chinese", "duration": 2.0}
    if model == "slow":
        time.sleep(3)
    if model == "json-only" and one.fields.get("response_format") == "json":
        return 200, plain, {}
    if model == "wrong-key":
        said = f"Incorrect API key provided: {one.headers.get('authorization')}"
        return 401, {"error": {"message": said, "code": "invalid_api_key"}}, {}
    if model == "moved":
        return 307, {}, {"location": "http://other.invalid/v1/audio/transcriptions"}
    if model in _REFUSALS:
        status, said = _REFUSALS[model]
        return status, {"error": {"message": said}}, {}
    return 200, {**verbose, "segments": [segment]}, {}
