"""The interviewer behind a language model; when it fails, the bank's own words are used."""

from __future__ import annotations

from bot.domain.session import Persona
from bot.errors import BotError
from bot.ports import ChatModel, Hear, Interviewer, Message
from bot.prompts import interviewer as prompt
from bot.services.judging import Gate, first_reason


class LlmInterviewer:
    """Says the bank's questions in spoken words of its own; the interview never waits for it."""

    def __init__(
        self, chat: ChatModel, fallback: Interviewer, *, gates: tuple[Gate, ...], secret: str
    ) -> None:
        """Take the model, whom to fall back on, what may forbid its use, and the fence's secret."""
        self._chat = chat
        self._fallback = fallback
        self._gates = gates
        self._secret = secret

    def ask(
        self, stem: str, *, number: int, total: int, persona: Persona, hear: Hear | None = None
    ) -> str:
        """Return the question in spoken words, with its place in the interview."""
        request = prompt.ask_message(stem, number=number, total=total)
        place = f"第 {number}/{total} 题："
        says = self._say(request, stem, persona, _after(place, hear))
        if says is None:
            return self._fallback.ask(stem, number=number, total=total, persona=persona)
        return f"{place}{says}"

    def probe(self, asks: str, answer: str, *, persona: Persona, hear: Hear | None = None) -> str:
        """Return the follow-up after one neutral sentence."""
        request = prompt.probe_message(asks, answer, self._secret)
        says = self._say(request, asks, persona, hear)
        return says if says is not None else self._fallback.probe(asks, answer, persona=persona)

    def _say(self, request: str, asks: str, persona: Persona, hear: Hear | None) -> str | None:
        if first_reason(self._gates) is not None:
            return None
        messages = (
            Message(role="system", text=prompt.system(persona)),
            Message(role="user", text=request),
        )
        said = ""
        try:
            for piece in self._chat.say(messages, max_tokens=prompt.MAX_TOKENS):
                said += piece
                if said.strip() and prompt.check(said, asks) is None:
                    return None  # before anybody hears it
                if hear is not None:
                    hear(said)
        except BotError:
            return None
        return prompt.check(said, asks)


def _after(place: str, hear: Hear | None) -> Hear | None:
    """Return a listener that hears the place before the words."""
    return None if hear is None else lambda said: hear(place + said)
