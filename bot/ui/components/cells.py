"""Small squares with a number in each, as HTML: days of practice, and a section's questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from html import escape

from bot.domain.coverage import Covered
from bot.ui.words import t

_CELL = (
    "display:inline-flex;align-items:center;justify-content:center;width:26px;height:26px;"
    "border-radius:5px;font-size:12px;font-variant-numeric:tabular-nums;"
)
_EMPTY = "border:1px solid rgba(128,128,128,.45);color:inherit;opacity:.75"
_UNGRADED = "border:2px dashed rgba(128,128,128,.9);color:inherit"
_DAY = "background:#0072B2;color:#fff"
_LEVELS = (
    "background:#D55E00;color:#fff",
    "background:#D55E00;color:#fff",
    "background:#D55E00;color:#fff",
    "background:#E69F00;color:#111",
    "background:#009E73;color:#111",
    "background:#009E73;color:#111",
)
WEEKDAYS = ("一", "二", "三", "四", "五", "六", "日")


def day_cells(days: Sequence[tuple[date, int]]) -> str:
    """Return the days as HTML, a row a week from Monday on; each has the number of its answers."""
    first = days[0][0].weekday()
    cells = [
        f'<span style="{_CELL}opacity:.7" aria-hidden="true">{t(name)}</span>' for name in WEEKDAYS
    ]
    cells += [f'<span style="{_CELL}"></span>'] * first
    for day, count in days:
        told = t("作答 {count} 次", count=count) if count else t("没有练习")
        said = t("{day:%m-%d}：{told}", day=day, told=told)
        cells.append(_cell(str(count) if count else "·", _DAY if count else _EMPTY, said))
    return (
        f'<div role="list" aria-label="{t("最近 28 天的练习")}" style="display:grid;'
        f'grid-template-columns:repeat(7,26px);gap:5px">{"".join(cells)}</div>'
    )


def covered_cells(one: Covered) -> str:
    """Return a chapter's questions as HTML; the number is the best level of each."""
    return (
        '<div role="list" style="display:flex;flex-wrap:wrap;gap:5px">'
        f"{''.join(_covered(one))}</div>"
    )


def _covered(one: Covered) -> Iterable[str]:
    for item in one.chapter.items:
        if item in one.best:
            level = one.best[item]
            yield _cell(
                str(level), _LEVELS[level], t("{item}：最好 {level} 级", item=item, level=level)
            )
        elif item in one.answered:
            yield _cell("?", _UNGRADED, t("{item}：答过，这个来源没有评分", item=item))
        else:
            yield _cell("·", _EMPTY, t("{item}：还没有答过", item=item))


def _cell(text: str, style: str, said: str) -> str:
    told = escape(said, quote=True)
    return (
        f'<span role="listitem" style="{_CELL}{style}" title="{told}" aria-label="{told}">'
        f"{escape(text)}</span>"
    )
