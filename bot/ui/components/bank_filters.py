"""The filters of the bank page (筛选); they keep their values while other pages are visited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from bot.domain.bank import Bank
from bot.domain.question import KIND_NAMES, SLOT_NAMES, Difficulty, Kind, Slot
from bot.domain.record import RecordState
from bot.domain.selection import BankFilter, Shelf
from bot.services.reporting import DIFFICULTY_NAMES
from bot.ui.words import t

SEARCH = "bank.search"
RECORD_NAMES = {
    RecordState.NEW: "没答过",
    RecordState.ANSWERED: "答过",
    RecordState.WEAK: "最近低于 3 级",
    RecordState.OVERCLAIMED: "最近有绝对化",
}

Option = TypeVar("Option", bound=str)


def search_text() -> str:
    """Return what is looked for; it answers while typing."""
    return st.text_input(
        t("在题库里查找"),
        placeholder=t("例如：KV 显存怎么算"),
        key=SEARCH,
        max_chars=500,
        live="400ms",  # without it the field says "Press Enter to apply"
        persist_state="session",
    ).strip()


def bank_filter(bank: Bank, shelves: Sequence[Shelf]) -> BankFilter:
    """Return what is to be shown of the bank; only what the bank has is offered."""
    questions = [one for shelf in shelves for one in shelf.questions]
    sections = {shelf.section.id: shelf.title for shelf in shelves}
    topics = [name for name, _ in Counter(t for one in questions for t in one.topics).most_common()]
    kinds = {one.kind for one in questions}
    slots = {point.slot for one in questions for point in one.key_points}
    titles = {one.id: one.title for one in bank.topics}
    pills = partial(_pills, bank.id)
    with st.expander(t("筛选"), key="bank.filters", icon=":material/filter_list:"):
        return BankFilter(
            sections=pills(t("章节"), "sections", sections, sections.__getitem__),
            difficulties=pills(
                t("难度"), "difficulties", Difficulty, lambda one: t(DIFFICULTY_NAMES[one])
            ),
            kinds=pills(
                t("题型"),
                "kinds",
                [one for one in Kind if one in kinds],
                lambda one: t(KIND_NAMES[one]),
            ),
            slots=pills(
                t("有这个槽位的采分点"),
                "slots",
                [one for one in Slot if one in slots],
                lambda one: t(SLOT_NAMES[one]),
            ),
            records=pills(t("我的记录"), "records", RecordState, lambda one: t(RECORD_NAMES[one])),
            topics=tuple(
                st.multiselect(
                    t("考点"),
                    topics,
                    format_func=lambda one: titles.get(one, one),
                    key=_key(bank.id, "topics"),
                    placeholder=t("选择考点"),
                    persist_state="session",
                )
            ),
        )


def clear_button(bank_id: str) -> None:
    """Show a button that shows the whole bank again."""
    st.button(t("清除筛选"), key="bank.clear", type="tertiary", icon=":material/filter_list_off:",
              on_click=partial(_clear, bank_id))  # fmt: skip


def _pills(
    bank_id: str,
    label: str,
    name: str,
    options: Iterable[Option],
    named: Callable[[Option], str],
) -> tuple[Option, ...]:
    return tuple(
        st.pills(
            label,
            list(options),
            format_func=named,
            selection_mode="multi",
            key=_key(bank_id, name),
            persist_state="session",
        )
    )


def _key(bank_id: str, name: str) -> str:
    return f"bank.filter.{bank_id}.{name}"


def _clear(bank_id: str) -> None:
    kept: Any = st.session_state
    for name in list(kept):
        if str(name).startswith(_key(bank_id, "")):
            kept[name] = []
    kept[SEARCH] = ""
