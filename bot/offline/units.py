"""Units as candidates write and say them, and what one is in another."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pint import UnitRegistry

_DEFINITIONS = """
kilo- = 1e3 = k-
mega- = 1e6 = M-
giga- = 1e9 = G-
tera- = 1e12 = T-
kibi- = 2**10 = Ki-
mebi- = 2**20 = Mi-
gibi- = 2**30 = Gi-
tebi- = 2**40 = Ti-
milli- = 1e-3 = m-
micro- = 1e-6 = µ-
nano- = 1e-9 = n-
bit = [information]
byte = 8 * bit = B
second = [time] = s
minute = 60 * second
hour = 60 * minute
request = [request]
token = [token]
card = [card]
thing = [thing]
percent = [share]
"""
"""All that the field counts; with pint's own list `5 metres` would be a number of it too."""

_DECIMAL = {"k": "kilo", "m": "mega", "g": "giga", "t": "tera"}
_BINARY = {"k": "kibi", "m": "mebi", "g": "gibi", "t": "tebi"}
_OTHERS = dict(
    zip(
        (*_DECIMAL.values(), *_BINARY.values()),
        (*_BINARY.values(), *_DECIMAL.values()),
        strict=True,
    )
)
_KINDS = (
    ("bit", "byte", *(f"{prefix}{base}" for prefix in _OTHERS for base in ("byte", "bit"))),
    ("nanosecond", "microsecond", "millisecond", "second", "minute"),
)


class Spelled(NamedTuple):
    """A unit that stands in a text up to `end`; `readings` are the units it may mean."""

    end: int
    readings: tuple[str, ...]


def _information() -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for letter, prefix in _DECIMAL.items():
        binary = _BINARY[letter]
        found += [
            (rf"{letter}ib(?:yte)?s?|{binary}bytes?", (f"{binary}byte",)),
            (rf"{letter}bps", (f"{prefix}bit / second",)),
            (rf"{letter}(?:bit|比特)s?|{prefix}bits?", (f"{prefix}bit",)),
            (rf"{letter}(?:b|bytes?|字节)|{prefix}bytes?", (f"{prefix}byte",)),
        ]
    return found


_SPELLINGS = [
    *_information(),
    (r"千字节", ("kilobyte",)),
    (r"兆比特", ("megabit",)),
    (r"兆(?:字节|b)?", ("mebibyte", "megabyte")),
    (r"吉比特", ("gigabit",)),
    (r"吉(?:字节|b)?", ("gibibyte", "gigabyte")),
    (r"bytes?|字节|b", ("byte",)),
    (r"bits?|比特", ("bit",)),
    (r"ms|msecs?|milliseconds?|毫秒", ("millisecond",)),
    (r"[uμ]s|microseconds?|微秒", ("microsecond",)),
    (r"ns|nanoseconds?|纳秒", ("nanosecond",)),
    (r"s|secs?|seconds?|秒钟?", ("second",)),
    (r"mins?|minutes?|分钟", ("minute",)),
    (r"h|hours?|个?小时", ("hour",)),
    (r"qps|rps", ("request / second",)),
    (r"tps", ("token / second", "request / second")),
    (
        r"[个条路笔]?(?:在途|并发|活跃)?(?:的)?(?:请求|requests?|reqs?|会话)|[个路]?并发|路",
        ("request",),
    ),
    (r"k\s?(?:requests?|reqs?|个?请求)", ("kilorequest",)),
    (r"k\s?(?:个)?(?:tokens?|toks?|词元)", ("kilotoken",)),
    (r"个?(?:tokens?|toks?|词元)", ("token",)),
    (r"[张块]?卡|张|gpus?|cards?|个?副本|个?实例|个?节点", ("card",)),
    (r"%|个?百分点", ("percent",)),
    (r"k", ("kibibyte", "kilobyte", "kilorequest", "kilotoken")),
    *((letter, (f"{_BINARY[letter]}byte", f"{_DECIMAL[letter]}byte")) for letter in "mgt"),
    (r"[层头组倍次步维轮位行列种块页段片批级]|个?(?:kv|query|head|头|层|间隔|bit位)", ("thing",)),
    (r"个|条|份", ("request", "token", "card")),
]
_UNIT = re.compile(
    "|".join(
        rf"(?P<u{number}>(?:{pattern})(?![a-z]))" for number, (pattern, _) in enumerate(_SPELLINGS)
    )
)
_PER_SECOND = re.compile(r"\s?(?:/|per|每|一)\s?(?:s|secs?|seconds?|秒)(?![a-z])")
_JOINT = re.compile(r"\s?(?:个(?=[kmgt]))?\s?")


def spelled(text: str, at: int) -> Spelled | None:
    """Return the unit that stands at the position of a folded text, or None."""
    joint = _JOINT.match(text, at)
    found = _UNIT.match(text, joint.end() if joint else at)
    if found is None:
        return None
    readings = _SPELLINGS[int(str(found.lastgroup)[1:])][1]
    per_second = _PER_SECOND.match(text, found.end())
    if per_second is None:
        return Spelled(found.end(), readings)
    return Spelled(per_second.end(), a_second(readings))


def a_second(readings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the units per second."""
    return tuple(one if "/" in one else f"{one} / second" for one in readings)


@lru_cache(maxsize=1)
def _registry() -> UnitRegistry[float]:
    # Importing pint takes half a second, which only calculation tasks need.
    from pint import UnitRegistry

    registry: UnitRegistry[float] = UnitRegistry(None)
    for line in _DEFINITIONS.strip().splitlines():
        registry.define(line)
    return registry


@lru_cache(maxsize=2048)
def factor(unit: str, other: str) -> float | None:
    """Return how many of the other unit one is, or None when they measure different things."""
    registry = _registry()
    if not registry.parse_units(unit).is_compatible_with(registry.parse_units(other)):
        return None
    return float(registry.convert(1.0, unit, other))


def other_prefix(unit: str) -> str | None:
    """Return the unit with the decimal prefix for the binary one and the other way round."""
    for prefix, other in _OTHERS.items():
        if unit.startswith(prefix) and unit.endswith(("byte", "bit")):
            return unit.replace(prefix, other, 1)
    return None


def neighbours(unit: str) -> tuple[str, ...]:
    """Return the other units of the same kind, for which one may be taken by mistake."""
    kind = next((kind for kind in _KINDS if unit in kind), ())
    return tuple(one for one in kind if one != unit)
