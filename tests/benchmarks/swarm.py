"""Candidates without a browser: each speaks Streamlit's own protocol over a websocket."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.asyncio.client import ClientConnection, connect

BEGIN, COUNT, PROBES, FEEDBACK, FINISHED = (
    "开始面试",
    "题数",
    "每题追问（最多）",
    "反馈：",
    "面试结束：",
)
"""Words of the page by which a candidate finds the way."""

PATIENCE = 300.0
"""Seconds that a candidate waits for one page."""


@dataclass
class Candidate:
    """One candidate with one browser tab, and what they saw."""

    name: str
    answers: Sequence[str]
    think: Callable[[], float]
    """Seconds before the next answer is sent."""
    session: str = ""
    opened: float = 0.0
    """Seconds until the first page was there."""
    seconds: list[float] = field(default_factory=list)
    """From each answer to its feedback."""
    until_next: list[float] = field(default_factory=list)
    """From each answer to the next question, or the end."""
    errors: list[str] = field(default_factory=list)
    received: int = 0
    """Bytes."""

    async def sit(self, host: str, arrived: asyncio.Barrier, leave: asyncio.Event) -> None:
        """Take the interview, and keep the page open until all may leave."""
        try:
            async with connect(
                f"ws://{host}/_stcore/stream",
                max_size=None,
                compression=None,
                open_timeout=PATIENCE,
            ) as socket:
                await asyncio.wait_for(self._take(Tab(socket, self), arrived), PATIENCE * 4)
                await leave.wait()
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            await arrived.abort()

    async def _take(self, tab: Tab, arrived: asyncio.Barrier) -> None:
        begun = time.perf_counter()
        await tab.run(WidgetStates())
        self.opened = time.perf_counter() - begun
        setup = tab.elements
        chosen = [
            WidgetState(id=one(setup, "number_input", COUNT).id, int_value=len(self.answers)),
            WidgetState(id=one(setup, "number_input", PROBES).id, int_value=0),
            WidgetState(id=one(setup, "button", BEGIN).id, trigger_value=True),
        ]
        await arrived.wait()
        await tab.run(WidgetStates(widgets=chosen))
        self.session = parse_qs(tab.query)["session"][0]
        for number, answer in enumerate(self.answers, start=1):
            await asyncio.sleep(self.think())
            said = WidgetState(id=tab.open_input.id)
            said.chat_input_value.data = answer
            begun = time.perf_counter()
            await tab.run(WidgetStates(widgets=[said]), feedbacks=number)
            self.seconds.append(tab.told_at - begun)
            self.until_next.append(time.perf_counter() - begun)
        if not any(one.alert.body.startswith(FINISHED) for one in tab.elements):
            self.errors.append("the interview did not end")


class Tab:
    """A tab of a browser: sends the state of its widgets, and keeps what the last run drew."""

    def __init__(self, socket: ClientConnection, owner: Candidate) -> None:
        self._socket = socket
        self._owner = owner
        self._known: dict[str, ForwardMsg] = {}
        self.query = ""
        self.elements: list[Element] = []
        self.told_at = 0.0
        """When the wanted number of feedbacks was there."""

    @property
    def open_input(self) -> Any:
        """Return the input that takes an answer now."""
        return next(
            one.chat_input
            for one in reversed(self.elements)
            if one.WhichOneof("type") == "chat_input" and not one.chat_input.disabled
        )

    async def run(self, widgets: WidgetStates, *, feedbacks: int = 0) -> None:
        """Let the page run, and again as often as it asks for, until it waits for the candidate."""
        request = BackMsg()
        request.rerun_script.query_string = self.query
        request.rerun_script.widget_states.CopyFrom(widgets)
        await self._socket.send(request.SerializeToString())
        told = 0
        while True:
            message = await self._next()
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.elements, told = [], 0
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "delta":
                told += self._drawn(message)
                if told == feedbacks and told:
                    self.told_at = time.perf_counter()
                    told = -1_000_000  # once is enough
            elif kind == "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    return
                if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    raise RuntimeError(f"the page ended with {message.script_finished}")

    async def _next(self) -> ForwardMsg:
        async with asyncio.timeout(PATIENCE):
            data = await self._socket.recv()
        if isinstance(data, str):
            raise TypeError("a text where a message was expected")
        self._owner.received += len(data)
        message = ForwardMsg.FromString(data)
        if message.WhichOneof("type") == "ref_hash":
            known = ForwardMsg()
            known.CopyFrom(self._known[message.ref_hash])
            known.metadata.CopyFrom(message.metadata)
            return known
        if message.metadata.cacheable:
            self._known[message.hash] = message
        return message

    def _drawn(self, message: ForwardMsg) -> int:
        """Keep what was drawn, and return how many feedbacks that were."""
        delta = message.delta
        if delta.WhichOneof("type") == "add_block":
            return int(delta.add_block.expandable.label.startswith(FEEDBACK))
        element = delta.new_element
        if element.WhichOneof("type") == "exception":
            raise RuntimeError(element.exception.message)
        if element.WhichOneof("type") == "alert" and element.alert.icon == ":material/error:":
            raise RuntimeError(element.alert.body)
        self.elements.append(element)
        return 0


def one(elements: Sequence[Element], kind: str, label: str) -> Any:
    """Return the widget of that kind with that label."""
    found = (getattr(each, kind) for each in elements if each.WhichOneof("type") == kind)
    return next(each for each in found if each.label == label)


def pauses(mean: float, seed: int) -> Callable[[], float]:
    """Return thinking times between half and one and a half of the mean."""
    made = random.Random(seed)
    return lambda: made.uniform(mean / 2, mean * 3 / 2)
