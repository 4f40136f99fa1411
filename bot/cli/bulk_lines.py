"""Lines of a file of answers, and what becomes of each: read with bounds, graded one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import Field, ValidationError

from bot.domain.bank import Bank
from bot.domain.grade import Grade, Ungraded, UngradedReason
from bot.domain.question import Frozen
from bot.domain.session import LONGEST_ANSWER
from bot.domain.target import target_of
from bot.errors import ConfigError, NotFoundError
from bot.services.grading import Grader

LONGEST_LINE = 1_000_000
"""Bytes; an answer of the greatest length is far below, whatever its escapes."""

_BOM = b"\xef\xbb\xbf"


class Line(Frozen):
    """One line of the input."""

    id: str = Field(min_length=1)
    question_id: str = Field(min_length=1)
    answer: str


class Done(NamedTuple):
    """A line of the output, and what the summary needs of it."""

    text: str
    level: int | None = None
    judge: str | None = None
    tokens: int = 0
    reason: UngradedReason | None = None
    message: str = ""

    @property
    def is_unavailable(self) -> bool:
        """Say whether the judge could not be asked, so that another try may do better."""
        return self.reason is UngradedReason.JUDGE_UNAVAILABLE


def given(file: BinaryIO) -> Iterator[bytes]:
    """Give the lines that are not blank; one that is too long comes cut, and is refused later."""
    first = True
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while (more := file.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
        if first:
            line, first = line.removeprefix(_BOM), False
        if line.strip():
            yield line


def read_line(raw: bytes) -> Line | Ungraded:
    """Return the line, or why it cannot be graded."""
    if len(raw) > LONGEST_LINE:
        return _refused(raw[:200], f"这一行超过 {LONGEST_LINE} 字节；请拆开或删减。")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return _refused(raw, "这一行不是 UTF-8 文字；请把文件另存为 UTF-8。")
    try:
        line = Line.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "整行"
        return _refused(
            raw, f"这一行读不懂（{field}：{first['type']}）；每行要有 id、question_id、answer。"
        )
    if len(line.answer) > LONGEST_ANSWER:
        return Ungraded(
            id=line.id,
            question_id=line.question_id,
            reason=UngradedReason.BAD_INPUT,
            message=f"作答有 {len(line.answer)} 个字符，上限是 {LONGEST_ANSWER}；请删减。",
        )
    return line


def grade_line(bank: Bank, grader: Grader, raw: bytes) -> Done:
    """Grade one line; nothing is raised for what a line holds."""
    line = read_line(raw)
    if isinstance(line, Ungraded):
        return done(line)
    try:
        target = target_of(bank.find(line.question_id))
    except NotFoundError as error:
        reason = UngradedReason.BAD_INPUT
        return done(
            Ungraded(id=line.id, question_id=line.question_id, reason=reason, message=str(error))
        )
    return done(grader.grade(line.id, target, line.answer))


def done(outcome: Grade | Ungraded) -> Done:
    """Return an outcome as a line of the output."""
    text = outcome.model_dump_json() + "\n"
    if isinstance(outcome, Grade):
        by = outcome.provenance
        return Done(text, level=outcome.level, judge=by.judge, tokens=by.tokens)
    return Done(text, reason=outcome.reason, message=outcome.message)


def whole_lines(output: Path) -> int:
    """Count the whole lines of an earlier output and cut off a broken last one.

    Raises `OSError`.
    """
    count = 0
    end = 0
    with output.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            count += 1
            end += len(line)
    with output.open("r+b") as file:
        file.truncate(end)
    return count


def require_same(source: Path, output: Path, kept: int) -> None:
    """Raise `ConfigError` where a kept line of the output does not belong to its input line."""
    with source.open("rb") as lines, output.open("rb") as outcomes:
        for number, (raw, old) in enumerate(zip(given(lines), outcomes, strict=False), start=1):
            if number > kept:
                return
            if _id_of(raw) != _id_of(old):
                raise ConfigError(
                    f"{output} 的第 {number} 行不是 {source} 第 {number} 份作答的结果；"
                    "--resume 要用同一份 --input，或换一个 --output。"
                )


def _refused(raw: bytes, message: str) -> Ungraded:
    reason = UngradedReason.BAD_INPUT
    return Ungraded(id=_id_of(raw), question_id="", reason=reason, message=message)


def _id_of(raw: bytes) -> str:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    name = str(value.get("id", "")) if isinstance(value, dict) else ""
    return name.encode("utf-8", "replace").decode()
