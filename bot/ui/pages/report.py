"""The report of a session."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.report import Report
from bot.domain.session import AgainOf, Session, Turn
from bot.errors import NotFoundError
from bot.services.costs import SESSION_COVERS, cost_of_session
from bot.services.reporting import (
    NOTHING_GRADED,
    SLOT_NAMES,
    escape_markdown,
    judge_label,
    minutes,
)
from bot.ui import navigation, state
from bot.ui.components.again import again_button, again_of, stored_at
from bot.ui.components.comparison import comparison_with
from bot.ui.components.delivery import delivery_summary
from bot.ui.components.diagram import diagrams
from bot.ui.components.error_box import error_box
from bot.ui.components.grade_card import grade_card
from bot.ui.components.recordings import session_recordings
from bot.ui.components.report_downloads import report_downloads
from bot.ui.components.self_score import self_score_summary
from bot.ui.words import t


def show() -> None:
    """Show the report of the session in the address, or of the latest one."""
    services = state.services()
    st.title(t("复盘报告"))
    session = _session(services)
    if session is None:
        st.info(t("还没有面试记录；做完一场面试，这里会有复盘。"), icon=":material/assessment:")
        st.page_link(navigation.INTERVIEW, label=t("开始一场面试"), icon=":material/forum:")
        return
    services = services.for_bank(session.plan.bank_id)
    report = services.report(session)
    _head(services, report)
    if report.score is None:
        st.info(t("{nothing}。", nothing=t(NOTHING_GRADED)), icon=":material/info:")
    else:
        _overall(report)
        _criteria(report)
    _compared(services, session)
    _questions(report)
    self_score_summary(session)
    delivery_summary(session, services.bank)
    _practice(report)
    _transcript(services, session)
    session_recordings(services, session)
    services.build_index()


def _session(services: Services) -> Session | None:
    name = state.session_id()
    if name is not None:
        try:
            return services.store.load(name)
        except NotFoundError:
            st.warning(
                t("没有找到这场面试，可能已被删除；下面是最近的一场。"),
                icon=":material/search_off:",
            )
    latest = services.store.summaries(1)
    return services.store.load(latest[0].id) if latest else None


def _head(services: Services, report: Report) -> None:
    session = report.session
    zone = state.zone()
    ended = "" if session.is_finished else t(" · 还没有结束")
    st.caption(
        t(
            "{begun:%Y-%m-%d %H:%M} 开始{ended} · {judges}",
            begun=session.begun_at.astimezone(zone),
            ended=ended,
            judges=t("、").join(t(judge_label(one)) for one in report.provenances) or t("没有评分"),
        )
    )
    cost = cost_of_session(session, services.models.price)
    if cost.tokens:
        st.caption(
            t(
                "本场评分用量：{says}（{covers}）。",
                says=t(cost.says),
                covers=t(SESSION_COVERS),
            )
        )
    left, right = st.columns(2, vertical_alignment="center")
    with left:
        report_downloads(services, session, zone)
    with right:
        st.page_link(
            navigation.INTERVIEW,
            label=t("回到这场面试") if not session.is_finished else t("回看对话"),
            icon=":material/forum:",
            query_params={state.SESSION: session.id},
        )


def _overall(report: Report) -> None:
    # The longest level name needs half of the width, or it is cut off.
    first, second, third = st.columns([5, 3, 2])
    first.metric(
        t("总评"),
        t("{level} 级 {level_name}", level=report.level, level_name=t(report.level_name or "")),
    )
    second.metric(t("平均分"), f"{report.score:g} / 100")
    third.metric(t("绝对化断言"), t("{overclaims} 处", overclaims=report.overclaims))
    if len(report.provenances) > 1:
        st.warning(t("本场的评分来源不同，总分只作参考。"), icon=":material/balance:")
    if report.strongest:
        st.markdown(
            t(
                ":material/thumb_up: 较强：**{strongest}**",
                strongest=t("、").join(map(t, report.strongest)),
            )
        )
    if report.weakest:
        st.markdown(
            t(
                ":material/trending_down: 较弱：**{weakest}**",
                weakest=t("、").join(map(t, report.weakest)),
            )
        )


def _criteria(report: Report) -> None:
    st.subheader(t("各维度得分率"))
    for one in report.criteria:
        st.progress(min(1.0, one.shown), text=f"{t(one.title)}　{one.shown:.0%}")


def _questions(report: Report) -> None:
    if not report.questions:
        return
    st.subheader(t("逐题"))
    st.table(
        [
            {
                t("题目"): f"**{one.question_id}** {escape_markdown(one.stem)}",
                t("得分"): t(one.state) if one.score is None else f"{one.score:g}",
                t("等级"): "—" if one.level is None else f"{one.level} {t(one.level_name or '')}",
                t("追问"): t("、").join(map(_points, one.follow_up_scores)) or "—",
                t("用时"): "—" if one.seconds is None else t(minutes(one.seconds)),
            }
            for one in report.questions
        ],
        border="horizontal",
        hide_index=True,
    )


def _points(score: float | None) -> str:
    return "—" if score is None else f"{score:g}"


def _compared(services: Services, session: Session) -> None:
    """Show the two answers that the address or the plan names."""
    turns = {turn.id: turn for turn in session.turns if turn.follow_up_id is None}
    named = state.compared_turns()
    if named is not None:
        later, earlier = turns.get(named[0]), stored_at(named[1])
    elif session.plan.again is not None:
        graded = (turn for turn in turns.values() if turn.grade is not None)
        later, earlier = next(graded, None), session.plan.again
    else:
        return
    if later is not None:
        st.subheader(t("与上次作答比较"))
        st.markdown(f"**{later.question_id}**　{escape_markdown(later.says)}")
        comparison_with(services, later, earlier)


def _practice(report: Report) -> None:
    if not report.practice:
        return
    st.subheader(t("接下来练什么"))
    st.markdown(
        "\n".join(
            t(
                "- **{question_id} · {slot}**：{says}（{why}）",
                question_id=one.question_id,
                slot=t(SLOT_NAMES[one.aims_at]),
                says=escape_markdown(one.says),
                why=t(one.why),
            )
            for one in report.practice
        )
    )


def _transcript(services: Services, session: Session) -> None:
    if not session.turns:
        return
    st.subheader(t("逐轮反馈"))
    previous = services.comparisons.previous(session)
    for turn in session.turns:
        label = (
            t("{question_id} 追问", question_id=turn.question_id)
            if turn.follow_up_id
            else turn.question_id
        )
        score = t("{score:g} 分", score=turn.grade.score) if turn.grade else t("没有评分")
        with st.expander(f"{label} · {score}"):
            st.markdown(escape_markdown(turn.says))
            if turn.answer is not None:
                diagrams(turn.answer.text, key=f"drawn-{turn.id}", label=t("作答里的图"))
            grade_card(services, turn)
            if turn.follow_up_id is None:
                _answers_compared(services, session, turn, previous.get(turn.question_id))


def _answers_compared(
    services: Services, session: Session, turn: Turn, previous: AgainOf | None
) -> None:
    """Offer to answer the question again, and to compare with the answer before this one."""
    left, right = st.columns(2, vertical_alignment="center")
    with left:
        again_button(services, turn.question_id, key=f"again-{turn.id}", earlier=again_of(turn))
    if previous is not None and turn.grade is not None:
        right.page_link(
            navigation.REPORT,
            label=t("与上次比较"),
            icon=":material/compare_arrows:",
            query_params={
                state.SESSION: session.id,
                state.TURN: turn.id,
                state.WITH: previous.turn_id,
            },
        )


with error_box():
    show()
