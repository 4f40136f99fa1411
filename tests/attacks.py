"""What people try on a judge: cases of `tests/data/adversarial.jsonl`, done to an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from bot.domain.question import Question
from bot.domain.sentence import split
from bot.domain.target import target_of
from tests import answers

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "adversarial.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
QUESTIONS = answers.questions()
LONGEST = 2000
BUZZWORDS = (
    "PagedAttention",
    "CUDA Graph",
    "continuous batching",
    "TTFT",
    "TPOT",
    "FlashAttention",
)
NAME = re.compile(
    r"(?!.*(?:[的是会要在把让就都也每能可越更比被不没只靠先再多少变]| (?:the|a|to|in|for|of|by) ))[^~(|)]{2,20}"
)
"""A spelling that is a name and no clause."""


def filled(text: str, question: Question) -> str:
    """Put what the candidate may copy into the text of a case."""
    text = text.replace("{stem}", question.stem)
    if "{other" in text:
        text = text.replace("{other}", opposite(question).reference.joined)
        text = text.replace("{other_conclusion}", stranger(question).reference.conclusion)
    return re.sub(r"\{keywords:(.*?)\}", lambda m: m[1].join(keywords(question)), text, flags=re.S)


def opposite(question: Question, steps: int = 0) -> Question:
    """Return the question half a bank away, and some steps more."""
    place = QUESTIONS.index(question) + len(QUESTIONS) // 2 + steps
    return QUESTIONS[place % len(QUESTIONS)]


@cache
def stranger(question: Question) -> Question:
    """Return a question whose conclusion says nothing about this one."""
    target = target_of(question)
    return next(
        other
        for steps in range(len(QUESTIONS))
        if answers.grade(target, (other := opposite(question, steps)).reference.conclusion).score
        == 0
    )


def keywords(question: Question) -> list[str]:
    """Return what a candidate may drop who knows only names: a bare spelling of each concept."""
    terms = {term.id: term.says for term in answers.services().bank.terms}
    groups = [group for point in question.key_points for group in point.concepts]
    plain = [
        re.sub(r"\{(\w+)\}", lambda m: terms[m[1]], spelling)
        for group in groups
        for spelling in [one for one in group if NAME.fullmatch(one)][:1]
    ]
    return list(dict.fromkeys([*plain, *BUZZWORDS]))


def done(case: dict[str, Any], text: str, question: Question) -> str:
    """Do a case to an answer."""
    given: str | Sequence[str] = case.get("text", "")
    parts = [filled(one, question) for one in ([given] if isinstance(given, str) else given)]
    added = parts[0]
    match case["act"]:
        case "instead":
            return added
        case "before":
            return added + text
        case "after":
            return text + added
        case "around":
            return parts[0] + text + parts[1]
        case "between":
            sentences = split(text)
            middle = sentences[len(sentences) // 2].start
            return text[:middle] + added + text[middle:]
        case "between characters":
            return added.join(text)
        case "after sentences":
            return "".join(one.text + added for one in split(text))
        case "five times":
            return text + added * max(1, min(4 * len(text), LONGEST) // len(added))
        case "repeat":
            return text * 5
    raise AssertionError(case["act"])


class Trial(NamedTuple):
    """A case, the answer it is done to, and what becomes of that."""

    case: dict[str, Any]
    question: Question
    base: answers.Given
    text: str

    @property
    def name(self) -> str:
        """Return a name that no other trial has."""
        return f"{self.case['id']}-{self.question.id}"


FIXED = [
    case
    for case in CASES
    if not any(drawn in str(case.get("text")) for drawn in ("{keywords", "{other_conclusion"))
]
"""Cases whose words do not change with the spellings of the bank, so that replies can be kept."""

SUBJECTS = 6
"""So many questions are enough where every grade costs a call."""


def trials(count: int, cases: Sequence[dict[str, Any]] = CASES) -> tuple[Trial, ...]:
    """Return so many trials, of all kinds of cases alike, each on half of a reference answer."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        kinds.setdefault(case["what"], []).append(case)
    turn = [case for row in zip_longest(*kinds.values()) for case in row if case is not None]
    found = []
    for number, case in enumerate(turn[:count]):
        question = QUESTIONS[number % SUBJECTS * (len(QUESTIONS) // SUBJECTS)]
        base = answers.bases_of(question)[1]
        found.append(Trial(case, question, base, done(case, base.text, question)))
    return tuple(found)
