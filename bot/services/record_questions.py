"""Questions from tables and from structured data (表格与结构化题目)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from bot.domain.document import Record, Row, Skipped
from bot.domain.question import Question, ReferenceAnswer, Term
from bot.services.columns import KNOWN, columns_of, is_enough, part_named
from bot.services.drafts import Found, Note, excerpt

HEADER_WITHIN = 10
"""The row with the column names stands among so many first ones."""

_LINES = re.compile(r"[\r\n]+")
_OWN_KEYS = frozenset({"stem", "reference", "key_points"})


class Place(NamedTuple):
    """Where a value stands, and the section it stands under."""

    place: str
    section: str = ""
    section_id: str = ""

    def inside(self, what: str) -> Place:
        """Return the place of a part."""
        return self._replace(place=f"{self.place} {what}".strip())


Taken = Found | Skipped | Term


def table_questions(rows: Sequence[Row]) -> list[Taken]:
    """Return the questions of a table; its columns are found by name."""
    header = next((at for at, row in enumerate(rows[:HEADER_WITHIN]) if _is_header(row)), None)
    if header is None:
        if not rows:
            return []
        names = "、".join(cell for cell in rows[0].cells if cell.strip())
        reason = f"表格里没有找到题目列和答案列；认得的列名有 {KNOWN}"
        return [Skipped(f"{rows[0].place}起", reason, excerpt(names))]
    columns = columns_of(rows[header].cells)
    taken: list[Taken] = []
    section = ""
    for row in rows[header + 1 :]:
        if not any(cell.strip() for cell in row.cells):
            continue
        parts = {
            part: row.cells[at].strip() if at < len(row.cells) else ""
            for part, at in columns.items()
        }
        # A merged cell holds its text in the first row alone.
        section = parts.get("section") or section
        taken.append(_question(parts, Place(row.place, section)))
    return taken


def _is_header(row: Row) -> bool:
    return is_enough(columns_of(row.cells))


def record_questions(records: Sequence[Record]) -> list[Taken]:
    """Return the questions of structured data, wherever in it they stand."""
    taken: list[Taken] = []
    for record in records:
        found = list(_walk(record.value, Place(record.place)))
        if not found:
            reason = f"没有认出题目；认得的键有 {KNOWN}"
            found = [Skipped(record.place or "全文", reason, excerpt(str(record.value)[:200]))]
        taken.extend(found)
    return taken


def _walk(value: JsonValue, place: Place) -> Iterator[Taken]:
    if isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield from _walk(item, place.inside(f"第 {number} 项"))
    elif isinstance(value, dict):
        yield from _walk_mapping(value, place)


def _walk_mapping(value: Mapping[str, JsonValue], place: Place) -> Iterator[Taken]:
    if value.keys() >= _OWN_KEYS:
        yield _own_question(value, place)
        return
    parts = {part: one for key, one in value.items() if (part := part_named(key))}
    stem = parts.get("stem")
    if isinstance(stem, str) and ("answer" in parts or "conclusion" in parts):
        yield _record(parts, place)
        return
    yield from _terms(value.get("terms"), place)
    inside = _under(value, place)
    nested = {key: one for key, one in value.items() if isinstance(one, (list, dict))}
    for key, one in nested.items():
        if key not in {"terms", "section"}:
            yield from _walk(one, inside.inside(excerpt(key)))
    if not nested:
        yield from _pairs(value, place)


def _pairs(value: Mapping[str, JsonValue], place: Place) -> Iterator[Taken]:
    """Give the questions of a mapping from question to answer; anything else was not understood."""
    asking = [key for key in value if key.strip().endswith(("?", "？"))]
    if asking and len(asking) * 2 >= len(value):
        for key, answer in value.items():
            yield _question({"stem": key, "answer": _text(answer)}, place.inside(excerpt(key)))
    elif value:
        known = {part for key in value if (part := part_named(key))}
        reason = "没有答案" if "stem" in known else f"没有认出题目；认得的键有 {KNOWN}"
        yield Skipped(place.place or "全文", reason, excerpt("、".join(value)))


def _under(value: Mapping[str, JsonValue], place: Place) -> Place:
    """Return the place with the section that a mapping with questions inside names."""
    named = next((one for key, one in value.items() if part_named(key) == "section"), None)
    named = named or value.get("title") or value.get("name")
    if isinstance(named, dict):
        return place._replace(section=_text(named.get("title")), section_id=_text(named.get("id")))
    return place._replace(section=named) if isinstance(named, str) else place


def _terms(value: JsonValue, place: Place) -> Iterator[Taken]:
    for number, one in enumerate(value if isinstance(value, list) else [], start=1):
        try:
            yield Term.model_validate(one)
        except ValidationError as error:
            yield Skipped(
                place.inside(f"术语第 {number} 项").place, _why(error), excerpt(str(one)[:200])
            )


def _own_question(value: Mapping[str, JsonValue], place: Place) -> Taken:
    try:
        question = Question.model_validate(value)
    except ValidationError as error:
        return Skipped(place.place, _why(error), excerpt(str(value.get("stem"))[:200]))
    return Found(
        place=place.place,
        id=question.id,
        stem=question.stem,
        answer=question.reference.joined,
        section=place.section,
        section_id=place.section_id,
        notes=tuple(Note(text=one.asks, answer=one.reference) for one in question.follow_ups),
        difficulty=question.difficulty.value,
        reference=question.reference,
        question=question,
    )


def _why(error: ValidationError) -> str:
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"不合题库格式：字段 {field or '（整题）'}：{first['msg'].removeprefix('Value error, ')}"


def _record(parts: Mapping[str, JsonValue], place: Place) -> Taken:
    answer = parts.get("answer")
    plain = {part: _text(one) for part, one in parts.items() if part != "follow_up"}
    if isinstance(answer, dict):
        inside = {name: _text(one) for key, one in answer.items() if (name := part_named(key))}
        plain |= {"answer": "", **inside}
    found = _question(plain, place)
    notes = tuple(_notes(parts.get("follow_up")))
    return found.model_copy(update={"notes": notes}) if notes else found


def _notes(value: JsonValue) -> Iterator[Note]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            parts = {part_named(key) or key: _text(inside) for key, inside in one.items()}
            text = next((parts[key] for key in ("stem", "asks", "follow_up") if key in parts), "")
            answer = parts.get("answer", "")
        else:
            text, answer = _text(one), ""
        if text.strip():
            yield Note(text=text.strip(), answer=answer.strip())


def _question(parts: Mapping[str, str], place: Place) -> Found:
    reference = None
    answer = parts.get("answer", "").strip()
    conclusion = parts.get("conclusion", "").strip()
    if conclusion and not answer:
        reference = ReferenceAnswer(
            conclusion=conclusion,
            reason=parts.get("reason", "").strip(),
            premise_cost=parts.get("premise_cost", "").strip(),
        )
        answer = reference.joined
    asked = [line.strip() for line in _LINES.split(parts.get("follow_up", "")) if line.strip()]
    replies = [line.strip() for line in _LINES.split(parts.get("follow_up_answer", ""))]
    matching = replies if len(replies) == len(asked) else [""] * len(asked)
    return Found(
        place=place.place,
        id=parts.get("id", ""),
        stem=parts.get("stem", ""),
        answer=answer,
        section=parts.get("section") or place.section,
        section_id=place.section_id if not parts.get("section") else "",
        notes=tuple(
            Note(text=one, answer=reply) for one, reply in zip(asked, matching, strict=True)
        ),
        difficulty=parts.get("difficulty", ""),
        reference=reference,
    )


def _text(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(_text(one) for one in value)
    if isinstance(value, dict):
        return "\n".join(f"{key}：{_text(one)}" for key, one in value.items())
    return str(value)
