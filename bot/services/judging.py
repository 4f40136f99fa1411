"""Which judge grades: the model where it may, the offline judge where it may not (and says so)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from bot.domain.target import Target
from bot.errors import ConfigError
from bot.ports import Judge, JudgeIdentity, Judgement


class Gate(Protocol):
    """Says why the model may not grade now, such as an exam not passed or a budget spent."""

    def closed_because(self) -> str | None:
        """Return the reason in a sentence, or None while the model may grade."""
        ...


def first_reason(gates: Iterable[Gate]) -> str | None:
    """Return the reason of the first gate that is closed, or None while all are open."""
    reasons = (gate.closed_because() for gate in gates)
    return next((reason for reason in reasons if reason is not None), None)


class GatedJudge:
    """The model's judge while every gate is open, else the offline judge under its own label.

    A model that is merely unreachable is no reason to fall back: such an answer stays ungraded and
    can be graded later, so that one report does not mix two judges by accident.
    """

    def __init__(self, *, model: Judge, offline: Judge, gates: tuple[Gate, ...]) -> None:
        """Take both judges and the gates."""
        self._model = model
        self._offline = offline
        self._gates = gates

    @property
    def identity(self) -> JudgeIdentity:
        """Return who would judge now."""
        return self._current.identity

    def judge(self, target: Target, answer: str) -> Judgement:
        """Return the claims of the judge that may grade now. Raises as that judge does."""
        current = self._current
        try:
            return current.judge(target, answer)
        except ConfigError:
            # A model that was still being loaded when it was asked, and could not be, is shut out.
            if current is self._offline or self.closed_because() is None:
                raise
            return self._offline.judge(target, answer)

    def closed_because(self) -> str | None:
        """Return why the model may not grade now, or None."""
        return first_reason(self._gates)

    @property
    def _current(self) -> Judge:
        return self._model if self.closed_because() is None else self._offline
