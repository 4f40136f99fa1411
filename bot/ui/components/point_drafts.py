"""Key points that a model drafted, beside the derived ones: accepted, edited or rejected one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from bot.bootstrap import Services
from bot.bootstrap.drafting import point_drafting
from bot.domain import concept_lines
from bot.domain.question import SLOT_NAMES, SLOTS_OF_KIND, KeyPoint, Question
from bot.domain.question_edit import PointEdit
from bot.errors import BotError, JudgeReplyError
from bot.prompts.enrich import HIGHEST_WEIGHT
from bot.services.drafts import excerpt
from bot.services.point_drafting import Accepted, Decision, PointDrafting, PointDrafts
from bot.services.reporting import escape_markdown
from bot.ui import state
from bot.ui.words import t

SHOWN = 5
"""So many questions are shown at a time; the next ones follow as these are decided."""

AT_ONCE = 10
"""So many questions are drafted in one go unless more are asked for."""


@dataclass
class _Kept:
    """What this browser session has of a bank's drafts; what was accepted is in the bank."""

    drafts: dict[str, PointDrafts] = field(default_factory=dict)
    rejected: set[str] = field(default_factory=set)
    problems: tuple[str, ...] = ()
    """What the last step could not do."""


def point_drafts(services: Services, bank_id: str) -> None:
    """Show what is left to draft in a bank of one's own, and the drafts that wait for a word."""
    drafting = point_drafting(services)
    waiting = drafting.waiting(bank_id)
    if not waiting:
        return
    if not services.models.is_set:
        st.caption(
            t(
                "{count} 道题的采分点是由答案自动生成的；配置语言模型（BOT_MODEL）后，"
                "可以让它写草稿，由你逐条采纳。",
                count=len(waiting),
            )
        )
        return
    kept = _kept(bank_id)
    current = {one.id: one for one in waiting}
    # A draft of a question that was changed or accepted elsewhere is worth nothing any more.
    kept.drafts = {id_: one for id_, one in kept.drafts.items() if current.get(id_) == one.question}
    left = [one for one in waiting if one.id not in kept.drafts and one.id not in kept.rejected]
    _generate(drafting, bank_id, kept, left, total=len(waiting))
    for problem in kept.problems:
        st.error(escape_markdown(problem), icon=":material/error:")
    if kept.drafts:
        _decide(drafting, bank_id, kept)


def _kept(bank_id: str) -> _Kept:
    kept: _Kept = st.session_state.setdefault(f"point-drafts-{bank_id}", _Kept())
    return kept


def _generate(
    drafting: PointDrafting, bank_id: str, kept: _Kept, left: Sequence[Question], *, total: int
) -> None:
    """Offer to draft; each draft is kept as it comes, so that an interruption loses none."""
    if not left:
        return
    first, second = st.columns([2, 3], vertical_alignment="bottom")
    count = first.number_input(
        t("这次处理几道（还有 {total} 道是自动生成的）", total=total),
        1,
        len(left),
        min(AT_ONCE, len(left)),
        key=f"draft-count-{bank_id}",
    )
    if not second.button(
        t("用模型生成采分点草稿"),
        key=f"draft-{bank_id}",
        icon=":material/auto_awesome:",
        width="stretch",
    ):
        return
    chosen = left[: int(count)]
    bar = st.progress(0.0, text=t("模型正在写草稿 0/{count}", count=len(chosen)))
    kept.problems = ()
    for done, question in enumerate(chosen, start=1):
        try:
            kept.drafts[question.id] = drafting.draft(bank_id, question)
        except JudgeReplyError as error:
            kept.problems = (*kept.problems, t(str(error)))
        except BotError as error:  # the next question would fare no better
            kept.problems = (*kept.problems, t(str(error)))
            break
        bar.progress(
            done / len(chosen),
            text=t("模型正在写草稿 {done}/{count}", done=done, count=len(chosen)),
        )
    st.rerun()


def _decide(drafting: PointDrafting, bank_id: str, kept: _Kept) -> None:
    pending = list(kept.drafts.values())
    points = sum(len(one.points) for one in pending)
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(
        t(
            "**草稿 {count} 道题、{points} 个采分点**，还没有写入题库。",
            count=len(pending),
            points=points,
        )
    )
    if right.button(t("全部采纳"), key=f"accept-all-{bank_id}", width="stretch"):
        decisions = [
            Decision(question=one.question, points=tuple(map(_as_edit, one.points)))
            for one in pending
        ]
        _stored(drafting.accept(bank_id, decisions), kept)
    for one in pending[:SHOWN]:
        with st.container(border=True, key=f"draft-of-{bank_id}-{one.question.id}"):
            _one(drafting, bank_id, kept, one)
    if len(pending) > SHOWN:
        st.caption(
            t("另有 {count} 道题的草稿，处理完上面的会接着显示。", count=len(pending) - SHOWN)
        )


def _one(drafting: PointDrafting, bank_id: str, kept: _Kept, one: PointDrafts) -> None:
    question = one.question
    st.markdown(f"**{question.id}**　{escape_markdown(excerpt(question.stem))}")
    with st.expander(t("参考答案"), icon=":material/menu_book:"):
        st.markdown(escape_markdown(question.reference.joined))
    derived, drafted = st.columns([2, 3])
    with derived:
        st.markdown(t("**自动生成的**"))
        _derived(question)
    with drafted:
        st.markdown(t("**{model} 的草稿**", model=escape_markdown(one.model)))
        for sentence in one.dropped:
            st.caption(t("已丢弃：{sentence}", sentence=escape_markdown(t(sentence))))
        edits, said = _form(bank_id, one)
    if said == "accept":
        _stored(
            drafting.accept(bank_id, [Decision(question=question, points=edits)]),
            kept,
        )
    elif said == "reject":
        kept.rejected.add(question.id)
        del kept.drafts[question.id]
        st.rerun()


def _derived(question: Question) -> None:
    st.markdown(
        "\n".join(
            t(
                "- {says}（{slot}）{accepted}",
                says=escape_markdown(excerpt(point.says)),
                slot=t(SLOT_NAMES[point.slot]),
                accepted="" if point.generated else t("：已采纳，保留"),
            )
            for point in question.key_points
        )
    )


def _form(bank_id: str, one: PointDrafts) -> tuple[tuple[PointEdit, ...], str | None]:
    """Show the drafts of one question; return those that are ticked, and what was pressed."""
    key = f"points-{bank_id}-{one.question.id}"
    with st.form(key, border=False, enter_to_submit=False):
        edits = [_point(f"{key}-{point.id}", one.question, point) for point in one.points]
        left, right = st.columns(2)
        accepts = left.form_submit_button(t("采纳勾选的"), type="primary", width="stretch")
        rejects = right.form_submit_button(t("都不要"), width="stretch")
    taken = tuple(edit for edit in edits if not edit.removed)
    if accepts and not taken:
        st.warning(t("没有勾选任何一条；都不要请按“都不要”。"), icon=":material/edit:")
        return (), None
    return taken, "accept" if accepts else "reject" if rejects else None


def _point(key: str, question: Question, point: KeyPoint) -> PointEdit:
    slots = SLOTS_OF_KIND[question.kind]
    wanted = st.checkbox(
        t(
            "{says}（{slot}，权重 {weight}）",
            says=escape_markdown(point.says),
            slot=t(SLOT_NAMES[point.slot]),
            weight=point.weight,
        ),
        value=True,
        key=f"{key}-take",
    )
    with st.expander(t("修改"), icon=":material/edit:"):
        says = st.text_input(t("说什么"), value=point.says, key=f"{key}-says")
        left, right = st.columns(2)
        slot = left.selectbox(
            t("槽位"),
            slots,
            index=slots.index(point.slot),
            format_func=lambda one: t(SLOT_NAMES[one]),
            key=f"{key}-slot",
        )
        weight = right.number_input(t("权重"), 1, HIGHEST_WEIGHT, point.weight, key=f"{key}-weight")
        concepts = st.text_area(
            t("概念组：每行一组，写法之间用 / 隔开（两边空格）"),
            value=concept_lines.lines_of(point.concepts),
            key=f"{key}-concepts",
        )
    return PointEdit(
        says=says,
        slot=slot or point.slot,
        weight=int(weight),
        concepts=concepts,
        removed=not wanted,
    )


def _as_edit(point: KeyPoint) -> PointEdit:
    return PointEdit(
        says=point.says,
        slot=point.slot,
        weight=point.weight,
        concepts=concept_lines.lines_of(point.concepts),
    )


def _stored(done: Accepted, kept: _Kept) -> None:
    """Tell what was stored; what was not stays where it can be mended."""
    for id_ in done.question_ids:
        kept.drafts.pop(id_, None)
    kept.problems = done.problems
    if done.bank is not None:
        state.flash(
            t("已采纳 {points} 个采分点，题库现在是 {bank}。", points=done.points, bank=done.bank)
        )
    st.rerun()
