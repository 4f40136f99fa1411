"""A study plan from a posting or résumé: what it says finds questions, one's weak spots add some."""

from __future__ import annotations

import math
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from bot.domain.bank import Bank
from bot.domain.plan import LONGEST_TEXT, Pick, Reason, ReasonKind, StudyPlan
from bot.domain.question import SLOT_NAMES, Question
from bot.domain.weakness import Weakness
from bot.errors import ImportFileError
from bot.ports import Clock, DocumentReader
from bot.services.indexing import Result
from bot.services.salient import Words
from bot.services.statements import Statement, statements_in, text_of

DEPTH = 10
"""So many questions are taken from each search."""

BY_MEANING = 1.0
"""What a hit is worth without a telling word in common; each such word adds its rarity."""

FOCUS = 2
"""How strongly the sections that the whole text is about are preferred, as an exponent."""

ONCE = 0.5
"""What a statement still weighs after a question was picked for it: the others get their turn."""

WEAK_EVERY = 5
"""One pick of so many is kept for what one is weak in."""

LONGEST_QUOTE = 48

Search = Callable[[str, int], Sequence[Result]]
Advance = Callable[[int, int], None]
"""Called with statements searched and statements in all."""


class Made(NamedTuple):
    """A plan, and what somebody should know about how it was made."""

    plan: StudyPlan
    statements: int
    left_out: int
    """How many statements a very long text had beyond those that were searched."""


class Planner:
    """Makes study plans over one bank; asks no model and stores nothing."""

    def __init__(self, *, bank: Bank, words: Words, reader: DocumentReader, clock: Clock) -> None:
        """Take the bank, what cuts a text into words, a reader of documents, and the time."""
        self._bank = bank
        self._words = words
        self._reader = reader
        self._clock = clock

    def read(self, name: str, content: bytes) -> str:
        """Return the text of an uploaded file. Raises `ImportFileError`."""
        document = self._reader.read(name, content)
        text = text_of(document) or (text_of(document.other) if document.other else "")
        if not text:
            raise ImportFileError(f"{document.name}：没有读到文字；请改为粘贴文字。")
        return text

    def plan(
        self,
        text: str,
        *,
        count: int,
        search: Search,
        weakness: Weakness | None = None,
        advance: Advance = lambda done, total: None,
    ) -> Made:
        """Return a plan of up to `count` questions, the most telling first.

        Raises `ImportFileError` when the text is too long or says nothing that can be searched,
        and as the search does.
        """
        if len(text) > LONGEST_TEXT:
            raise ImportFileError(
                f"文字有 {len(text)} 个字符，上限是 {LONGEST_TEXT}；请只保留职责和要求，或项目经历。"
            )
        said = statements_in(text)
        rows: list[_Row] = []
        by_meaning = True
        for at, statement in enumerate(said.found):
            results = search(statement.text, DEPTH)
            by_meaning = by_meaning and all(one.by_meaning for one in results)
            if results:
                rows.append(_Row(statement, self._gains(statement, results)))
            advance(at + 1, len(said.found))
        if not rows:
            raise ImportFileError(
                "这段文字里没有能用来选题的内容；请粘贴职位职责、要求，或项目经历。"
            )
        plan = StudyPlan(
            id=uuid.uuid4().hex[:12],
            bank_id=self._bank.id,
            made_at=self._clock.now(),
            title=_quote(said.found[0].text),
            picks=self._picks(self._focused(rows), count, weakness or Weakness()),
            by_meaning=by_meaning,
            text=text,
        )
        return Made(plan, len(said.found), said.left_out)

    def _gains(self, statement: Statement, results: Sequence[Result]) -> dict[str, float]:
        """Return what the statement speaks for each question: by rank, and by words in common."""
        said = set(self._words(statement.text))
        gains = {}
        for rank, result in enumerate(results, start=1):
            shared = said & self._vocabulary.get(result.question_id, frozenset())
            telling = BY_MEANING + sum(self._rarity[word] for word in shared)
            gains[result.question_id] = statement.weight * telling / math.sqrt(rank)
        return gains

    def _focused(self, rows: Sequence[_Row]) -> list[_Row]:
        """Weigh each question by how much of the whole text speaks for its section.

        Some questions are near to everything; what only they have to do with the text is little.
        """
        sections: dict[str, float] = defaultdict(float)
        for row in rows:
            for question_id, gain in row.gains.items():
                sections[self._sections[question_id]] += gain
        most = max(sections.values())
        return [
            row._replace(
                gains={
                    question_id: gain * (sections[self._sections[question_id]] / most) ** FOCUS
                    for question_id, gain in row.gains.items()
                }
            )
            for row in rows
        ]

    def _picks(self, rows: list[_Row], count: int, weakness: Weakness) -> tuple[Pick, ...]:
        """Pick what most of the text speaks for, each time minding what was picked already."""
        total = _totals(rows)
        weak = self._weak(total, weakness)[: count // WEAK_EVERY]
        picked: list[str] = []
        heard = [1.0] * len(rows)
        while len(picked) < min(count - len(weak), len(total) - len(weak)):
            gains = _totals(rows, heard)
            open_ = (one for one in gains if one not in picked and one not in weak)
            best = max(open_, key=lambda one: (gains[one], one))
            picked.append(best)
            for at, row in enumerate(rows):
                part = row.gains.get(best, 0.0) / max(row.gains.values())
                heard[at] *= 1 - (1 - ONCE) * part
        return tuple(
            Pick(question_id=one, reasons=self._reasons(one, rows, weakness, is_weak=one in weak))
            for one in (*picked, *weak)
        )

    def _weak(self, total: Mapping[str, float], weakness: Weakness) -> list[str]:
        """Return questions that the text speaks for and one is weak in, the most urgent first."""
        urgency = {
            question_id: gain * self._need(question_id, weakness)
            for question_id, gain in total.items()
        }
        needed = [question_id for question_id in urgency if urgency[question_id] > 0]
        return sorted(needed, key=lambda one: (-urgency[one], one))

    def _need(self, question_id: str, weakness: Weakness) -> float:
        """Return how much one needs the question: answered weakly, or of a weak slot."""
        if weakness.is_good(question_id):
            return 0.0
        share = 0.0
        if weakness.slots:
            points = self._bank.find(question_id).key_points
            mine = sum(one.weight for one in points if one.slot is weakness.slots[0].slot)
            share = mine / sum(one.weight for one in points)
        return share + weakness.is_weak(question_id)

    def _reasons(
        self, question_id: str, rows: Sequence[_Row], weakness: Weakness, *, is_weak: bool
    ) -> tuple[Reason, ...]:
        spoke = sorted(
            (row for row in rows if question_id in row.gains),
            key=lambda row: -row.gains[question_id],
        )
        reasons = [
            Reason(kind=ReasonKind.TEXT, says=f"材料写到“{_quote(row.statement.text)}”")
            for row in spoke[:2]
        ]
        if weakness.is_weak(question_id):
            says = f"你上次只答到 {weakness.levels[question_id]} 级"
            reasons.append(Reason(kind=ReasonKind.WEAK_ANSWER, says=says))
        elif is_weak:
            slot = weakness.slots[0]
            says = f"你在“{SLOT_NAMES[slot.slot]}”上偏弱（最近 {slot.answers} 次平均 {slot.share:.0%}）"
            reasons.append(Reason(kind=ReasonKind.WEAK_SLOT, says=says))
        return tuple(reasons)

    @cached_property
    def _sections(self) -> dict[str, str]:
        return {
            question.id: part.section.id
            for part in self._bank.sections
            for question in part.questions
        }

    @cached_property
    def _vocabulary(self) -> dict[str, frozenset[str]]:
        """The words by which a question is known: those it asks with, and of its key points."""
        return {one.id: frozenset(self._words(_known_by(one))) for one in self._bank.questions}

    @cached_property
    def _rarity(self) -> dict[str, float]:
        seen = Counter(word for found in self._vocabulary.values() for word in found)
        return {word: math.log(len(self._vocabulary) / count) for word, count in seen.items()}


class _Row(NamedTuple):
    """A statement, and what it speaks for each question that it found."""

    statement: Statement
    gains: Mapping[str, float]


def _totals(rows: Sequence[_Row], heard: Sequence[float] = ()) -> dict[str, float]:
    total: dict[str, float] = defaultdict(float)
    for at, row in enumerate(rows):
        for question_id, gain in row.gains.items():
            total[question_id] += gain * (heard[at] if heard else 1.0)
    return total


def _known_by(question: Question) -> str:
    points = (point.says for point in question.key_points)
    probes = (probe.asks for probe in question.follow_ups)
    return "\n".join((question.stem, *points, *probes))


def _quote(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"
