"""Comparing: an answer and an earlier one to the same question, looked up and set side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache

from bot.domain.bank import Bank
from bot.domain.comparison import Comparison, compare
from bot.domain.rubric import Rubric, rubric_named
from bot.domain.session import AgainOf, Session, Turn
from bot.domain.target import Target, target_of
from bot.errors import NotFoundError
from bot.ports import EarlierAnswers, SessionStore

FormerBank = Callable[[str, int], Bank | None]
"""Gives a former version of a bank, or None where nobody kept it."""

_BANKS_KEPT = 4


class Comparisons:
    """Compares answers to the questions of one bank."""

    def __init__(
        self,
        *,
        bank: Bank,
        rubrics: Mapping[str, Rubric],
        store: SessionStore,
        earlier: EarlierAnswers,
        former_bank: FormerBank,
    ) -> None:
        """Connect the parts."""
        self._bank = bank
        self._rubrics = rubrics
        self._store = store
        self._earlier = earlier
        # A version never changes, and a large bank takes long to read.
        self._former_bank = lru_cache(_BANKS_KEPT)(former_bank)

    def with_earlier(self, later: Turn, earlier: AgainOf) -> Comparison:
        """Compare an answer with an earlier one.

        Raises `NotFoundError` when the earlier one or the question is gone, `StoreError`, and
        `SessionStateError` when the two cannot be compared.
        """
        session = self._store.load(earlier.session_id)
        before = next((turn for turn in session.turns if turn.id == earlier.turn_id), None)
        if before is None:
            raise NotFoundError(f"找不到轮次 {earlier.turn_id!r} 的作答，不能比较。")
        target = target_of(self._bank.find(later.question_id))
        return compare(
            before,
            later,
            target=target,
            rubric=rubric_named(
                later.grade.provenance.rubric if later.grade else target.rubric_id,
                self._rubrics,
                target.rubric_id,
            ),
            targets=self._targets(before, later),
        )

    def previous(self, session: Session) -> dict[str, AgainOf]:
        """Return, by question, the latest graded answer from before the session.

        Raises `StoreError`.
        """
        if not session.asked:
            return {}
        return self._earlier.before(session.plan.bank_id, session.asked, session.begun_at)

    def latest(self, question_id: str, moment: datetime) -> AgainOf | None:
        """Return the latest graded answer to a question from before the moment, if any.

        Raises `StoreError`.
        """
        return self._earlier.before(self._bank.id, (question_id,), moment).get(question_id)

    def _targets(self, *turns: Turn) -> dict[str, Target]:
        """Return the question as each of the grades knew it, by the bank's name with version."""
        found = {}
        for turn in turns:
            name = turn.grade.provenance.bank if turn.grade else self._bank.name
            bank = self._bank if name == self._bank.name else self._former(name)
            with suppress(NotFoundError):
                if bank is not None:
                    found[name] = target_of(bank.find(turn.question_id))
        return found

    def _former(self, name: str) -> Bank | None:
        bank_id, _, version = name.rpartition("@")
        return self._former_bank(bank_id, int(version)) if version.isdecimal() else None
