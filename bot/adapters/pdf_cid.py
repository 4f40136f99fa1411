"""CID-keyed fonts (Noto Sans CJK and its like) as every reader of PDF expects them.

fpdf2 numbers the characters of a text anew and explains the numbers in a CMap of its own. That is
allowed, but some programs that search or copy text do not read such a CMap. Here the numbers are
the font's own CIDs, and the encoding is the one that all know: Identity-H.
"""

from __future__ import annotations

from typing import Any

from fpdf.fonts import Glyph, SubsetMap, TTFFont
from fpdf.output import OutputProducer, PDFFont, PDFType3Font
from fpdf.syntax import Name


class _ByCid(SubsetMap):
    """Gives each glyph the number that the font itself gives it."""

    def __init__(self, font: TTFFont) -> None:
        super().__init__(font)
        self._char_id_per_glyph.clear()
        for code in (0x00, 0x20):
            self.pick_glyph(self.get_glyph(unicode=code))

    def pick_glyph(self, glyph: Glyph | None) -> int | None:
        """Return the number of a glyph, which is used from now on."""
        if glyph is None:
            return None
        name = glyph.glyph_name
        # The rule by which fpdf2 finds the CID when it writes the font.
        cid = int(name[3:]) if name[:3] == "cid" and name[3:].isdigit() else glyph.glyph_id
        self._char_id_per_glyph[glyph] = 0 if name == ".notdef" else cid
        return self._char_id_per_glyph[glyph]


class IdentityOutput(OutputProducer):
    """Writes fonts whose characters are numbered by CID."""

    def _add_fonts(self, *args: Any, **kwargs: Any) -> dict[int, PDFFont | PDFType3Font]:
        fonts = super()._add_fonts(*args, **kwargs)
        for font in fonts.values():
            if isinstance(font, PDFFont):
                font.encoding = Name("Identity-H")
        return fonts


def number_by_cid(font: TTFFont) -> None:
    """Number the characters of a CID-keyed font by CID; `IdentityOutput` must write the PDF."""
    font.subset = _ByCid(font)
