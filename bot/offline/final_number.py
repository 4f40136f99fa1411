"""Which of the numbers in an answer is its final result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.domain.folding import fold
from bot.domain.unit import Unit
from bot.offline import units
from bot.offline.quantities import Quantity, quantities
from bot.offline.reading import Found, Reading

SAME = 0.005
"""Two statements of one quantity differ by no more."""

_CONCLUDES = re.compile(
    r"(?:所以|因此|因而|于是|结果|答案|最终|最后|结论|答:|故|综上|therefore|answer|result)[^。;!?\x00]{0,24}$"
)
_TOTALS = re.compile(r"(?:[总一]共|合计|总计|总的|总量|total)[^。;!?\x00]{0,24}$")
_STATES = re.compile(
    r"(?:[=≈]|等于|约等于|约为?|大约|大概|差不多|估计|就?是|得出?|得到|算出来?|需要?|要|为|应该是)\s?$"
)
_SUPPOSES = re.compile(
    r"(?:如果|若|假如|要是|换成|改成|改用|换用|反之|否则|即使|哪怕|漏|忘|误(?!差)|错|混(?!合))[^。;!?\x00]{0,30}$"
)
_BESIDES = re.compile(
    r"(?:浪费|余量|额外|多出|多占|多用|开销|元数据|省下|节省|差(?!不多)|减少|增加|再加|预留|实际|真实|现实|最坏)[^。;!?,\x00]{0,10}$"
)
_EACH = r"(?:(?:每|单)(?:一?[个条层张块步])?(?:输出)?(?:token|词元|层|头|请求|卡|gpu|步)|每[张块]|一层|平均到)"
_EACH_BEFORE = re.compile(_EACH + r"[^。;!?,\x00]{0,10}$")
_EACH_AFTER = re.compile(r"\s?(?:/|每|per|一个?)\s?(?:token|词元|层|头|卡|步|layer|head|gpu)")
_OPERATES_AFTER = re.compile(r"\s?(?:[×*÷/+^]|[x-](?=\s?[\d(])|乘|除以|加上?(?!起)|减)")
_OPERATES_BEFORE = re.compile(r"(?:[×*÷/+^-]|\dx|乘以?|除以|加上?|减去?)\s?$")
_OR_ELSE = re.compile(r"(?<!实际)(?:或者?|要么|也可能|也许)(?:是|为)?\s?约?$")
_TAKEN_BACK = re.compile(r"[,。;]?\s?(?:不对|错了|说错|算错|口误|更正|不,|哦不)")


class Candidate(NamedTuple):
    """A number that may be the result; the more weight, the likelier."""

    quantity: Quantity
    weight: int


def candidates(reading: Reading, stem: str, value: float, unit: Unit) -> tuple[Candidate, ...]:
    """Return the numbers that may be the result, the likeliest last.

    Numbers that measure something else, and those that the stem gives, are left out. Of the
    expected value nothing is used, but that it counts even where the stem has the same number.
    """
    asked = fold(stem).text
    right = Quantity(0, 0, value, value, 1, (unit.value,))
    given = [one for one in quantities(asked) if not is_same(one, right)]
    fitting = [
        one
        for one in quantities(reading.stated)
        if _fits(reading, one, unit) and not any(is_same(one, other) for other in given)
    ]
    asks_each = bool(re.search(_EACH, asked))
    weighed = [
        Candidate(one, _weight(reading, one, fitting, asks_each=asks_each))
        for one in fitting
        if not reading.is_negated(one.start)
    ]
    return tuple(sorted(weighed, key=lambda one: (one.weight, one.quantity.start)))


def offers_a_choice(reading: Reading, found: Sequence[Candidate]) -> bool:
    """Say whether the answer names several results and leaves it open which one it means."""
    for one in found:
        before = reading.stated[max(0, one.quantity.start - 12) : one.quantity.start]
        stretch = reading.stretch_at(one.quantity.start)
        others = (
            other.quantity
            for other in found
            if stretch.start <= other.quantity.start < one.quantity.start
        )
        if _OR_ELSE.search(before) and any(not is_same(one.quantity, other) for other in others):
            return True
    return False


def is_same(one: Quantity, other: Quantity) -> bool:
    """Say whether two quantities are the same amount of the same thing."""
    if not one.readings or not other.readings:
        return one.readings == other.readings and one.low == other.low
    factors = (units.factor(left, right) for left in one.readings for right in other.readings)
    return any(
        factor is not None and abs(one.low * factor - other.low) <= SAME * abs(other.low)
        for factor in factors
    )


def _fits(reading: Reading, one: Quantity, unit: Unit) -> bool:
    """Say whether a number may measure what is asked for; one without unit must be stated."""
    if one.readings:
        return any(units.factor(other, unit) for other in one.readings)
    before = reading.stated[max(0, one.start - 30) : one.start]
    after = reading.stated[one.end : one.end + 4]
    stated = _STATES.search(before) or _CONCLUDES.search(before) or not before
    return bool(stated) and not _OPERATES_AFTER.match(after) and not _OPERATES_BEFORE.search(before)


def _weight(
    reading: Reading, one: Quantity, fitting: Sequence[Quantity], *, asks_each: bool
) -> int:
    before = reading.stated[max(0, one.start - 40) : one.start]
    after = reading.stated[one.end : one.end + 12]
    found = Found(one.start, one.end)
    repeated = any(other is not one and is_same(one, other) for other in fitting)
    first = reading.stretch_at(0)
    opens = one.end <= first.end and not any(
        one.start < other.start < first.end for other in fitting
    )
    signs = (
        (3, bool(_CONCLUDES.search(before)) or (not asks_each and bool(_TOTALS.search(before)))),
        (1, bool(_STATES.search(before))),
        (1, opens),
        (2, repeated and bool(one.readings)),
        (-2, not one.readings),
        (-3, bool(_SUPPOSES.search(before))),
        (-3, bool(_BESIDES.search(before))),
        (3 if asks_each else -3, bool(_EACH_BEFORE.search(before) or _EACH_AFTER.match(after))),
        (-3, bool(_OPERATES_AFTER.match(after) or _OPERATES_BEFORE.search(before))),
        (-6, bool(_TAKEN_BACK.match(after)) or reading.is_refuted(found)),
    )
    return sum(points for points, holds in signs if holds)
