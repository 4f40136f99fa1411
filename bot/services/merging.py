"""An accepted import put into a bank: new questions are added, changed ones replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bot.domain.bank import Bank, Section, SectionFile
from bot.domain.question import Frozen, Question, Term
from bot.errors import ImportFileError
from bot.services.drafts import MOST_QUESTIONS, ImportPreview, stem_key

_TERM = re.compile(r"\{([^{}]*)\}")


class Merge(Frozen):
    """The bank as it would be, and what is new in it."""

    bank: Bank
    added: int
    changed: int
    unchanged: int


def merge(
    preview: ImportPreview,
    former: Bank | None,
    terms: Mapping[str, Term],
    *,
    bank_id: str,
    version: int,
) -> Merge:
    """Put the preview's questions into the bank.

    A question whose stem the bank has already takes its place there; if its answer is the same,
    the bank's own stays, which somebody may have edited. Raises `ImportFileError` for more
    questions than a bank may have.
    """
    building = _Building(former)
    for draft in preview.drafts:
        if draft.question is not None:
            building.take(draft.question, draft.section)
    parts = building.parts(bank_id)
    count = sum(len(part.questions) for part in parts)
    if count > MOST_QUESTIONS:
        raise ImportFileError(
            f"题库 {bank_id} 会有 {count} 道题，上限是 {MOST_QUESTIONS} 道；请导入到另一个题库。"
        )
    used = terms_used((question for part in parts for question in part.questions), terms)
    own = {term.id: term for term in (former.terms if former else ())}
    bank = Bank(
        id=bank_id,
        version=version,
        title=former.title if former else bank_id,
        terms=tuple({**{term.id: term for term in used}, **own}.values()),
        sections=parts,
        calculations=former.calculations if former else (),
        topics=former.topics if former else (),
        figures=former.figures if former else (),
    )
    return Merge(
        bank=bank, added=building.added, changed=building.changed, unchanged=building.unchanged
    )


def terms_used(questions: Iterable[Question], terms: Mapping[str, Term]) -> tuple[Term, ...]:
    """Return the terms that the questions' spellings name, and those that these name in turn."""
    wanted = [name for question in questions for name in names_in(question)]
    found: dict[str, Term] = {}
    while wanted:
        name = wanted.pop()
        if name in terms and name not in found:
            found[name] = terms[name]
            spellings = (*terms[name].spellings, *terms[name].slips)
            wanted += [other for one in spellings for other in _TERM.findall(one)]
    return tuple(found[name] for name in sorted(found))


def names_in(question: Question) -> set[str]:
    """Return the ids of the terms that a question's spellings name."""
    points = [
        *question.key_points,
        *(point for one in question.follow_ups for point in one.key_points),
    ]
    groups = [
        *(group for point in points for group in point.concepts),
        *(group for one in question.misconceptions for group in one.patterns),
    ]
    return {name for group in groups for one in group for name in _TERM.findall(one)}


class _Building:
    """A bank that questions are put into, one after the other."""

    def __init__(self, former: Bank | None) -> None:
        self._sections: dict[str, Section] = {}
        self._questions: dict[str, list[Question]] = {}
        self._place: dict[str, tuple[str, int]] = {}
        self._ids: set[str] = set()
        self.added = self.changed = self.unchanged = 0
        for part in former.sections if former else ():
            title = self._open(part.section)
            for question in part.questions:
                self._place[stem_key(question.stem)] = title, len(self._questions[title])
                self._questions[title].append(question)
                self._ids.add(question.id)

    def take(self, question: Question, section: Section) -> None:
        """Add the question, or put it in the place of the one with its stem."""
        known = self._place.get(stem_key(question.stem))
        if known is None:
            title = self._open(section)
            self._questions[title].append(self._named(question))
            self.added += 1
            return
        title, at = known
        old = self._questions[title][at]
        if _says_the_same(old, question):
            self.unchanged += 1
            return
        self._questions[title][at] = question.model_copy(update={"id": old.id})
        self.changed += 1

    def parts(self, bank_id: str) -> tuple[SectionFile, ...]:
        """Return the sections in order."""
        return tuple(
            SectionFile(bank=bank_id, section=self._sections[title], questions=tuple(questions))
            for title, questions in self._questions.items()
            if questions
        )

    def _open(self, section: Section) -> str:
        """Return the title under which a section's questions are kept."""
        if section.title not in self._sections:
            taken = {one.id for one in self._sections.values()}
            free = _free(section.id, taken, "S")
            self._sections[section.title] = section.model_copy(update={"id": free})
            self._questions[section.title] = []
        return section.title

    def _named(self, question: Question) -> Question:
        free = _free(question.id, self._ids, "Q")
        self._ids.add(free)
        return question.model_copy(update={"id": free})


def _says_the_same(old: Question, new: Question) -> bool:
    """Say whether two questions differ in nothing that a document holds."""
    if any(not point.generated for point in new.key_points):
        return old.model_copy(update={"id": new.id}) == new
    return old.reference.joined == new.reference.joined and _asks(old) == _asks(new)


def _asks(question: Question) -> Sequence[tuple[str, str]]:
    return [(one.asks, one.reference) for one in question.follow_ups]


def _free(wanted: str, taken: set[str], prefix: str) -> str:
    number = len(taken)
    free = wanted
    while free in taken:
        number += 1
        free = f"{prefix}{number}"
    return free
