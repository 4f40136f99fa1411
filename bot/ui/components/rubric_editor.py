"""Rubrics of the user's own: written as text, tried on a sample answer at once, and used."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bot.bootstrap import Services
from bot.domain.grade import Ungraded
from bot.domain.rubric import OwnRubric, Rubric
from bot.errors import BotError
from bot.services.grading import Grader
from bot.services.own_rubrics import Sample, Weighed, sample_for, weighed
from bot.services.reporting import escape_markdown
from bot.ui import chosen, state
from bot.ui.components.rubric_view import rubric_view
from bot.ui.words import dialog, t

MAIN = "structured-answer"
"""The rubric of most questions."""

_TEXT, _OPEN, _NEXT = "settings.rubric.text", "settings.rubric.open", "settings.rubric.next"


def rubric_editor(base: Services) -> None:
    """Show which rubric grades, and the editor."""
    own = state.services().own_rubrics.all()
    _choices(base, own)
    st.subheader(t("自己的评分标准"))
    st.markdown(
        t(
            "复制一份随附的评分标准，改分值、封顶、等级线或维度；改完马上能看到示例作答的得分怎样变化。"
            "之后的评分会写明它的名字和版本，与别的评分标准的得分不能直接比较。"
        )
    )
    _begin(own)
    text = st.session_state.get(_TEXT)
    if text is not None:
        _edit(base, own)


def _choices(base: Services, own: tuple[OwnRubric, ...]) -> None:
    """Show each shipped rubric, and which one grades in its place."""
    st.subheader(t("用哪份评分标准"))
    saved = chosen.preferences(base)
    for name, rubric in _in_order(base.commons.rubrics).items():
        mine = {one.rubric.id: one.rubric for one in own if one.rubric.based_on == name}
        used = mine.get(saved.rubrics.get(name, ""), rubric)
        title = t(rubric.title)
        label = t("{title}（{name}）", title=escape_markdown(title), name=used.name)
        with st.expander(label, icon=":material/rule:"):
            if mine:
                _choice(base, name, used, {name: rubric, **mine})
            rubric_view(used)


def _in_order(shipped: Mapping[str, Rubric]) -> dict[str, Rubric]:
    """Return the rubrics, that of most questions first."""
    return dict(sorted(shipped.items(), key=lambda one: one[0] != MAIN))


def _choice(base: Services, shipped_id: str, used: Rubric, rubrics: Mapping[str, Rubric]) -> None:
    """Ask which of the rubrics grades in the place of the shipped one."""
    names = {one: rubric.name for one, rubric in rubrics.items()}
    wanted = st.radio(
        t("用来评分的"),
        list(names),
        index=list(names).index(used.id),
        format_func=names.__getitem__,
        # Another key once it is chosen elsewhere, such as by saving a rubric.
        key=f"settings.rubric.{shipped_id}.{used.id}",
        horizontal=True,
    )
    if wanted != used.id:
        _use(base, shipped_id, None if wanted == shipped_id else wanted)
        st.rerun()


def _begin(own: tuple[OwnRubric, ...]) -> None:
    """Offer a text to begin with: a copy, one of the user's own, or a file."""
    rubrics = state.services().own_rubrics
    shipped = _in_order(state.services().commons.rubrics)
    options = [*(f"own:{one.rubric.id}" for one in own), *(f"copy:{name}" for name in shipped)]
    titles = {f"own:{one.rubric.id}": one.rubric.name for one in own}
    titles |= {
        f"copy:{name}": t("复制 {name}（{title}）", name=name, title=t(one.title))
        for name, one in shipped.items()
    }
    texts = {one.rubric.id: one.text for one in own}
    if _NEXT in st.session_state:  # saved a moment ago, under its new version
        st.session_state[_OPEN] = st.session_state.pop(_NEXT)
        st.session_state[_TEXT] = texts[st.session_state[_OPEN].removeprefix("own:")]
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    picked = left.selectbox(
        t("从哪份开始"), options, format_func=lambda one: titles[one], key=_OPEN
    )
    if right.button(
        t("打开"), key="settings.rubric.begin", icon=":material/edit:", width="stretch"
    ):
        kind, _, name = str(picked).partition(":")
        st.session_state[_TEXT] = texts[name] if kind == "own" else rubrics.copy_of(name)
    file = st.file_uploader(
        t("或上传 YAML 文件"), type=["yaml", "yml"], key="settings.rubric.file", max_upload_size=1
    )
    if file is not None and st.session_state.get("settings.rubric.taken") != file.file_id:
        st.session_state["settings.rubric.taken"] = file.file_id
        try:
            st.session_state[_TEXT] = file.getvalue().decode("utf-8-sig")
        except UnicodeDecodeError:
            st.error(t("文件不是 UTF-8 编码；请另存为 UTF-8。"), icon=":material/error:")


def _edit(base: Services, own: tuple[OwnRubric, ...]) -> None:
    text = str(st.text_area(t("评分标准（YAML）"), key=_TEXT, height=420))
    rubrics = state.services().own_rubrics
    rubric: Rubric | None = None
    try:
        rubric = rubrics.checked(text)
    except BotError as error:
        st.error(escape_markdown(t(str(error))), icon=":material/error:")
    with st.container(horizontal=True):
        if st.button(
            t("使用这份评分标准"),
            type="primary",
            key="settings.rubric.use",
            icon=":material/check:",
            disabled=rubric is None,
        ):
            _keep(base, text)
        st.download_button(
            t("下载"),
            data=text,
            file_name=f"{rubric.id if rubric else 'rubric'}.yaml",
            mime="application/yaml",
            icon=":material/download:",
            on_click="ignore",
        )
        is_stored = rubric is not None and any(one.rubric.id == rubric.id for one in own)
        if (
            rubric is not None
            and is_stored
            and st.button(
                t("删除"), key="settings.rubric.delete", type="tertiary", icon=":material/delete:"
            )
        ):
            _confirm_delete(rubric.id)
    if rubric is not None:
        _sample(base, rubric)


def _keep(base: Services, text: str) -> None:
    saved = state.services().own_rubrics.save(text)
    _use(base, str(saved.based_on), saved.id)
    st.session_state[_NEXT] = f"own:{saved.id}"
    state.flash(t("已保存为 {name}，之后的评分用它。", name=saved.name))
    st.rerun()


def _use(base: Services, shipped_id: str, own_id: str | None) -> None:
    saved = chosen.preferences(base)
    others = {name: one for name, one in saved.rubrics.items() if name != shipped_id}
    mine = {} if own_id is None else {shipped_id: own_id}
    chosen.save(base, saved.model_copy(update={"rubrics": {**others, **mine}}))
    chosen.forget()


@dialog("删除这份评分标准？")
def _confirm_delete(rubric_id: str) -> None:
    st.write(t("所有版本一起删除；用它评过的得分还在。之后改用随附的评分标准。"))
    if st.button(t("删除"), type="primary", key="settings.rubric.delete.yes"):
        base = state.shared_services()
        state.services().own_rubrics.delete(rubric_id)
        saved = chosen.preferences(base)
        kept = {name: own for name, own in saved.rubrics.items() if own != rubric_id}
        chosen.save(base, saved.model_copy(update={"rubrics": kept}))
        chosen.forget()
        del st.session_state[_TEXT]
        state.flash(t("已删除。"))
        st.rerun()


def _sample(base: Services, rubric: Rubric) -> None:
    """Grade a sample answer under both rubrics, offline and at once."""
    services = base.for_bank(state.wanted_bank() or base.bank.id)
    shipped = base.commons.rubrics[str(rubric.based_on)]
    sample = sample_for(services.bank, shipped.id)
    st.markdown(f"**{t('示例作答的得分怎样变化')}**")
    if sample is None:
        st.caption(t("这个题库没有用这份评分标准的题目，看不到示例。"))
        return
    st.caption(escape_markdown(sample.target.stem))
    answer = st.text_area(
        t("示例作答（可以改）"),
        sample.answer,
        key=f"settings.sample.{sample.target.id}",
        height=120,
    )

    def grader_of(one: Rubric) -> Grader:
        return services.commons.grader_with(
            services.offline_judge, services.bank, rubrics={**base.commons.rubrics, shipped.id: one}
        )

    found = weighed(Sample(sample.target, answer), rubric, shipped, grader_of)
    if isinstance(found, Ungraded):
        st.warning(escape_markdown(t(found.message)), icon=":material/pending:")
        return
    _changes(found, shipped, rubric)


def _changes(found: Weighed, shipped: Rubric, own: Rubric) -> None:
    before, after = found.before, found.after
    left, right = st.columns(2)
    left.metric(shipped.name, t("{score:g} 分", score=before.score), border=True)
    change = round(after.score - before.score, 1)
    right.metric(
        t("自己的（{name}）", name=own.id),
        t("{score:g} 分", score=after.score),
        f"{change:+g}" if change else None,
        border=True,
    )
    st.table(
        [
            {
                t("维度"): escape_markdown(t(row.title)),
                t("改前"): _points(row.before, row.before_max),
                t("改后"): _points(row.after, row.after_max),
            }
            for row in found.rows
        ]
        + [
            {
                t("维度"): t("等级"),
                t("改前"): f"{before.level} {escape_markdown(t(found.before_name))}",
                t("改后"): f"{after.level} {escape_markdown(t(found.after_name))}",
            }
        ],
        border="horizontal",
        hide_index=True,
    )
    st.caption(t("由离线评分按两份评分标准各算一次；没有改动的维度得分相同。"))


def _points(points: float | None, most: float | None) -> str:
    return "—" if points is None or most is None else f"{points:g} / {most:g}"
