"""The feedback card (评分卡): the score with its parts, and the answer with its evidence."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.claims import Flag, Verdict
from bot.domain.grade import Grade, Ungraded
from bot.domain.rubric import Rubric
from bot.domain.session import AnswerKind, Session, Turn
from bot.domain.target import Target
from bot.errors import IndexUnavailableError
from bot.services.costs import cost_of
from bot.services.reporting import (
    FLAG_NAMES,
    SLOT_NAMES,
    VERDICT_NAMES,
    escape_markdown,
    judge_label,
)
from bot.ui.components.delivery import delivery_line
from bot.ui.components.diagram import text_with_diagrams
from bot.ui.components.disputes import disputes_of_turn
from bot.ui.components.highlight import Mark, highlighted, merged, quoted
from bot.ui.components.self_score import guess_caption

_ICONS = {
    Verdict.MET: ":material/check_circle:",
    Verdict.PARTLY_MET: ":material/adjust:",
    Verdict.NOT_MET: ":material/radio_button_unchecked:",
    Verdict.CONTRADICTED: ":material/warning:",
}
_ORDER = (Verdict.CONTRADICTED, Verdict.NOT_MET, Verdict.PARTLY_MET, Verdict.MET)
_ALL, _OVERCLAIMS = "全部", "绝对化与错误"


def grade_card(services: Services, turn: Turn) -> None:
    """Show the outcome of one answered turn."""
    target = services.interviews.target_of(turn)
    if turn.answer is None or turn.answer.kind is AnswerKind.SKIPPED:
        st.caption("已跳过，不评分。")
        _reference(services, target, turn)
        return
    match turn.outcome:
        case Grade() as given:
            _graded(services, given, turn, target)
        case Ungraded() as reason:
            st.warning(f"未评分：{escape_markdown(reason.message)}", icon=":material/pending:")
            if st.button("重新评分", key=f"regrade-{turn.id}", icon=":material/refresh:"):
                with st.spinner("评分中……"):
                    services.interviews.regrade(_session_of(services, turn), turn.id)
                st.rerun()
        case None:
            st.info("作答已保存，正在等待评分。", icon=":material/hourglass_top:")


def _graded(services: Services, given: Grade, turn: Turn, target: Target) -> None:
    rubric = services.rubrics[target.rubric_id]
    text = turn.answer.text if turn.answer else ""
    with st.container(key=f"grade-{turn.id}"):
        st.markdown(f"#### {given.score:g} 分 · {given.level} 级 {rubric.level_names[given.level]}")
        st.caption(judge_label(given.provenance) + _cost(services, given))
        guess_caption(turn)
        for flag in given.flags:
            st.caption(f":material/info: {FLAG_NAMES[flag]}")
        _criteria(given, rubric)
        _evidence(given, rubric, text, turn.id)
        _points(given, target)
        _why(services, given, target, text)
        _overclaims(given)
        delivery_line(turn, target)
        _better(services, given, turn, target, text)
        _reference(services, target, turn)
        disputes_of_turn(services, given, turn)


def _cost(services: Services, given: Grade) -> str:
    """Return what a model's grade cost, how sure it was, and how far several samples lay apart."""
    if given.provenance.judge == "offline":
        return ""
    parts = [cost_of(given, services.models.price).says, f"{given.provenance.seconds:.1f} 秒"]
    if given.confidence is not None:
        parts.append(f"判定把握 {given.confidence:.2f}")
    if given.spread is not None:
        parts.append(f"多次评分相差 {given.spread:g} 分")
    return "".join(f" · {part}" for part in parts)


def _why(services: Services, given: Grade, target: Target, text: str) -> None:
    """Show, on demand, which words hit which concept group."""
    if given.provenance.judge != "offline":
        return
    with st.popover("为什么这样判定", icon=":material/help:"):
        st.caption("每个采分点有几组说法，各组都要在相近的地方出现；✓ 后面是你的原话。")
        for trace in services.offline_judge.explain(target, text):
            st.markdown(f"**{escape_markdown(trace.says)}**")
            lines = [
                f"- {'✓ ' + escape_markdown(group.found) if group.found else '✗ 没有找到'}"
                f"　（如：{escape_markdown('、'.join(group.spellings[:4]))}）"
                for group in trace.groups
            ]
            st.markdown("\n".join(lines))


def _better(services: Services, given: Grade, turn: Turn, target: Target, text: str) -> None:
    """Show the better answer, or offer to have it written where there is a model."""
    if turn.better is not None:
        st.markdown("**更好的回答**")
        st.caption(f"由 {escape_markdown(turn.better.model)} 改写；【】里是补上或改正的内容。")
        for name, part in (
            ("结论", turn.better.conclusion),
            ("原因", turn.better.reason),
            ("前提/代价", turn.better.premise_cost),
        ):
            st.markdown(f"**{name}**　{escape_markdown(part)}")
        return
    if not services.models.is_set or Flag.NO_CONTENT in given.flags:
        return
    if st.button("改写成更好的回答", key=f"better-{turn.id}", icon=":material/edit_note:"):
        with st.spinner("改写中……"):
            better = services.improve(target, text, given)
            services.interviews.keep_better(_session_of(services, turn), turn.id, better)
        st.rerun()


def _session_of(services: Services, turn: Turn) -> Session:
    return services.store.load(turn.id.rpartition("-")[0])


def _criteria(given: Grade, rubric: Rubric) -> None:
    titles = {one.id: one.title for one in rubric.criteria}
    for one in given.criteria:
        share = min(1.0, max(0.0, one.points / one.max if one.max else 0.0))
        st.progress(share, text=f"{titles.get(one.id, one.id)}　{one.points:g} / {one.max:g}")


def _evidence(given: Grade, rubric: Rubric, text: str, turn_id: str) -> None:
    titles = {one.id: one.title for one in rubric.criteria if one.kind != "calibration"}
    bad = [*given.overclaims, *given.errors]
    views = [_ALL, *(titles[one.id] for one in given.criteria if one.id in titles and one.evidence)]
    if bad:
        views.append(_OVERCLAIMS)
    st.markdown("**你的作答与依据**")
    chosen: str | None = _ALL
    if len(views) > 1:
        chosen = st.segmented_control(
            "查看依据", views, default=_ALL, key=f"evidence-{turn_id}", label_visibility="collapsed"
        )
    chosen = chosen or _ALL
    marks = [Mark(one.start, one.end, "bad", "绝对化") for one in given.overclaims]
    marks += [Mark(one.start, one.end, "bad", "错误") for one in given.errors]
    if chosen != _OVERCLAIMS:
        picked = [
            Mark(evidence.start, evidence.end, "good" if one.level == 2 else "part", titles[one.id])
            for one in given.criteria
            if one.id in titles and chosen in (_ALL, titles[one.id])
            for evidence in one.evidence
        ]
        marks = merged(picked) if chosen != _ALL else merged(picked, bad=marks)
    st.html(highlighted(text, marks))


def _points(given: Grade, target: Target) -> None:
    points = {target.point_id(point): point for point in target.key_points}
    met = sum(point.verdict is Verdict.MET for point in given.key_points)
    st.markdown(f"**采分点**（说到 {met} / {len(given.key_points)}）")
    lines = []
    for verdict in _ORDER:
        for found in given.key_points:
            if found.verdict is verdict:
                point = points.get(found.id)
                lines.append(
                    f"{_ICONS[verdict]} {VERDICT_NAMES[verdict]}："
                    + (
                        f"{escape_markdown(point.says)}（{SLOT_NAMES[point.slot]}）"
                        if point
                        else f"采分点 {found.id}，题库里已经没有它"
                    )
                )
    st.markdown("  \n".join(lines))


def _overclaims(given: Grade) -> None:
    if given.overclaims:
        st.markdown("**绝对化断言**")
        st.html(quoted([(one.quote, one.why, one.rewrite) for one in given.overclaims]))
    if given.errors:
        st.markdown("**事实错误**")
        st.html(quoted([(one.quote, one.why, "") for one in given.errors]))


def _reference(services: Services, target: Target, turn: Turn) -> None:
    with st.expander("参考答案与相关内容", icon=":material/menu_book:"):
        if turn.follow_up_id is not None:
            text_with_diagrams(target.reference, key=f"reference-{turn.id}", label="参考图")
        else:
            question = services.bank.find(turn.question_id)
            parts = _indexed_reference(services, question.id)
            for name, text in parts or (
                ("结论", question.reference.conclusion),
                ("原因", question.reference.reason),
                ("前提/代价", question.reference.premise_cost),
            ):
                st.markdown(f"**{name}**　{escape_markdown(text)}")
            if not parts:
                st.caption(services.index_state.says)
        for stem, text, question_id in _related(services, turn):
            st.markdown(f"- **{question_id}**　{escape_markdown(stem)}")
            st.caption(escape_markdown(text))


def _indexed_reference(services: Services, question_id: str) -> tuple[tuple[str, str], ...]:
    names = {"conclusion": "结论", "reason": "原因", "premise_cost": "前提/代价"}
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
    hits = _related_hits(services.bank.name, turn.question_id, wanted)
    return [(services.bank.find(question_id).stem, text, question_id) for question_id, text in hits]


@st.cache_data(max_entries=500, show_spinner=False)
def _related_hits(bank_name: str, question_id: str, text: str) -> list[tuple[str, str]]:
    """Return question ids and passages near the text; kept, for a rerun shows the same card."""
    from bot.ui import state

    services = state.services().for_bank(bank_name.partition("@")[0])
    try:
        hits = services.retrieval.related(question_id, text)
    except IndexUnavailableError:
        return []
    return [(hit.passage.question_id, hit.passage.text) for hit in hits]
