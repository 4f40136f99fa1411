"""The report as one HTML file: no script, nothing fetched, every text escaped, made to be printed."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

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
from bot.services.reporting.html_style import STYLE

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Even if something slipped through, a browser would neither run nor fetch it."""


def as_html(document: ReportDocument) -> str:
    """Return the whole report as an HTML page that needs nothing but itself."""
    return "\n".join((*_page(document), ""))


def _page(document: ReportDocument) -> Iterator[str]:
    title = _text(document.title)
    yield '<!DOCTYPE html>\n<html lang="zh-CN">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
    yield '<meta name="referrer" content="no-referrer">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{title} {document.at:%Y-%m-%d %H:%M}</title>"
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<header>"
    yield f"<h1>{title}</h1>"
    yield from _block(document.facts)
    yield "</header>"
    for section in document.sections:
        yield from _section(section)
    yield f"</main>\n<footer>{_text(document.label)}</footer>\n</body>\n</html>"


def _section(section: Section) -> Iterator[str]:
    heading = f"h{section.depth}"
    yield f'<section id="{escape(section.anchor)}">'
    yield f"<{heading}>{_text(section.title)}</{heading}>"
    for block in section.blocks:
        yield from _block(block)
    yield "</section>"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Facts(pairs):
            yield "<dl>"
            for name, value in pairs:
                yield f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>"
            yield "</dl>"
        case Notice(text):
            yield f'<p class="notice" role="note">{_text(text)}</p>'
        case Paragraph():
            yield f"<p>{_lead(block)}</p>"
        case Bullets(items):
            yield "<ul>"
            yield from (f"<li>{_lead(item)}</li>" for item in items)
            yield "</ul>"
        case Quote(lead, pieces):
            yield f'<p class="lead"><strong>{_text(lead)}</strong></p>'
            yield f'<blockquote dir="auto">{"".join(map(_piece, pieces))}</blockquote>'
        case Table():
            yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    whole = sum(table.widths)
    yield "<table>\n<colgroup>"
    yield from (f'<col style="width:{100 * width / whole:.1f}%">' for width in table.widths)
    heads = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.columns)
    yield f"</colgroup>\n<thead><tr>{heads}</tr></thead>\n<tbody>"
    for row in table.rows:
        yield f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody>\n</table>"


def _cell(cell: Cell) -> str:
    text = _text(cell.text)
    if cell.anchor is not None:
        text = f'<a href="#{escape(cell.anchor)}">{text}</a>'
    if cell.share is not None:
        width = 100 * min(1.0, max(0.0, cell.share))
        text += f'<span class="bar" aria-hidden="true"><i style="width:{width:.0f}%"></i></span>'
    return text


def _piece(piece: Piece) -> str:
    text = _text(piece.text)
    if piece.tone is not None:
        text = f'<mark class="{piece.tone}">{text}</mark>'
    if piece.ends:
        text += f"<sup>{_text('·'.join(piece.ends))}</sup>"
    return text


def _lead(item: Paragraph) -> str:
    lead = f"<strong>{_text(item.lead)}</strong>" if item.lead else ""
    between = "　" if item.lead and item.text else ""
    return f'{lead}{between}<span class="text">{_text(item.text)}</span>' if item.text else lead


def _text(text: str) -> str:
    return escape(text, quote=True)
