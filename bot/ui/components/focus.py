"""Puts the cursor into the input of a new question, so that a drill needs no mouse."""

from __future__ import annotations

import streamlit as st

# Not on a touch screen: the keyboard would cover the question. The input may be drawn later.
_JS = """
export default function () {
  if (matchMedia('(pointer: coarse)').matches) return;
  let left = 20;
  const timer = setInterval(() => {
    const input = document.querySelector('[data-testid="stChatInputTextArea"]:not(:disabled)');
    if (input) input.focus();
    if (input || --left === 0) clearInterval(timer);
  }, 100);
  return () => clearInterval(timer);
}
"""

_focus = st.components.v2.component("mockbot_focus", js=_JS)


def focus_answer(*, key: str) -> None:
    """Put the cursor into the input of the answer, once for each `key`."""
    _focus(key=key, width="content")
