"""A bank as the YAML files that a bank is written in by hand."""

from __future__ import annotations

from collections.abc import Iterator

import yaml
from pydantic import BaseModel

from bot.adapters.yaml_banks import BANK_FILE, CALCULATIONS_FILE, FIGURES_FILE
from bot.domain.bank import Bank, BankFile, CalculationFile, FigureFile


def bank_files(bank: Bank) -> Iterator[tuple[str, str]]:
    """Give the names and texts of the files; read again they are the same bank."""
    head = BankFile(
        bank=bank.id,
        version=bank.version,
        title=bank.title,
        topics=bank.topics,
        terms=bank.terms,
    )
    yield BANK_FILE, _yaml(head)
    for number, part in enumerate(bank.sections, start=1):
        yield f"{number:04d}.yaml", _yaml(part)
    if bank.calculations:
        file = CalculationFile(bank=bank.id, families=bank.calculations)
        yield CALCULATIONS_FILE, _yaml(file)
    if bank.figures:
        yield FIGURES_FILE, _yaml(FigureFile(bank=bank.id, figures=bank.figures))


def _yaml(file: BaseModel) -> str:
    value = file.model_dump(mode="json", exclude_defaults=True)
    return yaml.dump(
        value, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=1000
    )
