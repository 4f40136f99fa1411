"""The bank: browse it by filters, search in it, look at one question, and correct it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bot.bootstrap import Services
from bot.domain import selection
from bot.domain.bank import Bank
from bot.domain.record import QuestionRecord, by_family
from bot.domain.selection import Shelf
from bot.errors import BankError, NotFoundError, StoreError
from bot.services.drafts import excerpt
from bot.services.reporting import escape_markdown
from bot.ui import state
from bot.ui.components.bank_choice import chosen_bank
from bot.ui.components.bank_filters import bank_filter, clear_button, search_text
from bot.ui.components.disputes import disputes_section
from bot.ui.components.error_box import error_box
from bot.ui.components.question_detail import question_detail
from bot.ui.components.question_list import question_row, question_shelves
from bot.ui.words import content_note, t

MOST_RESULTS = 10


def show() -> None:
    """Show the question that the address names, or the bank."""
    services = state.services()
    state.show_flash()
    question_id = state.question_id()
    if question_id is not None:
        try:
            services = services.for_bank(state.wanted_bank() or services.bank.id)
            question = services.bank.find(question_id)
        except (BankError, NotFoundError) as error:
            state.leave_question()
            st.warning(escape_markdown(t(str(error))), icon=":material/search_off:")
        else:
            question_detail(services, question)
            return
    _browse(state.services())


def _browse(services: Services) -> None:
    st.title(t("题库"))
    content_note()
    services = chosen_bank(services, key="bank.choice")
    services.build_index()
    bank = services.bank
    text = search_text()
    shelves = selection.shelves(bank)
    wanted = bank_filter(bank, shelves)
    records = _own_matters(services)
    found = selection.filtered(shelves, wanted, records)
    _counted(bank, shelves, found, is_narrowed=bool(text or wanted.restrictions))
    if text:
        _results(services, text, found, records)
    elif found:
        question_shelves(bank, found, records)
    else:
        st.info(t("没有符合条件的题目；请放宽或清除筛选。"), icon=":material/filter_list_off:")


def _own_matters(services: Services) -> dict[str, QuestionRecord]:
    """Show the user's disputes and return their records; a bank can be read without them."""
    try:
        disputes_section(services)
        found = services.store.records.of_bank(services.bank.id)
    except StoreError as error:
        st.warning(
            t("读不出作答记录：{error}", error=escape_markdown(t(str(error)))),
            icon=":material/database:",
        )
        return {}
    return by_family(found, [one.id for one in services.bank.calculations])


def _counted(
    bank: Bank, shelves: tuple[Shelf, ...], found: tuple[Shelf, ...], *, is_narrowed: bool
) -> None:
    total, left = (sum(len(one.questions) for one in held) for held in (shelves, found))
    tasks = len(bank.calculations)
    with st.container(horizontal=True, vertical_alignment="center"):
        if left != total:
            st.caption(t("{total} 道题里有 {left} 道符合筛选", total=total, left=left))
        elif tasks:
            st.caption(t("{total} 道题，其中 {tasks} 类是计算题", total=total, tasks=tasks))
        else:
            st.caption(t("{total} 道题", total=total))
        if is_narrowed:
            clear_button(bank.id)


def _results(
    services: Services, text: str, found: tuple[Shelf, ...], records: Mapping[str, QuestionRecord]
) -> None:
    if not services.index_state.is_ready:
        st.caption(t(services.index_state.says_searching))
    admitted = {one.id: one for shelf in found for one in shelf.questions}
    results = services.retrieval.search(
        text, len(services.bank.questions), by_words_only=not services.index_state.is_ready
    )
    shown = [one for one in results if one.question_id in admitted][:MOST_RESULTS]
    if not shown:
        hint = t("，或者放宽筛选") if results else ""
        st.info(
            t("没有找到相关题目；换几个词试试{hint}。", hint=hint), icon=":material/search_off:"
        )
    for one in shown:
        question_row(
            services.bank,
            admitted[one.question_id],
            records.get(one.question_id),
            matched=excerpt(one.passage.text),
        )


with error_box():
    show()
