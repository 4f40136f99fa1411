"""The boundary of a page: our errors become a sentence, all others an id and a log entry."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from bot.errors import BotError
from bot.services.reporting import escape_markdown
from bot.ui.words import t

_log = logging.getLogger(__name__)


@contextmanager
def error_box() -> Iterator[None]:
    """Show what went wrong inside; nothing is lost, for answers are stored before they are graded."""
    try:
        yield
    except BotError as error:
        st.error(escape_markdown(t(str(error))), icon=":material/error:")
    except Exception:
        # Streamlit's own control flow (rerun, stop) derives from BaseException.
        number = uuid.uuid4().hex[:8]
        _log.exception("unexpected error %s", number)
        st.error(
            t(
                "出错了（编号 {number}）。已提交的作答都已保存；请刷新页面，若仍出错请查看服务端日志。",
                number=number,
            ),
            icon=":material/error:",
        )
