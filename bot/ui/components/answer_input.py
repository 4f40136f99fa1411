"""The input of an answer: nothing is sent that is empty, and nothing too long is lost."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from bot.domain.session import LONGEST_ANSWER

_TOO_LONG = "answer_input.too_long"


def answer_input(
    placeholder: str,
    *,
    key: str,
    drawn: str | None = None,
    on_clip: Callable[[bytes], None] | None = None,
) -> str | None:
    """Show the input and return an answer that was sent, or None.

    Args:
        placeholder: What the empty input says.
        key: The widget's key.
        drawn: An answer that was made elsewhere on the page; it is checked like a typed one.
        on_clip: Takes a recording; with it the input has a microphone.
    """
    too_long = st.session_state.pop(_TOO_LONG, None)
    if too_long is not None:
        st.session_state[key] = too_long
        st.warning(
            f"作答有 {len(too_long)} 个字符，上限是 {LONGEST_ANSWER}；已放回输入框，请删减后再发送。",
            icon=":material/edit:",
        )
    if on_clip is None:
        typed = st.chat_input(placeholder, key=key, submit_mode="disable")
    else:
        given = st.chat_input(placeholder, key=key, submit_mode="disable", accept_audio=True)
        if given is not None and given.audio is not None:
            on_clip(given.audio.getvalue())
            return None
        typed = given.text if given is not None else None
    text = drawn if typed is None else str(typed)
    if text is None:
        return None
    if len(text) > LONGEST_ANSWER:
        # `max_chars` would refuse to take in a long paste without a word.
        st.session_state[_TOO_LONG] = text
        st.rerun()
    if not any(char.isprintable() and not char.isspace() for char in text):
        st.warning("作答是空的；想跳过请用“跳过”或“不知道”。", icon=":material/edit:")
        return None
    return text
