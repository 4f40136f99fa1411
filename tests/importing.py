"""What the tests of the importer share."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from bot.adapters.documents import FileDocuments
from bot.bootstrap import Services
from bot.domain.document import Document, Line
from bot.services.drafts import ImportPreview
from bot.services.importing import understand

SOURCE = Path(__file__).parents[2] / "shared" / "source" / "vllm-60.md"
"""The source document; it lies beside the repository and is not always there."""


def source() -> bytes:
    """Return the source document, or skip the test."""
    if not SOURCE.is_file():
        pytest.skip(f"the source document is not there: {SOURCE}")
    return SOURCE.read_bytes()


def text_document(text: str, name: str = "t.txt", *, is_wrapped: bool = False) -> Document:
    """Return the lines of a text as a document."""
    lines = tuple(Line(f"第 {at} 行", one) for at, one in enumerate(text.splitlines(), start=1))
    return Document(name, lines=lines, is_wrapped=is_wrapped)


def understood(text: str, *, is_wrapped: bool = False) -> ImportPreview:
    """Return what is understood of a text."""
    return understand(text_document(text, is_wrapped=is_wrapped))


def read(name: str, content: bytes | str) -> ImportPreview:
    """Return what is understood of a file."""
    data = content.encode() if isinstance(content, str) else content
    return understand(FileDocuments().read(name, data))


def pairs(preview: ImportPreview) -> list[tuple[str, str]]:
    """Return stems with answers."""
    return [(draft.stem, draft.answer) for draft in preview.drafts]


def spoil(services: Services, bank_id: str) -> None:
    """Write over an imported bank what is no bank, past the store."""
    engine = create_engine(services.settings.store_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE banks SET bank = '{}' WHERE id = :id"), {"id": bank_id})
    engine.dispose()
    services.forget_bank(bank_id)
