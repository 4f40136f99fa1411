"""What a candidate wrote, as HTML: it stays text, and its evidence is marked.

The only place where HTML is made from an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from bot.ui.words import t

STYLES = {
    "good": "background:rgba(46,160,67,.22);border-bottom:2px solid #2ea043",
    "part": "background:rgba(219,171,9,.22);border-bottom:2px dashed #b58900",
    "bad": "background:rgba(218,54,51,.20);text-decoration:underline wavy #da3633",
}


class Mark(NamedTuple):
    """Characters `start` to `end` of the answer, a tone of `STYLES`, and the label shown there."""

    start: int
    end: int
    tone: str
    label: str


def highlighted(answer: str, marks: Sequence[Mark]) -> str:
    """Return the answer as HTML with the marks; marks that overlap an earlier one are left out.

    Every character of the answer is escaped; line breaks are kept. The label follows its mark, so
    that colour is never the only signal.
    """
    parts: list[str] = []
    at = 0
    for mark in sorted(marks, key=lambda one: (one.start, -one.end)):
        if mark.start < at or mark.end <= mark.start or mark.end > len(answer):
            continue
        parts.append(_text(answer[at : mark.start]))
        parts.append(
            f'<mark style="{STYLES[mark.tone]};color:inherit;border-radius:3px;padding:0 2px">'
            f"{_text(answer[mark.start : mark.end])}</mark>"
            '<sup style="font-size:.7em;opacity:.8;margin:0 3px;white-space:nowrap">'
            f"{escape(mark.label)}</sup>"
        )
        at = mark.end
    parts.append(_text(answer[at:]))
    return (
        '<div style="line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere">'
        f"{''.join(parts)}</div>"
    )


def merged(marks: Sequence[Mark], bad: Sequence[Mark] = ()) -> list[Mark]:
    """Join marks on the same words into one with all labels; what is wrong comes first."""
    joined: dict[tuple[int, int], Mark] = {}
    for mark in marks:
        span = (mark.start, mark.end)
        if any(mark.start < one.end and one.start < mark.end for one in bad):
            continue
        if span in joined and mark.label not in joined[span].label.split("·"):
            mark = mark._replace(label=f"{joined[span].label}·{mark.label}")
        joined[span] = mark
    return [*bad, *joined.values()]


def quoted(lines: Sequence[tuple[str, str, str]]) -> str:
    """Return a list as HTML: each line has a quote from the answer, a comment, and a rewrite or "".

    Markdown would turn addresses and arrows in a quote into links and signs, escaped or not.
    """
    items = [
        f"<li>{t('“{quote}”：{comment}', quote=_text(quote), comment=_text(comment))}"
        + (f"<br>{t('改写：{rewrite}', rewrite=_text(rewrite))}" if rewrite else "")
        + "</li>"
        for quote, comment, rewrite in lines
    ]
    return (
        '<ul style="margin:0;padding-left:1.4em;line-height:1.7;overflow-wrap:anywhere">'
        f"{''.join(items)}</ul>"
    )


def _text(piece: str) -> str:
    return escape(piece, quote=True)
