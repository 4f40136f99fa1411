"""Banks that a user imported: whole folders, put in place by renaming, with former versions.

```
banks/<name>/            the bank, as any other: bank.yaml and one file a section
banks/.history/<name>/   former versions, one folder each, and the last number used
banks/.writing/          what is being written
```

The dot folders lie a level deeper than `YamlBanks` looks. A bank that is missing while it has
former versions was lost between two renames: the latest one is brought back.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

import yaml
from pydantic import BaseModel

from bot.adapters.yaml_banks import BANK_FILE, CALCULATIONS_FILE, FIGURES_FILE, read_bank
from bot.domain.bank import Bank, BankFile, CalculationFile, FigureFile
from bot.errors import BankError, ImportFileError, NotFoundError, StoreError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
_LAST = "last-version"
KEPT = 20
"""So many former versions of a bank are kept."""

STALE_SECONDS = 24 * 3600
"""What was begun this long ago is not being written any more: its process was killed."""


class UserBanks:
    """The banks in one folder; every change is all or nothing."""

    def __init__(self, folder: Path, shipped: Collection[str]) -> None:
        """Take the folder, made when first written to, and the names of the shipped banks."""
        self._folder = folder
        self._history = folder / ".history"
        self._writing = folder / ".writing"
        self._shipped = {name.casefold() for name in shipped}
        self._lock = RLock()

    def require_own(self, bank_id: str) -> None:
        """Raise `ImportFileError` unless a bank of that name may be written."""
        if not _NAME.fullmatch(bank_id) or _RESERVED.fullmatch(bank_id):
            raise ImportFileError(
                f"题库名 {bank_id[:80]!r} 不能用：只能有字母、数字、- 和 _，以字母或数字开头，最多 64 个字符。"
            )
        if bank_id.casefold() in self._shipped:
            raise ImportFileError(f"{bank_id!r} 是随附的题库，不能改动；请换一个题库名。")

    def recover(self) -> None:
        """Bring back what a crash between two renames left away, and tidy up.

        Raises `StoreError`.
        """
        with self._lock, _explained(self._folder):
            for history in self._history.glob("*/"):
                target = self._folder / history.name
                former = self._former(history.name)
                if former and not target.exists():
                    former[-1].rename(target)
                for old in former[:-KEPT]:
                    shutil.rmtree(old, ignore_errors=True)
            for left in self._writing.glob("*/"):
                if time.time() - left.stat().st_mtime > STALE_SECONDS:
                    shutil.rmtree(left, ignore_errors=True)

    def next_version(self, bank_id: str) -> int:
        """Return a number that no version of the bank has had, not even one that was undone."""
        used = [int(path.name) for path in self._former(bank_id)]
        with suppress(OSError, ValueError):
            used.append(int((self._history / bank_id / _LAST).read_text(encoding="ascii")))
        with suppress(BankError):
            if (self._folder / bank_id / BANK_FILE).is_file():
                used.append(read_bank(self._folder / bank_id).version)
        return max(used, default=0) + 1

    def write(self, bank: Bank, *, over: int | None = None) -> None:
        """Put the bank in place of its former version, which is kept for `undo`.

        Raises `StoreError` when the version in place is not `over`: somebody else was quicker.
        """
        self.require_own(bank.id)
        with self._lock, _explained(self._folder):
            self.recover()
            if over is not None and (there := read_bank(self._folder / bank.id).version) != over:
                raise StoreError(
                    f"题库 {bank.id} 已在别处改为第 {there} 版，这次没有保存；请刷新页面再试。"
                )
            fresh = self._write_aside(bank)
            history = self._history / bank.id
            history.mkdir(parents=True, exist_ok=True)
            _write(history / _LAST, str(bank.version))
            self._swap(bank.id, fresh)

    def undo(self, bank_id: str) -> int | None:
        """Bring the former version back; without one the bank is removed."""
        self.require_own(bank_id)
        with self._lock, _explained(self._folder):
            self.recover()
            target = self._folder / bank_id
            if not target.is_dir():
                raise NotFoundError(f"没有导入过题库 {bank_id!r}，没有可以撤销的导入。")
            former = self._former(bank_id)
            gone = self._writing / uuid.uuid4().hex
            self._writing.mkdir(parents=True, exist_ok=True)
            target.rename(gone)
            if former:
                former[-1].rename(target)
            _sync(self._folder)
            shutil.rmtree(gone, ignore_errors=True)
            return int(former[-1].name) if former else None

    def former_version(self, bank_id: str) -> int | None:
        """Return the version that `undo` would bring back, or None where there is none."""
        former = self._former(bank_id)
        return int(former[-1].name) if former else None

    def version(self, bank_id: str, version: int) -> Bank | None:
        """Return a former version of the bank, or None where it is not kept or not readable."""
        with suppress(BankError, OSError):
            for kept in self._former(bank_id):
                if int(kept.name) == version:
                    return read_bank(kept)
        return None

    def _write_aside(self, bank: Bank) -> Path:
        """Write the whole bank where nobody looks, and read it back."""
        fresh = self._writing / uuid.uuid4().hex
        fresh.mkdir(parents=True)
        try:
            for name, file in _files(bank):
                _write(fresh / name, _yaml(file))
            _sync(fresh)
            is_same = read_bank(fresh) == bank
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        if not is_same:
            shutil.rmtree(fresh, ignore_errors=True)
            raise StoreError("写入的题库与预览不一致，已放弃，原来的题库没有改动。")
        return fresh

    def _swap(self, bank_id: str, fresh: Path) -> None:
        target = self._folder / bank_id
        kept: Path | None = None
        if target.exists():
            kept = self._history / bank_id / str(read_bank(target).version)
            target.rename(kept)
        try:
            fresh.rename(target)
        except OSError:
            if kept is not None:
                kept.rename(target)
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        _sync(self._folder)

    def _former(self, bank_id: str) -> list[Path]:
        """Return the former versions, oldest first."""
        found = (self._history / bank_id).glob("*/") if _NAME.fullmatch(bank_id) else ()
        return sorted((one for one in found if one.name.isdecimal()), key=lambda one: int(one.name))


def _files(bank: Bank) -> Iterator[tuple[str, BaseModel]]:
    head = BankFile(
        bank=bank.id,
        version=bank.version,
        title=bank.title,
        topics=bank.topics,
        terms=bank.terms,
    )
    yield BANK_FILE, head
    for number, part in enumerate(bank.sections, start=1):
        yield f"{number:04d}.yaml", part
    if bank.calculations:
        yield CALCULATIONS_FILE, CalculationFile(bank=bank.id, families=bank.calculations)
    if bank.figures:
        yield FIGURES_FILE, FigureFile(bank=bank.id, figures=bank.figures)


def _yaml(file: BaseModel) -> str:
    value = file.model_dump(mode="json", exclude_defaults=True)
    return yaml.dump(
        value, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=1000
    )


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make the names in a folder lasting, where the system lets a folder be opened."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"题库文件夹 {folder} 无法写入（{error.strerror or error}），没有改动；请检查权限与磁盘空间。"
        ) from error
