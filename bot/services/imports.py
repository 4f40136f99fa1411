"""Importing question documents (导入): preview, accept, undo."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath

from bot.domain.bank import Bank
from bot.domain.document import Skipped
from bot.domain.question import Term
from bot.errors import BankError, ImportFileError
from bot.ports import DocumentReader, Likeness, OwnBanks, Progress, QuestionBanks
from bot.services.drafts import Draft, ImportPreview, excerpt
from bot.services.duplicates import MOST_COMPARED, duplicates
from bot.services.enriching import Enricher, Unmet, is_gradable
from bot.services.importing import understand
from bot.services.merging import Merge, merge, names_in
from bot.services.salient import Words

DEFAULT_NAME = "my-bank"
TELLING_WHY = "离线评分没有可对照的词（答案没有题干之外的内容）"


def _silent(_done: int, _total: int) -> None:
    """Show nothing."""


class Imports:
    """Takes documents into banks of the user's own."""

    def __init__(
        self,
        *,
        reader: DocumentReader,
        banks: QuestionBanks,
        own: OwnBanks,
        likeness: Likeness,
        words: Words,
        unmet: Callable[[Mapping[str, Term]], Unmet],
        forget: Callable[[str], None],
    ) -> None:
        """Take what reads, keeps and compares; `unmet` makes the judge's check over some terms.

        `forget` is told of every bank that changed.
        """
        self._reader = reader
        self._banks = banks
        self._own = own
        self._likeness = likeness
        self._words = words
        self._unmet = unmet
        self._forget = forget

    def preview(self, name: str, content: bytes, progress: Progress = _silent) -> ImportPreview:
        """Return what an import would bring; nothing is written.

        Raises `ImportFileError` with the reason when the file is refused.
        """
        found = understand(self._reader.read(name, content))
        banks = self._loaded()
        terms = self._terms(found, banks)
        unmet = self._unmet(terms)
        kept, refused = _checked(found.drafts, terms, unmet)
        if not kept:
            raise ImportFileError(f"{found.name}：没有可以导入的题目（{refused[0].reason}）。")
        drafts = Enricher(self._words, terms, unmet).enrich(kept)
        return found.model_copy(
            update={
                "drafts": drafts,
                "skipped": (*found.skipped, *refused),
                "warnings": (*found.warnings, *_remarks(drafts)),
                "duplicates": duplicates(drafts, banks, self._likeness, progress),
                "terms": tuple(terms.values()),
            }
        )

    def name_for(self, file_name: str) -> str:
        """Return the name of a bank that suits a file."""
        plain = re.sub(r"[^a-z0-9]+", "-", PurePath(file_name).stem.casefold()).strip("-")[:40]
        try:
            self._own.require_own(plain)
        except ImportFileError:
            return DEFAULT_NAME
        return plain

    def require_own(self, bank_id: str) -> None:
        """Raise `ImportFileError` unless documents may be imported into a bank of that name."""
        self._own.require_own(bank_id)

    def own_banks(self) -> tuple[str, ...]:
        """Return the names of the banks that were imported."""
        found = []
        for name in self._banks.names():
            with suppress(ImportFileError):
                self._own.require_own(name)
                found.append(name)
        return tuple(found)

    def plan(self, preview: ImportPreview, bank_id: str) -> Merge:
        """Return the bank as it would be after the import; nothing is written.

        Raises `ImportFileError` for a name that may not be used or a bank too large.
        """
        self._own.require_own(bank_id)
        former = self._banks.load(bank_id) if bank_id in self._banks.names() else None
        terms = {term.id: term for term in preview.terms}
        version = self._own.next_version(bank_id)
        return merge(preview, former, terms, bank_id=bank_id, version=version)

    def accept(self, preview: ImportPreview, bank_id: str) -> Merge:
        """Write the preview into the bank, all or nothing.

        Raises `ImportFileError` or `StoreError`; then nothing was changed. When nothing is new
        the bank stays as it is.
        """
        self._forget(bank_id)
        planned = self.plan(preview, bank_id)
        if planned.added or planned.changed:
            self._own.write(planned.bank)
            self._forget(bank_id)
        return planned

    def undo(self, bank_id: str) -> int | None:
        """Take back the last import into the bank.

        Returns the version that is back, or None when the bank was new and is gone now. Raises
        `ImportFileError`, `NotFoundError` or `StoreError`.
        """
        version = self._own.undo(bank_id)
        self._forget(bank_id)
        return version

    def _loaded(self) -> list[Bank]:
        """Return the banks that can be read; a broken one must not keep others from growing."""
        banks = []
        for name in self._banks.names():
            with suppress(BankError):
                banks.append(self._banks.load(name))
        return banks

    @staticmethod
    def _terms(found: ImportPreview, banks: Sequence[Bank]) -> dict[str, Term]:
        """Return the terms of the document, else of the banks, the shipped one first."""
        known = {term.id: term for bank in reversed(banks) for term in bank.terms}
        return known | {term.id: term for term in found.terms}


def _checked(
    drafts: Sequence[Draft], terms: Mapping[str, Term], unmet: Unmet
) -> tuple[list[Draft], list[Skipped]]:
    """Leave out questions of our own schema whose spellings the judge could not read."""
    kept: list[Draft] = []
    refused: list[Skipped] = []
    for draft in drafts:
        reason = None
        if draft.question is not None:
            unknown = sorted(names_in(draft.question) - terms.keys())
            reason = f"写法引用了没有的术语 {unknown[0]!r}" if unknown else None
            try:
                unmet(draft.question)
            except BankError as error:
                reason = reason or str(error)
        if reason is None:
            kept.append(draft)
        else:
            refused.append(Skipped(draft.place, reason, excerpt(draft.stem)))
    return kept, refused


def _remarks(drafts: Sequence[Draft]) -> list[str]:
    blind = [one.id for one in drafts if one.question and not is_gradable(one.question)]
    remarks = [f"{TELLING_WHY}：{'、'.join(blind[:10])}{'等' if len(blind) > 10 else ''}。"]
    if len(drafts) > MOST_COMPARED:
        limit = f"题目超过 {MOST_COMPARED} 道，只比较了题干是否相同，没有按含义查重。"
        return [*(remarks if blind else []), limit]
    return remarks if blind else []
