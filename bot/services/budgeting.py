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
    cached: Decimal | None = None
    """For prompt tokens that came from a cache; they cost as much as others where it is None."""

    def of(self, usage: Usage) -> Decimal:
        """Return what the usage costs."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = max(0, usage.prompt - usage.cached)
        parts = self.prompt * fresh, cached * usage.cached, self.reply * usage.reply
        return sum(parts, Decimal()) / 1_000_000


def money_says(amount: Decimal) -> str:
    """Return an amount in words, small ones with as many digits as it takes to see them."""
    return f"约 {amount:.2f} 元" if amount >= 1 else f"约 {amount:.4f} 元"


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

    @property
    def budget_says(self) -> str | None:
        """Return the budget and what is left of it, or None without one. Raises `StoreError`."""
        if self._budget is None:
            return None
        left = max(0, self._budget - self._used)
        return f"本月预算 {self._budget:,} token，还剩 {left:,}。"

    def closed_because(self) -> str | None:
        """Return why no model may be used any more this month, or None."""
        if self._budget is None:
            return None
        used = self._used
        if used < self._budget:
            return None
        return (
            f"本月已用 {used:,} token，达到预算 {self._budget:,}（BOT_BUDGET_TOKENS），"
            "改用离线评分；下月自动恢复，或调高预算。"
        )

    @property
    def _used(self) -> int:
        return self._ledger.total(month_of(self._clock.now()))


def lines(spent: Mapping[str, Usage], price: Price | None) -> Iterator[str]:
    """Give a line for each model: calls are not told, tokens and money are."""
    for model, usage in spent.items():
        cached = f"（缓存 {usage.cached:,}）" if usage.cached else ""
        money = f"，{money_says(price.of(usage))}" if price is not None else ""
        yield f"{model}：输入 {usage.prompt:,}{cached}，输出 {usage.reply:,} token{money}"
