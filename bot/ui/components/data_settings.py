"""What is stored of this user: to take along, and to delete."""

from __future__ import annotations

from functools import partial

import streamlit as st

from bot.bootstrap import Services, own_data
from bot.ui import chosen, state
from bot.ui.components.error_box import error_box
from bot.ui.words import dialog, t

WORD = "删除"
"""What has to be typed before everything is deleted, in any language."""


def data_settings(base: Services) -> None:
    """Offer a copy of everything, and to delete everything; say what becomes of recordings."""
    st.subheader(t("导出"))
    st.markdown(
        t(
            "面试记录与评分、训练卡组、备考计划、异议、自己的题库与评分标准、设置和保留的录音，打包成一个 ZIP；"
            "密钥不在里面，它从不保存。"
        )
    )
    st.download_button(
        t("导出我的全部数据"),
        data=partial(own_data.export, base),
        file_name="mockbot-data.zip",
        mime="application/zip",
        icon=":material/download:",
        on_click="ignore",
    )
    st.subheader(t("录音"))
    if base.settings.keep_audio:
        st.markdown(
            t(
                "录音保留在服务器的数据文件夹里（BOT_KEEP_AUDIO=true）。"
                "删除一场面试时，它的录音一起删除；报告页也可以只删除录音。"
            )
        )
    else:
        st.markdown(
            t("录音转写之后就丢弃，不保留；要保留，请设置 BOT_KEEP_AUDIO=true 后重新启动。")
        )
    st.subheader(t("删除"))
    st.markdown(t("删除我在这里的全部数据，不能恢复；请先导出。随附的题库和评分标准不受影响。"))
    if st.button(t("删除我的全部数据"), key="settings.delete", icon=":material/delete_forever:"):
        _confirm()


@dialog("删除我的全部数据？")
def _confirm() -> None:
    st.write(t("面试记录、评分、训练卡组、计划、题库、评分标准、设置和录音都会删除，不能恢复。"))
    typed = st.text_input(t("输入“删除”两个字来确认"), key="settings.delete.word")
    if not st.button(t("全部删除"), type="primary", key="settings.delete.yes"):
        return
    if typed.strip().lower() not in (WORD, t(WORD).lower()):
        st.error(t("没有删除：请在上面输入“删除”两个字。"), icon=":material/error:")
        return
    with error_box():
        own_data.delete(state.shared_services())
        chosen.forget()
        state.flash(t("已删除你的全部数据。"))
        st.rerun()
