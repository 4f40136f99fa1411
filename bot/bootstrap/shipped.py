"""Where the files lie that ship with the product."""

from __future__ import annotations

from pathlib import Path

import bot


def shipped(folder: str) -> Path:
    """Return a folder that ships with the product, from a wheel or a checkout."""
    package = Path(bot.__file__).parent
    inside = package / "data" / folder
    return inside if inside.is_dir() else package.parent / folder
