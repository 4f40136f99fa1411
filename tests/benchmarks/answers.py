"""Answers of about 250 characters, as people give them, for the benchmarks."""

from __future__ import annotations

from typing import NamedTuple

from bot.domain.bank import Bank
from bot.domain.target import Target, target_of

LENGTH = 250


class Given(NamedTuple):
    """An answer and what it is graded against."""

    target: Target
    answer: str


def mixed(bank: Bank) -> list[Given]:
    """Return five answers to each question: good, half, spoken, off the subject, and overclaiming."""
    questions = bank.questions
    found = []
    for question, other in zip(questions, (*questions[1:], questions[0]), strict=True):
        target = target_of(question)
        reference = (question.reference.joined * 2)[:LENGTH]
        wrong = (other.reference.joined * 2)[:LENGTH]
        spoken = "".join(char for char in reference if char not in "，。；：、")
        half = reference[: LENGTH // 2]
        found += [
            Given(target, reference),
            Given(target, f"{half}{wrong[: LENGTH // 2]}"),
            Given(target, f"嗯就是那个{spoken}然后就是这样吧"[:LENGTH]),
            Given(target, wrong),
            Given(target, f"{half}所以一定更快，任何模型都能用，永远不会 OOM。{wrong}"[:LENGTH]),
        ]
    return found
