"""Question banks as folders of YAML files: `bank.yaml`, one file a section, calculation tasks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bot.adapters import yaml_file
from bot.domain.bank import Bank, BankFile, CalculationFile, Figure, FigureFile, SectionFile
from bot.domain.family import CalculationFamily
from bot.errors import BankError, NotFoundError

BANK_FILE = "bank.yaml"
CALCULATIONS_FILE = "calculations.yaml"
FIGURES_FILE = "figures.yaml"


class YamlBanks:
    """The banks in some folders; each is read once, and again after `forget`."""

    def __init__(self, *folders: Path) -> None:
        """Take folders that hold one folder a bank; an earlier one wins over a later one."""
        self._folders = folders
        self._loaded: dict[str, Bank] = {}

    def names(self) -> tuple[str, ...]:
        """Return the ids of all banks, those of the first folder first."""
        found = (
            path.parent.name
            for folder in self._folders
            for path in sorted(folder.glob(f"*/{BANK_FILE}"))
        )
        return tuple(dict.fromkeys(found))

    def load(self, bank_id: str) -> Bank:
        """Return a bank. Raises `BankError` or `NotFoundError`."""
        if bank_id not in self._loaded:
            if bank_id not in self.names():
                raise NotFoundError(f"没有题库 {bank_id!r}；现有：{'、'.join(self.names())}。")
            folder = self.folder_of(bank_id)
            bank = read_bank(folder)
            if bank.id != bank_id:
                # Sessions name their bank by its id, and are taken up again by the folder's name.
                raise BankError(
                    f"{folder / BANK_FILE}：字段 bank 是 {bank.id!r}，"
                    f"应当与文件夹名 {bank_id!r} 一致。"
                )
            self._loaded[bank_id] = bank
        return self._loaded[bank_id]

    def folder_of(self, bank_id: str) -> Path:
        """Return the folder of a bank. Raises `NotFoundError`."""
        for folder in self._folders:
            if (folder / bank_id / BANK_FILE).is_file():
                return folder / bank_id
        raise NotFoundError(f"没有题库 {bank_id!r}。")

    def forget(self, bank_id: str) -> None:
        """Read the bank again at its next use: its files have changed."""
        self._loaded.pop(bank_id, None)


def read_bank(folder: Path) -> Bank:
    """Read a whole bank.

    Raises `BankError` with file, line and field for a broken file, a question id that two files
    share, or a bank without questions.
    """
    head = yaml_file.read(folder / BANK_FILE, BankFile, BankError)
    others = (BANK_FILE, CALCULATIONS_FILE, FIGURES_FILE)
    paths = sorted(path for path in folder.glob("*.yaml") if path.name not in others)
    if not paths:
        raise BankError(f"{folder}：题库里没有题目；请放入至少一个章节文件，如 a.yaml。")
    sections = tuple(yaml_file.read(path, SectionFile, BankError) for path in paths)
    for path, part in zip(paths, sections, strict=True):
        _belongs(path, part.bank, head)
    counts = Counter(question.id for part in sections for question in part.questions)
    for path, part in zip(paths, sections, strict=True):
        for question in part.questions:
            if counts[question.id] > 1:
                raise BankError(f"{path}：题目 id {question.id!r} 在题库里出现了不止一次。")
    return Bank(
        id=head.bank,
        version=head.version,
        title=head.title,
        terms=head.terms,
        sections=sections,
        calculations=_calculations(folder / CALCULATIONS_FILE, head),
        topics=head.topics,
        figures=_figures(folder / FIGURES_FILE, head),
    )


def _calculations(path: Path, head: BankFile) -> tuple[CalculationFamily, ...]:
    """Return the families of calculation tasks; a bank need not have any."""
    if not path.is_file():
        return ()
    file = yaml_file.read(path, CalculationFile, BankError)
    _belongs(path, file.bank, head)
    return file.families


def _figures(path: Path, head: BankFile) -> tuple[Figure, ...]:
    """Return the figures that the bank must tell; a bank need not have any."""
    if not path.is_file():
        return ()
    file = yaml_file.read(path, FigureFile, BankError)
    _belongs(path, file.bank, head)
    return file.figures


def _belongs(path: Path, bank_id: str, head: BankFile) -> None:
    if bank_id != head.bank:
        raise BankError(
            f"{path}：字段 bank 是 {bank_id!r}，应当与 {BANK_FILE} 的 {head.bank!r} 一致。"
        )
