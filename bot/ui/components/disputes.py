"""Disputes on the page (异议): noting one, seeing what became of it, and grading again."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from bot.bootstrap import Services
from bot.domain.dispute import LONGEST_NOTE, Dispute, DisputeAbout, DisputeState
from bot.domain.grade import Grade
from bot.domain.session import Turn, session_id_of
from bot.services.reporting import escape_markdown, judge_label
from bot.ui import navigation, state
from bot.ui.components.error_box import error_box
from bot.ui.words import dialog, t

SHOWN = 30
"""So many disputes are shown; the download has them all."""

ABOUT_NAMES = {
    DisputeAbout.GRADE: "这条评分有问题",
    DisputeAbout.REFERENCE: "参考答案有问题",
}
STATE_NAMES = {
    DisputeState.OPEN: "待处理",
    DisputeState.REGRADED: "已重新评分",
    DisputeState.CLOSED: "已解决",
    DisputeState.WITHDRAWN: "已撤回",
}


def disputes_of_turn(services: Services, given: Grade, turn: Turn) -> None:
    """Show the disputes about a graded answer, and a button for another one.

    `services` are those over the bank of the answer.
    """
    if given.provenance.bank != services.bank.name:
        st.caption(
            t(
                ":material/info: 这条评分按题库 {bank} 作出，"
                "现在是 {name}；采分点和参考答案显示的是现在的。",
                bank=given.provenance.bank,
                name=services.bank.name,
            )
        )
    session_id = session_id_of(turn.id)
    for dispute in services.disputes.of_turn(session_id, turn.id):
        with st.container(border=True):
            dispute_card(services, dispute)
    if st.button(t("有问题"), key=f"dispute-{turn.id}", type="tertiary", icon=":material/flag:"):
        _note_about_grade(session_id, turn.id)


def dispute_question_button(bank_id: str, question_id: str) -> None:
    """Show a button that notes what is wrong with a question."""
    if st.button(t("参考答案有问题"), key="dispute.question", icon=":material/flag:"):
        _note_about_question(bank_id, question_id)


def dispute_card(services: Services, dispute: Dispute) -> None:
    """Show one dispute with what can be done about it."""
    made = dispute.made_at.astimezone(state.zone())
    st.markdown(
        f":material/flag: **{t(ABOUT_NAMES[dispute.about])}** · {t(STATE_NAMES[dispute.state])}"
    )
    st.caption(f"{_place(dispute)} · {dispute.bank} · {made:%Y-%m-%d %H:%M}")
    st.markdown("  \n".join(f"> {escape_markdown(line)}" for line in dispute.note.splitlines()))
    if dispute.grade is not None and dispute.regrade is not None:
        _side_by_side(services, dispute, dispute.grade, dispute.regrade)
    if dispute.is_open:
        _steps(services, dispute)


def _place(dispute: Dispute) -> str:
    probe = (
        t(" 追问 {follow_up_id}", follow_up_id=dispute.follow_up_id) if dispute.follow_up_id else ""
    )
    return f"{dispute.question_id}{probe}"


def _steps(services: Services, dispute: Dispute) -> None:
    bank_now = services.disputes.bank_now(dispute)
    if bank_now is None:
        st.caption(t("这个题库现在读不出来，不能重新评分。"))
    elif dispute.is_outdated(bank_now):
        st.caption(t("题库已从 {bank} 改为 {bank_now}。", bank=dispute.bank, bank_now=bank_now))
    else:
        st.caption(t("题库改正以后，可以在这里按新版重新评分。"))
    with st.container(horizontal=True):
        if bank_now is not None and dispute.is_answerable(bank_now):
            _act(
                t("按新版题库重新评分"),
                f"regrade-dispute-{dispute.id}",
                lambda: services.disputes.regrade(dispute.id),
                is_main=True,
            )
        for label, end in (
            (t("标为已解决"), DisputeState.CLOSED),
            (t("撤回"), DisputeState.WITHDRAWN),
        ):
            _act(
                label,
                f"{end.value}-dispute-{dispute.id}",
                lambda end=end: services.disputes.end(dispute.id, end),  # type: ignore[misc]
            )


def _act(label: str, key: str, act: Callable[[], Dispute], *, is_main: bool = False) -> None:
    if st.button(label, key=key, type="primary" if is_main else "tertiary"):
        with error_box(), st.spinner(t("评分中……") if is_main else t("正在保存……")):
            act()
            st.rerun()


def _side_by_side(services: Services, dispute: Dispute, before: Grade, after: Grade) -> None:
    for column, name, given in zip(
        st.columns(2), (t("之前"), t("之后")), (before, after), strict=True
    ):
        rubric = services.rubrics.get(given.provenance.rubric.partition("@")[0])
        level = f" {t(rubric.level_names[given.level])}" if rubric else ""
        column.metric(
            t("{name}（{bank}）", name=name, bank=given.provenance.bank),
            t("{score:g} 分 · {level} 级", score=given.score, level=given.level),
        )
        column.caption(f"{t(judge_label(given.provenance))}{level and f' · {level.strip()}'}")
    st.caption(
        t(
            ":material/balance: 两次评分用的题库版本不同，分数只能并排看，差多少不说明答得更好或更差。"
        )
    )


def disputes_section(services: Services) -> None:
    """Show the disputes of the user, the latest first, with a download; nothing without any."""
    found = services.disputes.latest()
    if not found:
        return
    ready = sum(_is_ready(services, one) for one in found)
    counts = [t("{count} 条待处理", count=sum(one.is_open for one in found))]
    counts += [t("{ready} 条可以按新版题库重新评分", ready=ready)] if ready else []
    title = t("我的异议（{counts}）", counts=t("，").join(counts))
    with st.expander(title, key="bank.disputes", icon=":material/flag:"):
        st.download_button(
            t("下载 JSON（给题库的作者）"),
            data=services.disputes.exported,
            file_name="mockbot-disputes.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
        )
        for dispute in found[:SHOWN]:
            with st.container(border=True):
                dispute_card(services, dispute)
                _ways(dispute)
        if len(found) > SHOWN:
            st.caption(t("只显示最近 {shown} 条；下载的文件里是全部。", shown=SHOWN))


def _is_ready(services: Services, dispute: Dispute) -> bool:
    bank_now = services.disputes.bank_now(dispute) if dispute.is_open else None
    return bank_now is not None and dispute.is_answerable(bank_now)


def _ways(dispute: Dispute) -> None:
    """Lead to the question and to the report."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            t("看这道题"),
            key=f"open-dispute-{dispute.id}",
            icon=":material/menu_book:",
            type="tertiary",
            on_click=state.open_question,
            args=(dispute.bank_id, dispute.question_id),
        )
        if dispute.session_id is not None:
            st.page_link(
                navigation.REPORT,
                label=t("看这场的报告"),
                icon=":material/assessment:",
                query_params={state.SESSION: dispute.session_id},
            )


@dialog("哪里有问题？")
def _note_about_grade(session_id: str, turn_id: str) -> None:
    about = st.radio(
        t("有问题的是"),
        list(ABOUT_NAMES),
        format_func=lambda one: t(ABOUT_NAMES[one]),
        label_visibility="collapsed",
        key="dispute.about",
    )
    _note(lambda said: state.services().disputes.about_grade(session_id, turn_id, about, said))


@dialog("参考答案有问题")
def _note_about_question(bank_id: str, question_id: str) -> None:
    _note(lambda said: state.services().disputes.about_question(bank_id, question_id, said))


def _note(add: Callable[[str], Dispute]) -> None:
    said = st.text_area(
        t("说明"),
        placeholder=t("例如：我说了“只算新 token”，却判为没有说到。"),
        max_chars=LONGEST_NOTE,
        height=160,
        key="dispute.note",
    )
    st.caption(t("说明会和现在的评分、题库版本一起保存；题库改正以后，可以按新版重新评分。"))
    if st.button(t("提交"), type="primary", key="dispute.send"):
        with error_box():
            add(said)
            state.flash(t("已记下这条异议；在“题库”页的“我的异议”里可以看到。"))
            st.rerun()
