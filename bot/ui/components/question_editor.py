"""The editor of a question of one's own bank, and the ways to it."""

from __future__ import annotations

import uuid
from functools import partial

import streamlit as st

from bot.bootstrap import Services
from bot.domain.question import SLOT_NAMES, SLOTS_OF_KIND, Kind, Question
from bot.domain.question_edit import PointEdit, QuestionEdit, edit_of
from bot.services.editing import NotSaved
from bot.services.reporting import escape_markdown
from bot.ui import state
from bot.ui.components.error_box import error_box
from bot.ui.words import dialog, t

CONCEPTS_HELP = (
    "每行是一组，各组都要在相近的地方说到；一组里的几种说法用“ / ”隔开（两边各空一格），说到一种就行。"
    "说法里还可以写：读\\~权重（先后出现）、(逐个|一个一个)（任选其一）、{kv}（术语表里的词）。"
)


def edit_button(services: Services, question: Question) -> None:
    """Show what may be changed: the question of one's own bank, or else a copy of it."""
    bank_id = services.bank.id
    if not services.editing.is_own(bank_id):
        if st.button(t("复制到我的题库"), key="question.copy", icon=":material/content_copy:"):
            _copy(bank_id, question.id)
        return
    if st.button(t("编辑"), key="question.edit", icon=":material/edit:"):
        state.keep_edit(state.OpenEdit(uuid.uuid4().hex[:8], bank_id, question))
        st.rerun()
    former = services.editing.former_version(bank_id)
    if former is not None and st.button(
        t("撤销上一版"), key="question.undo", type="tertiary", icon=":material/undo:"
    ):
        _confirm_undo(bank_id, services.bank.name, f"{bank_id}@{former}")


def question_editor(services: Services, edit: state.OpenEdit) -> None:
    """Show the form; what was typed stays until it is stored or given up."""
    question = edit.question
    start = edit_of(question)
    if all(point.generated for point in question.key_points):
        st.caption(
            t(
                ":material/info: 采分点是自动生成的，离线评分按参考答案的分句比较；"
                "改过任一采分点以后，改按概念组判定这道题。"
            )
        )
    blank = PointEdit(slot=SLOTS_OF_KIND[question.kind][0])
    with st.form(f"edit-{edit.token}", enter_to_submit=False):
        area = partial(st.text_area, height="content")
        parts = {
            "conclusion": area(
                t("参考答案：结论"), start.conclusion, key=f"{edit.token}.conclusion"
            ),
            "reason": area(t("参考答案：原因"), start.reason, key=f"{edit.token}.reason"),
            "premise_cost": area(
                t("参考答案：前提/代价"), start.premise_cost, key=f"{edit.token}.premise_cost"
            ),
        }
        points = tuple(
            _point(f"{edit.token}.{number}", number, one, question.kind)
            for number, one in enumerate((*start.points, *[blank] * edit.added), start=1)
        )
        _problems(edit.not_saved)
        with st.container(horizontal=True):
            add = st.form_submit_button(t("加一个采分点"), icon=":material/add:")
            save = st.form_submit_button(t("保存"), type="primary", icon=":material/save:")
            only_remarks = edit.not_saved is not None and not edit.not_saved.problems
            anyway = only_remarks and st.form_submit_button(t("仍然保存"))
            give_up = st.form_submit_button(t("放弃"), type="tertiary")
    if give_up:
        state.keep_edit(None)
        st.rerun()
    if add:
        state.keep_edit(edit._replace(added=edit.added + 1))
        st.rerun()
    if save or anyway:
        _save(services, edit, QuestionEdit(points=points, **parts), despite_remarks=anyway)


def _point(key: str, number: int, start: PointEdit, kind: Kind) -> PointEdit:
    slots = SLOTS_OF_KIND[kind]
    named = t("（编号 {former_id}）", former_id=start.former_id) if start.former_id else ""
    with st.container(border=True):
        says = st.text_area(
            t("采分点 {number}{named}：说什么", number=number, named=named),
            start.says,
            key=f"{key}.says",
            height="content",
        )
        first, second = st.columns(2)
        slot = first.selectbox(
            t("槽位"),
            slots,
            index=slots.index(start.slot),
            format_func=lambda one: t(SLOT_NAMES[one]),
            key=f"{key}.slot",
        )
        weight = second.number_input(t("权重"), 1, 5, start.weight, key=f"{key}.weight")
        concepts = st.text_area(
            t("概念组"),
            start.concepts,
            key=f"{key}.concepts",
            height="content",
            help=t(CONCEPTS_HELP),
            placeholder=t("不必重算 / 不用重算 / 免去重算\n只算新 token / 只为新 token"),
        )
        left, right = st.columns(2)
        core = left.checkbox(t("核心（说反了总分封顶）"), start.core, key=f"{key}.core")
        removed = right.checkbox(t("删去"), start.removed, key=f"{key}.removed")
    return PointEdit(
        former_id=start.former_id,
        says=says,
        slot=slot,
        weight=int(weight),
        core=core,
        concepts=concepts,
        removed=removed,
    )


def _problems(not_saved: NotSaved | None) -> None:
    if not_saved is None:
        return
    for one in not_saved.problems:
        st.error(escape_markdown(t(one)), icon=":material/error:")
    for one in not_saved.remarks:
        st.warning(escape_markdown(t(one)), icon=":material/rule:")
    if not_saved.remarks:
        st.caption(t("还没有保存。改好再保存，或者“仍然保存”。"))


def _save(
    services: Services, edit: state.OpenEdit, typed: QuestionEdit, *, despite_remarks: bool
) -> None:
    with error_box(), st.spinner(t("正在检查……")):
        done = services.editing.save(
            edit.bank_id, edit.question, typed, despite_remarks=despite_remarks
        )
        if isinstance(done, NotSaved):
            state.keep_edit(edit._replace(not_saved=done))
        else:
            state.keep_edit(None)
            more = (
                t("；还有 {count} 处提示没有处理", count=len(done.remarks)) if done.remarks else ""
            )
            state.flash(t("已保存为 {bank}{more}。", bank=done.bank, more=more))
        st.rerun()


@dialog("撤销上一版？")
def _confirm_undo(bank_id: str, now: str, before: str) -> None:
    st.write(
        t("整个题库会从 {now} 回到 {before}；这之间的编辑和导入都不再有。", now=now, before=before)
    )
    if st.button(t("撤销"), type="primary", key="question.undo.yes"):
        with error_box():
            state.flash(t("已回到 {version}。", version=state.services().editing.undo(bank_id)))
            state.keep_edit(None)
            st.rerun()


@dialog("复制到我的题库")
def _copy(bank_id: str, question_id: str) -> None:
    services = state.services().for_bank(bank_id)
    own = [name for name in services.banks.names() if services.editing.is_own(name)]
    st.write(
        t(
            "随附的题库不能改动。复制到自己的题库以后，就可以改正参考答案和采分点，用它来练和评分。已有的题库会得到新的版本，这道题加在后面。"
        )
    )
    name = st.text_input(
        t("题库名（字母、数字、- 和 _）"),
        value=own[0] if own else "my-bank",
        max_chars=64,
        key="question.copy.name",
    )
    if st.button(t("复制"), type="primary", key="question.copy.yes"):
        with error_box():
            bank, chosen = services.bank, name.strip()
            question = bank.find(question_id)
            there = services.editing.copy(question, bank.section_of(question_id), bank, chosen)
            state.open_question(chosen, there)
            state.flash(t("已复制到题库 {chosen}。", chosen=chosen))
            st.rerun()
