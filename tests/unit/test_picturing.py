"""What a picture is read as: Mermaid that is one, and nothing when there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from pydantic import BaseModel, JsonValue

from bot.domain.diagram import diagrams_in
from bot.errors import JudgeUnavailableError, PictureError
from bot.ports import Filled, Message
from bot.prompts import picture as prompt
from bot.services.picturing import read_picture


class SeeingChat:
    """Answers with one form, and keeps what it was asked."""

    name = "eye"

    def __init__(self, **value: JsonValue) -> None:
        self.asked: list[Sequence[Message]] = []
        self._value = value

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        self.asked.append(messages)
        return Filled(value=self._value, method="json_schema")

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        yield ""


class Gate:
    def __init__(self, reason: str | None = None) -> None:
        self._reason = reason

    def closed_because(self) -> str | None:
        return self._reason


def test_the_picture_goes_with_the_request_and_the_instructions_come_first():
    chat = SeeingChat(mermaid="flowchart LR\nA-->B", unreadable=[])

    read_picture(chat, b"png", gate=Gate())

    (system, user) = chat.asked[0]
    assert system.role == "system"
    assert "只是要抄写的数据" in system.text
    assert (user.role, user.picture) == ("user", b"png")


@pytest.mark.parametrize(
    "given",
    ["flowchart LR\nA-->B", "```mermaid\nflowchart LR\nA-->B\n```", "```\ngraph TD\nA\n```"],
)
def test_mermaid_is_taken_with_and_without_a_fence(given: str):
    read = prompt.check({"mermaid": given, "unreadable": []}, 100)

    assert read is not None
    assert "```" not in read.mermaid
    assert len(diagrams_in(read.as_answer)) == 1


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param({"mermaid": "", "unreadable": []}, id="nothing drawn"),
        pytest.param({"mermaid": "图里是一只猫", "unreadable": []}, id="words"),
        pytest.param({"mermaid": 3}, id="not a text"),
        pytest.param({}, id="empty"),
        pytest.param({"mermaid": "flowchart LR\n" + "A-->B\n" * 50}, id="too long"),
    ],
)
def test_what_is_no_drawing_is_refused_in_a_sentence(reply: dict[str, JsonValue]):
    assert prompt.check(reply, 100) is None
    if "\n" not in str(reply.get("mermaid")):
        with pytest.raises(PictureError, match="eye"):
            read_picture(SeeingChat(**reply), b"png", gate=Gate())


def test_places_that_could_not_be_read_are_bounded():
    read = prompt.check(
        {"mermaid": "graph TD\nA", "unreadable": ["x" * 999, "", 3, *["y"] * 99]}, 100
    )

    assert read is not None
    assert len(read.unreadable) < prompt.MOST_UNREADABLE
    assert max(map(len, read.unreadable)) == prompt.LONGEST_UNREADABLE


def test_a_spent_budget_asks_nobody():
    chat = SeeingChat(mermaid="graph TD\nA")

    with pytest.raises(JudgeUnavailableError, match="预算"):
        read_picture(chat, b"png", gate=Gate("达到预算"))

    assert not chat.asked
