"""The interviewer behind a language model; when it fails, the bank's own words are used."""

from __future__ import annotations

from bot.errors import BotError
from bot.ports import ChatModel, Interviewer, Message
from bot.prompts import interviewer as prompt
from bot.prompts.interviewer import Persona


class LlmInterviewer:
    """Says the bank's questions in spoken words of its own; the interview never waits for it."""

    def __init__(
        self, chat: ChatModel, fallback: Interviewer, *, persona: Persona, secret: str
    ) -> None:
        """Take the model, the interviewer to fall back on, the tone, and the fence's secret."""
        self._chat = chat
        self._fallback = fallback
        self._persona = persona
        self._secret = secret

    def ask(self, stem: str, *, number: int, total: int) -> str:
        """Return the question in spoken words, with its place in the interview."""
        says = self._say(prompt.ask_message(stem, number=number, total=total), stem)
        if says is None:
            return self._fallback.ask(stem, number=number, total=total)
        return f"第 {number}/{total} 题：{says}"

    def probe(self, asks: str, answer: str) -> str:
        """Return the follow-up after one neutral sentence."""
        says = self._say(prompt.probe_message(asks, answer, self._secret), asks)
        return says if says is not None else self._fallback.probe(asks, answer)

    def _say(self, request: str, asks: str) -> str | None:
        messages = (
            Message(role="system", text=prompt.system(self._persona)),
            Message(role="user", text=request),
        )
        try:
            said = "".join(self._chat.say(messages, max_tokens=prompt.MAX_TOKENS))
        except BotError:
            return None
        return prompt.check(said, asks)
