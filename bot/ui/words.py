"""The language of the visitor: `t` puts every text of the pages into it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import streamlit as st

from bot.i18n.catalogue import CHINESE, ENGLISH, Language, translated

LANGUAGE = "lang"
"""The query parameter and the cookie that name a language."""

_NOW = "language.now"
_CHOSEN = "language.chosen"
_STYLE = Path(__file__).with_name("page.css")
_A_YEAR = 31_536_000

Given = ParamSpec("Given")

# Streamlit calls every page English; a screen reader would spell Chinese out. The menu of a phone
# is a list whose sections are none: its links are told one after another instead.
_JS = """
const MENU = '[data-testid=stSidebarNavItems]';

function plainMenu() {
  for (const one of document.querySelectorAll(`${MENU}, ${MENU} li`)) {
    one.setAttribute("role", "none");
  }
}

export default function ({ data }) {
  document.documentElement.lang = data.tag;
  if (data.keep) {
    document.cookie = `${data.name}=${data.keep}; path=/; max-age=${data.seconds}; SameSite=Lax`;
  }
  plainMenu();
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (!sidebar) return;
  const watch = new MutationObserver(plainMenu);
  watch.observe(sidebar, { childList: true, subtree: true });
  return () => watch.disconnect();
}
"""

_page_language = st.components.v2.component("mockbot_language", js=_JS)


def t(text: str, /, **values: object) -> str:
    """Return a text of the code in the language of the visitor; see `translated`."""
    return translated(text, language(), **values)


def language() -> Language:
    """Return the language of this browser session, in fragments too."""
    now: Language = st.session_state.get(_NOW, CHINESE)
    return now


def settle_language() -> None:
    """Find out which language the visitor wants; at the beginning of every run.

    What was chosen on the page comes first, then the address, the cookie of an earlier visit, and
    the browser's own language.
    """
    st.session_state[_NOW] = (
        _known(st.session_state.get(_CHOSEN))
        or _known(st.query_params.get(LANGUAGE))
        or _known(st.context.cookies.get(LANGUAGE))
        or _known(st.context.locale)
        or CHINESE
    )


def choose_language(wanted: Language) -> None:
    """Keep a language that was chosen on the page; a cookie keeps it for the next visit."""
    st.session_state[_CHOSEN] = wanted
    st.query_params.pop(LANGUAGE, None)


def language_switch() -> None:
    """Show the way to the other language, and tell the browser which one the page is in."""
    now = language()
    other, label = (ENGLISH, "English") if now == CHINESE else (CHINESE, "中文")
    st.html(_STYLE)
    with st.container(key="language", width="content"):
        st.button(
            label,
            key="language.switch",
            type="tertiary",
            icon=":material/translate:",
            on_click=choose_language,
            args=(other,),
        )
        _page_language(
            key="language.page",
            data={
                "tag": "zh-CN" if now == CHINESE else "en",
                "name": LANGUAGE,
                "keep": st.session_state.get(_CHOSEN),
                "seconds": _A_YEAR,
            },
            width="content",
            height="content",
        )


def content_note() -> None:
    """Say in English what stays Chinese."""
    if language() == ENGLISH:
        st.caption("Questions and reference answers are in Chinese.")


def dialog(title: str) -> Callable[[Callable[Given, None]], Callable[Given, None]]:
    """Make a function a dialog, as `st.dialog` does, with a title in the visitor's language."""

    def made(show: Callable[Given, None]) -> Callable[Given, None]:
        @wraps(show)
        def opened(*given: Given.args, **named: Given.kwargs) -> None:
            st.dialog(t(title))(show)(*given, **named)

        return opened

    return made


def _known(wanted: Any) -> Language | None:
    """Return the language that a tag such as `zh-CN` or `en_US` means, if it is one of ours."""
    match str(wanted or "")[:2].lower():
        case "zh":
            return CHINESE
        case "en":
            return ENGLISH
        case _:
            return None
