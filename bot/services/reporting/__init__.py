"""Reports (复盘报告): what things are called, and what a session becomes as a file.

`document_of` says everything once; `as_markdown`, `as_html` and a printer of PDF write it down.
"""

from bot.domain.question import SLOT_NAMES
from bot.services.reporting.document import document_of
from bot.services.reporting.markdown import as_markdown, escape_markdown
from bot.services.reporting.names import (
    CLOCK_BEGINS_ANEW,
    DIFFICULTY_NAMES,
    FLAG_NAMES,
    MIXED_GRADES,
    NO_POINT_SAID,
    NOTHING_GRADED,
    OFFLINE_LABEL,
    VERDICT_NAMES,
    judge_label,
    minutes,
)

__all__ = [
    "CLOCK_BEGINS_ANEW",
    "DIFFICULTY_NAMES",
    "FLAG_NAMES",
    "MIXED_GRADES",
    "NOTHING_GRADED",
    "NO_POINT_SAID",
    "OFFLINE_LABEL",
    "SLOT_NAMES",
    "VERDICT_NAMES",
    "as_markdown",
    "document_of",
    "escape_markdown",
    "judge_label",
    "minutes",
]
