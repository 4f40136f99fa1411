"""How big a document may be; each limit has its sentence."""

from __future__ import annotations

MIB = 1 << 20

LARGEST_FILE = 10 * MIB
MOST_LINES = 200_000
MOST_ROWS = 20_000
MOST_COLUMNS = 64
MOST_SHEETS = 50
MOST_PAGES = 500
DEEPEST_NESTING = 32
MOST_VALUES = 500_000

MOST_MEMBERS = 2_000
LARGEST_UNZIPPED = 100 * MIB
LARGEST_RATIO = 200
"""Real sheets shrink to a fiftieth at the most; a zip bomb to a thousandth."""
