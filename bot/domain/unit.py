"""Units (单位) of numeric answers, and how a number in them is shown."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """The unit of a number in a calculation task."""

    BYTE = "B"
    KIB = "KiB"
    MIB = "MiB"
    GIB = "GiB"
    GB = "GB"
    GBIT = "Gbit"
    MS = "ms"
    S = "s"
    REQUEST = "request"
    REQUESTS_PER_SECOND = "request/s"
    TOKEN = "token"  # noqa: S105 - a token of text
    TOKENS_PER_SECOND = "token/s"

    @property
    def size(self) -> float:
        """Return how many bytes, seconds, requests or tokens (or so many a second) it is."""
        return _SIZES.get(self, 1.0)

    @property
    def label(self) -> str:
        """Return the unit as people read it after a number."""
        return _LABELS.get(self, self.value)


_SIZES = {
    Unit.KIB: 2.0**10,
    Unit.MIB: 2.0**20,
    Unit.GIB: 2.0**30,
    Unit.GB: 1e9,
    Unit.GBIT: 1e9 / 8,
    Unit.MS: 1e-3,
}
_LABELS = {
    Unit.REQUEST: "个请求",
    Unit.REQUESTS_PER_SECOND: "个请求/秒",
    Unit.TOKEN: "个 token",
}


def shown(value: float, unit: Unit | None = None) -> str:
    """Return a number to four significant digits, with its unit: `21.47 ms`, `131072 B`."""
    is_whole = round(value, 9) == round(value)
    number = str(round(value)) if is_whole or abs(value) >= 1000 else f"{value:.4g}"
    return number if unit is None else f"{number} {unit.label}"
