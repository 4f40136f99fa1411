"""Human-rated sets of other people's questions (外部评分集), measured like imported questions.

A set has questions with reference answers alone. Each reference becomes a question of a bank in
memory, enriched as an import is; an answer has the best of its grades.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from bot.domain.agreement import half_up, pearson, spearman, weighted_kappa
from bot.domain.bank import Bank, Section, SectionFile
from bot.domain.folding import fold
from bot.domain.grade import Grade
from bot.domain.question import Frozen
from bot.domain.target import target_of
from bot.services.drafts import Draft
from bot.services.enriching import Enricher
from bot.services.grading import Grader

TOP = 5
"""Levels of people and of judges go from 0 to this, in equal steps of the score."""

BANK = "external"
_SECTION = Section(id="E", title="外部评分集")

Words = Callable[[str], list[str]]


class ExternalQuestion(Frozen):
    """A question of a set with its reference answers."""

    id: str
    stem: str
    references: tuple[str, ...]


class ExternalAnswer(Frozen):
    """An answer with what people gave it, as a share 0–1 of the full mark."""

    id: str
    question_id: str
    answer: str
    rated: float
    raters: tuple[float, ...] = ()
    """What single raters gave, where the set says so."""


class Reference(NamedTuple):
    """A reference answer and the id of the question that it becomes."""

    question_id: str
    text: str


def references_of(question: ExternalQuestion) -> list[Reference]:
    """Return the references of a question."""
    return [
        Reference(f"{question.id}-r{number}", text)
        for number, text in enumerate(question.references, start=1)
    ]


class ExternalSet(Frozen):
    """A human-rated set."""

    name: str
    questions: tuple[ExternalQuestion, ...]
    answers: tuple[ExternalAnswer, ...]
    refers_to_answers: bool = False
    """Whether the references are answers of the set; then none is compared with itself."""

    def others(self, question: ExternalQuestion, answer: str) -> list[Reference]:
        """Return the references that an answer is compared with."""
        found = references_of(question)
        if not self.refers_to_answers:
            return found
        mine = fold(answer).text
        return [one for one in found if fold(one.text).text != mine]

    def sample(self, limit: int | None, seed: int) -> ExternalSet:
        """Return the set with so many of its answers, drawn by the seed."""
        if limit is None or limit >= len(self.answers):
            return self
        chosen = random.Random(seed).sample(range(len(self.answers)), limit)  # noqa: S311
        return self.model_copy(update={"answers": tuple(self.answers[at] for at in sorted(chosen))})


class Row(Frozen):
    """How one number stands to what people gave; None where that is not defined."""

    name: str
    pearson: float | None
    spearman: float | None
    qwk: float | None


class Measured(Frozen):
    """What `mockbot evaluate` prints of a set."""

    name: str
    answers: int
    questions: int
    judge: str
    rows: tuple[Row, ...]
    """The judge first, then the baselines."""
    raters: Row | None
    """The second rater beside the first."""
    ungraded: float
    seconds: float


def bank_of(found: ExternalSet, enricher: Enricher) -> Bank:
    """Return a bank that holds each reference as an imported question."""
    drafts = [
        Draft(id=one.question_id, section=_SECTION, stem=question.stem, answer=one.text, place="")
        for question in found.questions
        for one in references_of(question)
    ]
    questions = [one.question for one in enricher.enrich(drafts) if one.question is not None]
    part = SectionFile(bank=BANK, section=_SECTION, questions=tuple(questions))
    return Bank(id=BANK, version=1, title=found.name, terms=(), sections=(part,))


def measure(
    found: ExternalSet,
    bank: Bank,
    grader: Grader,
    words: Words,
    progress: Callable[[], None] = lambda: None,
) -> Measured:
    """Grade all answers and compare with people, beside baselines that need no judge."""
    questions = {question.id: question for question in found.questions}
    targets = {one.id: target_of(one) for one in bank.questions}
    scores: list[float | None] = []
    judge, seconds = "", 0.0
    for one in found.answers:
        best: float | None = None
        for reference in found.others(questions[one.question_id], one.answer):
            target = targets[reference.question_id]
            outcome = grader.grade(one.id, target, one.answer)
            if isinstance(outcome, Grade):
                judge = outcome.provenance.judge
                seconds += outcome.provenance.seconds
                best = max(best or 0.0, outcome.score / 100)
        scores.append(best)
        progress()
    graded = [
        (one, score) for one, score in zip(found.answers, scores, strict=True) if score is not None
    ]
    rated = [one.rated for one in found.answers]
    baselines = _baselines(found, questions, words)
    return Measured(
        name=found.name,
        answers=len(found.answers),
        questions=len({one.question_id for one in found.answers}),
        judge=judge,
        rows=(
            _row("score", [score for _, score in graded], [one.rated for one, _ in graded]),
            *(_row(name, values, rated) for name, values in baselines.items()),
        ),
        raters=_raters(found),
        ungraded=1 - len(graded) / len(found.answers),
        seconds=seconds / len(found.answers),
    )


def _row(name: str, given: Sequence[float], rated: Sequence[float]) -> Row:
    return Row(
        name=name,
        pearson=pearson(given, rated),
        spearman=spearman(given, rated),
        qwk=weighted_kappa([_level(one) for one in given], [_level(one) for one in rated]),
    )


def _level(share: float) -> int:
    return half_up(TOP * min(1.0, max(0.0, share)))


def _raters(found: ExternalSet) -> Row | None:
    both = [one.raters[:2] for one in found.answers if len(one.raters) > 1]
    if not both:
        return None
    return _row("raters", [one[1] for one in both], [one[0] for one in both])


def _baselines(
    found: ExternalSet, questions: Mapping[str, ExternalQuestion], words: Words
) -> dict[str, list[float]]:
    """Return for each baseline a value 0–1 an answer: of the best reference, where it has one."""
    counted = cache(lambda text: Counter(words(text)))
    texts = [
        *(r for q in found.questions for r in q.references),
        *(a.answer for a in found.answers),
    ]
    seen = Counter(word for text in texts for word in counted(text))
    rarity = {word: math.log(len(texts) / count) for word, count in seen.items()}
    measures: dict[str, Callable[[str, str], float]] = {
        "length": lambda answer, other: min(1.0, len(answer) / max(1, len(other))),
        "tfidf": lambda answer, other: _cosine(counted(answer), counted(other), rarity),
        "recall": lambda answer, other: (
            len(counted(other).keys() & counted(answer).keys()) / max(1, len(counted(other)))
        ),
    }
    return {
        name: [
            max(
                (
                    of(one.answer, r.text)
                    for r in found.others(questions[one.question_id], one.answer)
                ),
                default=0.0,
            )
            for one in found.answers
        ]
        for name, of in measures.items()
    }


def _cosine(one: Counter[str], other: Counter[str], rarity: Mapping[str, float]) -> float:
    def product(a: Counter[str], b: Counter[str]) -> float:
        return sum(a[word] * b[word] * rarity[word] ** 2 for word in a.keys() & b.keys())

    length = math.sqrt(product(one, one) * product(other, other))
    return product(one, other) / length if length else 0.0
