"""All grades as a table: a line a turn, numbers as numbers, and no cell that is a formula."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from datetime import UTC
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bank import Bank
from bot.domain.claims import Verdict
from bot.domain.session import AnswerKind, Session
from bot.domain.usage import Usage
from bot.errors import NotFoundError
from bot.services.budgeting import Price
from bot.services.reporting.grades_csv import cell, grades_csv
from tests import fakes
from tests.fakes import NOON
from tests.strategies import sessions
from tests.unit.test_reporting import ASKED, BANK, one_answer, quoting

FORMULAS = [
    "=1+1", '=HYPERLINK("http://a.invalid","点")', "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1",
    " =1", "\u200b=1", "\ufeff+1", "＝1", "＋1", "－1", "＠A", "﹢1", "\tA", "\rA", "\u202e=1",
]  # fmt: skip


def find(bank_id: str) -> Bank:
    if bank_id != "demo":
        raise NotFoundError(bank_id)
    return BANK


def rows(*found: Session, price: Price | None = None) -> list[dict[str, str]]:
    content = grades_csv(found, find, fakes.rubrics(), UTC, price)
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet may take a cell for a formula."""
    seen = [one for one in text if not one.isspace() and unicodedata.category(one) != "Cf"]
    first = unicodedata.normalize("NFKC", seen[0])[:1] if seen else ""
    return first in {"=", "+", "-", "@"} or text[:1] in {"\t", "\r", "\n"}


def test_it_begins_with_the_mark_that_excel_needs() -> None:
    assert grades_csv([], find, fakes.rubrics(), UTC).startswith(b"\xef\xbb\xbf")


def test_a_graded_answer_has_its_score_its_parts_and_who_gave_them() -> None:
    (row,) = rows(one_answer(outcome=fakes.graded(ASKED, Verdict.PARTLY_MET)))

    assert row["场次"] == "s"
    assert row["开始"] == "2026-11-30 12:00:00"
    assert (row["题目"], row["题干"], row["状态"]) == ("Q01", ASKED.stem, "已评分")
    assert (row["作答"], row["用时（秒）"]) == ("并行计算。", "85.0")
    assert float(row["得分"]) == fakes.graded(ASKED, Verdict.PARTLY_MET).score
    assert (row["结论（得分）"], row["结论（满分）"]) == ("15.0", "15.0")
    assert row["没有说到"] == "采分点 a；采分点 b；采分点 c"
    assert row["评分者"] == "离线评分 · 不判断事实对错"
    assert row["评分标准"] == "structured-answer@1"


def test_what_has_no_grade_has_no_number() -> None:
    waiting, skipped = rows(one_answer(), one_answer("", kind=AnswerKind.SKIPPED))

    assert (waiting["状态"], waiting["得分"], waiting["等级"]) == ("未评分", "", "")
    assert (skipped["状态"], skipped["得分"], skipped["作答"]) == ("跳过", "", "")


def test_a_follow_up_is_a_line_of_its_own_with_its_own_words() -> None:
    session = one_answer(outcome=fakes.graded(ASKED))
    session = session.ask(question_id="Q01", follow_up_id="f1", says="为什么", now=NOON)

    main, probe = rows(session.answer("因为分摊", now=NOON))

    assert (main["追问"], probe["追问"]) == ("", "f1")
    assert probe["题干"] == ASKED.follow_ups[0].asks
    assert (main["序号"], probe["序号"]) == ("1", "2")


def test_a_session_of_a_bank_that_is_gone_keeps_its_grades() -> None:
    session = one_answer(outcome=fakes.graded(ASKED))
    gone = session.model_copy(update={"plan": session.plan.model_copy(update={"bank_id": "gone"})})

    (row,) = rows(gone)

    assert (row["题库"], row["题干"], row["得分"]) == ("gone", "", "100.0")


def test_with_a_price_it_tells_the_cost() -> None:
    usage = Usage(prompt=1_000_000, cached=0, reply=0)
    source = fakes.provenance("llm", model="m", tokens=usage.total, usage=usage)
    price = Price(prompt=Decimal(2), reply=Decimal(8))

    (row,) = rows(one_answer(outcome=fakes.graded(ASKED, source=source)), price=price)

    assert (row["token"], row["估算花费（元）"]) == ("1000000", "2.0")


@pytest.mark.parametrize("text", [pytest.param(one, id=repr(one)) for one in FORMULAS])
def test_no_text_becomes_a_formula(text: str) -> None:
    (row,) = rows(one_answer(text, quoting(text)))

    numbers = {name for name in row if name.endswith(("（得分）", "（满分）"))}
    assert [name for name, value in row.items() if name not in numbers and is_formula(value)] == []
    assert row["作答"].startswith("'")


@pytest.mark.parametrize("text", ["普通", "a=b", "KV-Cache", "1+1", "'=1", ""])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert cell(text) == text


def test_a_negative_score_stays_a_number() -> None:
    assert cell(-5.0) == -5.0
    assert cell(None) == ""


@given(st.text(st.characters(), max_size=40))
def test_any_text_is_safe_and_can_be_written(text: str) -> None:
    found = cell(text)

    assert isinstance(found, str)
    assert not is_formula(found)
    found.encode("utf-8")


@given(st.lists(sessions(), max_size=3))
def test_every_turn_has_a_line_and_every_line_the_same_columns(found: Sequence[Session]) -> None:
    made = rows(*found)

    assert [row["题目"] for row in made] == [
        turn.question_id for session in found for turn in session.turns
    ]
    assert all(None not in row and None not in row.values() for row in made)
