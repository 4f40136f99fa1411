"""Delivery figures (表达) in words, for the page and for reports; never part of a grade."""

from __future__ import annotations

from bot.domain.delivery import LONGEST, SHORTEST, Delivery, DeliveryMeans, Length

DELIVERY = "表达（不计分）"
MEANS_COVER = "各题平均，追问不计；只供参考，不进入得分。"
LENGTH_NAMES = {Length.SHORT: "偏短", Length.RIGHT: "合适", Length.LONG: "偏长"}
TARGET_SAYS = f"{SHORTEST:g}–{LONGEST:g} 秒"


def delivery_says(found: Delivery) -> str:
    """Return the figures of one answer in a line."""
    parts = [f"{found.units} 字"]
    if found.pace is not None:
        parts.append(f"{found.pace:.0f} 字/分{'' if found.is_speech else '（含思考）'}")
    if found.conclusion_after is not None:
        parts.append(conclusion_says(found.conclusion_after))
    if found.length is not None:
        parts.append(f"长度{LENGTH_NAMES[found.length]}")
    parts.append(f"口头语 {len(found.fillers)} 处")
    if found.corrections:
        parts.append(f"改口 {len(found.corrections)} 处")
    return " · ".join(parts)


def means_say(means: DeliveryMeans) -> tuple[tuple[str, str], ...]:
    """Return the means of a session as names with what they say."""
    time = "按说话时间计" if means.is_speech else "含思考和打字时间"
    lines = []
    if means.pace is not None:
        lines.append(("语速", f"{means.pace:.0f} 字/分（{time}）"))
    if means.conclusion_after is not None:
        lines.append(("首个结论", _mean_place(means.conclusion_after)))
    return (
        *lines,
        (
            "长度",
            f"{means.right_length} / {means.answers} 题合适；"
            f"说完平均约需 {means.spoken:.0f} 秒，目标 {TARGET_SAYS}",
        ),
        (
            "口头语",
            f"每百字 {means.fillers_per_100:.1f} 处，共 {means.fillers} 处；"
            f"改口 {means.corrections} 处",
        ),
    )


def _mean_place(units: float) -> str:
    return "都在开头" if units < 1 else f"平均在 {units:.0f} 字后"


def conclusion_says(units: int) -> str:
    """Return where the conclusion stands."""
    return "开头就是结论" if units == 0 else f"结论在 {units} 字后"
