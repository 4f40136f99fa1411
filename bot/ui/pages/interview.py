"""The interview: set it up, answer, read the feedback."""

from __future__ import annotations

import random
from collections.abc import Callable

import streamlit as st

from bot.bootstrap import Services
from bot.domain import selection
from bot.domain.delivery import count_units
from bot.domain.session import AnswerKind, FeedbackMode, Session, Turn
from bot.errors import NotFoundError, SessionConflictError
from bot.ports import Hear
from bot.services.reporting import DIFFICULTY_NAMES, NOTHING_GRADED, escape_markdown, minutes
from bot.ui import navigation, state
from bot.ui.components.answer_clock import answer_clock
from bot.ui.components.answer_input import answer_input, put_back_unless_stored
from bot.ui.components.bank_choice import chosen_bank
from bot.ui.components.diagram import diagrams
from bot.ui.components.drawing_box import drawing_box
from bot.ui.components.error_box import error_box
from bot.ui.components.feedback import feedback
from bot.ui.components.first_steps import first_steps
from bot.ui.components.highlight import highlighted
from bot.ui.components.interview_settings import PERSONAS
from bot.ui.components.model_status import model_status
from bot.ui.components.read_aloud import read_aloud
from bot.ui.components.resuming import resume_session
from bot.ui.components.self_score import DECLINED, guess_prompt
from bot.ui.words import content_note, dialog, t

MOST_CALCULATIONS = 4
MODES = {FeedbackMode.AFTER_EACH: "每题答完就看", FeedbackMode.AT_END: "全部答完再看"}


def show() -> None:
    """Show the session that the address names, or the form that begins one."""
    services = state.services()
    state.show_flash()
    services.models.begin()
    name = state.session_id()
    if name is None:
        _setup(services)
        return
    try:
        session = services.store.load(name)
        services = services.for_bank(session.plan.bank_id)
    except NotFoundError:
        state.leave_session()
        st.warning(
            t("没有找到这场面试，可能已被删除；可以在“记录”里查看其他场次，或开始新的一场。"),
            icon=":material/search_off:",
        )
        _setup(services)
        return
    _interview(services, session)


def _setup(services: Services) -> None:
    st.title(t("大模型推理模拟面试"))
    st.markdown(
        t(
            "我来提问和追问，你像真实面试一样作答，每题 60–90 秒。"
            "评分看 **结论 → 原因 → 前提/代价**，说绝对了会扣分。"
        )
    )
    content_note()
    model_status()
    unfinished = st.container()
    first_steps(services)
    services = chosen_bank(services, key="setup.bank")
    bank, likes = services.bank, state.preferences()
    sections = {part.section.id: part.section.title for part in bank.sections}
    # Enter would begin an interview by accident, and its hint is English only.
    with st.form("setup", border=True, enter_to_submit=False):
        chosen = st.pills(
            t("章节（不选表示全部）"),
            list(sections),
            format_func=lambda one: f"{one} {sections[one]}",
            selection_mode="multi",
            key="setup.sections",
        )
        levels = st.pills(
            t("难度（不选表示全部）"),
            list(DIFFICULTY_NAMES),
            format_func=lambda one: t(DIFFICULTY_NAMES[one]),
            selection_mode="multi",
            key="setup.difficulties",
        )
        left, middle, right = st.columns(3)
        count = left.number_input(
            t("题数"), 1, len(bank.questions), min(likes.questions, len(bank.questions))
        )
        tasks = middle.number_input(
            t("计算题"),
            0,
            MOST_CALCULATIONS,
            0,
            help=t("另加几道计算题：数字随机抽取，看结果、单位、公式和假设。"),
            disabled=not bank.calculations,
        )
        probes = right.number_input(t("每题追问（最多）"), 0, 3, 1)
        left, right = st.columns(2)
        mode = left.radio(
            t("看反馈"), list(MODES), format_func=lambda one: t(MODES[one]), horizontal=True
        )
        persona = right.radio(
            t("面试官风格（不影响评分）"),
            list(PERSONAS),
            index=list(PERSONAS).index(likes.persona),
            format_func=lambda one: t(PERSONAS[one]),
            horizontal=True,
        )
        self_score = st.checkbox(
            t("先自评再看分"),
            value=likes.self_score,
            key="setup.self_score",
            help=t("每道题答完先猜自己是几级，再看评分；报告会告诉你估得准不准。"),
        )
        begun = st.form_submit_button(t("开始面试"), type="primary", width="stretch")
    if begun:
        session = state.begin_once(
            services.clock,
            lambda: services.interviews.begin(
                count=int(count),
                rng=random.Random(),  # noqa: S311 - a draw of questions, no secret
                sections=chosen,
                difficulties=levels,
                mode=mode,
                follow_ups=int(probes),
                calculations=int(tasks),
                persona=persona,
                self_score=self_score,
                hear=_listener(services),
            ),
        )
        asked = len(session.plan.question_ids) - int(tasks)
        if asked < count:
            state.flash(t("符合条件的题目只有 {asked} 道，已全部选入。", asked=asked))
        state.open_session(session)
        st.rerun()
    if not selection.matching(bank, sections=chosen, difficulties=levels):
        st.caption(t("没有符合条件的题目；请放宽章节或难度。"))
    # Last: at the first visit the database is opened while the browser draws the form.
    with unfinished:
        _offer_unfinished(services)


def _listener(services: Services) -> Hear | None:
    """Return what shows the interviewer's words as they come; without a model they come at once."""
    if not services.models.is_set:
        return None
    place = st.chat_message("assistant", avatar=":material/record_voice_over:").empty()

    def hear(said: str) -> None:
        place.markdown(escape_markdown(said))

    return hear


def _offer_unfinished(services: Services) -> None:
    found = next((one for one in services.store.summaries(5) if one.finished_at is None), None)
    if found is None:
        return
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.info(
        t("有一场没做完的面试（已作答 {answered} 次）。", answered=found.answered),
        icon=":material/restore:",
    )
    if right.button(t("继续"), width="stretch", key="resume"):
        session = services.store.load(found.id)
        resume_session(services, session)
        state.open_session(session)
        st.rerun()


def _interview(services: Services, session: Session) -> None:
    _header(session)
    for turn in session.turns:
        _turn(services, session, turn)
    if session.to_guess is not None:
        _let_guess(services, session, session.to_guess)
    elif session.waiting or not (session.is_finished or session.current):
        _grade(services, session)
    elif session.is_finished:
        _finished(services, session)
    elif session.current is not None:
        _ask(services, session, session.current)
    services.build_index()


def _grade(services: Services, session: Session) -> None:
    """Grade what waits and go on; also the way back after a crash between answer and grade."""
    # Takes the place of the input of the last question: what is typed there now would be lost.
    st.chat_input(t("评分中……"), key=f"answer-{session.turns[-1].id}", disabled=True)
    services.interviews.go_on(_graded(services, session), _listener(services))
    st.rerun()


def _let_guess(services: Services, session: Session, turn: Turn) -> None:
    """Ask what the candidate expects, and grade meanwhile; only then go on."""
    rubric = services.weights[services.interviews.target_of(turn).rubric_id]
    said = guess_prompt(rubric, turn)
    st.chat_input(t("自评之后继续"), key=f"answer-{turn.id}", disabled=True)
    graded = _graded(services, session)
    if said is None:
        return
    if said != DECLINED:
        graded = services.interviews.guess(graded, turn.id, said)
    _step(lambda: services.interviews.go_on(graded, _listener(services)))


def _graded(services: Services, session: Session) -> Session:
    """Return the session with its answers graded, perhaps by a run that a click cut short."""
    if not session.waiting:
        return session
    with (
        st.spinner(t(services.models.loading_says or "评分中……")),
        state.grading_lock(session.id),
    ):
        latest = services.store.load(session.id)
        return services.interviews.grade_waiting(latest) if latest.waiting else latest


def _header(session: Session) -> None:
    total = len(session.plan.question_ids)
    place = (
        t("已结束")
        if session.is_finished
        else t("第 {count} / {total} 题", count=len(session.asked), total=total)
    )
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.markdown(t("**模拟面试** · {place}", place=place))
    if session.is_finished:
        if right.button(t("新的面试"), key="again", width="stretch"):
            state.leave_session()
            st.rerun()
    elif right.button(
        t("结束面试"), key="finish", width="stretch", disabled=session.current is None
    ):
        _confirm_finish(session.id)


@dialog("结束这场面试？")
def _confirm_finish(session_id: str) -> None:
    services = state.services()
    st.write(t("已经作答的题目会进入报告，当前这题不计。"))
    left, right = st.columns(2)
    if left.button(t("结束并看报告"), type="primary", width="stretch", key="finish.yes"):
        with error_box():
            services.interviews.finish(services.store.load(session_id))
            st.switch_page(navigation.REPORT, query_params={state.SESSION: session_id})
    if right.button(t("继续作答"), width="stretch", key="finish.no"):
        st.rerun()


def _turn(services: Services, session: Session, turn: Turn) -> None:
    with st.chat_message("assistant", avatar=":material/record_voice_over:"):
        st.markdown(escape_markdown(turn.says))
    if turn.answer is None:
        return
    with st.chat_message("user", avatar=":material/person:"):
        if turn.answer.kind is AnswerKind.SKIPPED:
            st.caption(t("跳过"))
        else:
            st.html(highlighted(turn.answer.text or t("（空）"), ()))
            diagrams(turn.answer.text, key=f"drawn-{turn.id}", label=t("作答里的图"))
            st.caption(
                t(
                    "用时 {minutes} · {count_units} 字",
                    minutes=t(minutes(turn.answer.seconds)),
                    count_units=count_units(turn.answer.text),
                )
            )
    is_shown = session.plan.mode is FeedbackMode.AFTER_EACH or session.is_finished
    if is_shown and (session.to_guess is None or session.to_guess.id != turn.id):
        feedback(services, session, turn)


def _ask(services: Services, session: Session, turn: Turn) -> None:
    elapsed = max(0.0, (services.clock.now() - turn.asked_at).total_seconds())
    answer_clock(elapsed=elapsed, key=f"clock-{turn.id}")
    with st.container(horizontal=True):  # side by side on a phone too
        gives_up = st.button(t("不知道"), key=f"dont-know-{turn.id}", width="stretch")
        skips = st.button(t("跳过"), key=f"skip-{turn.id}", width="stretch")
        repeats = st.button(t("重复问题"), key=f"repeat-{turn.id}", width="stretch")
    if gives_up:
        _step(lambda: services.interviews.dont_know(session))
    if skips:
        _step(lambda: services.interviews.skip(session))
    if repeats:
        with st.chat_message("assistant", avatar=":material/record_voice_over:"):
            st.markdown(escape_markdown(turn.says))
    if services.voice.can_hear:
        from bot.ui.components import voice_answer as voice

        silence = voice.hands_free_choice()
        if state.transcript_of(turn.id) is not None:
            _send_spoken(services, session, turn, by_itself=silence is not None)
            return
        if silence is not None:
            voice.record(services, turn, silence)
        else:
            read_aloud(services, turn)
    else:
        read_aloud(services, turn)
    wants_drawing = services.interviews.target_of(turn).drawing
    text = answer_input(
        t("请作答：先结论，再原因，再前提与代价（Enter 发送，Shift+Enter 换行）"),
        key=f"answer-{turn.id}",
        drawn=drawing_box(services, turn) if wants_drawing else None,
        on_clip=(lambda clip: _hear(services, turn, clip)) if services.voice.can_hear else None,
    )
    if text is not None:
        with put_back_unless_stored(f"answer-{turn.id}", text):
            _step(lambda: services.interviews.answer(session, text))


def _hear(services: Services, turn: Turn, clip: bytes) -> None:
    from bot.ui.components.voice_answer import hear

    hear(services, turn, clip)


def _send_spoken(services: Services, session: Session, turn: Turn, *, by_itself: bool) -> None:
    from bot.ui.components.voice_answer import review

    sent = review(services, turn, by_itself=by_itself)
    if sent is None:
        return
    said, speech = sent

    def answer() -> Session:
        stored = services.interviews.answer(session, said, speech)
        state.drop_transcript(turn.id)  # not before: the database may refuse it
        return stored

    _step(answer)


def _step(act: Callable[[], Session]) -> None:
    """Store the step, then run again: the answer is shown and kept before it is graded."""
    try:
        act()
    except SessionConflictError:
        state.flash(t("这场面试在别处有了新进度，已为你载入。"))
    st.rerun()


def _finished(services: Services, session: Session) -> None:
    report = services.report(session)
    st.divider()
    if report.score is None:
        st.info(t("{nothing}。", nothing=t(NOTHING_GRADED)), icon=":material/info:")
    else:
        st.info(
            t(
                "面试结束：{score:g} 分 · {level} 级 {level_name}",
                score=report.score,
                level=report.level,
                level_name=t(report.level_name or ""),
            ),
            icon=":material/flag:",
        )
    st.page_link(
        navigation.REPORT,
        label=t("查看完整报告"),
        icon=":material/assessment:",
        query_params={state.SESSION: session.id},
    )
    st.page_link(navigation.DRILL, label=t("练没说到的要点"), icon=":material/fitness_center:")
    st.page_link(navigation.SCORING, label=t("得分是怎样算出来的"), icon=":material/rule:")


with error_box():
    show()
