"""Rubrics as YAML files."""

from __future__ import annotations

from pathlib import Path

from bot.adapters import yaml_file
from bot.domain.rubric import Rubric
from bot.errors import RubricError


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
