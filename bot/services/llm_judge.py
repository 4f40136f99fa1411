"""The judge behind a language model: one call, one corrective retry, nothing made up."""

from __future__ import annotations

from bot.domain.target import Target
from bot.domain.usage import Usage
from bot.errors import JudgeReplyError
from bot.ports import ChatModel, Filled, JudgeIdentity, Judgement, Message
from bot.prompts import judge as prompt
from bot.prompts.judge import Checked


class LlmJudge:
    """Judges with a chat model; the model states facts, and code checks and weighs them."""

    def __init__(self, chat: ChatModel, *, secret: str) -> None:
        """Take the model, and the installation's secret that the fence is derived from."""
        self._chat = chat
        self._secret = secret

    @property
    def identity(self) -> JudgeIdentity:
        """Return the model and the version of the prompt."""
        return JudgeIdentity(kind="llm", model=self._chat.name, prompt_version=prompt.VERSION)

    def judge(self, target: Target, answer: str) -> Judgement:
        """Return claims about `answer`.

        Raises `JudgeReplyError` when after one correction a key point or slot is still without a
        usable verdict: a missing verdict is not a "no".
        """
        messages = messages_for(target, answer, self._secret)
        filled = self._fill(messages)
        checked = prompt.check(filled.value, target, answer)
        usage = filled.usage
        if checked.faults:
            checked, more = self._corrected(messages, checked, target, answer)
            usage += more
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
        )

    def _corrected(
        self, messages: tuple[Message, ...], first: Checked, target: Target, answer: str
    ) -> tuple[Checked, Usage]:
        """Ask once more, naming the faults, and return the better of the two replies."""
        request = Message(role="user", text=prompt.correction(first.faults))
        try:
            again = self._fill((*messages, request))
        except JudgeReplyError:
            return first, Usage()
        second = prompt.check(again.value, target, answer)
        better = second if second.complete or not first.complete else first
        return better, again.usage

    def _fill(self, messages: tuple[Message, ...]) -> Filled:
        return self._chat.fill(prompt.JudgeReply, messages, max_tokens=prompt.MAX_REPLY_TOKENS)


def messages_for(target: Target, answer: str, secret: str) -> tuple[Message, ...]:
    """Return the exact messages for an answer; the same input gives the same messages."""
    return (
        Message(role="system", text=prompt.SYSTEM),
        Message(role="user", text=prompt.user_message(target, answer, secret)),
    )
