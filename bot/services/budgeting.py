"""What the model costs: tokens by month, money where a price is set, and a budget that holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal

from bot.domain.question import Frozen
from bot.domain.usage import Usage
from bot.ports import Clock, Ledger


class Price(Frozen):
    """Money for a million tokens."""

    prompt: Decimal
    reply: Decimal

    def of(self, usage: Usage) -> Decimal:
        """Return what the usage costs; cached tokens are charged in full, so it is a ceiling."""
        return (self.prompt * usage.prompt + self.reply * usage.reply) / 1_000_000


def month_of(moment: datetime) -> str:
    """Return the month as the ledger names it: `2026-11`."""
    return f"{moment:%Y-%m}"


class Spending:
    """Writes down every model call, and closes the gate when the month's budget is spent."""

    def __init__(self, *, ledger: Ledger, clock: Clock, budget: int | None) -> None:
        """Take the ledger, the clock, and the tokens that a month may cost, or None."""
        self._ledger = ledger
        self._clock = clock
        self._budget = budget

    def spend(self, model: str, usage: Usage) -> None:
        """Write a call down. Raises `StoreError`."""
        self._ledger.spend(month_of(self._clock.now()), model, usage)

    def this_month(self) -> Mapping[str, Usage]:
        """Return what each model cost this month. Raises `StoreError`."""
        return self._ledger.spent(month_of(self._clock.now()))

    def closed_because(self) -> str | None:
        """Return why no model may be used any more this month, or None."""
        if self._budget is None:
            return None
        used = self._ledger.total(month_of(self._clock.now()))
        if used < self._budget:
            return None
        return (
            f"本月已用 {used:,} token，达到预算 {self._budget:,}（BOT_BUDGET_TOKENS），"
            "改用离线评分；下月自动恢复，或调高预算。"
        )


def lines(spent: Mapping[str, Usage], price: Price | None) -> Iterator[str]:
    """Give a line for each model: calls are not told, tokens and money are."""
    for model, usage in spent.items():
        cached = f"（缓存 {usage.cached:,}）" if usage.cached else ""
        money = f"，约 {price.of(usage):.2f} 元" if price is not None else ""
        yield f"{model}：输入 {usage.prompt:,}{cached}，输出 {usage.reply:,} token{money}"
