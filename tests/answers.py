"""Answers to the shipped bank of which tests know how good they are, and the offline judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from bot.bootstrap import Services
from bot.domain.grade import Grade
from bot.domain.question import Question
from bot.domain.sentence import split
from bot.domain.target import Target, target_of
from bot.settings import Settings


class Given(NamedTuple):
    """An answer, what it is graded against, and how a failing test names it."""

    name: str
    target: Target
    text: str


@cache
def services() -> Services:
    """Return the product with what ships, whatever the environment says."""
    return Services(Settings(_env_file=None, bank="vllm", corpus_dir=None, rubrics_dir=None))


def questions() -> tuple[Question, ...]:
    """Return the questions of the shipped bank."""
    return services().bank.questions


def grade(target: Target, answer: str) -> Grade:
    """Return the offline grade."""
    found = services().offline_grader.grade(target.id, target, answer)
    assert isinstance(found, Grade)
    return found


def references() -> Iterator[Given]:
    """Give every reference answer."""
    for question in questions():
        yield Given(question.id, target_of(question), question.reference.joined)


def bases_of(question: Question) -> tuple[Given, ...]:
    """Return three answers to a question: the whole reference, half of it, a thin one."""
    target, text = target_of(question), question.reference.joined
    return (
        Given(f"{question.id} whole", target, text),
        Given(f"{question.id} half", target, half_of(text)),
        Given(f"{question.id} thin", target, thin(text)),
    )


def half_of(text: str) -> str:
    """Return the first half of the sentences."""
    sentences = split(text)
    return text[: sentences[(len(sentences) - 1) // 2].end]


def thin(text: str) -> str:
    """Return the first clause as a sentence."""
    return f"{re.split('[，；：。]', text)[0]}。"
