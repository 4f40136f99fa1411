"""Questions built from a document's lines (文字题目)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.domain.document import Line, Skipped
from bot.services.drafts import Found, Note, excerpt
from bot.services.line_marks import (
    Mark,
    SectionMark,
    StemMark,
    answer_in,
    follow_up_in,
    inline_answer,
    is_item,
    marks_of,
    without_bullet,
)
from bot.services.line_modes import Starts, readings

ENOUGH_TO_TELL = 3
"""From so many questions on, their common form says what cannot belong to the last one."""

_ASCII_END = re.compile(r"[A-Za-z0-9,.;:)\]]$")
_ASCII_START = re.compile(r"^[A-Za-z0-9(\[]")

Part = tuple[list[Found], list[Skipped]]


def questions_in(lines: Sequence[Line], *, is_wrapped: bool) -> Part:
    """Return the questions of the lines, and the lines that belong to none."""
    marks = marks_of(lines)
    parts = [_build(marks, starts, is_wrapped=is_wrapped) for starts in readings(marks)]
    best: Part = max(parts, key=lambda part: _worth(part[0]), default=([], []))
    if not any(one.answer for one in best[0]):
        everything = [at for at, one in enumerate(marks) if not one.is_blank]
        return [], _spans(marks, everything, "没有认出题目和答案")
    return best


def _worth(found: Sequence[Found]) -> int:
    complete = [one for one in found if one.stem and one.answer]
    return len(complete) + sum(one.stem.endswith(("?", "？")) for one in complete)


class _Open:
    """A question that is being read, line by line."""

    def __init__(self, at: Mark, question: StemMark, section: SectionMark) -> None:
        self.at, self.question, self.section = at, question, section
        stem, answer = inline_answer(question.text)
        self.stem = [stem] if stem else []
        self.answer: list[str] | None = None if answer is None else [answer]
        self.notes: list[list[str]] = []
        self.note_answers: dict[int, list[str]] = {}
        self.extra: list[int] = []
        """What follows a follow-up, or the answer of the last question, and belongs to neither."""
        self._in_note = self._after_blank = False

    def take(self, at: int, one: Mark) -> None:
        """Take the next line, which stands at that place of the document."""
        if one.is_blank:
            self._after_blank = True
            if not self._in_note:
                self._target().append("")
            return
        self._take_text(at, one)
        self._after_blank = False

    def _take_text(self, at: int, one: Mark) -> None:
        asked = follow_up_in(one)
        answered = answer_in(one, self.question.number)
        if asked is not None:
            self.notes.append([asked] if asked else [])
            self._in_note = True
        elif answered is not None and self._in_note and len(self.notes) not in self.note_answers:
            self.note_answers[len(self.notes)] = [answered]
        elif answered is not None and self.answer is None:
            self.answer = [answered] if answered else []
            self._in_note = False
        elif self._in_note:
            self._take_into_note(at, one)
        else:
            self._target().append(one.line.text.rstrip())

    def _take_into_note(self, at: int, one: Mark) -> None:
        listed = is_item(one.line.text)
        answer = self.note_answers.get(len(self.notes))
        if self._after_blank and self.notes[-1] and not listed:
            self.extra.append(at)
        elif answer is not None:
            answer.append(one.line.text.strip())
        elif listed and len(self.notes[-1]) == 1 and is_item(self.notes[-1][0]):
            self.notes.append([one.line.text.strip()])
        else:
            self.notes[-1].append(one.line.text.strip())

    def _target(self) -> list[str]:
        return self.stem if self.answer is None else self.answer

    def close(self, *, is_wrapped: bool) -> Found:
        """Return the question as it was read."""
        stem, answer = self.stem, self.answer
        if answer is None:
            stem, answer = self.stem[:1], self.stem[1:]
        notes = (
            Note(
                text=without_bullet(_joined(note, is_wrapped=is_wrapped)),
                answer=_joined(self.note_answers.get(at, []), is_wrapped=is_wrapped),
            )
            for at, note in enumerate(self.notes, start=1)
        )
        number = self.question.number
        # A bare `1.` may begin anew in every section: it is no id.
        is_id = self.question.family and number.isdecimal()
        return Found(
            place=self.at.line.place,
            id=f"Q{number}" if is_id else "",
            stem=_joined(stem, is_wrapped=is_wrapped),
            answer=_joined(answer, is_wrapped=is_wrapped),
            section=self.section.title,
            section_id=self.section.letter,
            notes=tuple(note for note in notes if note.text),
        )


def _build(marks: Sequence[Mark], starts: Starts, *, is_wrapped: bool) -> Part:
    opened: list[_Open] = []
    current: _Open | None = None
    section = SectionMark("", "")
    outside: list[int] = []
    for at, one in enumerate(marks):
        match starts.get(at):
            case StemMark() as question:
                current = _Open(one, question, section)
                opened.append(current)
            case SectionMark() as section:
                current = None
            case None:
                if current is not None:
                    current.take(at, one)
                elif not one.is_blank:
                    outside.append(at)
    skipped = _spans(marks, outside, "不在任何题目里的文字")
    skipped += _tail(opened, is_wrapped=is_wrapped)
    for open_ in opened:
        skipped += _spans(marks, open_.extra, "追问之后的文字，看不出属于哪道题")
    return [one.close(is_wrapped=is_wrapped) for one in opened], skipped


def _tail(opened: Sequence[_Open], *, is_wrapped: bool) -> list[Skipped]:
    """Take from the last answer what no other answer has: paragraphs behind a blank line."""
    if len(opened) < ENOUGH_TO_TELL or is_wrapped:
        return []
    *others, last = opened
    if last.answer is None or any("" in _trimmed(one.answer or one.stem[1:]) for one in others):
        return []
    answer = _trimmed(last.answer)
    if "" not in answer:
        return []
    cut = answer.index("")
    last.answer = answer[:cut]
    text = [line for line in answer[cut:] if line]
    reason = "最后一题的答案之后的文字；其他题的答案都只有一段"
    return [Skipped(f"{last.at.line.place}之后", reason, excerpt(line)) for line in text]


def _trimmed(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[0]:
        kept.pop(0)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _joined(lines: Sequence[str], *, is_wrapped: bool) -> str:
    kept = _trimmed(lines)
    if not is_wrapped:
        return "\n".join(kept).strip()
    text = ""
    for line in (line.strip() for line in kept):
        joint = " " if _ASCII_END.search(text) and _ASCII_START.match(line) else ""
        text += joint + line
    return text


def _spans(marks: Sequence[Mark], places: Sequence[int], reason: str) -> list[Skipped]:
    """Return one entry for each run of lines, blank ones aside."""
    runs: list[list[int]] = []
    for at in places:
        if runs and all(one.is_blank for one in marks[runs[-1][-1] + 1 : at]):
            runs[-1].append(at)
        else:
            runs.append([at])
    return [_span([marks[at].line for at in run], reason) for run in runs]


def _span(lines: Sequence[Line], reason: str) -> Skipped:
    first, last = lines[0].place, lines[-1].place
    place = first if first == last else f"{first}至{last}"
    return Skipped(place, reason, excerpt(" ".join(line.text.strip() for line in lines[:9])))
