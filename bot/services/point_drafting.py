"""Key points proposed by a model (采分点草稿), which the user accepts, edits or rejects one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.domain.bank import Bank
from bot.domain.question import Frozen, KeyPoint, Question, Term
from bot.domain.question_edit import PointEdit, edit_of, edited
from bot.errors import BankError, JudgeReplyError, JudgeUnavailableError
from bot.ports import ChatModel, Message, OwnBanks, QuestionBanks
from bot.prompts import enrich as prompt
from bot.prompts.enrich import Drafted
from bot.services.enriching import Unmet
from bot.services.judging import Gate


class PointDrafts(Frozen):
    """What a model proposed for one question; nothing of it is stored yet."""

    question: Question
    """As it was when the model was asked."""
    points: tuple[KeyPoint, ...]
    dropped: tuple[str, ...] = ()
    """Why parts of the reply were not taken, a sentence each."""
    model: str


class Decision(Frozen):
    """The drafts of one question that were accepted, perhaps edited."""

    question: Question
    points: tuple[PointEdit, ...]


class Accepted(Frozen):
    """What was stored, and why the rest was not."""

    bank: str | None
    """With its new version, such as `mine@2`; None when nothing was stored."""
    question_ids: tuple[str, ...] = ()
    points: int = 0
    problems: tuple[str, ...] = ()


class PointDrafting:
    """Drafts key points for questions whose own were made by code (自动生成)."""

    def __init__(
        self,
        *,
        chat: Callable[[], ChatModel],
        gate: Gate,
        secret: Callable[[], str],
        banks: QuestionBanks,
        own: OwnBanks,
        unmet: Callable[[Mapping[str, Term]], Unmet],
        forget: Callable[[str], None],
    ) -> None:
        """Take the model, what may forbid its use, the fence's secret, and the banks.

        `unmet` makes the offline judge's check over some terms; `forget` is told of every bank
        that changed.
        """
        self._chat = chat
        self._gate = gate
        self._secret = secret
        self._banks = banks
        self._own = own
        self._unmet = unmet
        self._forget = forget

    def waiting(self, bank_id: str) -> tuple[Question, ...]:
        """Return the questions of a bank with a key point that nobody has accepted yet."""
        bank = self._banks.load(bank_id)
        return tuple(
            one for one in bank.questions if any(point.generated for point in one.key_points)
        )

    def draft(self, bank_id: str, question: Question) -> PointDrafts:
        """Return what the model proposes; a reply with faults is asked for once more.

        Raises `JudgeUnavailableError` when the budget is spent, `JudgeReplyError` when too little
        of the replies can be used, and as the model does.
        """
        unmet = self._unmet(_terms(self._banks.load(bank_id)))
        chat = self._chat()
        messages = (
            Message(role="system", text=prompt.SYSTEM),
            Message(role="user", text=prompt.user_message(question, self._secret())),
        )
        best = self._asked(chat, messages, question, unmet)
        if best.dropped:
            again = Message(role="user", text=prompt.correction(best.dropped))
            best = self._better(best, chat, (*messages, again), question, unmet)
        if len(best.points) < prompt.FEWEST:
            why = best.dropped[0] if best.dropped else "采分点太少"
            raise JudgeReplyError(
                f"{question.id}：模型 {chat.name} 没有给出可用的采分点（{why}）；"
                "可以再试一次，或手工编写。"
            )
        return PointDrafts(
            question=question, points=best.points, dropped=best.dropped, model=chat.name
        )

    def accept(self, bank_id: str, decisions: Sequence[Decision]) -> Accepted:
        """Store the accepted key points in one new version of the bank.

        They take the places of the generated points of their slots. A question that changed in
        the meantime, or whose reference does not say a key point, stays as it is and is told.
        Raises `ImportFileError` for a bank that is not the user's own, or `StoreError`.
        """
        self._own.require_own(bank_id)
        self._forget(bank_id)  # another process may have changed it
        bank = self._banks.load(bank_id)
        version = self._own.next_version(bank_id)
        unmet = self._unmet(_terms(bank))
        changed: dict[str, Question] = {}
        problems: list[str] = []
        count = 0
        for one in decisions:
            made = _merged(one, bank, version, unmet) if one.points else ()
            if isinstance(made, Question):
                changed[made.id] = made
                count += len(one.points)
            else:
                problems += [f"{one.question.id}：{problem}" for problem in made]
        if not changed:
            return Accepted(bank=None, problems=tuple(problems))
        fresh = bank.with_questions(changed).model_copy(update={"version": version})
        self._own.write(fresh, over=bank.version)
        self._forget(bank_id)
        return Accepted(
            bank=fresh.name, question_ids=tuple(changed), points=count, problems=tuple(problems)
        )

    def _better(
        self,
        first: Drafted,
        chat: ChatModel,
        messages: Sequence[Message],
        question: Question,
        unmet: Unmet,
    ) -> Drafted:
        """Return the reply with more usable points; when the second fails, the first one counts."""
        try:
            second = self._asked(chat, messages, question, unmet)
        except (JudgeReplyError, JudgeUnavailableError):
            return first
        return second if len(second.points) >= len(first.points) else first

    def _asked(
        self, chat: ChatModel, messages: Sequence[Message], question: Question, unmet: Unmet
    ) -> Drafted:
        closed = self._gate.closed_because()
        if closed is not None:
            raise JudgeUnavailableError(closed)
        filled = chat.fill(prompt.EnrichReply, messages, max_tokens=prompt.MAX_TOKENS)
        return _reachable(prompt.check(filled.value, question), question, unmet)


def _reachable(drafted: Drafted, question: Question, unmet: Unmet) -> Drafted:
    """Drop the key points that the reference itself does not earn from the offline judge."""
    if not drafted.points:
        return drafted
    lost = unmet(_bare(question, drafted.points))
    return Drafted(
        tuple(one for one in drafted.points if one.id not in lost),
        (
            *drafted.dropped,
            *(
                f"“{one.says}”的概念组没有在参考答案里同时命中"
                for one in drafted.points
                if one.id in lost
            ),
        ),
    )


def _bare(question: Question, points: Sequence[KeyPoint]) -> Question:
    """Return the question with these key points alone, for a check of them."""
    return question.model_copy(
        update={"key_points": tuple(points), "follow_ups": (), "misconceptions": ()}
    )


def _merged(one: Decision, bank: Bank, version: int, unmet: Unmet) -> Question | tuple[str, ...]:
    """Return the question with the accepted points, or what is wrong, a sentence each."""
    if one.question not in bank.questions:
        return ("这道题已在别处改过，没有采纳；请重新生成草稿。",)
    slots = {point.slot for point in one.points}
    edit = edit_of(one.question)
    kept = tuple(
        point.model_copy(update={"removed": True})
        if former.generated and former.slot in slots
        else point
        for former, point in zip(one.question.key_points, edit.points, strict=True)
    )
    edit = edit.model_copy(update={"points": (*kept, *one.points)})
    question = edited(one.question, edit, version)
    if not isinstance(question, Question):
        return question
    fresh = [point for point in question.key_points if point not in one.question.key_points]
    try:
        lost = unmet(_bare(question, fresh))
    except BankError as error:
        return (str(error),)
    return (
        tuple(
            f"“{point.says}”的概念组没有在参考答案里同时命中，没有采纳；请改写法或不要这一条。"
            for point in fresh
            if point.id in lost
        )
        or question
    )


def _terms(bank: Bank) -> dict[str, Term]:
    return {term.id: term for term in bank.terms}
