"""Reads a question aloud: by the browser's own voice, or by an endpoint that is configured."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.session import Turn
from bot.domain.speakable import speakable
from bot.errors import BotError
from bot.ui import state
from bot.ui.components.speech_js import SPEECH_JS
from bot.ui.words import t

_HTML = """
<div class="row">
  <button type="button" class="play"></button>
  <button type="button" class="stop" disabled></button>
  <label><span class="pace"></span> <input class="rate" type="range" min="0.6" max="1.8" step="0.1"
    value="1"></label>
  <span class="note" role="status"></span>
</div>
"""

_CSS = """
.row { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center;
       font-family: var(--st-font); color: var(--st-text-color); font-size: .875rem; }
button { font: inherit; color: inherit; padding: .25rem .75rem; cursor: pointer;
         border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
         background: var(--st-background-color); }
button:disabled { opacity: .5; cursor: default; }
button:focus-visible, input:focus-visible { outline: 2px solid var(--st-primary-color); }
label { display: inline-flex; gap: .5rem; align-items: center; }
input { width: 6rem; accent-color: var(--st-primary-color); }
.note { opacity: .75; }
"""

# What is read must not be recorded: a press on the microphone silences the voice.
_JS = (
    SPEECH_JS
    + """
const spoken = new Set();
export default function ({ data: [data], parentElement }) {
  const find = (name) => parentElement.querySelector(name);
  const [play, stop, rate, note] = ['.play', '.stop', '.rate', '.note'].map(find);
  const words = data.words;
  play.textContent = words.play;
  stop.textContent = words.stop;
  find('.pace').textContent = words.pace;
  rate.setAttribute('aria-label', words.pace_of_reading);
  const synth = window.speechSynthesis;
  if (!canSpeak()) {
    play.disabled = true;
    note.textContent = words.cannot;
    return;
  }
  rate.value = pace();
  rate.onchange = () => localStorage.setItem(PACE, rate.value);
  const show = (speaking) => { stop.disabled = !speaking; };
  const say = () => {
    synth.cancel();
    const speech = utterance(synth, data.text);
    note.textContent = synth.getVoices().length && !speech.voice ? words.no_chinese : '';
    speech.onstart = () => show(true);
    speech.onend = speech.onerror = () => show(false);
    synth.speak(speech);
  };
  play.onclick = say;
  stop.onclick = () => { synth.cancel(); show(false); };
  const hush = (event) => {
    if (event.target.closest?.('[data-testid^="stChatInputMic"], [data-testid="stAudioInput"]')) {
      synth.cancel();
      show(false);
    }
  };
  document.addEventListener('pointerdown', hush, true);
  if (data.auto && !spoken.has(data.id)) {
    spoken.add(data.id);
    say();
  }
  return () => {
    document.removeEventListener('pointerdown', hush, true);
    synth.cancel();
  };
}
"""
)

_component = st.components.v2.component("mockbot_read_aloud", html=_HTML, css=_CSS, js=_JS)


def read_aloud(services: Services, turn: Turn) -> None:
    """Offer to read an open question aloud; with the switch on it is read without being asked."""
    key = f"aloud-{turn.id}"
    left, right = st.columns([2, 5], vertical_alignment="center")
    auto = left.toggle(
        t("自动读题"),
        value=state.preferences().read_aloud,
        key="voice.aloud",
        help=t("每个问题出现时读出来。"),
    )
    said = speakable(turn.says)
    with right:
        if services.voice.can_speak and auto:
            try:
                clip = state.spoken_clip(said, services.voice.speaker.say)
            except BotError as error:
                st.caption(t(str(error)))
            else:
                st.audio(clip, format="audio/mpeg", autoplay=True)
                return
        _component(data=[{"id": key, "text": said, "auto": auto, "words": _words()}], key=key)


def _words() -> dict[str, str]:
    return {
        "play": t("朗读"),
        "stop": t("停止"),
        "pace": t("语速"),
        "pace_of_reading": t("朗读语速"),
        "cannot": t("这个浏览器不能朗读"),
        "no_chinese": t("没有中文语音，读音可能不准"),
    }
