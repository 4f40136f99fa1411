"""The JSON Schemas are those of the models, and every file with a schema says which it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.schemas import ROOT, SCHEMAS, schema_text

FOLDERS = ("corpus", "rubrics")
FILES = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.yaml"))
    # The lexicons and the exam of the judges have no schema: nobody but us writes them.
    if path.parent.name != "judges"
]


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in SCHEMAS])
def test_a_schema_is_what_its_model_gives(name: str) -> None:
    stored = (ROOT / name).read_text(encoding="utf-8")

    assert stored == schema_text(SCHEMAS[name]), "run `python tools/schemas.py`"
    assert json.loads(stored)["additionalProperties"] is False


def test_no_schema_is_left_behind() -> None:
    stored = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.schema.json")]

    assert sorted(str(path.relative_to(ROOT)) for path in stored) == sorted(SCHEMAS)


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in FILES]
)
def test_a_yaml_file_names_its_schema_in_the_first_line(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        first = file.readline().rstrip("\n")

    begin, _, schema = first.partition("$schema=")
    assert begin == "# yaml-language-server: "
    assert str((path.parent / schema).resolve().relative_to(ROOT)) in SCHEMAS
