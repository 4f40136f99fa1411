"""Import: a question document, what was understood of it, and the bank it goes into."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress

import streamlit as st

from bot.bootstrap import Services
from bot.errors import BankError
from bot.services.drafts import Draft, Duplicate, ImportPreview, excerpt
from bot.services.reporting import SLOT_NAMES, escape_markdown
from bot.ui import navigation, state
from bot.ui.components.error_box import error_box
from bot.ui.components.point_drafts import point_drafts
from bot.ui.words import dialog, t

PASTED = "粘贴的文字.txt"
SHOWN = 5
"""So many questions are shown whole; the table has them all."""


def show() -> None:
    """Show the way from a document to a bank: choose, look, accept; and the way back."""
    services = state.services()
    state.show_flash()
    st.title(t("导入题目"))
    st.markdown(
        t(
            "把自己的题目文档变成题库。先预览：看懂了哪些、跳过了哪些、哪些题可能重复；"
            "确认以后才写入，可以撤销，随附的题库不会改动。"
        )
    )
    with error_box():
        _from_document(services)
    _own_banks(services)


def _from_document(services: Services) -> None:
    document = _document()
    if document is None:
        return
    name, content = document
    key = hashlib.sha256(name.encode(errors="replace") + content).hexdigest()
    if st.button(t("预览"), type="primary", key="import.preview.button"):
        state.keep_preview(key, None)
        state.keep_preview(key, _preview(services, name, content))
    preview = state.preview_of(key)
    if preview is not None:
        _shown(preview)
        _accept(services, preview)


def _document() -> tuple[str, bytes] | None:
    file_tab, text_tab = st.tabs([t("上传文件"), t("粘贴文字")])
    with file_tab:
        uploaded = st.file_uploader(
            t("题目文档（TXT、MD、CSV、XLSX、DOCX、文字版 PDF、JSON、JSONL、YAML；不超过 10 MiB）"),
            key="import.file",
        )
    with text_tab:
        text = st.text_area(
            t("每题写“问：”和“答：”，或者 Markdown 标题加正文"),
            height=220,
            placeholder=t("问：KV Cache 节省了什么？\n答：……\n追问：……"),
            key="import.text",
        )
    if uploaded is not None:
        return uploaded.name, uploaded.getvalue()
    if text.strip():
        return t(PASTED), text.encode(errors="replace")
    return None


def _preview(services: Services, name: str, content: bytes) -> ImportPreview:
    bar = st.progress(0.0, text=t("正在读取文档……"))

    def show_progress(done: int, total: int) -> None:
        bar.progress(done / total, text=t("按含义查重 {done}/{total}", done=done, total=total))

    try:
        return services.imports.preview(name, content, show_progress)
    finally:
        bar.empty()


def _shown(preview: ImportPreview) -> None:
    notes = sum(len(draft.follow_ups) for draft in preview.drafts)
    st.success(
        t(
            "认出 {count} 道题，{sections} 个章节，{notes} 个追问；"
            "跳过 {skipped} 处，近似重复 {alike} 处。还没有写入。",
            count=len(preview.drafts),
            sections=len(preview.sections),
            notes=notes,
            skipped=len(preview.skipped),
            alike=len(preview.duplicates),
        ),
        icon=":material/preview:",
    )
    for warning in preview.warnings[:SHOWN]:
        st.caption(escape_markdown(t(warning)))
    if len(preview.warnings) > SHOWN:
        st.caption(t("另有 {count} 条提示。", count=len(preview.warnings) - SHOWN))
    understood, skipped, alike = st.tabs(
        [
            t("看懂 {count}", count=len(preview.drafts)),
            t("跳过 {count}", count=len(preview.skipped)),
            t("近似重复 {count}", count=len(preview.duplicates)),
        ]
    )
    with understood:
        _questions(preview)
    with skipped:
        _table(
            [
                {t("位置"): t(one.place), t("原因"): t(one.reason), t("内容"): one.text}
                for one in preview.skipped
            ]
        )
    with alike:
        st.caption(t("按题干和答案开头的含义比较；只作提示，不会自动去掉。"))
        _table([_alike(one) for one in preview.duplicates])


def _questions(preview: ImportPreview) -> None:
    _table(
        [
            {
                t("编号"): one.id,
                t("章节"): one.section.title,
                t("题干"): one.stem,
                t("答案字数"): len(one.answer),
                t("出处"): t(one.place),
            }
            for one in preview.drafts
        ]
    )
    for draft in preview.drafts[:SHOWN]:
        with st.expander(f"**{draft.id}**　{escape_markdown(excerpt(draft.stem))}"):
            _question(draft)


def _question(draft: Draft) -> None:
    question = draft.question
    if question is None:
        return
    reference = question.reference
    for label, text in (
        (t("结论"), reference.conclusion),
        (t("原因"), reference.reason),
        (t("前提/代价"), reference.premise_cost),
    ):
        if text.strip():
            st.markdown(f"**{label}**　{escape_markdown(text.strip())}")
    made = t("（自动生成）") if any(one.generated for one in question.key_points) else ""
    st.markdown(t("**采分点{made}**", made=made))
    st.markdown(
        "\n".join(
            t(
                "- {says}（{slot}）",
                says=escape_markdown(excerpt(one.says)),
                slot=t(SLOT_NAMES[one.slot]),
            )
            for one in question.key_points
        )
    )
    for note in draft.follow_ups:
        st.markdown(t("**追问**　{text}", text=escape_markdown(note.text)))


def _alike(one: Duplicate) -> dict[str, str | float]:
    where = (
        f"{one.bank_id}/{one.question_id}"
        if one.bank_id
        else t("本文件 {question_id}", question_id=one.question_id)
    )
    return {
        t("题目"): one.draft_id,
        t("相似度"): one.similarity,
        t("已有的题"): where,
        t("题干"): one.stem,
    }


def _table(rows: Sequence[Mapping[str, object]]) -> None:
    if rows:
        st.dataframe([dict(row) for row in rows], hide_index=True, width="stretch")
    else:
        st.caption(t("没有。"))


def _accept(services: Services, preview: ImportPreview) -> None:
    with st.form("import.accept", border=True, enter_to_submit=False):
        name = st.text_input(
            t("导入到题库（字母、数字、- 和 _）"),
            value=services.imports.name_for(preview.name),
            max_chars=64,
            help=t("已有的题库会得到新的版本：题干相同的题更新，其余追加。"),
            key=f"import.name.{preview.name}",
        )
        accepted = st.form_submit_button(t("导入"), type="primary", width="stretch")
    if not accepted:
        return
    done = services.imports.accept(preview, name.strip())
    if done.added or done.changed:
        state.flash(
            t(
                "已导入 {name}：新增 {added} 道，更新 {changed} 道，未变 {unchanged} 道。",
                name=done.bank.name,
                added=done.added,
                changed=done.changed,
                unchanged=done.unchanged,
            )
        )
    else:
        state.flash(t("没有新内容，题库没有改动。"))
    state.keep_preview("", None)
    st.rerun()


def _own_banks(services: Services) -> None:
    names = services.imports.own_banks()
    if not names:
        return
    st.subheader(t("我的题库"))
    for name in names:
        with st.container(border=True, key=f"own-{name}"), error_box():
            _own_bank(services, name)


def _own_bank(services: Services, name: str) -> None:
    title, is_readable = f"**{name}**", False
    with suppress(BankError):
        bank = services.banks.load(name)
        is_readable = True
        title = t(
            "**{title}** · {name} · {count} 道题",
            title=bank.title,
            name=bank.name,
            count=len(bank.questions),
        )
    left, middle, right = st.columns([3, 1, 1], vertical_alignment="center")
    left.markdown(title)
    with middle:
        st.page_link(
            navigation.INTERVIEW,
            label=t("用它面试"),
            icon=":material/forum:",
            query_params={state.BANK: name},
        )
    if right.button(t("撤销上次改动"), key=f"undo-{name}", type="tertiary"):
        _confirm_undo(name)
    if is_readable:
        point_drafts(services, name)


@dialog("撤销上一次改动？")
def _confirm_undo(name: str) -> None:
    st.write(
        t(
            "题库 {name} 会回到上一次改动（导入、采纳草稿或改题）之前；如果它是新导入的，就会移除。",
            name=name,
        )
    )
    if st.button(t("撤销"), type="primary", key="undo.yes"):
        with error_box():
            version = state.services().imports.undo(name)
            back = (
                t("回到 {name}@{version}", name=name, version=version)
                if version is not None
                else t("已移除")
            )
            state.flash(t("已撤销：题库 {name} {back}。", name=name, back=back))
            st.rerun()


with error_box():
    show()
