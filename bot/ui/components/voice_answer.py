"""Speaking an answer: the transcript is looked at, mended and sent; nothing is graded unseen."""

from __future__ import annotations

from typing import Final

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import LONGEST_ANSWER, Turn
from bot.domain.speech import Speech
from bot.errors import BotError
from bot.offline.misheard import Suggestion, accepted
from bot.ui import state
from bot.ui.components.countdown import countdown
from bot.ui.components.hands_free import hands_free
from bot.ui.words import t

SILENCE: Final = 2.5
"""Seconds; people think in the middle of an answer for less."""

LOOK: Final = 6
"""Seconds to look at a transcript before it goes in by itself, in hands-free mode."""

_MOST_SUGGESTIONS = 8


def hands_free_choice() -> float | None:
    """Show the switch for hands-free answering; return the silence in seconds that ends, or None."""
    left, right = st.columns([2, 3], vertical_alignment="center")
    free = left.toggle(
        t("免提"),
        key="voice.hands_free",
        help=t("读完题自动录音，停下来就转写；随时可以改回打字。"),
    )
    if not free:
        return None
    return right.slider(t("停顿多久算说完（秒）"), 1.0, 6.0, SILENCE, 0.5, key="voice.silence")


def record(services: Services, turn: Turn, silence: float) -> None:
    """Show the hands-free recorder; a clip that it brings is heard at once."""
    failures = state.failed_clips(turn.id)
    if failures:
        st.warning(failures[-1], icon=":material/mic_off:")
    clip = hands_free(turn.says, turn_id=turn.id, attempt=len(failures), silence=silence)
    if clip is None:
        return
    try:
        _keep(services, turn, clip)
    except BotError as error:
        # A new recorder takes the place of the one that waits for the transcript.
        state.note_failed_clip(turn.id, t(str(error)))
    st.rerun()


def hear(services: Services, turn: Turn, clip: bytes) -> None:
    """Turn a clip of the input into the transcript of the turn."""
    try:
        _keep(services, turn, clip)
    except BotError as error:
        st.warning(t(str(error)), icon=":material/mic_off:")
        return
    st.rerun()


def _keep(services: Services, turn: Turn, clip: bytes) -> None:
    """Hear a clip and keep the transcript; the same clip is never heard twice."""
    with st.spinner(t("正在转写……")):
        found = state.heard(
            clip,
            lambda: services.voice.hearing.hear(
                clip, prompt=services.voice.prompt_for(turn.question_id)
            ),
        )
    services.voice.keep(clip, turn.id)
    state.keep_transcript(turn.id, found)


def review(services: Services, turn: Turn, *, by_itself: bool) -> tuple[str, Speech] | None:
    """Show the transcript of the turn for editing, and return what was sent.

    With `by_itself` it goes in after some seconds, unless the page is touched or a check is due.
    """
    found = state.transcript_of(turn.id)
    if found is None:
        return None
    key = f"transcript-{turn.id}-{found.speech.clip}"
    st.session_state.setdefault(key, found.text)
    text = str(st.text_area(t("转写（可以修改，原话另外保留）"), key=key, height=160))
    offered = _offer(services, text, key)
    checked = True
    if found.needs_check:
        st.warning(t("这段转写的把握不大，请核对文字后再发送。"), icon=":material/hearing:")
        checked = st.checkbox(t("我核对过了"), key=f"{key}-checked")
    usable = any(char.isalnum() for char in text) and len(text) <= LONGEST_ANSWER
    left, right = st.columns(2)
    sent = left.button(
        t("发送"),
        type="primary",
        width="stretch",
        key=f"{key}-send",
        disabled=not (checked and usable),
        icon=":material/send:",
    )
    if right.button(t("重录"), width="stretch", key=f"{key}-again", icon=":material/mic:"):
        state.drop_transcript(turn.id)
        st.rerun()
    if len(text) > LONGEST_ANSWER:
        st.caption(
            t(
                "有 {count} 个字符，上限是 {longest_answer}；请删减。",
                count=len(text),
                longest_answer=LONGEST_ANSWER,
            )
        )
    # Whoever has taken a suggestion or must check something is looking at it.
    untouched = text == found.text and not offered and not found.needs_check
    if by_itself and untouched and usable:
        sent = countdown(LOOK, key=f"{key}-countdown") or sent
    return (text.strip(), found.speech) if sent else None


def _offer(services: Services, text: str, key: str) -> bool:
    """Offer the terms that were probably misheard, one button each; say whether there are any."""
    found = services.voice.misheard.suggestions(text)[:_MOST_SUGGESTIONS]
    if not found:
        return False
    st.caption(t("可能听错的术语，点一下就改："))
    with st.container(horizontal=True):
        for at, one in enumerate(found):
            st.button(
                f"{one.heard} → {one.meant}",
                key=f"{key}-term-{at}-{one.start}",
                on_click=_take,
                args=(key, one),
            )
    return True


def _take(key: str, suggestion: Suggestion) -> None:
    text = str(st.session_state[key])
    # A click that comes late must not change other words.
    if text[suggestion.start : suggestion.end] == suggestion.heard:
        st.session_state[key] = accepted(text, suggestion)
