"""The judge behind a language model: one call, one corrective retry, nothing made up."""

from __future__ import annotations

from itertools import islice
from typing import Final, get_args

from pydantic import BaseModel, JsonValue

from bot.domain.claims import Claims, Flag
from bot.domain.confidence import confidence, likelihoods
from bot.domain.content import unanswered
from bot.domain.legible import legible
from bot.domain.target import Target
from bot.errors import JudgeReplyError
from bot.ports import ChatModel, Filled, JudgeIdentity, Judgement, Message
from bot.prompts import judge as prompt
from bot.prompts.judge import Checked, PointReply, SlotReply

CHOICES: Final = tuple(
    str(choice)
    for form in (PointReply, SlotReply)
    for choice in get_args(form.model_fields["v"].annotation)
)
"""All verdicts that the form allows."""


class LlmJudge:
    """Judges with a chat model; the model states facts, and code checks and weighs them."""

    def __init__(
        self, chat: ChatModel, *, secret: str, held: bool = False, weighed: bool = True
    ) -> None:
        """Take the model, and the installation's secret that the fence is derived from.

        With `held` a grammar holds the model to the form, which then names every key point.
        With `weighed` the probabilities of its verdicts are asked for, for the confidence.
        """
        self._chat = chat
        self._secret = secret
        self._held = held
        self._weighed = weighed

    @property
    def identity(self) -> JudgeIdentity:
        """Return the model and the version of the prompt."""
        return JudgeIdentity(kind="llm", model=self._chat.name, prompt_version=prompt.VERSION)

    def judge(self, target: Target, answer: str) -> Judgement:
        """Return claims about `answer`; where nothing of it can be read, the model is not asked.

        Raises `JudgeReplyError` when after one correction a key point or slot is still without a
        usable verdict: a missing verdict is not a "no".
        """
        if not legible(answer, target.stem).text:
            return Judgement(by=self.identity, claims=Claims(flags=(Flag.NO_CONTENT,)))
        messages = messages_for(target, answer, self._secret)
        form = prompt.form_for(target) if self._held else prompt.JudgeReply
        filled = self._fill(form, messages)
        checked = prompt.check(filled.value, target, answer)
        usage = filled.usage
        if checked.faults and (again := self._corrected(form, messages, checked)) is not None:
            usage += again.usage
            second = prompt.check(again.value, target, answer)
            if second.complete or not checked.complete:
                filled, checked = again, second
        if not checked.complete:
            raise JudgeReplyError(
                f"模型 {self._chat.name} 的回复缺少判定（{checked.faults[-1]}），这份作答没有评分；"
                "可以重新评分，或换一个更强的评分模型。"
            )
        return Judgement(
            by=self.identity,
            claims=checked.claims,
            tokens=usage.total,
            method=filled.method,
            usage=usage,
            confidence=confidence_of(filled),
        )

    def _corrected(
        self, form: type[BaseModel], messages: tuple[Message, ...], first: Checked
    ) -> Filled | None:
        """Ask once more, naming the faults; None when nothing came of it."""
        request = Message(role="user", text=prompt.correction(first.faults))
        try:
            return self._fill(form, (*messages, request))
        except JudgeReplyError:
            return None

    def _fill(self, form: type[BaseModel], messages: tuple[Message, ...]) -> Filled:
        return self._chat.fill(
            form, messages, max_tokens=prompt.MAX_REPLY_TOKENS, weighed=self._weighed
        )


def confidence_of(filled: Filled) -> float | None:
    """Return how sure the model was of its verdicts (0–1), or None where that cannot be told."""
    written = {name: _verdicts(value) for name, value in filled.value.items()}
    found = iter(
        likelihoods(filled.tokens, [one for all_ in written.values() for one in all_], CHOICES)
    )
    return confidence([list(islice(found, len(one))) for one in written.values()])


def _verdicts(value: JsonValue) -> list[str]:
    items = value if isinstance(value, list) else []
    return [str(one["v"]).strip().lower() for one in items if isinstance(one, dict) and "v" in one]


def is_asked(target: Target, answer: str) -> bool:
    """Say whether a model is asked about `answer`, or code alone can tell that it says nothing."""
    return not unanswered(answer, target.stem) and bool(legible(answer, target.stem).text)


def messages_for(target: Target, answer: str, secret: str) -> tuple[Message, ...]:
    """Return the exact messages for an answer; the same input gives the same messages."""
    return (
        Message(role="system", text=prompt.SYSTEM),
        Message(role="user", text=prompt.user_message(target, answer, secret)),
    )
