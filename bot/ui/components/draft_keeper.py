"""Keeps what is typed and not yet sent in the browser, over a reload, a closed tab, another page."""

from __future__ import annotations

import streamlit as st

# Looked at again and again: Streamlit empties the input after sending without an event to wait for.
_JS = """
const PREFIX = "mockbot.draft.";
const A_WEEK = 7 * 24 * 3600 * 1000;

function dropOld() {
  for (const name of Object.keys(localStorage).filter((one) => one.startsWith(PREFIX))) {
    if (Date.now() - (JSON.parse(localStorage[name]).at || 0) > A_WEEK) delete localStorage[name];
  }
}

function put(input, text) {
  // React overwrites what is set in any other way.
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(input, text);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

export default function ({ data: [key] }) {
  const name = PREFIX + key;
  let last = null;
  const timer = setInterval(() => {
    const input = document.querySelector('[data-testid="stChatInputTextArea"]');
    if (!input) return;
    try {
      if (last === null) {
        if (input.disabled) return;
        dropOld();
        last = localStorage[name] ? JSON.parse(localStorage[name]).text : "";
        if (!input.value && last) put(input, last);
      } else if (input.value !== last) {
        last = input.value;
        if (last) localStorage[name] = JSON.stringify({ text: last, at: Date.now() });
        else delete localStorage[name];
      }
    } catch {
      clearInterval(timer);  // this browser keeps nothing, or something else wrote there
    }
  }, 150);
  return () => {
    clearInterval(timer);
    // Sent or skipped just now: the input of the next question is there already, and empty.
    const input = document.querySelector('[data-testid="stChatInputTextArea"]');
    if (last && input && !input.value) delete localStorage[name];
  };
}
"""

_keeper = st.components.v2.component("mockbot_draft", js=_JS)


def keep_draft(*, key: str) -> None:
    """Keep what is typed into the input of the answer; `key` is that of the input."""
    _keeper(data=[key], key=f"draft-{key}", width="content")
