"""The report as Markdown; every text is escaped, so that it stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.domain.report_document import (
    Block,
    Bullets,
    Facts,
    Notice,
    Paragraph,
    Quote,
    ReportDocument,
    Section,
    Table,
)

_MARKDOWN = re.compile(
    r"([\\`*_{}\[\]()<>#+!|~$&^=]"
    # Within numbers, words, times and versions these mean nothing, and escaped they read badly.
    r"|(?<!\d)\.|\.(?!\d)|(?<!\w)-|-(?!\w)|(?<!\d):|:(?!\d)|@(?!\d+(?![\w.])))"
)


def escape_markdown(text: str) -> str:
    """Return `text` so that Markdown shows it as it is: no HTML, no LaTeX, no links."""
    return _MARKDOWN.sub(r"\\\1", text)


def as_markdown(document: ReportDocument) -> str:
    """Return the whole report as Markdown."""
    lines = [f"# {_line(document.title)}", "", *_block(document.facts)]
    for section in document.sections:
        lines += ["", *_section(section)]
    return "\n".join(lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield f"{'#' * section.depth} {_line(section.title)}"
    for block in section.blocks:
        yield ""
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Facts(pairs):
            yield from (f"- {_line(name)}：{_line(value)}" for name, value in pairs)
        case Notice(text):
            yield f"> **{_line(text)}**"
        case Paragraph():
            yield from _paragraph(block)
        case Bullets(items):
            yield from (f"- {_lead(item)}" for item in items)
        case Quote():
            yield f"{_line(block.lead)}："
            yield ""
            yield from _quote(block)
        case Table(columns, _, rows):
            yield _row(columns)
            yield "|" + "---|" * len(columns)
            yield from (_row(cell.text for cell in row) for row in rows)


def _paragraph(block: Paragraph) -> Iterator[str]:
    paragraphs = [line for line in block.text.splitlines() if line.strip()]
    yield _lead(block._replace(text=paragraphs[0] if paragraphs else ""))
    for line in paragraphs[1:]:
        yield ""
        yield _line(line)


def _quote(block: Quote) -> Iterator[str]:
    """Give the answer as it was said; Markdown has no marks, and the table cites the evidence."""
    for line in "".join(piece.text for piece in block.pieces).split("\n"):
        # Four spaces at its start would make the line a block of code.
        yield f"> {escape_markdown(line.strip())}"


def _lead(item: Paragraph) -> str:
    lead, text = _line(item.lead), _line(item.text)
    if not lead or not text:
        return f"**{lead}**" if lead else text
    return f"**{lead}**：{text}"


def _row(texts: Iterator[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(_line(text) for text in texts) + " |"


def _line(text: str) -> str:
    """Return a text in one line, escaped."""
    return escape_markdown(" ".join(text.split()))
