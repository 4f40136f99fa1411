"""Quantities (数量) in an answer: numbers with their units, written or spoken in any common way."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from bot.offline import units
from bot.offline.numerals import NUMERAL, value_of

ROUNDED = 0.051
"""A number of two digits may be so far off and still be rightly rounded."""

_PLAIN = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(
    # 2^30, 10 的 9 次方
    r"(?<![a-wyz\d_.^])(?:(?P<base>2|10)(?:\^|的)(?P<exponent>\d{1,2})(?:次方|次幂)?(?!\d)"
    rf"|(?P<plain>{_PLAIN})"
    # 1.2e3, 1.2×10^3, 1.2 乘以 10 的 3 次方; 1.2×10³ folds to 1.2×103
    r"(?:e(?P<e>[+-]?\d{1,2})(?![a-z\d])"
    r"|\s?(?:[×x*]|乘以?)\s?10\s?(?:\^|的)\s?(?P<power>[+-]?\d{1,2})(?:次方|次幂)?"
    r"|(?<=\.\d)[×x*]10(?P<raised>[1-9])(?![\d.])|(?<=\.\d\d)[×x*]10(?P<raised2>[1-9])(?![\d.]))?"
    r"\s?(?P<times>万亿|千万|百万|十亿|亿|万|千(?![字兆])|百(?!分))?)"
    rf"|(?P<chinese>{NUMERAL})"
)
_TIMES = {
    "百": 1e2,
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
    "十亿": 1e9,
    "万亿": 1e12,
}
_TO = re.compile(r"\s?(?:到|至|~|-|–|—)\s?")
_PERCENT_BEFORE = re.compile(r"百分之$")
_PER_SECOND_BEFORE = re.compile(r"每秒钟?[^0-9,。;!?=]{0,6}$")
_STATED_BEFORE = re.compile(r"(?:=|≈|等于|约|大概|结果|得到?|就?是|[共总]计?|为)\s?$")
_CLASSIFIED = re.compile(r"[一两]$")


class Quantity(NamedTuple):
    """A number with its unit, at `start` to `end` of a folded text, end exclusive.

    `low` and `high` differ for a range. `readings` are the units it may be in: several for a
    bare G, none for a number without unit. `digits` counts the significant digits.
    """

    start: int
    end: int
    low: float
    high: float
    digits: int
    readings: tuple[str, ...]

    def agrees(self, wanted: float, tolerance: float) -> bool:
        """Say whether the number is the wanted one: within tolerance, or rightly rounded."""
        if self.low <= wanted <= self.high and self.high - self.low <= 0.25 * wanted:
            return True
        value = self.low if wanted < self.low else self.high
        off = abs(value - wanted)
        if off <= tolerance * wanted:
            return True
        return (
            self.digits > 1
            and off <= ROUNDED * wanted
            and math.isclose(_rounded(wanted, self.digits), value)
        )


class _Read(NamedTuple):
    end: int
    value: float
    digits: int
    spoken: str


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a folded text, in order; raises nothing."""
    found: list[Quantity] = []
    at = 0
    while (match := _NUMBER.search(text, at)) is not None:
        quantity = _quantity(text, match)
        if quantity is not None:
            found.append(quantity)
        at = quantity.end if quantity is not None else match.end()
    return tuple(found)


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    first = _number(match)
    unit = units.spelled(text, first.end)
    end = unit.end if unit else first.end
    low = high = first.value
    digits = first.digits
    upper = _upper_end(text, end, first.value)
    if upper is not None:
        other = units.spelled(text, upper.end)
        if other is not None and (unit is None or unit.readings == other.readings):
            unit, end, high = other, other.end, upper.value
            digits = max(digits, upper.digits)
    readings = _readings(text, match.start(), unit.readings if unit else ())
    if first.spoken and not _is_meant(text, match.start(), first, readings):
        return None
    return Quantity(match.start(), end, low, high, digits, readings)


def _number(match: re.Match[str]) -> _Read:
    if (spoken := match["chinese"]) is not None:
        value = value_of(spoken)
        return _Read(match.end(), value, _significant(f"{value:.12g}"), spoken)
    if match["base"] is not None:
        return _Read(match.end(), float(match["base"]) ** int(match["exponent"]), 9, "")
    value = float(match["plain"].replace(",", ""))
    power = match["e"] or match["power"] or match["raised"] or match["raised2"]
    if power is not None:
        value *= 10.0 ** int(power)
    times = match["times"]
    end = match.end() if times else match.end() - _trailing_space(match)
    return _Read(end, value * _TIMES.get(times or "", 1.0), _significant(match["plain"]), "")


def _trailing_space(match: re.Match[str]) -> int:
    return len(match[0]) - len(match[0].rstrip())


def _upper_end(text: str, at: int, low: float) -> _Read | None:
    """Return the upper end of a range such as `20~22` or `20 到 22`, if there is one."""
    joint = _TO.match(text, at)
    match = _NUMBER.match(text, joint.end()) if joint else None
    if match is None:
        return None
    upper = _number(match)
    return upper if low < upper.value else None


def _readings(text: str, start: int, readings: tuple[str, ...]) -> tuple[str, ...]:
    before = text[max(0, start - 12) : start]
    if not readings and _PERCENT_BEFORE.search(before):
        return ("percent",)
    if _PER_SECOND_BEFORE.search(before):
        if not readings:
            return ("request / second", "token / second")
        if any(one.endswith(("request", "token", "byte", "bit")) for one in readings):
            return units.a_second(readings)
    return readings


def _is_meant(text: str, start: int, read: _Read, readings: tuple[str, ...]) -> bool:
    """Say whether a Chinese numeral is a number and no part of a word such as 一般 or 一个请求."""
    if not readings:
        return read.value >= 10 and bool(_STATED_BEFORE.search(text[max(0, start - 4) : start]))
    counts = any(one.endswith(("request", "token", "card", "thing")) for one in readings)
    return not counts or not _CLASSIFIED.fullmatch(read.spoken)


def _significant(number: str) -> int:
    return max(1, len(number.replace(",", "").replace(".", "").lstrip("0")))


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")
