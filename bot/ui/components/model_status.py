"""Who grades now, and what is done in the background for it: a line that keeps itself up to date."""

from __future__ import annotations

import streamlit as st

from bot.services.reporting import escape_markdown
from bot.ui import state
from bot.ui.words import t

_EVERY = 1.0


def model_status() -> None:
    """Begin what the models need, and show how far that is; the page can be used meanwhile."""
    models = state.services().models
    models.begin()
    is_busy = models.busy_says is not None
    st.fragment(_status, run_every=_EVERY if is_busy else None)(was_busy=is_busy)


def _status(*, was_busy: bool) -> None:
    models = state.services().models
    busy = models.busy_says
    if was_busy and busy is None:
        st.rerun()  # the whole page: what it says may have changed elsewhere too
    st.caption(escape_markdown(t(models.says)))
    why_not = state.models_note()
    if why_not is not None:
        st.caption(f":material/key_off: {escape_markdown(t(why_not))}")
    if models.address_note is not None:
        url = models.address  # as code, or the page would make a link of it
        note = escape_markdown(t(models.address_note)).replace(escape_markdown(url), f"`{url}`")
        st.caption(f":material/link: {note}")
    if busy is not None:
        run = models.exam_run
        share = run.done / run.total if run.is_running and run.total else 0.0
        st.progress(share, text=f":material/hourglass_top: {escape_markdown(t(busy))}")
