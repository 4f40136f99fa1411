"""Delivery figures (表达) on the page: information beside a grade, never part of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from bot.domain.bank import Bank
from bot.domain.delivery import SPEAKING_PACE, Delivery, delivery_of, means_of
from bot.domain.evidence import Evidence
from bot.domain.session import Session, Turn
from bot.domain.target import Target
from bot.services.reporting.delivery import (
    DELIVERY,
    LENGTH_NAMES,
    MEANS_COVER,
    TARGET_SAYS,
    conclusion_says,
    delivery_says,
    means_say,
)
from bot.ui.components.highlight import Mark, highlighted


def delivery_line(turn: Turn, target: Target) -> None:
    """Show the figures of one answer in a line that opens; nothing for a turn without words."""
    found = delivery_of(turn, target)
    if found is None or turn.answer is None:
        return
    with st.expander(f"{DELIVERY}：{delivery_says(found)}", icon=":material/speed:"):
        st.markdown("\n".join(f"- {line}" for line in _long(found)))
        marks = [Mark(one.start, one.end, "part", "口头语") for one in found.fillers]
        marks += [Mark(one.start, one.end, "part", "改口") for one in found.corrections]
        if marks:
            st.html(highlighted(turn.answer.text, marks))
        st.caption("这些数字只供参考，不进入得分。口头语按规则识别，拿不准的不算。")


def delivery_summary(session: Session, bank: Bank) -> None:
    """Show the means of a session; nothing when nothing was said."""
    means = means_of(session, bank)
    if means is None:
        return
    st.subheader(DELIVERY)
    st.markdown("\n".join(f"- **{name}**　{text}" for name, text in means_say(means)))
    st.caption(MEANS_COVER)


def _long(found: Delivery) -> list[str]:
    counted = "汉字每个算一字，英文单词和数字每个算一字，标点不算"
    lines = [f"**字数**　{found.units} 字（{counted}）"]
    time = "说话时间" if found.is_speech else "从提问到发送，含读题、思考和打字"
    if found.pace is None:
        lines.append("**语速**　没有（用时太短，像是粘贴的文字）")
    else:
        lines.append(f"**语速**　{found.pace:.0f} 字/分（用时 {found.seconds:.0f} 秒，{time}）")
    if found.length is not None:
        how = "实际" if found.is_speech else f"按 {SPEAKING_PACE:g} 字/分念出来约"
        lines.append(
            f"**长度**　{how} {found.spoken:.0f} 秒，目标 {TARGET_SAYS}：{LENGTH_NAMES[found.length]}"
        )
    if found.conclusion_after is not None:
        when = (
            ""
            if found.conclusion_seconds is None
            else f"，约 {found.conclusion_seconds:.0f} 秒处（按这次的语速估算）"
        )
        lines.append(f"**首个结论**　{conclusion_says(found.conclusion_after)}{when}")
    if found.pauses:
        lines.append(f"**停顿**　{len(found.pauses)} 次，最长 {max(found.pauses):.1f} 秒")
    lines.append(f"**口头语**　{_counted(found.fillers)}")
    lines.append(f"**改口**　{_counted(found.corrections)}")
    return lines


def _counted(found: Sequence[Evidence]) -> str:
    """Return what was found and how often, such as `嗯 ×3、那个 ×1`; rules find no markup."""
    counts = Counter(one.quote for one in found)
    return "、".join(f"{quote} ×{count}" for quote, count in counts.most_common()) or "没有"
