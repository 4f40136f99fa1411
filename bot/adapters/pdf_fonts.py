"""Fonts inside a PDF: one with Chinese characters, others for signs that it lacks."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import cast

from fpdf import FPDF
from fpdf.fonts import TTFFont

from bot.adapters.cjk_fonts import Font, characters, other_fonts, unusable, usable_fonts
from bot.adapters.pdf_cid import number_by_cid

FAMILY = "report"


class Typefaces:
    """The fonts of one PDF, and what they can show."""

    def __init__(self, pdf: FPDF, chosen: Path | None, folders: Sequence[Path]) -> None:
        """Add the chosen font, or the best one found.

        Raises `ConfigError` for a chosen font that is none, `FontMissingError` if none is found.
        """
        self._pdf = pdf
        self._folders = folders
        if not any(_added(pdf, FAMILY, font) for font in usable_fonts(chosen, folders)):
            raise unusable(chosen)
        self._families = dict.fromkeys(_font(pdf, FAMILY).cmap, FAMILY)

    def cover(self, texts: Iterable[str]) -> None:
        """Add fonts until they have every sign of the texts, or no font has it."""
        wanted = {ord(sign) for text in texts for sign in text if _is_visible(sign)}
        wanted -= self._families.keys()
        for number, font in enumerate(other_fonts(self._folders)):
            if wanted.isdisjoint(characters(font)):
                continue
            family = f"{FAMILY}{number}"
            if _added(self._pdf, family, font):
                found = dict.fromkeys(_font(self._pdf, family).cmap, family)
                self._families = found | self._families
                wanted -= found.keys()

    def shown(self, text: str) -> str:
        """Return a text in signs that the fonts have; for others stands their number: `[U+1F600]`.

        What cannot be seen is left out, for a reader would see a box.
        """
        return "".join(self._sign(sign) for sign in text.expandtabs(4))

    def family_of(self, sign: str) -> str:
        """Return the family of the font that has the sign."""
        return self._families.get(ord(sign), FAMILY)

    def by_family(self, text: str) -> Iterator[tuple[str, str]]:
        """Give the stretches of a text that are in one font, after its family."""
        for family, signs in groupby(text, key=self.family_of):
            yield family, "".join(signs)

    def _sign(self, sign: str) -> str:
        if ord(sign) in self._families or sign == "\n":
            return sign
        if sign.isspace():
            return " "
        return f"[U+{ord(sign):04X}]" if _is_visible(sign) else ""


def _is_visible(sign: str) -> bool:
    selects_variant = "\ufe00" <= sign <= "\ufe0f"
    return not sign.isspace() and unicodedata.category(sign) != "Cf" and not selects_variant


def _added(pdf: FPDF, family: str, font: Font) -> bool:
    """Add a font, and say whether it could be read."""
    # A broken file raises nearly anything: it is one of many, and the next is tried.
    try:
        pdf.add_font(family, fname=font.path, collection_font_number=font.number)
    except Exception as error:
        logging.getLogger(__name__).info("font %s cannot be used: %s", font.path, error)
        pdf.fonts.pop(family, None)
        return False
    added = _font(pdf, family)
    if added.is_cff and added.is_cid_keyed:
        number_by_cid(added)
    return True


def _font(pdf: FPDF, family: str) -> TTFFont:
    return cast(TTFFont, pdf.fonts[family])
