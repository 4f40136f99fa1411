"""The feedback card (评分卡): the score with its parts, and the answer with its evidence."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.claims import Flag
from bot.domain.grade import Grade, Ungraded
from bot.domain.rubric import rubric_named
from bot.domain.session import AnswerKind, Session, Turn, session_id_of
from bot.domain.target import Target
from bot.errors import IndexUnavailableError
from bot.ports import PointTrace
from bot.services.costs import cost_of
from bot.services.reporting import (
    FLAG_NAMES,
    escape_markdown,
    judge_label,
)
from bot.ui.components.delivery import delivery_line
from bot.ui.components.diagram import text_with_diagrams
from bot.ui.components.disputes import disputes_of_turn
from bot.ui.components.grade_parts import (
    criteria_bars,
    faults_list,
    marked_answer,
    points_list,
    score_line,
)
from bot.ui.components.self_score import guess_caption
from bot.ui.words import t


def grade_card(services: Services, turn: Turn) -> None:
    """Show the outcome of one answered turn."""
    target = services.interviews.target_of(turn)
    if turn.answer is None or turn.answer.kind is AnswerKind.SKIPPED:
        st.caption(t("已跳过，不评分。"))
        _reference(services, target, turn)
        return
    match turn.outcome:
        case Grade() as given:
            _graded(services, given, turn, target)
        case Ungraded() as reason:
            st.warning(
                t("未评分：{message}", message=escape_markdown(t(reason.message))),
                icon=":material/pending:",
            )
            if st.button(t("重新评分"), key=f"regrade-{turn.id}", icon=":material/refresh:"):
                with st.spinner(t("评分中……")):
                    services.interviews.regrade(_session_of(services, turn), turn.id)
                st.rerun()
        case None:
            st.info(t("作答已保存，正在等待评分。"), icon=":material/hourglass_top:")


def _graded(services: Services, given: Grade, turn: Turn, target: Target) -> None:
    rubric = rubric_named(given.provenance.rubric, services.rubrics, target.rubric_id)
    text = turn.answer.text if turn.answer else ""
    with st.container(key=f"grade-{turn.id}"):
        score_line(given, rubric)
        st.caption(t(judge_label(given.provenance)) + _cost(services, given))
        guess_caption(turn)
        for flag in given.flags:
            st.caption(f":material/info: {t(FLAG_NAMES[flag])}")
        criteria_bars(given, rubric)
        marked_answer(given, rubric, text, key=f"evidence-{turn.id}")
        points_list(given, target)
        _why(services, given, target, text)
        faults_list(given)
        delivery_line(turn, target)
        _better(services, given, turn, target, text)
        _reference(services, target, turn)
        disputes_of_turn(services, given, turn)


def _cost(services: Services, given: Grade) -> str:
    """Return what a model's grade cost, how sure it was, and how far several samples lay apart."""
    if given.provenance.judge == "offline":
        return ""
    parts = [
        t(cost_of(given, services.models.price).says),
        t("{seconds:.1f} 秒", seconds=given.provenance.seconds),
    ]
    if given.confidence is not None:
        parts.append(t("判定把握 {confidence:.2f}", confidence=given.confidence))
    if given.spread is not None:
        parts.append(t("多次评分相差 {spread:g} 分", spread=given.spread))
    return "".join(f" · {part}" for part in parts)


def _why(services: Services, given: Grade, target: Target, text: str) -> None:
    """Show, on demand, which words hit which concept group."""
    if given.provenance.judge != "offline":
        return
    with st.popover(t("为什么这样判定"), icon=":material/help:"):
        st.caption(t("每个采分点有几组说法，各组都要在相近的地方出现；✓ 后面是你的原话。"))
        for trace in _explained(
            services.owner, services.bank.name, target.id, text, services, target
        ):
            st.markdown(f"**{escape_markdown(trace.says)}**")
            lines = [
                t(
                    "- {found}　（如：{spellings}）",
                    found="✓ " + escape_markdown(group.found) if group.found else t("✗ 没有找到"),
                    spellings=escape_markdown(t("、").join(group.spellings[:4])),
                )
                for group in trace.groups
            ]
            st.markdown("\n".join(lines))


def _better(services: Services, given: Grade, turn: Turn, target: Target, text: str) -> None:
    """Show the better answer, or offer to have it written where there is a model."""
    if turn.better is not None:
        st.markdown(t("**更好的回答**"))
        st.caption(
            t(
                "由 {model} 改写；【】里是补上或改正的内容。",
                model=escape_markdown(turn.better.model),
            )
        )
        for name, part in (
            (t("结论"), turn.better.conclusion),
            (t("原因"), turn.better.reason),
            (t("前提/代价"), turn.better.premise_cost),
        ):
            st.markdown(f"**{name}**　{escape_markdown(part)}")
        return
    if not services.models.is_set or Flag.NO_CONTENT in given.flags:
        return
    if st.button(t("改写成更好的回答"), key=f"better-{turn.id}", icon=":material/edit_note:"):
        with st.spinner(t("改写中……")):
            better = services.improve(target, text, given)
            services.interviews.keep_better(_session_of(services, turn), turn.id, better)
        st.rerun()


def _session_of(services: Services, turn: Turn) -> Session:
    return services.store.load(session_id_of(turn.id))


def _reference(services: Services, target: Target, turn: Turn) -> None:
    box = st.expander(
        t("参考答案与相关内容"),
        key=f"reference-box-{turn.id}",
        icon=":material/menu_book:",
        on_change="rerun",
    )
    # Neither the index is read nor the answer embedded for what most never look up.
    if not box.open:
        return
    with box:
        if turn.follow_up_id is not None:
            text_with_diagrams(target.reference, key=f"reference-{turn.id}", label=t("参考图"))
        else:
            question = services.bank.find(turn.question_id)
            parts = _indexed_reference(services, question.id)
            for name, text in parts or (
                (t("结论"), question.reference.conclusion),
                (t("原因"), question.reference.reason),
                (t("前提/代价"), question.reference.premise_cost),
            ):
                st.markdown(f"**{name}**　{escape_markdown(text)}")
            if not parts:
                st.caption(t(services.index_state.says))
        for stem, text, question_id in _related(services, turn):
            st.markdown(f"- **{question_id}**　{escape_markdown(stem)}")
            st.caption(escape_markdown(text))


def _indexed_reference(services: Services, question_id: str) -> tuple[tuple[str, str], ...]:
    names = {"conclusion": t("结论"), "reason": t("原因"), "premise_cost": t("前提/代价")}
    if not services.index_state.is_ready:
        return ()
    try:
        found = services.retrieval.reference_of(question_id)
    except IndexUnavailableError:
        return ()
    return tuple((names[passage.part.value], passage.text) for passage in found)


def _related(services: Services, turn: Turn) -> list[tuple[str, str, str]]:
    if not services.index_state.is_ready or turn.answer is None:
        return []
    wanted = turn.answer.text[:500] or services.bank.find(turn.question_id).stem
    hits = _related_hits(services.owner, services.bank.name, turn.question_id, wanted, services)
    return [(services.bank.find(question_id).stem, text, question_id) for question_id, text in hits]


@st.cache_data(max_entries=500, show_spinner=False)
def _related_hits(
    owner: str, bank_name: str, question_id: str, text: str, _services: Services
) -> list[tuple[str, str]]:
    """Return question ids and passages near the text; kept, for a rerun shows the same card."""
    try:
        hits = _services.retrieval.related(question_id, text)
    except IndexUnavailableError:
        return []
    return [(hit.passage.question_id, hit.passage.text) for hit in hits]


@st.cache_data(max_entries=500, show_spinner=False)
def _explained(
    owner: str, bank_name: str, target_id: str, text: str, _services: Services, _target: Target
) -> tuple[PointTrace, ...]:
    """Return why each point got its verdict; kept, for every run shows all cards again."""
    return _services.offline_judge.explain(_target, text)
