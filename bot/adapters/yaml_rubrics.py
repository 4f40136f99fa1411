"""Rubrics as YAML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from bot.adapters import yaml_file
from bot.domain.rubric import Rubric
from bot.errors import RubricError

LONGEST_TEXT: Final = 20_000
"""Characters; the shipped ones have about a thousand."""

_REFERENCE = re.compile(r"(?:^|[\s\[{,:-])[*&][A-Za-z0-9_]", re.MULTILINE)
_VERSION = re.compile(r"^version:[ \t]*\d*", re.MULTILINE)
_ID = re.compile(r"^id:.*$", re.MULTILINE)
_SCHEMA_LINE = re.compile(r"^# yaml-language-server:.*\n", re.MULTILINE)


def read_rubrics(folder: Path) -> dict[str, Rubric]:
    """Return all rubrics of the folder by id.

    Raises `RubricError` with file, line and field, or for a folder without rubrics.
    """
    rubrics: dict[str, Rubric] = {}
    for path in sorted(folder.glob("*.yaml")):
        rubric = yaml_file.read(path, Rubric, RubricError)
        if rubric.id != path.stem:
            raise RubricError(f"{path}：字段 id 是 {rubric.id!r}，应当与文件名一致。")
        rubrics[rubric.id] = rubric
    if not rubrics:
        raise RubricError(f"{folder}：没有评分标准文件（*.yaml）。")
    return rubrics


def read_texts(folder: Path) -> dict[str, str]:
    """Return the text of every rubric of the folder by id, to be copied. Raises `RubricError`."""
    try:
        return {
            path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))
        }
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(f"{folder}：评分标准读不出来；请检查文件的编码与权限。") from error


class RubricTexts:
    """Rubrics as text that a user writes; implements `RubricReader`."""

    def read(self, text: str) -> Rubric:
        """Return the rubric of the text. Raises `RubricError`, which names line and field."""
        if len(text) > LONGEST_TEXT:
            raise RubricError(
                f"评分标准有 {len(text)} 个字符，上限是 {LONGEST_TEXT}；请删去用不到的内容。"
            )
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise RubricError("评分标准里有不完整的字符；请重新粘贴，或另存为 UTF-8。")
        # A few lines of references to references can stand for more than memory holds.
        found = _REFERENCE.search(text)
        if found is not None:
            line = text.count("\n", 0, found.end()) + 1
            raise RubricError(f"第 {line} 行：不能用 YAML 的锚点（&）和引用（*）；请直接写出内容。")
        return yaml_file.parse(text, Rubric, RubricError)

    def with_version(self, text: str, version: int) -> str:
        """Return the text with another version number; all else stays as it was written."""
        return _VERSION.sub(f"version: {version}", text, count=1)

    def copy_of(self, text: str, rubric_id: str, based_on: str) -> str:
        """Return the text of a shipped rubric as the beginning of one of the user."""
        own = _ID.sub(f"id: {rubric_id}\nbased_on: {based_on}", _SCHEMA_LINE.sub("", text), count=1)
        return self.with_version(own, 1)
