"""Models that a visitor typed into the page: for that browser session, and kept nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import Field, SecretStr

from bot.bootstrap.models import Models
from bot.domain.exam import ExamResult
from bot.domain.question import Frozen
from bot.domain.usage import Usage
from bot.errors import ConfigError
from bot.ports import Ledger

if TYPE_CHECKING:
    from bot.bootstrap.commons import Commons


class ModelSettings(Frozen):
    """What was typed; without key and address these are those of the settings."""

    model: str = Field(min_length=1)
    judge_model: str | None = None
    base_url: str | None = None
    key: SecretStr | None = None
    budget_tokens: int | None = None
    """What a visitor's own account may cost, for as long as the session lasts."""


class SessionLedger:
    """Adds up what a visitor's own key costs, for as long as the session lasts.

    Exam results are kept for everybody: they tell of an endpoint and a model, not of a key.
    """

    def __init__(self, results: Callable[[], Ledger]) -> None:
        """Take where exam results are kept."""
        self._results = results
        self._spent: dict[tuple[str, str], Usage] = {}

    def spend(self, month: str, model: str, usage: Usage) -> None:
        """Add a call."""
        self._spent[month, model] = self._spent.get((month, model), Usage()) + usage

    def spent(self, month: str) -> dict[str, Usage]:
        """Return what each model cost in the month."""
        return {model: usage for (at, model), usage in self._spent.items() if at == month}

    def total(self, month: str) -> int:
        """Return the tokens of the month."""
        return sum(usage.total for usage in self.spent(month).values())

    def get(self, key: str) -> ExamResult | None:
        """Return an exam result, or None. Raises `StoreError`."""
        return self._results().get(key)

    def put(self, result: ExamResult) -> None:
        """Store an exam result. Raises `StoreError`."""
        self._results().put(result)


def typed_models(commons: Commons, typed: ModelSettings, results: Callable[[], Ledger]) -> Models:
    """Return models as they were typed; the installation's key goes to no address of a visitor's.

    Raises `ConfigError` on a shared server without a key or an address: somebody else would pay.
    """
    settings = commons.settings
    is_own = typed.key is not None or typed.base_url is not None
    if settings.shared and not is_own:
        raise ConfigError("请填写自己的密钥，或自己的接口地址；这里不能换用服务器的模型。")
    changed: dict[str, object] = {"model": typed.model, "judge_model": typed.judge_model}
    if is_own:
        # The installation's budget and prices say nothing about a visitor's own account, and its
        # model for drawings is at another endpoint.
        of_others = ("model_price_in", "model_price_out", "model_price_cached", "vision_model")
        changed |= dict.fromkeys(of_others)
        changed["budget_tokens"] = typed.budget_tokens
        changed |= {"openai_base_url": typed.base_url, "openai_api_key": typed.key}
    ledger = SessionLedger(results)
    return Models(
        settings=settings.model_copy(update=changed),
        ledger=lambda: ledger,
        clock=commons.clock,
        exam_file=commons.models.exam_file,
        exam_grader=commons.models.exam_grader,
        exam_bank=commons.models.exam_bank,
        is_typed=True,
    )
