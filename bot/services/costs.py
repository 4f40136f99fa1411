"""What answers cost, in tokens and money; for the page, the report and the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from bot.domain.grade import Grade, Provenance
from bot.domain.question import Frozen
from bot.domain.session import Session
from bot.domain.usage import Usage
from bot.services.budgeting import Price, money_says

SESSION_COVERS = "只含每题最后一次评分；面试官措辞、改写和重评另计入本月用量"
"""What the cost of a session leaves out; it stands wherever that cost does."""


class Cost(Frozen):
    """Tokens, and money where a price is set and it is known what kind of tokens they were."""

    tokens: int = 0
    usage: Usage = Usage()
    """The same tokens by kind; less than `tokens` for grades stored before kinds were kept."""
    money: Decimal | None = None

    @property
    def says(self) -> str:
        """Return it in words: `1,550 token（输入 1,231，其中缓存 1,024；输出 319），约 0.0021 元`."""
        used = self.usage
        kinds = ""
        if used.total == self.tokens > 0:
            cached = f"，其中缓存 {used.cached:,}" if used.cached else ""
            kinds = f"（输入 {used.prompt:,}{cached}；输出 {used.reply:,}）"
        money = "" if self.money is None else f"，{money_says(self.money)}"
        return f"{self.tokens:,} token{kinds}{money}"


def cost_of(given: Grade, price: Price | None) -> Cost:
    """Return what a grade cost: all its samples and corrections, nothing for an offline grade."""
    return _cost([given.provenance], price)


def cost_of_session(session: Session, price: Price | None) -> Cost:
    """Return what the grades of a session cost, follow-ups too (see `SESSION_COVERS`)."""
    return _cost([turn.grade.provenance for turn in session.turns if turn.grade], price)


def _cost(provenances: Iterable[Provenance], price: Price | None) -> Cost:
    paid = [one for one in provenances if one.tokens]
    usage = sum((one.usage for one in paid), Usage())
    tokens = sum(one.tokens for one in paid)
    is_known = tokens == usage.total
    return Cost(
        tokens=tokens,
        usage=usage,
        money=price.of(usage) if price is not None and is_known and tokens else None,
    )
