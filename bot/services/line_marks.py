"""What a line of a question document is by its looks: a question, an answer, a section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.domain.document import Line

LONGEST_HEADING = 60

_FENCE = re.compile(r"^(?:```|~~~)")
_RULE = re.compile(r"^(?:-{3,}|\*{3,}|_{3,}|={3,})$")
_HEADING = re.compile(r"^(#{1,6})[ \t]+")
_DECORATED = re.compile(r"^(?:[-*+>][ \t]+)?(\*\*|__)(?=\S)(.+?)\1")
_BRACKETED = re.compile(r"^【([^【】]{1,12})】[ \t]{0,8}[:：]?")
_BULLET = re.compile(r"^(?:[-*+•·][ \t]+|\d{1,2}[.、)）]|[（(]\d{1,2}[)）])[ \t]{0,8}(?=\S)")
_ITEM = r"^(?:[-*+•·][ \t]+)?"
_COUNT = r"\d{1,4}|[一二三四五六七八九十]{1,3}"
_QUESTION = re.compile(
    rf"{_ITEM}(?:\d{{1,4}}[.、．)）][ \t]{{0,8}})?"
    rf"(?:(?P<family>[QＱ]|问题?|题目?|题干|面试题|问答题|question)[ \t]{{0,8}}(?P<number>\d{{1,4}})"
    rf"[ \t]{{0,8}}[.．、:：)）]"
    rf"|(?P<nth>第)[ \t]{{0,8}}(?P<place>{_COUNT})[ \t]{{0,8}}[题问道]题?[ \t]{{0,8}}[.．、:：)）]?"
    rf"|(?P<bare>[QＱ]|问题?|题目?|题干|面试题|问答题|question)[ \t]{{0,8}}[:：])"
    rf"[ \t]{{0,8}}(?P<text>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ANSWER = re.compile(
    rf"{_ITEM}(?:参考(?:答案|回答)|标准(?:答案|回答)|答案|回答|解答|答"
    r"|answer|reference(?:[ _]answer)?|[AＡ])"
    r"[ \t]{0,8}(?P<number>\d{0,4})[ \t]{0,8}[:：][ \t]{0,8}(?P<text>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERED_ANSWER = re.compile(
    rf"{_ITEM}[AＡ](?P<number>\d{{1,4}})[.．、)）][ \t]{{0,8}}(?P<text>.*)$", re.DOTALL
)
_FOLLOW_UP = re.compile(
    rf"{_ITEM}(?:追问|延伸(?:问题|提问)?|follow[- ]?ups?)[ \t]{{0,8}}(?:{_COUNT})?[ \t]{{0,8}}[:：]"
    r"[ \t]{0,8}(?P<text>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SECTION = (
    re.compile(r"^(?P<letter>[A-Z])[.．、][ \t]{0,8}(?P<title>\S.*)$"),
    re.compile(rf"^第(?:{_COUNT})[章节部篇讲][分]?[ \t:：.、]*(?P<title>\S.*)$"),
    re.compile(r"^(?P<numeral>[一二三四五六七八九十]{1,3})[、.．][ \t]{0,8}(?P<title>\S.*)$"),
    re.compile(
        r"^(?:章节|分类|模块|section|chapter)[ \t]{0,8}\d*[ \t]{0,8}[:：][ \t]{0,8}(?P<title>\S.*)$",
        re.I,
    ),
)
_NUMBERED = re.compile(r"^(?P<number>\d{1,4})[.．、)）][ \t]{0,8}(?P<text>\S.*)$", re.DOTALL)
_INLINE_ANSWER = re.compile(
    r"(?:(?<=[ \t])[AＡ]|参考答案|参考回答|答案|答)[ \t]{0,4}[:：]", re.IGNORECASE
)
_ASKS = re.compile(r"[?？][ \t]{0,4}[)）”\"*]{0,4}$")


class StemMark(NamedTuple):
    """How a question begins: the kind of its mark, its number, its stem."""

    family: str
    number: str
    text: str


class SectionMark(NamedTuple):
    """What heads a section; the letter is its id, where it has one."""

    letter: str
    title: str
    ordinal: int = 0
    """Its place in the sequence A, B, … or 一、二、…; 0 where it has none."""


class Mark(NamedTuple):
    """A line with what it may be."""

    line: Line
    bare: str
    """The text without heading and emphasis marks; empty for a blank line or a rule."""
    level: int
    is_code: bool = False

    @property
    def is_blank(self) -> bool:
        """Say whether the line only separates."""
        return not self.bare and not self.is_code

    @property
    def asks(self) -> bool:
        """Say whether the line ends like a question."""
        return _ASKS.search(self.bare[-12:]) is not None


def marks_of(lines: Sequence[Line]) -> list[Mark]:
    """Return the lines with what they may be; code between fences is never a mark."""
    marks = []
    in_code = False
    for line in lines:
        fence = _FENCE.match(line.text.strip()) is not None
        marks.append(Mark(line, "", 0, is_code=True) if in_code or fence else _mark(line))
        in_code ^= fence
    return marks


def _mark(line: Line) -> Mark:
    text, level = line.text.strip(), line.level
    if _RULE.match(text):
        return Mark(line, "", 0)
    if not level and (heading := _HEADING.match(text)):
        level, text = len(heading[1]), text[heading.end() :]
        if (closed := text.rstrip("#")).endswith((" ", "\t")):
            text = closed
    text = _DECORATED.sub(lambda found: found[2], text, count=1)
    text = _BRACKETED.sub(lambda found: f"{found[1]}：", text, count=1)
    return Mark(line, text.strip(), level)


def stem_in(one: Mark) -> StemMark | None:
    """Return the question that a line begins by its own words, such as `Q01.` or `问：`."""
    found = _QUESTION.match(one.bare)
    if found is None:
        return None
    family = (found["family"] or found["nth"] or f"{found['bare']}:").casefold()
    return StemMark(family, found["number"] or found["place"] or "", found["text"].strip())


def numbered_in(one: Mark) -> StemMark | None:
    """Return the question of a line like `3. …`, which may also be an item of a list."""
    indent = len(one.line.text) - len(one.line.text.lstrip())
    found = _NUMBERED.match(one.bare) if indent < 4 else None
    return StemMark("", found["number"], found["text"].strip()) if found else None


def answer_in(one: Mark, number: str = "") -> str | None:
    """Return what stands behind an answer's mark; one with a number must have the question's."""
    found = _ANSWER.match(one.bare) or (_NUMBERED_ANSWER.match(one.bare) if number else None)
    if found is None or (found["number"] and found["number"] != number):
        return None
    return found["text"].strip()


def follow_up_in(one: Mark) -> str | None:
    """Return what stands behind a follow-up's mark."""
    found = _FOLLOW_UP.match(one.bare)
    return found["text"].strip() if found else None


def section_in(one: Mark) -> SectionMark | None:
    """Return the section that a short line may head."""
    if len(one.bare) > LONGEST_HEADING or one.bare.endswith(("。", "；", ";", "，", ",")):
        return None
    for pattern in _SECTION:
        if found := pattern.match(one.bare):
            parts = found.groupdict()
            letter, numeral = parts.get("letter") or "", parts.get("numeral") or ""
            ordinal = ord(letter) - ord("A") + 1 if letter else _number(numeral)
            return SectionMark(letter, found["title"].strip(), ordinal)
    return None


def _number(numeral: str) -> int:
    """Return the number that a Chinese numeral below a hundred says."""
    tens, ten, ones = numeral.rpartition("十")
    digits = "〇一二三四五六七八九"
    if not ten:
        return digits.find(ones) if ones else 0
    return (digits.find(tens) if tens else 1) * 10 + (digits.find(ones) if ones else 0)


def inline_answer(stem: str) -> tuple[str, str | None]:
    """Split `…？答：…` on one line into stem and answer."""
    found = _INLINE_ANSWER.search(stem)
    if found is None or not stem[: found.start()].strip():
        return stem, None
    return stem[: found.start()].strip(), stem[found.end() :].strip()


def without_bullet(text: str) -> str:
    """Return a list item without its bullet."""
    return _BULLET.sub("", text.strip(), count=1)


def is_item(text: str) -> bool:
    """Say whether a line is an item of a list."""
    return _BULLET.match(text.strip()) is not None
