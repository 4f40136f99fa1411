"""What our endpoint costs on top of a bare openai client: `python -m tests.benchmarks.endpoint`.

A stub in a process of its own answers every request after half a second, with the probabilities of
its tokens where they are asked for, as the judge does. Time that the processor spends on a call is
given too: other work on the machine does not touch it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from pydantic import BaseModel, SecretStr

from bot.ports import Message
from tests.chats import as_openai, tokens_of

LATENCY = 0.5
THREADS = 32
MESSAGES = (
    Message(role="system", text="你是阅卷人。用 JSON 回答。" * 60),
    Message(role="user", text="[1] 分页让显存碎片变少。" * 20),
)
FORM = {
    "points": [{"id": chr(97 + n), "sentences": [1, 3], "verdict": "met"} for n in range(9)],
    "slots": [{"slot": f"slot-{n}", "sentences": [1], "level": 2} for n in range(3)],
    "overclaims": [
        {
            "quote": "吞吐一定翻倍，没有副作用",
            "why": "取决于负载与网络",
            "rewrite": "在长前缀命中时吞吐可能上升",
        }
    ],
}
TEXT = json.dumps(FORM)


class Point(BaseModel):
    """One point."""

    id: str
    sentences: list[int]
    verdict: str


class Form(BaseModel):
    """What a judge fills in."""

    points: list[Point]


def body_of(*, weighed: bool) -> bytes:
    """Return a reply; of each of its tokens the likeliest is told, as it is asked for."""
    tokens = [
        one._replace(others=((one.text, one.logprob),)) for one in tokens_of(TEXT, 0.9, r"\W+|\w+")
    ]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": TEXT},
        "finish_reason": "stop",
        "logprobs": as_openai(tokens) if weighed else None,
    }
    usage = {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps({**head, "choices": [choice], "usage": usage}).encode()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    bodies = {weighed: body_of(weighed=weighed) for weighed in (True, False)}
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    try:
        while True:
            lines = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(lines.split(b"content-length:")[1].split(b"\r\n")[0])
            body = bodies[b'"logprobs"' in await reader.readexactly(length)]
            await asyncio.sleep(LATENCY)
            writer.write(head % len(body) + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve() -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def callers(url: str, *, weighed: bool) -> dict[str, Callable[[], object]]:
    """Return a call of ours and one of a bare client that asks and gets the same."""
    from openai import OpenAI

    from bot.adapters.chat_models import open_chat_model

    bare = OpenAI(base_url=url, api_key="k", max_retries=0, timeout=30)
    wire = [{"role": one.role, "content": one.text} for one in MESSAGES]
    asked = {"name": "Form", "schema": Form.model_json_schema()}
    ours = open_chat_model("m", base_url=url, key=SecretStr("k"), timeout=30)

    def by_hand() -> object:
        reply = bare.chat.completions.create(
            model="m",
            messages=wire,  # type: ignore[arg-type]
            temperature=0,
            max_tokens=250,
            response_format={"type": "json_schema", "json_schema": asked},  # type: ignore[arg-type]
            **({"logprobs": True, "top_logprobs": 1} if weighed else {}),  # type: ignore[arg-type]
        )
        return json.loads(reply.choices[0].message.content or "")

    def by_us() -> object:
        return ours.fill(Form, MESSAGES, max_tokens=250, weighed=weighed).value

    return {"bare": by_hand, "ours": by_us}


def one_by_one(calls: dict[str, Callable[[], object]], rounds: int) -> None:
    """Print the median time of a call, the two kinds in turn, with what the other costs."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    busy: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begun, computed = time.perf_counter(), time.process_time()
            call()
            seconds[name].append(time.perf_counter() - begun)
            busy[name].append(time.process_time() - computed)
    bare, ours = (statistics.median(seconds[name]) for name in ("bare", "ours"))
    print(f"one call: bare {bare * 1000:.1f} ms, ours {ours * 1000:.1f} ms, {ours / bare - 1:+.1%}")
    bare, ours = (statistics.median(busy[name]) for name in ("bare", "ours"))
    print(f"  processor: bare {bare * 1000:.1f} ms, ours {ours * 1000:.1f} ms")


def together(calls: dict[str, Callable[[], object]], number: int, rounds: int) -> None:
    """Print how many calls a second all threads together get done."""
    rates: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            with ThreadPoolExecutor(THREADS) as pool:
                begun = time.perf_counter()
                list(pool.map(lambda _, call=call: call(), range(number)))  # type: ignore[misc]
                rates[name].append(number / (time.perf_counter() - begun))
    bare, ours = (statistics.median(rates[name]) for name in ("bare", "ours"))
    print(f"{THREADS} threads: bare {bare:.1f}/s, ours {ours:.1f}/s, {ours / bare:.1%}")


def main() -> None:
    """Serve the stub, or measure against it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    if (given := parser.parse_args()).serve:
        asyncio.run(serve())
        return
    stub = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.endpoint", "--serve"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert stub.stdout is not None
    try:
        url = f"http://127.0.0.1:{int(stub.stdout.readline())}/v1"
        for weighed in (False, True):
            print("with probabilities of tokens" if weighed else "without probabilities of tokens")
            calls = callers(url, weighed=weighed)
            for call in calls.values():
                call()  # imports and connections
            one_by_one(calls, given.rounds)
            together(calls, THREADS * 8, 5)
    finally:
        stub.kill()


if __name__ == "__main__":
    main()
