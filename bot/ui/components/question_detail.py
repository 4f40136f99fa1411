"""One question of a bank with all that belongs to it, and what can be done with it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import streamlit as st

from bot.bootstrap import Services
from bot.domain.concept_lines import lines_of
from bot.domain.family import LARGEST_SEED, family_and_seed, task_id
from bot.domain.question import KIND_NAMES, KeyPoint, Question
from bot.domain.record import PastAnswer
from bot.services.reporting import DIFFICULTY_NAMES, SLOT_NAMES, escape_markdown
from bot.ui import navigation, state
from bot.ui.components.again import again_button
from bot.ui.components.diagram import text_with_diagrams
from bot.ui.components.disputes import dispute_card, dispute_question_button
from bot.ui.components.error_box import error_box
from bot.ui.components.question_editor import edit_button, question_editor
from bot.ui.words import t

JUDGES = {"offline": "离线评分", "llm": "模型评分"}


def question_detail(services: Services, question: Question) -> None:
    """Show the question whole, or its editor; `services` are those over its bank."""
    bank = services.bank
    st.button(
        t("返回题库"),
        key="question.leave",
        type="tertiary",
        icon=":material/arrow_back:",
        on_click=state.leave_question,
    )
    section = bank.section_of(question.id)
    st.subheader(f"{question.id}　{escape_markdown(question.stem)}")
    st.caption(
        escape_markdown(
            t(
                "{title}（{name}）· {section} {section_title} · {difficulty} · {kind} · {titles_of}",
                title=bank.title,
                name=bank.name,
                section=section.id,
                section_title=section.title,
                difficulty=t(DIFFICULTY_NAMES[question.difficulty]),
                kind=t(KIND_NAMES[question.kind]),
                titles_of=t("、").join(bank.titles_of(question)),
            )
        )
    )
    edit = state.edit_of(bank.id, question.id)
    if edit is not None:
        question_editor(services, edit)
        return
    _steps(services, question)
    _reference(question)
    st.markdown(t("**采分点**"))
    _points(question.key_points)
    _misconceptions(question)
    _follow_ups(question)
    if question.sources:
        st.caption(
            t("资料来源：{sources}", sources=escape_markdown(t("、").join(question.sources)))
        )
    with error_box():
        _past_answers(services, question)
    with error_box():
        _disputes(services, question)


def _steps(services: Services, question: Question) -> None:
    with st.container(horizontal=True):
        again_button(services, question.id, key="question.practise", label=t("练这道题"))
        family, _ = family_and_seed(question.id)
        if any(one.id == family for one in services.bank.calculations):
            st.button(
                t("换一组数字"),
                key="question.redraw",
                icon=":material/casino:",
                on_click=_redraw,
                args=(services.bank.id, str(family)),
            )
        dispute_question_button(services.bank.id, question.id)
        edit_button(services, question)


def _redraw(bank_id: str, family: str) -> None:
    seed = random.randint(1, LARGEST_SEED)  # noqa: S311 - numbers of a task, no secret
    state.open_question(bank_id, task_id(family, seed))


def _reference(question: Question) -> None:
    with st.container(key=f"reference-{question.id}"):
        for name, text in (
            (t("结论"), question.reference.conclusion),
            (t("原因"), question.reference.reason),
            (t("前提/代价"), question.reference.premise_cost),
        ):
            if text.strip():
                st.markdown(f"**{name}**　{escape_markdown(text.strip())}")


def _points(points: Sequence[KeyPoint]) -> None:
    st.markdown("\n".join(f"- {_point(one)}" for one in points))


def _point(point: KeyPoint) -> str:
    notes = [t(SLOT_NAMES[point.slot]), t("权重 {weight}", weight=point.weight)]
    notes += [t("核心")] if point.core else []
    notes += [t("自动生成")] if point.generated else []
    return t("{says}（{notes}）", says=escape_markdown(point.says), notes=t("，").join(notes))


def _misconceptions(question: Question) -> None:
    if question.misconceptions:
        with st.expander(t("常见误区（{count}）", count=len(question.misconceptions))):
            st.markdown(
                "\n".join(
                    t(
                        "- {says}：{why}",
                        says=escape_markdown(one.says),
                        why=escape_markdown(one.why),
                    )
                    for one in question.misconceptions
                )
            )
    with st.expander(t("离线评分认得的说法")):
        st.caption(t("每行是一组，各组都要说到；一组里用“ / ”隔开的说法说到一种就行。"))
        for point in question.key_points:
            st.markdown(f"**{escape_markdown(point.says)}**")
            st.code(lines_of(point.concepts), language=None, wrap_lines=True)


def _follow_ups(question: Question) -> None:
    if not question.follow_ups:
        return
    st.markdown(t("**追问**"))
    for one in question.follow_ups:
        with st.expander(
            t("{slot}：{asks}", slot=t(SLOT_NAMES[one.aims_at]), asks=escape_markdown(one.asks))
        ):
            key = f"reference-{question.id}-{one.id}"
            text_with_diagrams(one.reference, key=key, label=t("参考图"))
            _points(one.key_points)


def _past_answers(services: Services, question: Question) -> None:
    st.markdown(t("**我的作答**"))
    records = services.store.records
    family, _ = family_and_seed(question.id)
    ids = {question.id}
    if any(one.id == family for one in services.bank.calculations):
        answered = records.of_bank(services.bank.id)
        ids |= {one for one in answered if family_and_seed(one)[0] == family}
    found = records.answers(services.bank.id, ids)
    if not found:
        st.caption(t("还没有答过这道题。"))
    for one in found:
        st.page_link(
            navigation.REPORT,
            label=_told(one),
            icon=":material/assessment:",
            query_params={state.SESSION: one.session_id},
        )


def _told(one: PastAnswer) -> str:
    at = f"{one.asked_at.astimezone(state.zone()):%Y-%m-%d %H:%M}"
    if one.score is None:
        return t("{at} · 没有评分", at=at)
    return t(
        "{at} · {level} 级 · {score:g} 分 · {judge}",
        at=at,
        level=one.level,
        score=one.score,
        judge=t(JUDGES.get(one.judge or "", "—")),
    )


def _disputes(services: Services, question: Question) -> None:
    mine = [
        one
        for one in services.disputes.latest()
        if (one.bank_id, one.question_id) == (services.bank.id, question.id)
    ]
    if mine:
        st.markdown(t("**我的异议**"))
    for one in mine:
        with st.container(border=True):
            dispute_card(services, one)
