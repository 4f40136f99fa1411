"""Checks of a bank that its format cannot express: do its own references earn full marks?"""

from __future__ import annotations

from collections.abc import Iterator

from bot.domain.bank import Bank
from bot.domain.claims import Flag, Verdict
from bot.domain.family import CalculationFamily, instantiate
from bot.domain.grade import Grade
from bot.domain.question import Frozen, NumericAnswer, Question, WrongNumber
from bot.domain.target import Target, target_of
from bot.domain.unit import shown
from bot.services.figures import missing_figures
from bot.services.grading import Grader
from bot.services.reporting.names import VERDICT_NAMES

BEST_LEVEL = 5
CHECKED_SEEDS = 5
"""So many tasks of every calculation family are checked."""


class BankCounts(Frozen):
    """How much a bank holds."""

    sections: int
    questions: int
    key_points: int
    follow_ups: int
    misconceptions: int
    terms: int
    calculations: int
    """Families of calculation tasks; each gives any number of tasks."""
    figures: int
    """Numbers, units, versions and formulas that must not get lost."""


def counts(bank: Bank) -> BankCounts:
    """Count what the bank holds; follow-ups have key points of their own, counted too."""
    questions = bank.questions
    follow_ups = [one for question in questions for one in question.follow_ups]
    return BankCounts(
        sections=len({part.section.id for part in bank.sections}),
        questions=len(questions),
        key_points=sum(len(one.key_points) for one in questions)
        + sum(len(one.key_points) for one in follow_ups),
        follow_ups=len(follow_ups),
        misconceptions=sum(len(question.misconceptions) for question in questions),
        terms=len(bank.terms),
        calculations=len(bank.calculations),
        figures=len(bank.figures),
    )


def problems(bank: Bank, grader: Grader) -> Iterator[str]:
    """Give a sentence for everything that is wrong with the bank's content."""
    for question in bank.questions:
        yield from problems_of(question, grader)
    for family in bank.calculations:
        yield from _family(family, grader)
    yield from missing_figures(bank)


def problems_of(question: Question, grader: Grader) -> Iterator[str]:
    """Give a sentence for everything that is wrong with one question.

    Raises `BankError` for a spelling that the judge cannot read.
    """
    if not (question.reference.reason and question.reference.premise_cost):
        yield f"{question.id}：参考答案没有分成结论、原因、前提/代价三部分。"
    yield from _own_reference(target_of(question), grader, best=True)
    for follow_up in question.follow_ups:
        yield from _own_reference(target_of(question, follow_up), grader, best=False)
    yield from _stem(question, grader)


def _family(family: CalculationFamily, grader: Grader) -> Iterator[str]:
    """Check some tasks of the family; each typical mistake must be told apart in one of them."""
    told: set[str] = set()
    for seed in range(1, CHECKED_SEEDS + 1):
        question = instantiate(family, seed)
        yield from problems_of(question, grader)
        if question.expected is not None:
            told |= {wrong.why for wrong in question.expected.wrong}
            yield from _wrong_numbers(target_of(question), question.expected, grader)
    for wrong in family.wrong:
        if wrong.why not in told:
            yield f"{family.id}：典型错法“{wrong.why}”与正确结果太接近，没有一道题能认出它。"


def _wrong_numbers(target: Target, expected: NumericAnswer, grader: Grader) -> Iterator[str]:
    for wrong in expected.wrong:
        said = f"算出来是 {shown(wrong.value, expected.unit)}。"
        given = grader.grade(target.id, target, said)
        if not isinstance(given, Grade) or not _explains(given, wrong):
            yield f"{target.id}：没有认出典型错法 {said!r}（{wrong.why}）"


def _explains(given: Grade, wrong: WrongNumber) -> bool:
    if wrong.partly:
        return Flag.BINARY_DECIMAL in given.flags
    return any(wrong.why in error.why for error in given.errors)


def _own_reference(target: Target, grader: Grader, *, best: bool) -> Iterator[str]:
    given = grader.grade(target.id, target, target.reference)
    if not isinstance(given, Grade):
        yield f"{target.id}：参考答案没有得到评分（{given.message}）。"
        return
    for point in given.key_points:
        if point.verdict is not Verdict.MET:
            yield (
                f"{point.id}：自己的参考答案没有命中这个采分点"
                f"（{VERDICT_NAMES[point.verdict]}）；请补充概念组（concepts）的写法或参考答案。"
            )
    for over in given.overclaims:
        yield f"{target.id}：参考答案里有绝对化断言 {over.quote!r}；请说清条件。"
    for error in given.errors:
        yield f"{target.id}：参考答案触发了误区 {error.quote!r}；请收紧误区的写法（patterns）。"
    if best and given.level < BEST_LEVEL:
        yield f"{target.id}：参考答案只得到 {given.level} 级（{given.score:g} 分）。"


def _stem(question: Question, grader: Grader) -> Iterator[str]:
    target = target_of(question)
    given = grader.grade(question.id, target, f"这道题问的是：{question.stem}")
    if isinstance(given, Grade) and given.level > 0:
        yield f"{question.id}：只念题目就得到 {given.level} 级；请收紧概念组（concepts）。"
