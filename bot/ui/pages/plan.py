"""The study plan: a posting or résumé becomes questions with reasons, edited and asked in a session."""

from __future__ import annotations

from functools import partial

import streamlit as st

from bot.bootstrap import Services
from bot.domain import progress
from bot.domain.plan import FEWEST, MOST, Pick, StudyPlan
from bot.domain.weakness import Weakness, weakness_of
from bot.errors import BankError, NotFoundError
from bot.services.reporting import DIFFICULTY_NAMES, escape_markdown
from bot.ui import navigation, state
from bot.ui.components.bank_choice import chosen_bank
from bot.ui.components.error_box import error_box
from bot.ui.words import dialog, t


def show() -> None:
    """Show the way from a text to an interview: paste, look and edit, begin; and stored plans."""
    services = state.services()
    state.show_flash()
    st.title(t("备考计划"))
    st.markdown(
        t(
            "贴上职位描述或简历，按含义和你自己的薄弱环节选题；每题写明入选理由，可以改，再开始面试。"
        )
    )
    st.caption(t("文字只留在这次打开的页面里：不发送给模型，也不保存，除非你在下面要求保存。"))
    _from_text(services)
    plan = state.open_plan()
    if plan is not None:
        with error_box():
            _edit(services.for_bank(plan.bank_id), plan)
    with error_box():
        _stored(services)


def _from_text(services: Services) -> None:
    services = chosen_bank(services, key="plan.bank")
    services.build_index()
    # In a form: outside of one, the hint of a text area is English only.
    with st.form("plan.form", border=False, enter_to_submit=False):
        text_tab, file_tab = st.tabs([t("粘贴文字"), t("上传文件")])
        text = text_tab.text_area(
            t("职位描述或简历"),
            height=200,
            placeholder=t("岗位职责：……\n任职要求：……"),
            key="plan.text",
        )
        uploaded = file_tab.file_uploader(
            t("PDF、DOCX、TXT 或 MD（文字版，不超过 10 MiB）"),
            type=["pdf", "docx", "txt", "md"],
            key="plan.file",
        )
        file_tab.caption(t("上传了文件就以文件为准。"))
        count = st.slider(t("选几道题"), FEWEST, MOST, 10, key="plan.count")
        mind = st.checkbox(t("结合我的薄弱环节"), value=True, key="plan.weak")
        made = st.form_submit_button(t("生成计划"), type="primary", width="stretch")
    if not made:
        return
    with error_box():
        if uploaded is not None:
            text = services.planner.read(uploaded.name, uploaded.getvalue())
        if not text.strip():
            st.warning(t("请先贴上文字或上传文件。"), icon=":material/edit:")
            return
        state.keep_plan(_made(services, text, count, mind=mind))


def _made(services: Services, text: str, count: int, *, mind: bool) -> StudyPlan:
    bar = st.progress(0.0, text=t("正在选题……"))

    def advance(done: int, total: int) -> None:
        bar.progress(done / total, text=t("正在按内容选题 {done}/{total}", done=done, total=total))

    by_words = not services.index_state.is_ready
    try:
        made = services.planner.plan(
            text,
            count=count,
            search=partial(services.retrieval.search, by_words_only=by_words),
            weakness=_weakness(services) if mind else None,
            advance=advance,
        )
    finally:
        bar.empty()
    if made.left_out:
        st.caption(
            t(
                "文字很长，只看了前 {statements} 句，后面 {left_out} 句没有看。",
                statements=made.statements,
                left_out=made.left_out,
            )
        )
    return made.plan


def _weakness(services: Services) -> Weakness:
    series = progress.series_of(services.store.attempts.all(), state.zone())
    return weakness_of(series, services.settings.bank)


def _edit(services: Services, plan: StudyPlan) -> None:
    st.subheader(t("计划：{count} 道题", count=len(plan.picks)))
    if not plan.by_meaning:
        st.warning(
            t("检索索引还没有就绪，这份计划只按词选题；索引建好以后可以重新生成。"),
            icon=":material/manage_search:",
        )
    if not plan.picks:
        st.info(t("计划是空的；可以在下面加题，或重新生成。"), icon=":material/checklist:")
    if plan.text:
        with st.expander(t("原文"), icon=":material/description:"):
            st.text(plan.text)
    for at, pick in enumerate(plan.picks):
        _pick(services, plan, pick, at)
    _add(services, plan)
    if plan.picks and st.button(
        t("用这份计划开始面试"), type="primary", key="plan.begin", width="stretch"
    ):
        session = services.interviews.begin_with(plan.question_ids)
        st.switch_page(navigation.INTERVIEW, query_params={state.SESSION: session.id})
    _save(services, plan)


def _pick(services: Services, plan: StudyPlan, pick: Pick, at: int) -> None:
    with st.container(border=True, key=f"pick-{pick.question_id}"):
        try:
            question = services.bank.find(pick.question_id)
        except NotFoundError:
            st.markdown(
                t(
                    "**{question_id}**　题库里已经没有这道题，请移除。",
                    question_id=escape_markdown(pick.question_id),
                )
            )
        else:
            section = services.bank.section_of(question.id)
            st.markdown(f"{at + 1}. **{question.id}**　{escape_markdown(question.stem)}")
            st.caption(
                f"{section.id} {escape_markdown(section.title)} · "
                f"{t(DIFFICULTY_NAMES[question.difficulty])}"
            )
            st.markdown(
                "  \n".join(
                    f":material/subdirectory_arrow_right: {escape_markdown(t(reason.says))}"
                    for reason in pick.reasons
                )
            )
        name = pick.question_id
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button(t("上移"), key=f"up-{name}", disabled=at == 0, type="tertiary"):
                _change(plan.moved(name, -1))
            last = at == len(plan.picks) - 1
            if st.button(t("下移"), key=f"down-{name}", disabled=last, type="tertiary"):
                _change(plan.moved(name, 1))
            if st.button(t("移除"), key=f"remove-{name}", type="tertiary"):
                _change(plan.without(name))


def _change(plan: StudyPlan) -> None:
    state.keep_plan(plan)
    st.rerun()


def _add(services: Services, plan: StudyPlan) -> None:
    text = st.text_input(
        t("再加一题：查找"),
        placeholder=t("例如：KV 显存怎么算"),
        key="plan.search",
        max_chars=200,
        live="400ms",  # without it the field says "Press Enter to apply"
    )
    if not text.strip():
        return
    by_words = not services.index_state.is_ready
    found = services.retrieval.search(text, limit=5, by_words_only=by_words)
    others = [one.question_id for one in found if one.question_id not in plan.question_ids]
    if not others:
        st.caption(t("没有找到别的题；换几个词试试。"))
    for question_id in others:
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.markdown(f"**{question_id}**　{escape_markdown(services.bank.find(question_id).stem)}")
        if right.button(t("加入"), key=f"add-{question_id}"):
            _change(plan.added(question_id))


def _save(services: Services, plan: StudyPlan) -> None:
    with st.expander(t("保存这份计划"), icon=":material/save:"):
        st.caption(
            t("默认只保存题目和入选理由（理由里有引用的短句），存在本机的数据库里，随时可以删除。")
        )
        title = st.text_input(
            t("名称"), value=plan.title, max_chars=60, key=f"plan.title-{plan.id}"
        )
        with_text = st.checkbox(t("连同原文一起保存"), key="plan.with_text", disabled=not plan.text)
        if st.button(t("保存"), key="plan.save"):
            named = plan.model_copy(update={"title": title.strip() or plan.title})
            services.store.plans.save(named.to_keep(with_text=with_text))
            state.keep_plan(named)
            state.flash(t("已保存。"))
            st.rerun()


def _stored(services: Services) -> None:
    plans = services.store.plans.all()
    if not plans:
        return
    st.subheader(t("保存的计划"))
    zone = state.zone()
    for plan in plans:
        with st.container(border=True, key=f"plan-{plan.id}"):
            st.markdown(f"**{escape_markdown(plan.title)}**")
            st.caption(
                t(
                    "{made:%Y-%m-%d %H:%M} · {count} 道题 · 题库 {bank_id} · {text}",
                    made=plan.made_at.astimezone(zone),
                    count=len(plan.picks),
                    bank_id=escape_markdown(plan.bank_id),
                    text=t("含原文") if plan.text else t("不含原文"),
                )
            )
            with st.container(horizontal=True):
                if st.button(t("打开"), key=f"open-{plan.id}"):
                    _open(services, plan)
                if st.button(t("删除"), key=f"delete-{plan.id}", type="tertiary"):
                    _confirm_delete(plan.id)


def _open(services: Services, plan: StudyPlan) -> None:
    try:
        services.for_bank(plan.bank_id)
    except (BankError, NotFoundError):
        raise NotFoundError(
            f"这份计划用的题库 {plan.bank_id!r} 现在读不了；请恢复题库，或删除这份计划。"
        ) from None
    state.keep_plan(plan)
    st.rerun()


@dialog("删除这份计划？")
def _confirm_delete(plan_id: str) -> None:
    st.write(t("题目清单和保存的文字会一起删除，不能恢复；做过的面试不受影响。"))
    if st.button(t("删除"), type="primary", key="plan.delete.yes"):
        with error_box():
            state.services().store.plans.delete(plan_id)
            state.flash(t("已删除。"))
            st.rerun()


with error_box():
    show()
