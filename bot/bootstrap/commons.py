"""What all owners of a process share: costly to make, and the same for everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters import yaml_file
from bot.adapters.pdf_printer import PdfPrinter
from bot.adapters.system_clock import SystemClock
from bot.adapters.yaml_banks import YamlBanks
from bot.adapters.yaml_rubrics import read_rubrics
from bot.bootstrap.bank_parts import BankParts
from bot.bootstrap.models import Models
from bot.bootstrap.shipped import shipped
from bot.bootstrap.telemetry import Telemetry
from bot.domain.bank import Bank
from bot.domain.rubric import Rubric
from bot.errors import ConfigError
from bot.offline.settings import OfflineSettings
from bot.services.grading import Grader
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.sql_store import SqlStore
    from bot.ports import Clock, Judge, Rules


@dataclass(frozen=True)
class Commons:
    """Parts without an owner; each is made when it is first used."""

    settings: Settings
    _parts: dict[str, BankParts] = field(default_factory=dict)

    @cached_property
    def clock(self) -> Clock:
        """Return the clock."""
        return SystemClock()

    @cached_property
    def shipped(self) -> YamlBanks:
        """Return the banks that nobody changes."""
        return YamlBanks(self.corpus_dir)

    @cached_property
    def installed(self) -> YamlBanks:
        """Return the banks that somebody put into the data folder."""
        return YamlBanks(self.settings.banks_dir)

    @cached_property
    def rubrics(self) -> dict[str, Rubric]:
        """Return the rubrics by id. Raises `RubricError`."""
        return read_rubrics(self.rubrics_dir)

    @cached_property
    def lexicon(self) -> OfflineSettings:
        """Return the offline judge's lexicons and thresholds. Raises `ConfigError`."""
        path = self.rubrics_dir / "judges" / "offline.yaml"
        return yaml_file.read(path, OfflineSettings, ConfigError)

    @cached_property
    def models(self) -> Models:
        """Return the language models of the settings, if there are any."""
        return Models(
            settings=self.settings,
            ledger=lambda: self.store.ledger,
            clock=self.clock,
            exam_file=self.rubrics_dir / "judges" / "exam.yaml",
            # Without the rules: it is the model alone that is examined.
            exam_grader=lambda judge: self.grader_with(judge, self.exam_bank),
            exam_bank=lambda: self.exam_bank,
        )

    @cached_property
    def exam_bank(self) -> Bank:
        """Return the bank of the exam: its probes answer shipped questions, whatever is in use."""
        return YamlBanks(shipped("corpus")).load("vllm")

    @cached_property
    def store(self) -> SqlStore:
        """Return the store of this machine's own owner, its tables made. Raises `StoreError`."""
        from bot.adapters.sql_store import open_store

        return open_store(self.settings.store_url)

    @cached_property
    def pdf_printer(self) -> PdfPrinter:
        """Return what prints reports; fonts are looked for at the first use."""
        return PdfPrinter(self.settings.pdf_font)

    @cached_property
    def telemetry(self) -> Telemetry:
        """Return what tells of grading while it goes on."""
        return Telemetry(self)

    def parts_of(self, bank: Bank) -> BankParts:
        """Return what is made of a bank that all owners see."""
        kept = self._parts.get(bank.id)
        if kept is None or kept.bank is not bank:
            kept = self._parts[bank.id] = BankParts(self, bank)
        return kept

    def grader_with(
        self,
        judge: Judge,
        bank: Bank,
        *,
        rubrics: Mapping[str, Rubric] | None = None,
        samples: int | None = None,
        rules: Rules | None = None,
    ) -> Grader:
        """Return a grader over a bank with any judge, such as one over recorded replies.

        Without them, the shipped rubrics weigh, as often as the settings say. What a model claims
        is held against the rules.
        """
        return Grader(
            judge=judge,
            rubrics=self.rubrics if rubrics is None else rubrics,
            bank_name=bank.name,
            clock=self.clock,
            samples=samples or self.settings.judge_samples,
            rules=rules,
        )

    def vectors_of(self, bank_id: str) -> Path:
        """Return the file of vectors that may come with a shipped bank."""
        return self.corpus_dir / bank_id / "vectors.npz"

    @property
    def corpus_dir(self) -> Path:
        """Return the folder of the shipped banks."""
        return self.settings.corpus_dir or shipped("corpus")

    @property
    def rubrics_dir(self) -> Path:
        """Return the folder of the rubrics."""
        return self.settings.rubrics_dir or shipped("rubrics")
