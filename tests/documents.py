"""The documents of the repository, and the commands that they show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = tuple(
    path.relative_to(ROOT).as_posix()
    for path in sorted(
        [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")]
    )
)


def text_of(document: str) -> str:
    """Return a document as it is written."""
    return (ROOT / document).read_text(encoding="utf-8")


def commands_of(document: str) -> Iterator[list[str]]:
    """Give the words after `mockbot` of every command that a document shows in a block."""
    for block in re.findall(r"```bash\n(.*?)```", text_of(document), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if "mockbot" in words:
                yield words[words.index("mockbot") + 1 :]
