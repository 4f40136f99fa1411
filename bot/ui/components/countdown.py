"""Sends by itself after some seconds, unless somebody touches the page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bot.ui.words import t

_HTML = '<div class="line" role="status" aria-live="polite"></div>'
_CSS = ".line { font-family: var(--st-font); color: var(--st-text-color); font-size: .875rem; }"
_JS = """
export default function ({ data: [data], parentElement, setTriggerValue }) {
  const line = parentElement.querySelector('.line');
  let left = data.seconds, timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    line.textContent = data.words.stopped;
    for (const name of ['pointerdown', 'keydown']) document.removeEventListener(name, stop, true);
  };
  const tick = () => {
    if (left <= 0) {
      stop();
      line.textContent = data.words.sending;
      setTriggerValue('done', data.id);
      return;
    }
    line.textContent = data.words.left.replace('{seconds}', left);
    left -= 1;
  };
  for (const name of ['pointerdown', 'keydown']) document.addEventListener(name, stop, true);
  // Whoever touched the page since the recording was sent is at it already.
  if ((window.mockbotTouched || 0) > (window.mockbotSent ?? Infinity)) {
    stop();
  } else {
    tick();
    timer = setInterval(tick, 1000);
  }
  return () => { if (timer) stop(); };
}
"""

_countdown = st.components.v2.component("mockbot_countdown", html=_HTML, css=_CSS, js=_JS)


def countdown(seconds: int, *, key: str) -> bool:
    """Count down and say once that the time is over."""
    words = {
        "stopped": t("已停下自动发送；改好后点“发送”。"),
        "sending": t("正在发送……"),
        "left": t("{seconds} 秒后自动发送；点一下页面就停下。"),
    }
    result: Any = _countdown(
        data=[{"seconds": seconds, "id": key, "words": words}], key=key, on_done_change=lambda: None
    )
    return bool(result.done == key)
