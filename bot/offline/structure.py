"""How well each slot of the structure is filled, told from the key points that belong to it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.claims import PointClaim, SlotClaim, Verdict
from bot.domain.target import Target
from bot.offline.settings import OfflineSettings

_WORTH = {Verdict.MET: 1.0, Verdict.PARTLY_MET: 0.5}


def slot_claims(
    target: Target, points: Sequence[PointClaim], settings: OfflineSettings
) -> list[SlotClaim]:
    """Return a claim for every slot that the target has key points for.

    A label such as "结论：" earns nothing: only content fills a slot.
    """
    claims = []
    verdicts = {claim.key_point_id: claim for claim in points}
    for slot in dict.fromkeys(point.slot for point in target.key_points):
        mine = [(point, verdicts[point.id]) for point in target.key_points if point.slot is slot]
        total = sum(point.weight for point, _ in mine)
        earned = sum(point.weight * _WORTH.get(claim.verdict, 0.0) for point, claim in mine)
        met = sum(claim.verdict is Verdict.MET for _, claim in mine)
        full = earned / total >= settings.slot_full_at or met >= settings.slot_full_points
        sentences = sorted(
            {number for _, claim in mine if claim.verdict in _WORTH for number in claim.sentences}
        )
        claims.append(
            SlotClaim(
                slot=slot, level=2 if full else 1 if earned else 0, sentences=tuple(sentences)
            )
        )
    return claims
