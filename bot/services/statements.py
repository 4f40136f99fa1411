"""What a posting or résumé says, piece by piece: without headings, benefits and contact data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.domain.document import Document, Line

SHORTEST = 24
"""Clauses are put together until they are so wide, a Chinese character counting as two of Latin."""

LONGEST = 160
"""A clause is cut here; nobody writes longer ones but machines."""

MOST = 60
"""So many statements are looked at; a posting has about twenty."""

WISHED = 0.5
"""What a statement weighs that is nice to have."""

_BULLET = re.compile(
    r"^[\s\-*•·●○■□◆◇▪➢✓—]*(?:[（(【\[]?(?:\d{1,2}|[一二三四五六七八九十])[)）】\].、．:：]\s*)?"
)
_BREAK = re.compile(r"(?<=[，；。！？,;!?])(?![^（(]*[）)])")
_LATIN = re.compile(r"[A-Za-z0-9]$"), re.compile(r"^[A-Za-z0-9]")

_SECTION = re.compile(
    r".{0,6}(?:职责|要求|描述|内容|资格|条件|加分项?|优先(?:考虑)?|亮点|福利|待遇|经历|经验|技能|简介|介绍|评价|信息|"
    r"方式|背景|爱好|其他|薪资|我们.{0,6})|(?:.* )?(?:requirements|responsibilities|qualifications|benefits|perks|"
    r"education|hobbies|skills|experience|about us|about the company|nice to have|preferred|how to apply)|"
    r"what you.*|who you are",
    re.IGNORECASE,
)
_STOPS = re.compile(r"[，。；：,;:、]")
_LABEL = re.compile(r"^([^，。；：:（(]{2,12})[:：](?=.)")
_PRIVATE = re.compile(
    r"[\w.+-]+@[\w-]+\.\w|(?<!\d)1[3-9]\d[- ]?\d{4}[- ]?\d{4}(?!\d)|微信|手机号|身份证|出生|籍贯|民族|婚"
)
_ASIDE = re.compile(
    r"福利|待遇|薪资|薪酬|关于我们|关于公司|公司介绍|公司简介|团队介绍|团队简介|部门简介|部门介绍|我们提供|"
    r"我们在做什么|投递|联系方式|工作地点|工作时间|教育经历|教育背景|自我评价|兴趣|爱好|个人信息|获奖|其他|"
    r"^地点|^城市|^base|benefits?|perks|about (?:us|the company)|how to apply|education|hobbies",
    re.IGNORECASE,
)
_WISH = re.compile(r"加分|优先(?!级)|nice to have|preferred|bonus|a plus", re.IGNORECASE)
_EMPTY = re.compile(
    r"学历|本科|硕士|博士|专业|经验|一金|保险|年假|体检|餐|班车|团建|薪|期权|股票|补贴|双休|弹性|"
    r"沟通|责任心|抗压|压力|团队合作|团队协作|学习能力|热情|主动|英语|英文|出差|轮值|落户|简历|邮件|邮箱|"
    r"years of experience|degree|communication|teamwork|insurance|salary",
    re.IGNORECASE,
)
_TECHNICAL = re.compile(r"[A-Za-z][A-Za-z0-9.+#-]{2,}")


class Statement(NamedTuple):
    """A piece of the text that a search can be made from, and how much it weighs (≤ 1)."""

    text: str
    weight: float


class Statements(NamedTuple):
    """What was found, in order; `left_out` counts what came after the first `MOST`."""

    found: tuple[Statement, ...]
    left_out: int


def statements_in(text: str) -> Statements:
    """Return the statements of a posting or résumé, each once."""
    found = list({one.text: one for one in _statements(text)}.values())
    return Statements(tuple(found[:MOST]), max(0, len(found) - MOST))


def text_of(document: Document) -> str:
    """Return the text of a document, its tables after its lines; lines of pages are joined."""
    lines = _unwrapped(document.lines) if document.is_wrapped else [x.text for x in document.lines]
    cells = [cell for table in document.tables for row in table for cell in row.cells]
    return "\n".join([*lines, *dict.fromkeys(cells)]).strip()


def _statements(text: str) -> Iterator[Statement]:
    is_aside, weight = False, 1.0
    for raw in text.splitlines():
        line = _BULLET.sub("", raw).strip()
        if not line:
            continue
        if heading := _heading(line, raw):
            is_aside, weight = bool(_ASIDE.search(heading)), _weight(heading)
            continue
        label = _LABEL.match(line)
        if is_aside or _PRIVATE.search(line) or (label and _ASIDE.search(label[1])):
            continue
        for clause in _clauses(line):
            if _says_something(clause):
                yield Statement(clause, min(weight, _weight(clause)))


def _heading(line: str, raw: str) -> str | None:
    """Return the words of a heading: known ones, or what ends in a colon; never a list item."""
    bare = line.strip("#【】[]（）() \u3000").rstrip("：:").strip()
    ends_open = line.endswith(("：", ":"))
    is_item = bool(_BULLET.sub("", raw) != raw.strip())
    if not bare or len(bare) > 24 or _STOPS.search(bare):
        return None
    known = _SECTION.fullmatch(bare)
    return bare if ends_open or (known and not is_item) else None


def _weight(words: str) -> float:
    return WISHED if _WISH.search(words) else 1.0


def _clauses(line: str) -> Iterator[str]:
    held = ""
    for piece in _BREAK.split(line):
        held += piece
        if _width(held) >= SHORTEST:
            yield _trimmed(held)
            held = ""
    if held.strip():
        yield _trimmed(held)


def _width(text: str) -> int:
    return sum(1 if char.isascii() else 2 for char in text)


def _trimmed(clause: str) -> str:
    return clause.strip(" \t　，；。,;.、")[:LONGEST]


def _says_something(clause: str) -> bool:
    """Say whether a search is worth its time: years, degrees and virtues find nothing.

    Between Chinese words Latin ones are technical: they outweigh a degree in the same clause.
    """
    is_technical = not clause.isascii() and len(_TECHNICAL.findall(clause)) > 1
    return len(clause) > 3 and (is_technical or not _EMPTY.search(clause))


def _unwrapped(lines: tuple[Line, ...]) -> list[str]:
    """Join lines that end where the page ends: a line goes on unless the next one begins anew."""
    joined: list[str] = []
    for text in (line.text.strip() for line in lines):
        if not joined or not _goes_on(joined[-1], text):
            joined.append(text)
            continue
        before, after = _LATIN
        gap = " " if before.search(joined[-1]) and after.search(text) else ""
        joined[-1] += gap + text
    return joined


def _goes_on(line: str, following: str) -> bool:
    """Say whether a line of a page is continued by the next: only a full line is."""
    begins_anew = bool(_BULLET.sub("", following) != following) or not following
    return len(line) >= 20 and not begins_anew and not line.endswith(tuple("。；：！？;:!?"))
