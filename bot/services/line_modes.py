"""Where questions and sections begin in a document's lines: one reading a way of writing.

Each reading says which lines begin what; `line_questions` builds the questions and keeps the
reading that makes the most sense of the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.services.line_marks import (
    Mark,
    SectionMark,
    StemMark,
    answer_in,
    numbered_in,
    section_in,
    stem_in,
)

Stems = dict[int, StemMark]
Starts = Mapping[int, StemMark | SectionMark]
"""The lines that begin a question or a section, by their place in the list."""

_DEEPER_THAN_ANY = 10


def readings(marks: Sequence[Mark]) -> tuple[Starts, ...]:
    """Return every way to read the lines, the most telling first."""
    marked, numbered = _marked(marks), _numbered(marks)
    found = [marked, _headed(marks), numbered]
    if not marked and not numbered:
        found.append(_answered(marks))
    return tuple(_with_sections(marks, stems) for stems in found if stems)


def _marked(marks: Sequence[Mark]) -> Stems:
    """Read `Q01. …`, `问：…`, `第 3 题 …`.

    The usual mark of the document always counts. Another one counts only before an answer's mark:
    an answer may well have a line that begins with "问题：".
    """
    candidates = {at: stem for at, one in enumerate(marks) if (stem := stem_in(one))}
    families = Counter(stem.family for stem in candidates.values())
    if not families:
        return {}
    usual = families.most_common(1)[0][0]
    answered = _before_answers(marks, candidates)
    return {at: stem for at, stem in candidates.items() if stem.family == usual or at in answered}


def _headed(marks: Sequence[Mark]) -> Stems:
    """Read headings: the level that most often asks, else the one that most often has a text."""
    levels: Counter[int] = Counter(one.level for one in marks if one.level)
    if not levels:
        return {}
    asking: Counter[int] = Counter(one.level for one in marks if one.asks)
    bodies: Counter[int] = Counter()
    above = 0
    for one in marks:
        if one.is_blank:
            continue
        bodies[above] += not one.level
        above = one.level
    level = max(levels, key=lambda one: (asking[one] * 2 >= levels[one], bodies[one], -one))
    return {at: _headline(one) for at, one in enumerate(marks) if one.level == level and one.bare}


def _headline(one: Mark) -> StemMark:
    marked = stem_in(one)
    if marked is not None and marked.text:
        return marked
    return numbered_in(one) or StemMark("", "", one.bare)


def _numbered(marks: Sequence[Mark]) -> Stems:
    """Read `1. …`, told from the items of a list by an answer's mark, a `？`, or the sequence."""
    candidates = {at: stem for at, one in enumerate(marks) if (stem := numbered_in(one))}
    answered = _before_answers(marks, candidates)
    if answered:
        return {at: stem for at, stem in candidates.items() if at in answered}
    asking = {at: stem for at, stem in candidates.items() if marks[at].asks}
    if len(asking) * 2 >= len(candidates):
        return asking
    kept: Stems = {}
    number = 0
    for at, stem in candidates.items():
        if int(stem.number) == number + 1 or not kept:
            kept[at], number = stem, int(stem.number)
    return kept


def _answered(marks: Sequence[Mark]) -> Stems:
    """Read a line without a mark before a line with an answer's mark."""
    found: Stems = {}
    before: int | None = None
    for at, one in enumerate(marks):
        if answer_in(one) is not None:
            if before is not None:
                found[before] = StemMark("", "", marks[before].bare)
            before = None
        elif not one.is_blank:
            before = at
    return found


def _before_answers(marks: Sequence[Mark], candidates: Stems) -> set[int]:
    """Return the candidates after which an answer's mark comes before any other candidate."""
    found: set[int] = set()
    last: int | None = None
    for at, one in enumerate(marks):
        if at in candidates:
            last = at
        elif last is not None and answer_in(one, candidates[last].number) is not None:
            found.add(last)
            last = None
    return found


def _with_sections(marks: Sequence[Mark], stems: Stems) -> Starts:
    """Add headings above the questions, and short lines like `B. …` right before one."""
    starts: dict[int, StemMark | SectionMark] = dict(stems)
    before = _right_before(marks, stems)
    leading = max((marks[at].level for at in before), default=0)
    own = min((marks[at].level for at in stems if marks[at].level), default=_DEEPER_THAN_ANY)
    last = 0
    for at, one in enumerate(marks):
        if at in stems or one.is_blank:
            continue
        if 0 < one.level <= leading and one.level < own:
            starts[at] = section_in(one) or SectionMark("", one.bare)
        elif not one.level and at in before and (section := section_in(one)):
            # `D. …` before a question may be the last choice or item of an answer.
            is_first = not last and at < min(stems)
            if is_first or section.ordinal in (0, last + 1):
                starts[at] = section
                last = section.ordinal or last
    return starts


def _right_before(marks: Sequence[Mark], stems: Stems) -> set[int]:
    """Return the lines after which, blank lines aside, a question begins."""
    found: set[int] = set()
    last: int | None = None
    for at, one in enumerate(marks):
        if at in stems:
            if last is not None:
                found.add(last)
            last = None
        elif not one.is_blank:
            last = at
    return found
