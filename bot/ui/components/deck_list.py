"""The deck: stubborn cards with advice, all cards with a filter, and follow-ups of the bank."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

import streamlit as st

from bot.bootstrap import Services
from bot.domain.card import Card
from bot.domain.drill_question import ask_of, reference_of
from bot.domain.question import SLOT_NAMES, Slot
from bot.services.drill_texts import LEECH_ADVICE, aim_name, rung_name, when
from bot.services.reporting import escape_markdown
from bot.ui import state
from bot.ui.words import t

PAGE = 20
"""Cards that are listed at once."""


def leeches(services: Services, cards: Sequence[Card]) -> None:
    """Show the stubborn cards with their references, and what to do about them."""
    if not cards:
        return
    st.subheader(t("顽固卡片"))
    st.caption(t(LEECH_ADVICE))
    for card in cards:
        question = services.drills.question_of(card)
        with st.expander(
            t(
                "{aim_name}：{ask_of}（{lapses} 次没答上）",
                aim_name=t(aim_name(card.aim)),
                ask_of=escape_markdown(ask_of(card.aim, question)),
                lapses=card.standing.lapses,
            )
        ):
            st.markdown(t(":gray[原题]　{stem}", stem=escape_markdown(question.stem)))
            st.markdown(escape_markdown(reference_of(card.aim, question)))
            with st.container(horizontal=True):
                if st.button(t("重新学"), key=f"reset-{card.id}", icon=":material/restart_alt:"):
                    services.drills.deck.reset(card.id)
                    st.rerun()
                _suspend_button(services, card)


def add_follow_ups(services: Services) -> None:
    """Offer the follow-ups of the bank, one section or all."""
    sections = {part.section.id: part.section.title for part in services.bank.sections}
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    chosen = left.selectbox(
        t("加入题库的追问"),
        ["", *sections],
        format_func=lambda one: f"{one} {sections[one]}" if one else t("全部章节"),
        key="drill.section",
    )
    if right.button(t("加入全部追问"), icon=":material/library_add:", width="stretch"):
        count = services.drills.deck.add_follow_ups(services.bank.id, chosen or None)
        state.flash(
            t("加入了 {count} 张卡片。", count=count) if count else t("这些追问都已经在卡组里。")
        )
        st.rerun()


def deck_list(services: Services, cards: Sequence[Card], *, now: datetime, zone: tzinfo) -> None:
    """List the deck, filtered by words and by slot."""
    if not st.toggle(t("查看全部卡片（{count} 张）", count=len(cards)), key="drill.all"):
        return
    left, right = st.columns([3, 2])
    text = left.text_input(t("按题目查找"), key="drill.filter", live="400ms").strip().lower()
    slots = list(dict.fromkeys(card.aim.slot for card in cards))
    slot = right.selectbox(
        t("部分"),
        ["", *slots],
        format_func=lambda one: t(SLOT_NAMES[Slot(one)]) if one else t("全部"),
        key="drill.slot",
    )
    found = [
        card
        for card in sorted(cards, key=lambda one: one.standing.schedule.due)
        if slot in ("", card.aim.slot) and text in _searched(services, card)
    ]
    if not found:
        st.caption(t("没有符合条件的卡片；请换一个词或选“全部”。"))
    shown = st.session_state.get("drill.shown", PAGE)
    for card in found[:shown]:
        _row(services, card, now=now, zone=zone)
    if len(found) > shown and st.button(
        t("再列 {page} 张（共 {count} 张）", page=PAGE, count=len(found))
    ):
        st.session_state["drill.shown"] = shown + PAGE
        st.rerun()


def _searched(services: Services, card: Card) -> str:
    question = services.drills.question_of(card)
    return f"{question.id} {question.stem} {ask_of(card.aim, question)}".lower()


def _row(services: Services, card: Card, *, now: datetime, zone: tzinfo) -> None:
    question = services.drills.question_of(card)
    with st.container(border=True):
        left, right = st.columns([5, 2], vertical_alignment="center")
        left.markdown(f"**{t(aim_name(card.aim))}**　{escape_markdown(question.stem)}")
        if card.aim.follow_up_id is not None:
            left.markdown(escape_markdown(ask_of(card.aim, question)))
        left.caption(f"{_state(card, now, zone)} · {t(rung_name(card.standing.rung))}")
        with right:
            _suspend_button(services, card)


def _state(card: Card, now: datetime, zone: tzinfo) -> str:
    if card.suspended:
        return t("已停用")
    origin = t("题库追问") if card.miss is None else t("自己的薄弱点")
    if card.is_new:
        return t("{origin} · 新卡", origin=origin)
    standing = card.standing
    drilled = t("练过 {reps} 次", reps=standing.reps) if standing.reps else t("还没练过")
    return t(
        "{origin} · {drilled} · 下次：{when}",
        origin=origin,
        drilled=drilled,
        when=t(when(standing.schedule, now, zone)),
    )


def _suspend_button(services: Services, card: Card) -> None:
    label, icon = (t("恢复"), "play_circle") if card.suspended else (t("停用"), "pause_circle")
    if st.button(label, key=f"suspend-{card.id}", type="tertiary", icon=f":material/{icon}:"):
        services.drills.deck.suspend(card.id, suspended=not card.suspended)
        st.rerun()
