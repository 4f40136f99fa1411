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
from bot.ui.words import t


def delivery_line(turn: Turn, target: Target) -> None:
    """Show the figures of one answer in a line that opens; nothing for a turn without words."""
    found = delivery_of(turn, target)
    if found is None or turn.answer is None:
        return
    with st.expander(
        t(
            "{delivery}：{delivery_says}",
            delivery=t(DELIVERY),
            delivery_says=t(delivery_says(found)),
        ),
        icon=":material/speed:",
    ):
        st.markdown("\n".join(f"- {line}" for line in _long(found)))
        marks = [Mark(one.start, one.end, "part", t("口头语")) for one in found.fillers]
        marks += [Mark(one.start, one.end, "part", t("改口")) for one in found.corrections]
        if marks:
            st.html(highlighted(turn.answer.text, marks))
        st.caption(t("这些数字只供参考，不进入得分。口头语按规则识别，拿不准的不算。"))


def delivery_summary(session: Session, bank: Bank) -> None:
    """Show the means of a session; nothing when nothing was said."""
    means = means_of(session, bank)
    if means is None:
        return
    st.subheader(t(DELIVERY))
    st.markdown("\n".join(f"- **{t(name)}**　{t(text)}" for name, text in means_say(means)))
    st.caption(t(MEANS_COVER))


def _long(found: Delivery) -> list[str]:
    counted = t("汉字每个算一字，英文单词和数字每个算一字，标点不算")
    lines = [t("**字数**　{units} 字（{counted}）", units=found.units, counted=counted)]
    time = t("说话时间") if found.is_speech else t("从提问到发送，含读题、思考和打字")
    if found.pace is None:
        lines.append(t("**语速**　没有（用时太短，像是粘贴的文字）"))
    else:
        lines.append(
            t(
                "**语速**　{pace:.0f} 字/分（用时 {seconds:.0f} 秒，{time}）",
                pace=found.pace,
                seconds=found.seconds,
                time=time,
            )
        )
    if found.length is not None:
        how = (
            t("实际")
            if found.is_speech
            else t("按 {speaking_pace:g} 字/分念出来约", speaking_pace=SPEAKING_PACE)
        )
        lines.append(
            t(
                "**长度**　{how} {spoken:.0f} 秒，目标 {target_says}：{length}",
                how=how,
                spoken=found.spoken,
                target_says=t(TARGET_SAYS),
                length=t(LENGTH_NAMES[found.length]),
            )
        )
    if found.conclusion_after is not None:
        when = (
            ""
            if found.conclusion_seconds is None
            else t(
                "，约 {conclusion_seconds:.0f} 秒处（按这次的语速估算）",
                conclusion_seconds=found.conclusion_seconds,
            )
        )
        lines.append(
            t(
                "**首个结论**　{conclusion_says}{when}",
                conclusion_says=t(conclusion_says(found.conclusion_after)),
                when=when,
            )
        )
    if found.pauses:
        lines.append(
            t(
                "**停顿**　{count} 次，最长 {pauses:.1f} 秒",
                count=len(found.pauses),
                pauses=max(found.pauses),
            )
        )
    lines.append(t("**口头语**　{counted}", counted=_counted(found.fillers)))
    lines.append(t("**改口**　{counted}", counted=_counted(found.corrections)))
    return lines


def _counted(found: Sequence[Evidence]) -> str:
    """Return what was found and how often, such as `嗯 ×3、那个 ×1`; rules find no markup."""
    counts = Counter(one.quote for one in found)
    return t("、").join(f"{quote} ×{count}" for quote, count in counts.most_common()) or t("没有")
