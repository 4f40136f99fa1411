"""The import of question documents, put together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.documents import FileDocuments
from bot.adapters.e5 import E5Embeddings
from bot.adapters.likeness import EmbeddedLikeness
from bot.adapters.words import words
from bot.domain.claims import Verdict
from bot.domain.grade import Grade
from bot.domain.question import Question, Term
from bot.domain.target import target_of
from bot.offline.judge import OfflineJudge
from bot.services.enriching import Unmet
from bot.services.imports import Imports

if TYPE_CHECKING:
    from bot.bootstrap.services import Services


def imports_of(services: Services, vectors: Path) -> Imports:
    """Return the import service over the same banks."""
    return Imports(
        reader=FileDocuments(),
        banks=services.banks,
        own=services.banks,
        likeness=EmbeddedLikeness(E5Embeddings(vectors)),
        words=words,
        unmet=lambda terms: unmet_with(services, terms),
        forget=services.forget_bank,
    )


def unmet_with(services: Services, terms: Mapping[str, Term]) -> Unmet:
    """Return what tells the key points whose concepts a question's own reference does not meet."""
    grader = services.grader_with(OfflineJudge(terms, services.lexicon))

    def unmet(question: Question) -> set[str]:
        target = target_of(question)
        given = grader.grade(question.id, target, target.reference)
        found = given.key_points if isinstance(given, Grade) else ()
        lost = {one.id for one in found if one.verdict is not Verdict.MET}
        return {point.id for point in question.key_points if target.point_id(point) in lost}

    return unmet
