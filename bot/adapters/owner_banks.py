"""The banks that one owner has: the shipped ones, those of the installation, and their own.

A shipped bank is never replaced. A bank in the data folder is everybody's to read; an owner who
imports into it or edits it gets a version of their own, which stands before it for nobody else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.adapters.yaml_banks import YamlBanks
from bot.domain.bank import Bank
from bot.errors import BankError, ImportFileError, NotFoundError, StoreError
from bot.ports import Clock

if TYPE_CHECKING:
    from bot.adapters.sql_banks import SqlBanks

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
MOST_LOADED = 8
"""So many own banks are kept in memory, whole."""


class OwnerBanks:
    """Gives and keeps the banks of one owner; implements `QuestionBanks` and `OwnBanks`."""

    def __init__(
        self,
        *,
        shipped: YamlBanks,
        installed: YamlBanks,
        stored: Callable[[], SqlBanks],
        clock: Clock,
    ) -> None:
        """Take the banks of files and the owner's own; these are opened when first needed."""
        self._shipped = shipped
        self._installed = installed
        self._stored = stored
        self._clock = clock
        self._loaded: dict[tuple[str, int], Bank] = {}

    def names(self) -> tuple[str, ...]:
        """Return the ids of all banks, the shipped ones first.

        Without a database these are the banks of files: they can be read all the same.
        """
        own: dict[str, int] = {}
        with suppress(StoreError):
            own = self._stored().in_place()
        others = sorted({*self._installed.names(), *own})
        return tuple(dict.fromkeys((*self._shipped.names(), *others)))

    def load(self, bank_id: str) -> Bank:
        """Return a bank. Raises `BankError`, `NotFoundError` or `StoreError`."""
        if self._is_shipped(bank_id):
            return self._shipped.load(bank_id)
        version = self._version_in_place(bank_id)
        if version is not None and (own := self._own(bank_id, version)) is not None:
            return own
        if bank_id not in self._installed.names():
            raise NotFoundError(f"没有题库 {bank_id!r}；现有：{'、'.join(self.names())}。")
        return self._installed.load(bank_id)

    def is_stored(self, bank_id: str) -> bool:
        """Say whether the owner has a bank of that name for themselves. Raises `StoreError`."""
        return not self._is_shipped(bank_id) and self._version_in_place(bank_id) is not None

    def forget(self, bank_id: str) -> None:
        """Read the bank again at its next use: it has changed."""
        for one in [one for one in self._loaded if one[0] == bank_id]:
            self._loaded.pop(one, None)
        self._shipped.forget(bank_id)
        self._installed.forget(bank_id)

    def require_own(self, bank_id: str) -> None:
        """Raise `ImportFileError` unless a bank of that name may be written."""
        if not _NAME.fullmatch(bank_id) or _RESERVED.fullmatch(bank_id):
            raise ImportFileError(
                f"题库名 {bank_id[:80]!r} 不能用：只能有字母、数字、- 和 _，以字母或数字开头，最多 64 个字符。"
            )
        if bank_id.casefold() in {name.casefold() for name in self._shipped.names()}:
            raise ImportFileError(f"{bank_id!r} 是随附的题库，不能改动；请换一个题库名。")

    def next_version(self, bank_id: str) -> int:
        """Return a number that no version of the bank has had, not even one that was undone."""
        return max(self._stored().latest_number(bank_id), self._below(bank_id) or 0) + 1

    def write(self, bank: Bank, *, over: int | None = None) -> None:
        """Put the bank in place of its former version, which is kept for `undo`.

        Raises `StoreError` when the version in place is not `over`: somebody else was quicker.
        """
        self.require_own(bank.id)
        below = self._below(bank.id)
        self._stored().add(
            bank,
            self._clock.now(),
            lambda former: over is None or (below if former is None else former) == over,
        )

    def undo(self, bank_id: str) -> int | None:
        """Bring the former version back; without one the bank is removed."""
        self.require_own(bank_id)
        version = self._version_in_place(bank_id)
        if version is None or not self._stored().drop(bank_id, version):
            raise NotFoundError(f"没有导入过题库 {bank_id!r}，没有可以撤销的导入。")
        back = self._version_in_place(bank_id)
        return self._below(bank_id) if back is None else back

    def former_version(self, bank_id: str) -> int | None:
        """Return the version that `undo` would bring back, or None where there is none."""
        if self._is_shipped(bank_id):
            return None
        kept = self._stored().versions(bank_id)
        if len(kept) > 1:
            return kept[-2]
        return self._below(bank_id) if kept else None

    def version(self, bank_id: str, version: int) -> Bank | None:
        """Return a former version of the bank, or None where it is not kept. Raises `StoreError`."""
        if self._is_shipped(bank_id) or version == self._version_in_place(bank_id):
            return None
        return self._own(bank_id, version)

    def stored(self) -> tuple[Bank, ...]:
        """Return all banks that the owner has for themselves. Raises `StoreError`."""
        found = []
        for one in self._stored().in_place().items():
            with suppress(BankError):
                found.append(self._own(*one))
        return tuple(bank for bank in found if bank is not None)

    def _is_shipped(self, bank_id: str) -> bool:
        return bank_id in self._shipped.names()

    def _version_in_place(self, bank_id: str) -> int | None:
        kept = self._stored().versions(bank_id)
        return kept[-1] if kept else None

    def _below(self, bank_id: str) -> int | None:
        """Return the version of the installation's bank of that name, if it can be read."""
        if bank_id in self._installed.names():
            with suppress(BankError):
                return self._installed.load(bank_id).version
        return None

    def _own(self, bank_id: str, version: int) -> Bank | None:
        # A version never changes, so one that was read needs no second look.
        found = self._loaded.get((bank_id, version))
        if found is None:
            found = self._stored().load(bank_id, version)
            if found is not None:
                for oldest in list(self._loaded)[: max(0, len(self._loaded) + 1 - MOST_LOADED)]:
                    self._loaded.pop(oldest, None)
                self._loaded[bank_id, version] = found
        return found
