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

PASTED = "粘贴的文字.txt"
SHOWN = 5
"""So many questions are shown whole; the table has them all."""


def show() -> None:
    """Show the way from a document to a bank: choose, look, accept; and the way back."""
    services = state.services()
    state.show_flash()
    st.title("导入题目")
    st.markdown(
        "把自己的题目文档变成题库。先预览：看懂了哪些、跳过了哪些、哪些题可能重复；"
        "确认以后才写入，可以撤销，随附的题库不会改动。"
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
    if st.button("预览", type="primary", key="import.preview.button"):
        state.keep_preview(key, None)
        state.keep_preview(key, _preview(services, name, content))
    preview = state.preview_of(key)
    if preview is not None:
        _shown(preview)
        _accept(services, preview)


def _document() -> tuple[str, bytes] | None:
    file_tab, text_tab = st.tabs(["上传文件", "粘贴文字"])
    with file_tab:
        uploaded = st.file_uploader(
            "题目文档（TXT、MD、CSV、XLSX、DOCX、文字版 PDF、JSON、JSONL、YAML；不超过 10 MiB）",
            key="import.file",
        )
    with text_tab:
        text = st.text_area(
            "每题写“问：”和“答：”，或者 Markdown 标题加正文",
            height=220,
            placeholder="问：KV Cache 节省了什么？\n答：……\n追问：……",
            key="import.text",
        )
    if uploaded is not None:
        return uploaded.name, uploaded.getvalue()
    if text.strip():
        return PASTED, text.encode(errors="replace")
    return None


def _preview(services: Services, name: str, content: bytes) -> ImportPreview:
    bar = st.progress(0.0, text="正在读取文档……")

    def show_progress(done: int, total: int) -> None:
        bar.progress(done / total, text=f"按含义查重 {done}/{total}")

    try:
        return services.imports.preview(name, content, show_progress)
    finally:
        bar.empty()


def _shown(preview: ImportPreview) -> None:
    notes = sum(len(draft.follow_ups) for draft in preview.drafts)
    st.success(
        f"认出 {len(preview.drafts)} 道题，{len(preview.sections)} 个章节，{notes} 个追问；"
        f"跳过 {len(preview.skipped)} 处，近似重复 {len(preview.duplicates)} 处。还没有写入。",
        icon=":material/preview:",
    )
    for warning in preview.warnings[:SHOWN]:
        st.caption(escape_markdown(warning))
    if len(preview.warnings) > SHOWN:
        st.caption(f"另有 {len(preview.warnings) - SHOWN} 条提示。")
    understood, skipped, alike = st.tabs(
        [
            f"看懂 {len(preview.drafts)}",
            f"跳过 {len(preview.skipped)}",
            f"近似重复 {len(preview.duplicates)}",
        ]
    )
    with understood:
        _questions(preview)
    with skipped:
        _table(
            [{"位置": one.place, "原因": one.reason, "内容": one.text} for one in preview.skipped]
        )
    with alike:
        st.caption("按题干和答案开头的含义比较；只作提示，不会自动去掉。")
        _table([_alike(one) for one in preview.duplicates])


def _questions(preview: ImportPreview) -> None:
    _table(
        [
            {
                "编号": one.id,
                "章节": one.section.title,
                "题干": one.stem,
                "答案字数": len(one.answer),
                "出处": one.place,
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
        ("结论", reference.conclusion),
        ("原因", reference.reason),
        ("前提/代价", reference.premise_cost),
    ):
        if text.strip():
            st.markdown(f"**{label}**　{escape_markdown(text.strip())}")
    made = "（自动生成）" if any(one.generated for one in question.key_points) else ""
    st.markdown(f"**采分点{made}**")
    st.markdown(
        "\n".join(
            f"- {escape_markdown(excerpt(one.says))}（{SLOT_NAMES[one.slot]}）"
            for one in question.key_points
        )
    )
    for note in draft.follow_ups:
        st.markdown(f"**追问**　{escape_markdown(note.text)}")


def _alike(one: Duplicate) -> dict[str, str | float]:
    where = f"{one.bank_id}/{one.question_id}" if one.bank_id else f"本文件 {one.question_id}"
    return {"题目": one.draft_id, "相似度": one.similarity, "已有的题": where, "题干": one.stem}


def _table(rows: Sequence[Mapping[str, object]]) -> None:
    if rows:
        st.dataframe([dict(row) for row in rows], hide_index=True, width="stretch")
    else:
        st.caption("没有。")


def _accept(services: Services, preview: ImportPreview) -> None:
    with st.form("import.accept", border=True, enter_to_submit=False):
        name = st.text_input(
            "导入到题库（字母、数字、- 和 _）",
            value=services.imports.name_for(preview.name),
            max_chars=64,
            help="已有的题库会得到新的版本：题干相同的题更新，其余追加。",
            key=f"import.name.{preview.name}",
        )
        accepted = st.form_submit_button("导入", type="primary", width="stretch")
    if not accepted:
        return
    done = services.imports.accept(preview, name.strip())
    if done.added or done.changed:
        state.flash(
            f"已导入 {done.bank.name}：新增 {done.added} 道，更新 {done.changed} 道，"
            f"未变 {done.unchanged} 道。"
        )
    else:
        state.flash("没有新内容，题库没有改动。")
    state.keep_preview("", None)
    st.rerun()


def _own_banks(services: Services) -> None:
    names = services.imports.own_banks()
    if not names:
        return
    st.subheader("我的题库")
    for name in names:
        with st.container(border=True, key=f"own-{name}"), error_box():
            _own_bank(services, name)


def _own_bank(services: Services, name: str) -> None:
    title, is_readable = f"**{name}**", False
    with suppress(BankError):
        bank = services.banks.load(name)
        is_readable = True
        title = f"**{bank.title}** · {bank.name} · {len(bank.questions)} 道题"
    left, middle, right = st.columns([3, 1, 1], vertical_alignment="center")
    left.markdown(title)
    with middle:
        st.page_link(
            navigation.INTERVIEW,
            label="用它面试",
            icon=":material/forum:",
            query_params={state.BANK: name},
        )
    if right.button("撤销上次改动", key=f"undo-{name}", type="tertiary"):
        _confirm_undo(name)
    if is_readable:
        point_drafts(services, name)


@st.dialog("撤销上一次改动？")
def _confirm_undo(name: str) -> None:
    st.write(
        f"题库 {name} 会回到上一次改动（导入、采纳草稿或改题）之前；如果它是新导入的，就会移除。"
    )
    if st.button("撤销", type="primary", key="undo.yes"):
        with error_box():
            version = state.services().imports.undo(name)
            back = f"回到 {name}@{version}" if version is not None else "已移除"
            state.flash(f"已撤销：题库 {name} {back}。")
            st.rerun()


with error_box():
    show()
