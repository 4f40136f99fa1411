"""A4 pages of a report: styles, lines, grounds and footers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from fpdf import FPDF
from fpdf.enums import TextMode, XPos, YPos

from bot.adapters.pdf_fonts import Typefaces
from bot.adapters.pdf_lines import Line, Run, broken
from bot.domain.report_document import ReportDocument

MARGIN, TOP, BOTTOM = 17.0, 16.0, 18.0
"""Millimetres, as all lengths here; BOTTOM holds the footer."""

Colour: TypeAlias = tuple[int, int, int]

INK: Colour = (31, 35, 40)
SOFT: Colour = (89, 99, 110)
LINK: Colour = (5, 80, 174)
EDGE: Colour = (209, 217, 224)
ACCENT: Colour = (9, 105, 218)


class Style(NamedTuple):
    """How text looks: its size in points, its colours, and a line below it."""

    size: float
    colour: Colour = INK
    is_bold: bool = False
    fill: Colour | None = None
    below: Colour | None = None
    dash: float = 0.0
    """The length of the dashes of the line below; 0 draws it through."""


STYLES = {
    "title": Style(19, is_bold=True),
    "h2": Style(13, is_bold=True),
    "h3": Style(11, is_bold=True),
    "text": Style(10),
    "lead": Style(10, is_bold=True),
    "soft": Style(9, SOFT),
    "cell": Style(9),
    "head": Style(9, is_bold=True),
    "link": Style(9, LINK),
    "label": Style(7, SOFT),
    "good": Style(10, fill=(210, 244, 217), below=(26, 127, 55)),
    "part": Style(10, fill=(251, 238, 181), below=(154, 103, 0), dash=0.9),
    "bad": Style(10, fill=(255, 216, 214), below=(207, 34, 46), dash=0.3),
}

_GROUNDS: dict[str, tuple[Colour, Colour | None]] = {
    "quote": ((246, 248, 250), EDGE),
    "notice": ((255, 248, 197), (154, 103, 0)),
    "head": ((246, 248, 250), None),
}
"""The colour of a ground, and of the bar at its left."""


class Paper(FPDF):
    """The pages; `y` is where the next line begins."""

    def __init__(
        self, document: ReportDocument, font: Path | None, folders: Sequence[Path]
    ) -> None:
        """Prepare pages in a font. Raises `ConfigError` or `FontMissingError`."""
        super().__init__(format="A4")
        self._faces = Typefaces(self, font, folders)
        self._label = document.label
        self._widths: dict[tuple[str, str], float] = {}
        self.c_margin = 0.0
        self.set_margins(MARGIN, TOP)
        self.set_auto_page_break(False)
        self.alias_nb_pages("")
        self.set_lang("zh-CN")
        self.set_title(document.title)
        self.set_subject(document.label)
        self.set_creator("mockbot")
        # The time of the report and not of the printing: one session makes one and the same file.
        self.set_creation_date(document.at)

    def cover(self, texts: Iterable[str]) -> None:
        """Add fonts for signs of the texts that the Chinese font lacks."""
        self._faces.cover(texts)

    def shown(self, text: str) -> str:
        """Return a text in signs that the fonts have."""
        return self._faces.shown(text)

    def measure(self, text: str, style: str) -> float:
        """Return how wide a text is."""
        return sum(self._width(sign, style) for sign in text)

    @property
    def left(self) -> float:
        """Return the height that is left on the page."""
        return self.h - BOTTOM - self.y

    def is_used(self, height: float) -> bool:
        """Say whether more than `height` of the page has been used."""
        return self.y > TOP + height + 0.01

    def room(self, height: float) -> None:
        """Begin a new page unless there is room for the height."""
        if self.left < height:
            self.add_page()

    def down(self, height: float) -> None:
        """Leave a space, but none at the top of a page."""
        if self.is_used(0):
            self.set_y(self.y + height)

    def line_of(self, line: Line, x: float, height: float, *, link: int | None = None) -> None:
        """Write a line at `x` and go down by the height."""
        top = self.y
        for run in line:
            width = self.measure(run.text, run.style)
            self._run(run, x, top, width, height, link)
            x += width
        self.set_y(top + height)

    def ground(self, name: str, height: float) -> None:
        """Colour a stretch of the whole width at the place of the next line."""
        fill, edge = _GROUNDS[name]
        self._fill(fill, MARGIN, self.y, self.epw, height)
        if edge is not None:
            self._fill(edge, MARGIN, self.y, 1.0, height)

    def bullet(self, height: float) -> None:
        """Draw the point of a list before the next line."""
        self.set_fill_color(*SOFT)
        self.circle(MARGIN + 1.6, self.y + height / 2, 0.6, style="F")

    def bar(self, x: float, width: float, height: float, share: float, below: float) -> None:
        """Draw a bar that is filled to the share, `below` under the next line."""
        self._fill(EDGE, x, self.y + below, width, height)
        self._fill(ACCENT, x, self.y + below, width * min(1.0, max(0.0, share)), height)

    def rule(self) -> None:
        """Draw a line over the whole width."""
        self._draw(EDGE, MARGIN, MARGIN + self.epw, self.y)

    def footer(self) -> None:
        """Write who graded, and which page it is."""
        self.set_y(self.h - BOTTOM + 6)
        top = self.y
        label = broken([Run(self.shown(self._label), "label")], self.epw - 30, self.measure)
        self.line_of(next(label), MARGIN, 4)
        number = Run(f"第 {self.page} 页", "label")
        self.set_y(top)
        self.line_of([number], self.w - MARGIN - self.measure(number.text, number.style), 4)

    def _run(
        self, run: Run, x: float, top: float, width: float, height: float, link: int | None
    ) -> None:
        style = STYLES[run.style]
        if style.fill is not None:
            self._fill(style.fill, x, top + 0.4, width, height - 0.8)
        if style.below is not None:
            self.set_dash_pattern(style.dash)
            self._draw(style.below, x, x + width, top + height - 0.5)
            self.set_dash_pattern()
        self.set_text_color(*style.colour)
        # There may be no bold font; an outline in the same colour makes the letters heavier.
        self.set_draw_color(*style.colour)
        self.set_line_width(style.size / 110)
        self.text_mode = TextMode.FILL_STROKE if style.is_bold else TextMode.FILL
        for family, text in self._faces.by_family(run.text):
            wide = self.measure(text, run.style)
            self.set_font(family, size=style.size)
            self.set_xy(x, top)
            self.cell(wide, height, text, link=link or "", new_x=XPos.LEFT, new_y=YPos.TOP)
            x += wide

    def _width(self, sign: str, style: str) -> float:
        if (sign, style) not in self._widths:
            self.set_font(self._faces.family_of(sign), size=STYLES[style].size)
            self._widths[sign, style] = self.get_string_width(sign)
        return self._widths[sign, style]

    def _fill(self, colour: Colour, x: float, y: float, width: float, height: float) -> None:
        self.set_fill_color(*colour)
        self.rect(x, y, width, height, style="F")

    def _draw(self, colour: Colour, start: float, end: float, y: float) -> None:
        self.set_draw_color(*colour)
        self.set_line_width(0.25)
        self.line(start, y, end, y)
