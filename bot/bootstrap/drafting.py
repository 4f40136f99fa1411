"""Key points drafted by a model, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.bootstrap.imports import unmet_with
from bot.services.point_drafting import PointDrafting

if TYPE_CHECKING:
    from bot.bootstrap.services import Services
    from bot.ports import ChatModel


def point_drafting(services: Services) -> PointDrafting:
    """Return what drafts key points for the questions of the user's own banks."""

    def chat() -> ChatModel:
        services.charge()
        return services.models.chat

    return PointDrafting(
        chat=chat,
        gate=services.models.spending,
        secret=lambda: services.models.secret,
        banks=services.banks,
        own=services.banks,
        unmet=lambda terms: unmet_with(services, terms),
        forget=services.forget_bank,
    )
