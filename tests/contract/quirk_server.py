"""A real HTTP server that speaks OpenAI's chat completions and plays one quirk per model name."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.chats import as_openai, judged, tokens_of

FILLED = {"note": "显存不够", "verdict": "met", "sentences": [1, 2]}
JSON = json.dumps(FILLED, ensure_ascii=False)
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 64},
}


SLOTS = ("conclusion", "reason", "premise_cost")
BETTER = {
    "conclusion": "先说结论。",
    "reason": "因为【少读一遍】。",
    "premise_cost": "代价是显存。",
}


@dataclass(frozen=True)
class Seen:
    """A request that the server got."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def format(self) -> str:
        """Return by which method it asked for a form."""
        if "tools" in self.body:
            return "function_calling"
        kind = self.body.get("response_format", {}).get("type", "text")
        return {"json_object": "json_mode"}.get(kind, kind)

    @property
    def text(self) -> str:
        """Return all that its messages say."""
        contents = [message["content"] for message in self.body["messages"]]
        return "\n".join(one if isinstance(one, str) else one[0]["text"] for one in contents)

    @property
    def pictures(self) -> list[str]:
        """Return the addresses of the pictures in its messages."""
        contents = [message["content"] for message in self.body["messages"]]
        parts = [part for one in contents if isinstance(one, list) for part in one]
        return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


@dataclass
class Answer:
    """What is sent back: a status, a body and headers; or events of a stream, and how it ends."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    end: str = "done"
    delay: float = 0.0


def reply(
    content: str | None = JSON,
    *,
    finish: str = "stop",
    usage: Any = USAGE,
    logprobs: Any = None,
    **message: Any,
) -> Answer:
    """Answer with what the model is to have written."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
        **({} if logprobs is None else {"logprobs": logprobs}),
    }
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m"}
    return Answer(body={**body, "choices": [choice], **({"usage": usage} if usage else {})})


def called(arguments: Any) -> Answer:
    """Answer with a tool call."""
    function = {"name": "Small", "arguments": arguments}
    call = {"id": "t1", "type": "function", "function": function}
    return reply(None, finish="tool_calls", tool_calls=[call])


def refusal(message: str, status: int = 400, code: Any = None) -> Answer:
    """Answer with an error."""
    return Answer(status, {"error": {"message": message, "type": "invalid_request", "code": code}})


def willing(seen: Seen) -> Answer:
    """Answer as an endpoint without quirks does."""
    return called(JSON) if seen.format == "function_calling" else reply()


Quirk = Callable[[Seen, int], Answer]
"""Makes an answer from a request and its number, from 1, among those for its model."""


def refuses(method: str, message: str, status: int = 400) -> Quirk:
    """Refuse one method of asking for a form."""
    return lambda seen, _: refusal(message, status) if seen.format == method else willing(seen)


def only(method: str, text: str) -> Quirk:
    """Refuse all methods but one, and answer that with a text."""
    return lambda seen, _: (
        reply(text) if seen.format == method else refusal(f"{seen.format}: tool not supported")
    )


def deepseek(seen: Seen, _: int) -> Answer:
    if seen.format == "json_schema":
        return refusal("This response_format type is unavailable now")
    if seen.format == "function_calling":
        return refusal("deepseek-reasoner does not support this tool_choice")
    return willing(seen)


def wants_the_word(seen: Seen, _: int) -> Answer:
    if seen.format.startswith("json") and "json" not in seen.text.lower():
        return refusal("'messages' must contain the word 'json' in some form")
    return willing(seen)


def starved(seen: Seen, _: int) -> Answer:
    if seen.body["max_tokens"] < 200:
        return reply("", finish="length")
    return reply()


def hungry(_seen: Seen, _: int) -> Answer:
    return reply("", finish="length")


def endless(seen: Seen, _: int) -> Answer:
    if seen.format == "json_schema":
        return reply('{"note": "x",' + "\n" * 300, finish="length")
    return willing(seen)


def picky(parameter: str, message: str) -> Quirk:
    """Refuse requests that have a parameter."""
    return lambda seen, _: refusal(message) if parameter in seen.body else willing(seen)


def wants_new_limit(seen: Seen, _: int) -> Answer:
    if "max_tokens" in seen.body:
        return refusal(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead."
        )
    return willing(seen)


def not_strict(seen: Seen, _: int) -> Answer:
    if seen.body.get("response_format", {}).get("json_schema", {}).get("strict"):
        return refusal("Invalid schema for response_format 'Small': 'x' is not permitted")
    return willing(seen)


def demands_flag(seen: Seen, _: int) -> Answer:
    if seen.body.get("enable_thinking") is not False:
        return refusal("parameter.enable_thinking must be set to false for non-streaming calls")
    return willing(seen)


def limited(times: int, after: str) -> Quirk:
    """Refuse for the rate, some times."""
    return lambda seen, number: (
        Answer(429, {"error": {"message": "Rate limit reached"}}, {"Retry-After": after})
        if number <= times
        else willing(seen)
    )


def failing(times: int, status: int) -> Quirk:
    """Fail, some times."""
    return lambda seen, number: (
        refusal("upstream error", status) if number <= times else willing(seen)
    )


def spoken(*parts: str, end: str = "done") -> Quirk:
    """Speak in parts."""
    return lambda _seen, _: Answer(parts=parts, end=end)


def echo(status: int) -> Quirk:
    """Repeat the whole request, the key too, in an error."""
    return lambda seen, _: refusal(f"bad: {seen.headers} {seen.body}", status)


def plain(text: str, **options: Any) -> Quirk:
    """Always answer with a text."""
    return lambda _seen, _: reply(text, **options)


def weighs(seen: Seen, _: int) -> Answer:
    """Tell the probabilities of tokens, when they are asked for."""
    if seen.format == "function_calling" or not seen.body.get("logprobs"):
        return willing(seen)
    return reply(logprobs=as_openai(tokens_of(JSON, 0.8)))


def garbles(*logprobs: Any) -> Quirk:
    """Tell probabilities in a form that cannot be read, another one each time."""
    return lambda _seen, number: reply(logprobs=logprobs[(number - 1) % len(logprobs)])


def refuses_logprobs(message: str, status: int = 400) -> Quirk:
    """Refuse requests for probabilities."""
    return lambda seen, number: (
        refusal(message, status) if "logprobs" in seen.body else weighs(seen, number)
    )


def judges(sure: float, verdict: str = "met") -> Quirk:
    """Fill in a judge's form: every point and slot the same, on the first sentence, so sure."""
    value = judged(dict.fromkeys("abcdefghijkl", verdict), dict.fromkeys(SLOTS, 2))
    text = json.dumps(value, ensure_ascii=False)

    def answer(seen: Seen, _: int) -> Answer:
        if seen.body.get("stream"):
            return Answer(parts=("请说说", "你的理解。"))
        if "points" not in seen.text:  # another form: it is a better answer
            return reply(json.dumps(BETTER, ensure_ascii=False))
        return reply(text, logprobs=as_openai(tokens_of(text, sure)))

    return answer


def obliges(seen: Seen, _: int) -> Answer:
    """Speak, fill in the form of a connection test, and judge."""
    if seen.body.get("stream"):
        return Answer(parts=("请说说", "你的理解。"))
    if "points" in seen.text:
        value = judged(dict.fromkeys("abcdefghijkl", "met"), dict.fromkeys(SLOTS, 2))
        return reply(json.dumps(value, ensure_ascii=False))
    return reply('{"word": "好"}')


def drops_usage_option(seen: Seen, _: int) -> Answer:
    if "stream_options" in seen.body:
        return refusal("Unknown field: stream_options")
    return Answer(parts=("好",))


def sees(seen: Seen, _: int) -> Answer:
    """Read a drawing where a picture came."""
    drawn = "flowchart LR\n  A[甲] -->|调用| B[乙]" if seen.pictures else ""
    read = json.dumps({"mermaid": drawn, "unreadable": ["右下角的字"]}, ensure_ascii=False)
    return called(read) if seen.format == "function_calling" else reply(read)


def drafts(seen: Seen, number: int) -> Answer:
    """Draft key points; at first one of them has a slot that there is not."""
    points = [
        {"says": "省去重复计算", "slot": "conclusion", "weight": 3, "concepts": [["重复计算"]]},
        {
            "says": "代价是显存增长",
            "slot": "cost" if number == 1 else "premise_cost",
            "weight": 2,
            "concepts": [["显存"], ["增长"]],
        },
    ]
    text = json.dumps({"points": points}, ensure_ascii=False)
    return called(text) if seen.format == "function_calling" else reply(text)


def blind(message: str, status: int = 400) -> Quirk:
    """Refuse pictures."""
    return lambda seen, _: refusal(message, status) if seen.pictures else willing(seen)


QUIRKS: dict[str, Quirk] = {
    "obliging": obliges,
    "sees": sees,
    "drafts": drafts,
    "blind": blind("This model does not support image input."),
    "blind-serde": blind("Failed to deserialize: unknown variant `image_url`, expected `text`"),
    "blind-500": blind("image input is not supported - you may need to provide the mmproj", 500),
    "blind-zh": blind("该模型不支持图片输入"),
    "willing": lambda seen, _: (
        Answer(parts=("请", "讲讲 PagedAttention。")) if seen.body.get("stream") else willing(seen)
    ),
    "no-schema": refuses("json_schema", "This response_format type is unavailable now"),
    "deepseek": deepseek,
    "wants-the-word": wants_the_word,
    "thinks": plain(f'<think>先看第一句 {{"note": "draft"}}</think>\n\n{JSON}'),
    "thinks-open": plain(f"<think>\n好的，答案是 {JSON}"),
    "thinks-without-beginning": plain(f'想一想 {{"note": "draft"}}</think>{JSON}'),
    "starved": starved,
    "hungry": hungry,
    "endless": endless,
    "always-endless": plain('{"note": "x",' + " " * 300, finish="length"),
    "truncated": plain('{"note": "显存不够", "sentences": [1, 2], "verdict": "me', finish="length"),
    "fenced": plain(f"好的，结果如下：\n```json\n{JSON}\n```\n希望有帮助 {{}}"),
    "strings": plain('{"note": "x", "verdict": "met", "sentences": ["1", "2"]}'),
    "prose": plain(f"集合 {{a, b}} 说明……最后：{JSON}"),
    "chatty": plain("抱歉，我只会聊天。"),
    "silent": plain(""),
    "null": lambda _seen, _: reply(None),
    "tools": refuses("json_schema", "json_schema is not supported"),
    "tools-cut": lambda seen, _: (
        called('{"note": "x", "verdict": "m')
        if seen.format == "function_calling"
        else refusal("response_format is not supported")
    ),
    "tools-double": lambda seen, _: (
        called(json.dumps(JSON))
        if seen.format == "function_calling"
        else refuses("json_schema", "response_format is not supported")(seen, 1)
    ),
    "tools-object": lambda seen, _: (
        called(FILLED)
        if seen.format == "function_calling"
        else refuses("json_schema", "response_format is not supported")(seen, 1)
    ),
    "tools-ignored": lambda seen, _: (
        reply()
        if seen.format == "function_calling"
        else refusal("response_format is not supported")
    ),
    "no-jinja": lambda seen, _: (
        refusal("tools param requires --jinja flag", 500)
        if seen.format == "function_calling"
        else deepseek(seen, 1)
    ),
    "only-text": only("text", f"当然！{JSON}"),
    "qwen3-32b": picky(
        "chat_template_kwargs", "Extra inputs are not permitted: chat_template_kwargs"
    ),
    "no-temperature": picky("temperature", "Unsupported value: 'temperature' does not support 0"),
    "new-limit": wants_new_limit,
    "not-strict": not_strict,
    "demands-flag": demands_flag,
    "weighs": weighs,
    "weighs-but-no-schema": lambda seen, number: (
        refusal("json_schema is not supported")
        if seen.format == "json_schema"
        else weighs(seen, number)
    ),
    "no-logprobs": refuses_logprobs("logprobs is not supported with this model"),
    "no-logprobs-403": refuses_logprobs("You are not allowed to request logprobs", 403),
    "no-logprobs-500": refuses_logprobs("logprobs: not implemented", 500),
    "no-logprobs-unsaid": refuses_logprobs("Bad Request"),
    "garbled-logprobs": garbles(
        "high",
        [],
        {"content": "met"},
        {"content": ["met"]},
        {"content": [{"token": "met"}]},
        {"tokens": ["met"], "token_logprobs": [-0.1]},
        {"content": [{"token": "x", "logprob": "1"}]},
    ),
    "judge-sure": judges(0.97),
    "judge-unsure": judges(0.6),
    "no-usage": plain(JSON, usage=None),
    "deepseek-cache": plain(
        JSON,
        usage={"prompt_tokens": 100, "completion_tokens": 20, "prompt_cache_hit_tokens": 48},
    ),
    "no-stream-usage": drops_usage_option,
    "401": lambda _seen, _: refusal("Incorrect API key provided", 401, "invalid_api_key"),
    "402": lambda _seen, _: refusal("Insufficient Balance", 402),
    "403": lambda _seen, _: refusal("Country not supported", 403),
    "quota-429": lambda _seen, _: refusal("You exceeded it", 429, "insufficient_quota"),
    "404": lambda _seen, _: refusal("The model `404` does not exist", 404, "model_not_found"),
    "404-path": lambda _seen, _: Answer(404, "<html>not found</html>"),
    "400-model": lambda _seen, _: refusal("Model Not Exist"),
    "429-once": limited(1, "7"),
    "429-always": limited(99, "1"),
    "429-long": limited(99, "3600"),
    "500-once": failing(1, 500),
    "500": failing(99, 500),
    "503": failing(99, 503),
    "overflow": lambda _seen, _: refusal("maximum context length is 4096 tokens"),
    "filtered": lambda _seen, _: refusal("Input data may contain inappropriate content."),
    "filtered-reply": plain("", finish="content_filter"),
    "error-inside": lambda _seen, _: Answer(body={"error": {"code": 402, "message": "no credit"}}),
    "html": lambda _seen, _: Answer(body="<html>console</html>"),
    "drip": lambda _seen, _: Answer(end="drip"),
    "mute": lambda _seen, _: Answer(delay=0.6, body={}),
    "slow": lambda seen, _: Answer(delay=0.02, body=willing(seen).body),
    "stream-reset": spoken("请讲讲", "分页", end="reset"),
    "stream-cut": spoken("请讲讲", end="cut"),
    "stream-error": spoken("请讲讲", end="error"),
    "stream-thinks": spoken("<th", "ink>嗯", "……</thi", "nk>\n", "请", "讲讲。"),
    "stream-silent": spoken(),
    "stream-429": lambda _seen, number: (
        limited(1, "3")(_seen, number) if number == 1 else Answer(parts=("好",))
    ),
    "echo-400": echo(400),
    "echo-401": echo(401),
    "echo-429": echo(429),
    "echo-500": echo(500),
}


class QuirkServer:
    """Serves on loopback until it is closed; keeps what it was asked."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/v1"

    def of(self, model: str) -> list[Seen]:
        """Return the requests for one model."""
        return [seen for seen in self.seen if seen.body.get("model") == model]

    def answer(self, seen: Seen) -> Answer:
        """Keep the request and return what its model answers."""
        redirect = parse_qs(urlsplit(seen.path).query).get("to")
        with self._lock:
            self.seen.append(seen)
            number = len(self.of(seen.body.get("model", "")))
        if redirect:
            return Answer(307, headers={"Location": redirect[0]})
        if "/redirect/" in seen.path:
            target = seen.path.split("/redirect/")[1].split("/")[0]
            return Answer(307, headers={"Location": f"http://{target}/v1/chat/completions"})
        return QUIRKS[seen.body["model"]](seen, number)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, owner: QuirkServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients go away on purpose here."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"]))
        seen = Seen(self.path, dict(self.headers), json.loads(text))
        answer = self.server.owner.answer(seen)
        time.sleep(answer.delay)
        if answer.end == "drip":
            self._drip()
        elif seen.body.get("stream") and answer.status == 200 and answer.body is None:
            self._stream(answer)
        else:
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        is_text = isinstance(answer.body, str)
        body = answer.body if is_text else json.dumps(answer.body)
        data = body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/html" if is_text else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        for _ in range(40):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    def _stream(self, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in _events(answer):
            self.wfile.write(f"data: {event}\n\n".encode())
            self.wfile.flush()
        if answer.end == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            # A reset throws away what the client has not read yet.
            time.sleep(0.1)
            self.connection.close()
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _events(answer: Answer) -> Iterator[str]:
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for part in answer.parts:
        choice = {"index": 0, "delta": {"content": part}, "finish_reason": None}
        yield json.dumps({**chunk, "choices": [choice]})
    if answer.end == "error":
        yield json.dumps({"error": {"message": "overloaded", "code": 503}})
    if answer.end == "done":
        choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
        yield json.dumps({**chunk, "choices": [choice]})
        yield json.dumps({**chunk, "choices": [], "usage": USAGE})
        yield "[DONE]"
