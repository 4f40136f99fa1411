"""Prints reports as PDF; what that needs is imported at the first report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from bot.adapters.cjk_fonts import FOLDERS, why_no_pdf
from bot.domain.report_document import ReportDocument


class PdfPrinter:
    """Prints with the font that was chosen, or with the best one that is found."""

    def __init__(self, font: Path | None, folders: Sequence[Path] = FOLDERS) -> None:
        self._font = font
        self._folders = folders

    @cached_property
    def problem(self) -> str | None:
        """Return why there will be no PDF, or None; cheap enough for a page to ask."""
        error = why_no_pdf(self._font, self._folders)
        return None if error is None else str(error)

    def pdf(self, document: ReportDocument) -> bytes:
        """Return the report as PDF. Raises `FontMissingError` or `ConfigError`."""
        from bot.adapters.pdf_report import pdf_of

        return pdf_of(document, self._font, self._folders)
