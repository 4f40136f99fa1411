"""The report as a PDF with Chinese text: pages that flow, tables that repeat their heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.adapters.pdf_cid import IdentityOutput
from bot.adapters.pdf_lines import Line, Run, broken
from bot.adapters.pdf_paper import MARGIN, Paper
from bot.domain.report_document import (
    Block,
    Bullets,
    Cell,
    Facts,
    Notice,
    Paragraph,
    Piece,
    Quote,
    ReportDocument,
    Section,
    Table,
)

GAP = 2.2
"""Millimetres between two blocks; all lengths here are millimetres."""

LINE, CELL_LINE, ANSWER_LINE = 5.4, 4.9, 6.4
NAMES = 18.0
"""The width of the names of facts."""

INDENT, PADDING, BAR = 4.5, 1.4, 1.1
TOGETHER = 4
"""So many lines are not torn apart by the end of a page."""


def pdf_of(document: ReportDocument, font: Path | None, folders: Sequence[Path]) -> bytes:
    """Return the report as PDF, in the font given or in the best one of the folders.

    Raises `ConfigError` for a font that cannot be used, `FontMissingError` without any.
    """
    paper = Paper(document, font, folders)
    paper.cover(_texts(document))
    printing = _Printing(paper)
    printing.print(document)
    return bytes(paper.output(output_producer_class=IdentityOutput))


class _Printing:
    """Lays one document out on paper."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._links: dict[str, int] = {}

    def print(self, document: ReportDocument) -> None:
        """Lay out everything."""
        paper = self._paper
        paper.add_page()
        self._links = {one.anchor: paper.add_link() for one in document.sections}
        self._write([Run(document.title, "title")], 10)
        paper.down(GAP)
        self._block(document.facts)
        for section in document.sections:
            self._section(section)

    def _section(self, section: Section) -> None:
        style, space = ("h2", 7.0) if section.depth == 2 else ("h3", 6.0)
        paper = self._paper
        paper.down(2 * GAP)
        # A heading at the foot of a page would be a heading of nothing.
        paper.room(48)
        if section.depth == 2:
            paper.rule()
            paper.set_y(paper.y + 1.2)
        paper.set_link(self._links[section.anchor], y=paper.y, page=paper.page)
        paper.start_section(paper.shown(section.title), section.depth - 2, strict=False)
        self._write([Run(section.title, style)], space)
        for block in section.blocks:
            paper.down(GAP)
            self._block(block)

    def _block(self, block: Block) -> None:
        match block:
            case Facts(pairs):
                for name, value in pairs:
                    self._fact(name, value)
            case Notice(text):
                self._write([Run(text, "text")], LINE, indent=INDENT, ground="notice")
            case Paragraph():
                self._write(_lead(block), LINE)
            case Bullets(items):
                for item in items:
                    self._write(_lead(item), LINE, indent=INDENT, bullet=True)
            case Quote(lead, pieces):
                # The lead stays with the first lines of what was said.
                self._paper.room(LINE + TOGETHER * ANSWER_LINE)
                self._write([Run(lead, "lead")], LINE)
                runs = [run for piece in pieces for run in _piece(piece)]
                self._write(runs, ANSWER_LINE, indent=INDENT, ground="quote")
            case Table():
                self._table(block)

    def _fact(self, name: str, value: str) -> None:
        paper = self._paper
        paper.room(LINE)
        at = paper.y
        paper.line_of(self._lines([Run(name, "soft")], NAMES)[0], MARGIN, LINE)
        paper.set_y(at)
        self._write([Run(value, "text")], LINE, indent=NAMES)

    def _write(
        self,
        runs: Sequence[Run],
        height: float,
        *,
        indent: float = 0.0,
        ground: str | None = None,
        bullet: bool = False,
    ) -> None:
        """Write runs line by line; a few lines stay together, many go on over pages."""
        paper = self._paper
        lines = self._lines(runs, paper.epw - indent)
        if len(lines) <= TOGETHER:
            paper.room(len(lines) * height)
        for number, line in enumerate(lines):
            paper.room(height)
            if ground is not None:
                paper.ground(ground, height)
            if bullet and number == 0:
                paper.bullet(height)
            paper.line_of(line, MARGIN + indent, height)

    def _table(self, table: Table) -> None:
        whole = sum(table.widths)
        widths = [self._paper.epw * width / whole for width in table.widths]
        head = [
            self._lines([Run(name, "head")], width - 2 * PADDING)
            for name, width in zip(table.columns, widths, strict=True)
        ]
        rows = [
            [
                self._lines([Run(cell.text, _style(cell))], width - 2 * PADDING)
                for cell, width in zip(row, widths, strict=True)
            ]
            for row in table.rows
        ]
        # The head needs a row below it.
        self._paper.room(_height(head) + (_height(rows[0]) if rows else 0))
        self._head(head, widths)
        for row, lines in zip(table.rows, rows, strict=True):
            self._row(row, lines, widths, head)

    def _head(self, head: list[list[Line]], widths: list[float]) -> None:
        self._paper.ground("head", _height(head))
        self._cells(head, widths, range(max(map(len, head))))

    def _row(
        self,
        row: Sequence[Cell],
        lines: list[list[Line]],
        widths: list[float],
        head: list[list[Line]],
    ) -> None:
        """Write a row in one piece, or over several pages when it is higher than one."""
        paper = self._paper
        count = max(map(len, lines))
        done = 0
        while done < count:
            if paper.left < _height(lines) and (done or paper.is_used(_height(head))):
                paper.add_page()
                self._head(head, widths)
            fitting = max(1, int((paper.left - 2 * PADDING - BAR) / CELL_LINE))
            part = range(done, min(count, done + fitting))
            self._bars(row, widths)
            self._cells(lines, widths, part, links=[self._link(cell) for cell in row])
            paper.rule()
            done = part.stop

    def _cells(
        self,
        cells: list[list[Line]],
        widths: list[float],
        part: range,
        *,
        links: Sequence[int | None] = (),
    ) -> None:
        paper = self._paper
        top, x = paper.y + PADDING, MARGIN
        for at, (lines, width) in enumerate(zip(cells, widths, strict=True)):
            paper.set_y(top)
            for line in lines[part.start : part.stop]:
                paper.line_of(line, x + PADDING, CELL_LINE, link=links[at] if links else None)
            x += width
        paper.set_y(top + len(part) * CELL_LINE + PADDING)

    def _bars(self, row: Sequence[Cell], widths: list[float]) -> None:
        x = MARGIN
        for cell, width in zip(row, widths, strict=True):
            if cell.share is not None:
                self._paper.bar(
                    x + PADDING, width - 2 * PADDING, BAR, cell.share, CELL_LINE + PADDING
                )
            x += width

    def _lines(self, runs: Sequence[Run], width: float) -> list[Line]:
        shown = [Run(self._paper.shown(run.text), run.style) for run in runs]
        return list(broken(shown, width, self._paper.measure))

    def _link(self, cell: Cell) -> int | None:
        return self._links.get(cell.anchor) if cell.anchor is not None else None


def _lead(item: Paragraph) -> list[Run]:
    lead = [Run(item.lead, "lead")] if item.lead else []
    between = [Run("　", "text")] if item.lead and item.text else []
    return [*lead, *between, *([Run(item.text, "text")] if item.text else [])]


def _piece(piece: Piece) -> Iterator[Run]:
    yield Run(piece.text, piece.tone or "text")
    if piece.ends:
        yield Run(f" {'·'.join(piece.ends)} ", "label")


def _style(cell: Cell) -> str:
    return "cell" if cell.anchor is None else "link"


def _height(lines: Sequence[Sequence[Line]]) -> float:
    return max(map(len, lines)) * CELL_LINE + 2 * PADDING + BAR


def _texts(document: ReportDocument) -> Iterator[str]:
    """Give every text of a document."""
    yield from _strings(document)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _strings(one)
