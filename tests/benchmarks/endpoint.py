"""What our endpoint costs on top of a bare openai client: `python -m tests.benchmarks.endpoint`.

A stub in a process of its own answers every request after half a second.
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

LATENCY = 0.5
THREADS = 32
MESSAGES = (
    Message(role="system", text="你是阅卷人。用 JSON 回答。" * 60),
    Message(role="user", text="[1] 分页让显存碎片变少。" * 20),
)
FORM = {"points": [{"id": f"p{n}", "sentences": [1], "verdict": "met"} for n in range(6)]}


class Point(BaseModel):
    """One point."""

    id: str
    sentences: list[int]
    verdict: str


class Form(BaseModel):
    """What a judge fills in."""

    points: list[Point]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    message = {"role": "assistant", "content": json.dumps(FORM)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020}
    body = json.dumps({
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [choice], "usage": usage,
    }).encode()  # fmt: skip
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    try:
        while True:
            lines = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(lines.split(b"content-length:")[1].split(b"\r\n")[0]))
            await asyncio.sleep(LATENCY)
            writer.write(head % len(body) + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve() -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def callers(url: str) -> dict[str, Callable[[], object]]:
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
        )
        return json.loads(reply.choices[0].message.content or "")

    return {"bare": by_hand, "ours": lambda: ours.fill(Form, MESSAGES, max_tokens=250).value}


def one_by_one(calls: dict[str, Callable[[], object]], rounds: int) -> None:
    """Print the median time of a call, the two kinds in turn, with what the other costs."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - begun)
    bare, ours = (statistics.median(seconds[name]) for name in ("bare", "ours"))
    print(f"one call: bare {bare * 1000:.1f} ms, ours {ours * 1000:.1f} ms, {ours / bare - 1:+.1%}")


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
        calls = callers(f"http://127.0.0.1:{int(stub.stdout.readline())}/v1")
        for call in calls.values():
            call()  # imports and connections
        one_by_one(calls, given.rounds)
        together(calls, THREADS * 8, 5)
    finally:
        stub.kill()


if __name__ == "__main__":
    main()
