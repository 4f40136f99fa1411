"""Questions in a list: what they ask, how hard they are, and how they went so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from math import ceil

import streamlit as st

from bot.domain.bank import Bank
from bot.domain.question import Question
from bot.domain.record import QuestionRecord
from bot.domain.selection import Shelf
from bot.services.reporting import DIFFICULTY_NAMES, escape_markdown
from bot.ui import state
from bot.ui.words import t

PAGE = 100
"""So many questions are shown at once; a bank may have thousands."""

Records = Mapping[str, QuestionRecord]


def question_shelves(bank: Bank, shelves: Sequence[Shelf], records: Records) -> None:
    """Show the questions under their sections, a page at a time."""
    rows = [(shelf, one) for shelf in shelves for one in shelf.questions]
    first = 0
    if len(rows) > PAGE:
        pages = ceil(len(rows) / PAGE)
        first = PAGE * (st.pagination(pages, key=f"bank.page.{bank.id}.{len(rows)}") - 1)
    titled: str | None = None
    for shelf, question in islice(rows, first, first + PAGE):
        if shelf.title != titled:
            titled = shelf.title
            st.subheader(titled)
        question_row(bank, question, records.get(question.id))


def question_row(
    bank: Bank, question: Question, record: QuestionRecord | None, matched: str | None = None
) -> None:
    """Show one question with a button that opens it, and the passage that a search matched."""
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", key=f"row-{question.id}"
    ):
        with st.container(gap=None):
            st.markdown(f"**{question.id}**　{escape_markdown(question.stem)}")
            st.caption(
                " · ".join(
                    (
                        t(DIFFICULTY_NAMES[question.difficulty]),
                        escape_markdown(t("、").join(bank.titles_of(question))),
                        *((_told(record),) if record else ()),
                    )
                )
            )
            if matched:
                st.caption(f":material/search: {escape_markdown(matched)}")
        st.button(
            t("查看"),
            key=f"open-{question.id}",
            on_click=state.open_question,
            args=(bank.id, question.id),
            width="content",
        )


def _told(record: QuestionRecord) -> str:
    level = (
        t("未评分")
        if record.latest_level is None
        else t("最近 {latest_level} 级", latest_level=record.latest_level)
    )
    best = (
        t("，最好 {best_level} 级", best_level=record.best_level)
        if (record.best_level or 0) > (record.latest_level or 0)
        else ""
    )
    over = t("，有绝对化") if record.overclaimed else ""
    return t(
        "**答过 {answers} 次：{level}{best}{over}**",
        answers=record.answers,
        level=level,
        best=best,
        over=over,
    )
