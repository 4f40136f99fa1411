"""The bank: browse it and search in it."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.question import Question
from bot.services.reporting import DIFFICULTY_NAMES, SLOT_NAMES, escape_markdown
from bot.ui import state
from bot.ui.components.error_box import error_box


def show() -> None:
    """Show what a search finds, or the whole bank by section."""
    services = state.services()
    services.build_index()
    st.title("题库")
    text = st.text_input(
        "在题库里查找",
        placeholder="例如：KV 显存怎么算",
        key="bank.search",
        max_chars=500,
        live="400ms",  # without it the field says "Press Enter to apply"
    )
    if text.strip():
        _results(services, text)
        return
    for part in services.bank.sections:
        st.subheader(f"{part.section.id} {part.section.title}")
        for question in part.questions:
            _question(question)


def _results(services: Services, text: str) -> None:
    if not services.index_state.is_ready:
        st.caption(services.index_state.says.replace("参考答案直接取自题库", "先按词查找"))
    results = services.retrieval.search(text, by_words_only=not services.index_state.is_ready)
    if not results:
        st.info("没有找到相关题目；换几个词试试。", icon=":material/search_off:")
    for result in results:
        _question(services.bank.find(result.question_id), matched=result.passage.text)


def _question(question: Question, matched: str | None = None) -> None:
    title = f"**{question.id}**　{escape_markdown(question.stem)}"
    with st.expander(title):
        st.caption(f"{DIFFICULTY_NAMES[question.difficulty]} · {'、'.join(question.topics)}")
        if matched:
            st.markdown(f":material/search: {escape_markdown(matched)}")
        with st.container(key=f"reference-{question.id}"):
            st.markdown(f"**结论**　{escape_markdown(question.reference.conclusion)}")
            st.markdown(f"**原因**　{escape_markdown(question.reference.reason)}")
            st.markdown(f"**前提/代价**　{escape_markdown(question.reference.premise_cost)}")
        st.markdown("**采分点**")
        st.markdown(
            "\n".join(
                f"- {escape_markdown(point.says)}（{SLOT_NAMES[point.slot]}，权重 {point.weight}）"
                for point in question.key_points
            )
        )
        if question.follow_ups:
            st.markdown("**追问**")
            st.markdown("\n".join(f"- {escape_markdown(one.asks)}" for one in question.follow_ups))


with error_box():
    show()
