"""What tests of the whole product share: a small bank, and a data folder of their own."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SMALL_BANK = {"BOT_CORPUS_DIR": str(ROOT / "tests" / "data" / "bank"), "BOT_BANK": "small"}


@pytest.fixture
def product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the settings at the small bank and at a data folder, which is returned."""
    for name in [name for name in os.environ if name.startswith("BOT_")]:
        monkeypatch.delenv(name)
    for name, value in SMALL_BANK.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("BOT_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"
