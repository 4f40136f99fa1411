"""Writes the JSON Schemas that editors check the YAML files with: `python tools/schemas.py`."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from bot.domain.bank import BankFile, CalculationFile, FigureFile, SectionFile
from bot.domain.rubric import Rubric

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS: dict[str, type[BaseModel]] = {
    "corpus/bank.schema.json": BankFile,
    "corpus/section.schema.json": SectionFile,
    "corpus/calculations.schema.json": CalculationFile,
    "corpus/figures.schema.json": FigureFile,
    "rubrics/rubric.schema.json": Rubric,
}


def schema_text(model: type[BaseModel]) -> str:
    """Return the schema of a model as it is stored."""
    return json.dumps(model.model_json_schema(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    for name, model in SCHEMAS.items():
        (ROOT / name).write_text(schema_text(model), encoding="utf-8")
