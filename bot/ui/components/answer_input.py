"""The input of an answer: nothing is sent that is empty, and nothing is lost that was not stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from bot.domain.session import LONGEST_ANSWER
from bot.errors import SessionConflictError, StoreError
from bot.services.reporting import escape_markdown
from bot.ui.components.draft_keeper import keep_draft
from bot.ui.words import t

_PUT_BACK = "answer_input.put_back"


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
    back_to, said, why = st.session_state.pop(_PUT_BACK, ("", "", ""))
    if back_to == key:
        st.session_state[key] = said
        st.warning(why, icon=":material/edit:")
    keep_draft(key=key)
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
        _put_back(
            key,
            text,
            t(
                "作答有 {count} 个字符，上限是 {longest_answer}；已放回输入框，请删减后再发送。",
                count=len(text),
                longest_answer=LONGEST_ANSWER,
            ),
        )
    if not any(char.isprintable() and not char.isspace() for char in text):
        st.warning(t("作答是空的；想跳过请用“跳过”或“不知道”。"), icon=":material/edit:")
        return None
    return text


@contextmanager
def put_back_unless_stored(key: str, text: str) -> Iterator[None]:
    """Put the answer back into the input when the database does not take it inside, and say why."""
    try:
        yield
    except SessionConflictError:
        raise
    except StoreError as error:
        why = t("{error}作答还没有保存，已放回输入框。", error=escape_markdown(t(str(error))))
        _put_back(key, text, why)


def _put_back(key: str, text: str, why: str) -> None:
    """Run again, with the text in the input that was just emptied."""
    st.session_state[_PUT_BACK] = (key, text, why)
    st.rerun()
