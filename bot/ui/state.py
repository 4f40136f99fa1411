"""What the pages keep: the shared services, and the session id in the address."""

from __future__ import annotations

import logging
from typing import Any

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import Session
from bot.services.drafts import ImportPreview
from bot.settings import read_settings, unknown_variables

SESSION = "session"
"""The query parameter that names the session, so that a reload goes on with it."""

BANK = "bank"
"""The query parameter that names the bank for the next interview."""

_PREVIEW = "import.preview"

_log = logging.getLogger(__name__)


@st.cache_resource(show_spinner=False)
def services() -> Services:
    """Return the services of this process, shared by all browser sessions."""
    settings = read_settings()
    logging.getLogger("bot").setLevel(settings.log_level)
    for name in unknown_variables():
        _log.warning("unknown setting %s", name)
    return Services(settings)


def session_id() -> str | None:
    """Return the session that the address names."""
    return st.query_params.get(SESSION) or None


def open_session(session: Session) -> None:
    """Put the session into the address."""
    st.query_params[SESSION] = session.id


def leave_session() -> None:
    """Take the session out of the address."""
    st.query_params.pop(SESSION, None)


def wanted_bank() -> str | None:
    """Return the bank that the address names for the next interview."""
    return st.query_params.get(BANK) or None


def keep_preview(key: str, preview: ImportPreview | None) -> None:
    """Keep the preview of the document with that key, and no other."""
    st.session_state[_PREVIEW] = (key, preview)


def preview_of(key: str) -> ImportPreview | None:
    """Return the preview of the document with that key, if it is the one that was kept."""
    kept: Any = st.session_state.get(_PREVIEW)
    return kept[1] if kept is not None and kept[0] == key else None


def flash(sentence: str) -> None:
    """Keep a sentence for the next run."""
    st.session_state["flash"] = sentence


def show_flash() -> None:
    """Show the sentence that was kept, once."""
    sentence: Any = st.session_state.pop("flash", None)
    if sentence:
        st.toast(str(sentence), icon=":material/info:")
