"""Rubrics of the user's own: checked, tried on a sample answer, and kept version by version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from bot.domain.bank import Bank
from bot.domain.family import task_id
from bot.domain.grade import Grade, Ungraded
from bot.domain.rubric import OwnRubric, Rubric
from bot.domain.target import FOLLOW_UP_RUBRIC, Target, target_of
from bot.errors import RubricError
from bot.ports import Clock, RubricReader, RubricStore
from bot.services.grading import Grader

MOST_RUBRICS = 20
"""So many may a user have at once."""


class Row(NamedTuple):
    """Points of one criterion under both rubrics; None where a rubric has no such criterion."""

    title: str
    before: float | None
    before_max: float | None
    after: float | None
    after_max: float | None


class Weighed(NamedTuple):
    """A sample answer under the shipped rubric and under the user's own."""

    before: Grade
    after: Grade
    rows: tuple[Row, ...]
    before_name: str
    """The name of the level."""
    after_name: str


class OwnRubrics:
    """Takes the rubrics of one user."""

    def __init__(
        self,
        *,
        store: RubricStore,
        reader: RubricReader,
        shipped: Mapping[str, Rubric],
        texts: Callable[[], Mapping[str, str]],
        clock: Clock,
    ) -> None:
        """Take where they are kept, and the shipped ones with their texts."""
        self._store = store
        self._reader = reader
        self._shipped = shipped
        self._texts = texts
        self._clock = clock

    def all(self) -> tuple[OwnRubric, ...]:
        """Return the latest version of each. Raises `StoreError`."""
        return self._store.latest()

    def copy_of(self, shipped_id: str) -> str:
        """Return a text to begin with, under a name that is free. Raises `StoreError`."""
        taken = {own.rubric.id for own in self.all()}
        names = (f"my-{shipped_id}{f'-{n}' if n > 1 else ''}" for n in range(1, MOST_RUBRICS + 2))
        free = next(name for name in names if name not in taken)
        return self._reader.copy_of(self._texts()[shipped_id], free, shipped_id)

    def checked(self, text: str) -> Rubric:
        """Return the rubric of a text. Raises `RubricError` with what is wrong, in one sentence."""
        rubric = self._reader.read(text)
        names = "、".join(self._shipped)
        if rubric.id in self._shipped:
            raise RubricError(
                f"字段 id 是 {rubric.id!r}，与随附的评分标准同名；请换一个名字，如 my-{rubric.id}。"
            )
        if rubric.based_on is None:
            raise RubricError(f"缺少字段 based_on：它代替哪一份随附的评分标准（{names}）。")
        if rubric.based_on not in self._shipped:
            raise RubricError(
                f"字段 based_on 是 {rubric.based_on!r}，没有这份随附的评分标准；可用：{names}。"
            )
        return rubric

    def save(self, text: str) -> Rubric:
        """Keep the text as the next version of its rubric, unless nothing in it has changed.

        Raises `RubricError` or `StoreError`.
        """
        rubric = self.checked(text)
        kept = {own.rubric.id: own for own in self.all()}
        former = kept.get(rubric.id)
        if former is None and len(kept) >= MOST_RUBRICS:
            raise RubricError(f"最多保存 {MOST_RUBRICS} 份自己的评分标准；请先删除用不到的。")
        version = former.rubric.version if former else 0
        if former and self._reader.with_version(text, version) == former.text:
            return former.rubric
        numbered = self._reader.with_version(text, version + 1)
        saved = rubric.model_copy(update={"version": version + 1})
        self._store.add(OwnRubric(saved, numbered), self._clock.now())
        return saved

    def delete(self, rubric_id: str) -> None:
        """Remove a rubric; grades that name it stay. Raises `NotFoundError` or `StoreError`."""
        self._store.delete(rubric_id)


class Sample(NamedTuple):
    """What a rubric is tried on."""

    target: Target
    answer: str


def sample_for(bank: Bank, shipped_id: str) -> Sample | None:
    """Return a question of the bank for the rubric, with half an answer that promises too much."""
    tasks = (bank.find(task_id(family.id, 1)) for family in bank.calculations)
    for question in (*bank.questions, *tasks):
        if shipped_id == FOLLOW_UP_RUBRIC:
            probes = question.follow_ups[:1]
            if probes:
                return Sample(target_of(question, probes[0]), _halved(probes[0].reference))
        elif (target := target_of(question)).rubric_id == shipped_id:
            return Sample(target, _halved(target.reference))
    return None


def weighed(
    sample: Sample, own: Rubric, shipped: Rubric, grader_of: Callable[[Rubric], Grader]
) -> Weighed | Ungraded:
    """Return the grades of the sample under both rubrics, criterion by criterion."""
    grades = []
    for rubric in (shipped, own):
        outcome = grader_of(rubric).grade("sample", sample.target, sample.answer)
        if isinstance(outcome, Ungraded):
            return outcome
        grades.append(outcome)
    before, after = grades
    return Weighed(
        before,
        after,
        _rows(before, after, shipped, own),
        shipped.level_names[before.level],
        own.level_names[after.level],
    )


def _rows(before: Grade, after: Grade, shipped: Rubric, own: Rubric) -> tuple[Row, ...]:
    titles = {one.id: one.title for one in (*shipped.criteria, *own.criteria)}
    old = {one.id: one for one in before.criteria}
    new = {one.id: one for one in after.criteria}
    return tuple(
        Row(
            titles[name],
            old[name].points if name in old else None,
            old[name].max if name in old else None,
            new[name].points if name in new else None,
            new[name].max if name in new else None,
        )
        for name in dict.fromkeys((*old, *new))
    )


def _halved(reference: str) -> str:
    """Return the first half of a text, up to the end of a sentence, and one overclaim."""
    end = reference.find("。", len(reference) // 2)
    return f"{reference[: end + 1] if end >= 0 else reference}这样做一定更快，没有任何代价。"
