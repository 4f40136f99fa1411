"""The recordings of a session that were kept: how many, and how to be rid of them."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import Session
from bot.ui import state
from bot.ui.components.error_box import error_box
from bot.ui.words import dialog, t


def session_recordings(services: Services, session: Session) -> None:
    """Offer to delete the recordings; nothing where there are none."""
    kept = services.voice.recordings.of_session(session.id)
    if not kept:
        return
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.caption(t("保留了 {count} 段录音。", count=len(kept)))
    if right.button(
        t("删除本场录音"), key="recordings.delete", icon=":material/delete:", width="stretch"
    ):
        _confirm(session.id)


@dialog("删除本场录音？")
def _confirm(session_id: str) -> None:
    st.write(t("录音不能恢复；转写的文字和评分不受影响。"))
    if st.button(t("删除"), type="primary", key="recordings.delete.yes"):
        with error_box():
            state.services().delete_recordings(session_id)
            state.flash(t("录音已删除。"))
            st.rerun()
