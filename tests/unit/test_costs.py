"""What models cost, in words: an answer, a session, a month, and what is left of the budget."""

from __future__ import annotations

from decimal import Decimal

import pytest

from bot.domain.exam import ExamResult
from bot.domain.session import Session
from bot.domain.usage import Usage
from bot.services.budgeting import Price, Spending, lines
from bot.services.costs import cost_of, cost_of_session
from tests import fakes
from tests.fakes import FakeClock

ASKED = fakes.question()
USAGE = Usage(prompt=1231, cached=1024, reply=319)
PRICE = Price(prompt=Decimal(2), cached=Decimal("0.5"), reply=Decimal(8))


class MemoryLedger:
    """Keeps what was spent in a dict."""

    def __init__(self) -> None:
        self.months: dict[str, dict[str, Usage]] = {}

    def spend(self, month: str, model: str, usage: Usage) -> None:
        models = self.months.setdefault(month, {})
        models[model] = models.get(model, Usage()) + usage

    def spent(self, month: str) -> dict[str, Usage]:
        return self.months.get(month, {})

    def total(self, month: str) -> int:
        return sum(one.total for one in self.spent(month).values())

    def get(self, key: str) -> ExamResult | None:
        return None

    def put(self, result: ExamResult) -> None:
        raise AssertionError("no exam is taken here")


def graded(**changes: object) -> fakes.Grade:
    return fakes.graded(ASKED, source=fakes.provenance("llm", model="m", **changes))


def session(*grades: fakes.Grade) -> Session:
    return Session.model_validate({
        "id": "s",
        "plan": {"bank_id": "demo", "question_ids": ("Q01",)},
        "begun_at": fakes.NOON,
        "turns": tuple(
            {"id": f"s-{n}", "question_id": "Q01", "says": "?", "asked_at": fakes.NOON,
             "answer": {"text": "答", "at": fakes.NOON, "seconds": 1}, "outcome": one}
            for n, one in enumerate(grades)
        ),
    })  # fmt: skip


class TestAnswer:
    def test_kinds_of_tokens_and_money_are_told(self) -> None:
        found = cost_of(graded(tokens=USAGE.total, usage=USAGE), PRICE)

        assert found.money == Decimal("0.003478")  # 207 × 2 + 1024 × 0.5 + 319 × 8, by the million
        assert found.says == "1,550 token（输入 1,231，其中缓存 1,024；输出 319），约 0.0035 元"

    def test_without_a_price_there_is_no_money(self) -> None:
        assert "元" not in cost_of(graded(tokens=USAGE.total, usage=USAGE), None).says

    def test_cached_tokens_cost_as_much_as_others_unless_they_have_a_price(self) -> None:
        price = Price(prompt=Decimal(2), reply=Decimal(8))

        assert price.of(USAGE) == (Decimal(2) * 1231 + Decimal(8) * 319) / 1_000_000

    def test_an_old_grade_has_tokens_of_unknown_kind_and_so_no_price(self) -> None:
        assert cost_of(graded(tokens=1550), PRICE).says == "1,550 token"

    def test_an_offline_grade_costs_nothing(self) -> None:
        assert cost_of(fakes.graded(ASKED), PRICE).tokens == 0


class TestSession:
    def test_all_grades_are_added_up(self) -> None:
        one = graded(tokens=USAGE.total, usage=USAGE)

        found = cost_of_session(session(one, one, fakes.graded(ASKED)), PRICE)

        assert found.usage == USAGE + USAGE
        assert found.money == 2 * PRICE.of(USAGE)

    def test_one_of_unknown_kind_leaves_the_money_out(self) -> None:
        one = graded(tokens=USAGE.total, usage=USAGE)

        found = cost_of_session(session(one, graded(tokens=1000)), PRICE)

        assert found.tokens == 2550
        assert found.money is None

    def test_a_session_without_grades_costs_nothing(self) -> None:
        assert cost_of_session(session(), PRICE).says == "0 token"


class TestMonth:
    def spending(self, budget: int | None) -> Spending:
        return Spending(ledger=MemoryLedger(), clock=FakeClock(), budget=budget)

    def test_every_model_has_a_line(self) -> None:
        spending = self.spending(None)
        spending.spend("a", USAGE)
        spending.spend("a", USAGE)
        spending.spend("b", Usage(prompt=5, reply=1))

        assert list(lines(spending.this_month(), PRICE)) == [
            "a：输入 2,462（缓存 2,048），输出 638 token，约 0.0070 元",
            "b：输入 5，输出 1 token，约 0.0000 元",
        ]

    @pytest.mark.parametrize(
        ("used", "left", "is_closed"), [(0, "2,000", False), (1999, "1", False), (2000, "0", True), (9000, "0", True)]
    )  # fmt: skip
    def test_the_budget_says_what_is_left_and_closes_when_it_is_spent(
        self, used: int, left: str, is_closed: bool
    ) -> None:
        spending = self.spending(2000)
        spending.spend("a", Usage(prompt=used))

        assert spending.budget_says == f"本月预算 2,000 token，还剩 {left}。"
        assert (spending.closed_because() is not None) == is_closed

    def test_a_new_month_begins_with_the_whole_budget(self) -> None:
        clock = FakeClock()
        spending = Spending(ledger=MemoryLedger(), clock=clock, budget=10)
        spending.spend("a", Usage(prompt=10))
        assert spending.closed_because() is not None

        clock.wait(3600 * 24)

        assert spending.closed_because() is None

    def test_without_a_budget_nothing_is_said_and_nothing_closes(self) -> None:
        spending = self.spending(None)
        spending.spend("a", Usage(prompt=10**9))

        assert (spending.budget_says, spending.closed_because()) == (None, None)
