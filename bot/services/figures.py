"""Figures that a bank must go on telling: numbers, units, versions and formulas (数据)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.domain.bank import Bank, Figure
from bot.domain.folding import fold
from bot.domain.question import Question

FILE = "figures.yaml"


def missing_figures(bank: Bank) -> Iterator[str]:
    """Give a sentence for every figure that does not stand where it should."""
    questions = {question.id: question for question in bank.questions}
    for figure in bank.figures:
        question = questions.get(figure.question)
        if question is None:
            yield f"{FILE} 提到的题目 {figure.question} 不在题库里；请改正 question。"
        elif (text := _where(figure, question)) is None:
            yield (
                f"{FILE} 提到的采分点 {question.id}.{figure.key_point} 不在题库里；"
                "请改正 key_point。"
            )
        elif not tells(text, figure):
            place = f"采分点 {figure.key_point} " if figure.key_point else "参考答案"
            yield (
                f"{question.id}：{place}里没有数据“{figure.spellings[0]}”；"
                f"请写回去，或在 {FILE} 里给出新写法。"
            )


def tells(text: str, figure: Figure) -> bool:
    """Say whether a text tells the figure in one of its spellings."""
    bare = _bare(text)
    return any(_pattern(_bare(one)).search(bare) for one in figure.spellings)


def _where(figure: Figure, question: Question) -> str | None:
    """Return the text that should tell the figure, or None for an unknown key point."""
    if figure.key_point is None:
        return question.reference.joined
    return next((one.says for one in question.key_points if one.id == figure.key_point), None)


def _pattern(spelling: str) -> re.Pattern[str]:
    """Return what finds a spelling; 8 is not found in 128 or 8.5."""
    start = r"(?<![0-9.])" if spelling[0].isdigit() else ""
    end = r"(?![0-9]|\.[0-9])" if spelling[-1].isdigit() else ""
    return re.compile(f"{start}{re.escape(spelling)}{end}")


def _bare(text: str) -> str:
    """Return the text folded, without spaces: 128 KiB is 128KiB."""
    return fold(text).text.replace(" ", "")
