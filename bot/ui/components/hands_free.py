"""Hands-free answering: the question is read, the answer recorded until the speaker falls silent."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import streamlit as st

from bot.domain.speakable import speakable
from bot.ui.components.speech_js import SPEECH_JS
from bot.ui.words import t

MOST_SECONDS = 180
"""Twice the target and more; the recorder stops then by itself."""

_MOST_CHARACTERS = 16_000_000
"""Of base64: more than the longest recording takes."""

_HTML = """
<div class="box">
  <div class="status" role="status" aria-live="polite"></div>
  <div class="meter" role="meter" aria-valuemin="0" aria-valuemax="100"
    aria-valuenow="0"><div class="level"></div></div>
  <button type="button" class="main"></button>
</div>
"""

_CSS = """
.box { display: flex; flex-direction: column; gap: .75rem; align-items: stretch;
       font-family: var(--st-font); color: var(--st-text-color);
       border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
       padding: 1rem; }
.status { text-align: center; min-height: 1.5em; }
.meter { height: 10px; border-radius: 5px; overflow: hidden;
         background: var(--st-secondary-background-color); }
.level { height: 100%; width: 0; background: var(--st-primary-color); }
.main { font: inherit; font-size: 1.125rem; padding: .75rem 1rem; cursor: pointer; border: 0;
        border-radius: var(--st-base-radius); color: #fff; background: #1a5fd0; }
.main:disabled { opacity: .55; cursor: default; }
.main:focus-visible { outline: 3px solid var(--st-text-color); outline-offset: 2px; }
"""

_JS = (
    SPEECH_JS
    + """
const RATE = 16000;
const begun = new Set();
// For the countdown, which comes later: has anybody touched the page meanwhile?
for (const name of ['pointerdown', 'keydown']) {
  document.addEventListener(name, () => { window.mockbotTouched = Date.now(); }, true);
}

function wav(parts, from) {
  let length = 0;
  for (const part of parts) length += part.length;
  const all = new Float32Array(length);
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  const count = Math.floor(length * RATE / from);
  const view = new DataView(new ArrayBuffer(44 + 2 * count));
  const text = (place, words) => {
    for (let i = 0; i < words.length; i++) view.setUint8(place + i, words.charCodeAt(i));
  };
  text(0, 'RIFF'); view.setUint32(4, 36 + 2 * count, true); text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true); view.setUint16(20, 1, true); view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true); view.setUint32(28, 2 * RATE, true);
  view.setUint16(32, 2, true); view.setUint16(34, 16, true);
  text(36, 'data'); view.setUint32(40, 2 * count, true);
  for (let i = 0; i < count; i++) {
    const place = i * from / RATE, low = Math.floor(place), part = place - low;
    const value = all[low] * (1 - part) + (all[low + 1] ?? all[low]) * part;
    view.setInt16(44 + 2 * i, Math.max(-1, Math.min(1, value)) * 32767, true);
  }
  return new Uint8Array(view.buffer);
}

function base64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 32768) {
    text += String.fromCharCode.apply(null, bytes.subarray(i, i + 32768));
  }
  return btoa(text);
}

const WORKLET = `registerProcessor('mockbot-tap', class extends AudioWorkletProcessor {
  process(inputs) { if (inputs[0][0]) this.port.postMessage(inputs[0][0].slice()); return true; }
});`;

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const find = (name) => parentElement.querySelector(name);
  const [status, meter, level, main] = ['.status', '.meter', '.level', '.main'].map(find);
  const synth = window.speechSynthesis;
  const say = data.words;
  meter.setAttribute('aria-label', say.volume);
  let recording = null, ended = false;

  const show = (words, button, enabled = true) => {
    status.textContent = words;
    main.textContent = button;
    main.disabled = !enabled;
  };
  const loud = (share) => {
    const percent = Math.round(100 * Math.max(0, Math.min(1, share)));
    level.style.width = percent + '%';
    meter.setAttribute('aria-valuenow', String(percent));
  };
  const refuse = (words) => {
    show(words + say.type_instead, say.try_again);
    main.onclick = () => listen();
  };
  const close = () => {
    if (!recording) return;
    recording.stream.getTracks().forEach((track) => track.stop());
    recording.context.close();
    recording = null;
    loud(0);
  };

  const finish = (send) => {
    if (!recording) return;
    const { parts, rate, spoke } = recording;
    close();
    if (!send) return;
    if (!spoke) {
      show(say.nothing_heard, say.record_again);
      main.onclick = () => listen();
      return;
    }
    show(say.transcribing, say.transcribing, false);
    window.mockbotSent = Date.now();
    setTriggerValue('clip', { id: data.id, wav: base64(wav(parts, rate)) });
  };

  async function listen() {
    if (!navigator.mediaDevices?.getUserMedia || typeof AudioWorkletNode === 'undefined') {
      refuse(window.isSecureContext ? say.cannot_record : say.needs_https);
      return;
    }
    show(say.allow, say.waiting, false);
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
    } catch (error) {
      refuse(error.name === 'NotFoundError' ? say.no_microphone
        : error.name === 'NotAllowedError' ? say.not_allowed : say.not_opened);
      return;
    }
    if (ended) { stream.getTracks().forEach((track) => track.stop()); return; }
    const context = new AudioContext();
    await context.resume();
    const url = URL.createObjectURL(new Blob([WORKLET], { type: 'text/javascript' }));
    await context.audioWorklet.addModule(url);
    URL.revokeObjectURL(url);
    const tap = new AudioWorkletNode(context, 'mockbot-tap');
    context.createMediaStreamSource(stream).connect(tap);
    const now = { stream, context, parts: [], rate: context.sampleRate, spoke: false };
    recording = now;
    let floor = -45, quiet = 0, seconds = 0, power = 0, samples = 0;
    show(say.recording, say.done);
    main.onclick = () => finish(true);
    tap.port.onmessage = ({ data: block }) => {
      if (recording !== now) return;
      now.parts.push(block);
      for (const value of block) power += value * value;
      samples += block.length;
      seconds += block.length / now.rate;
      if (samples < now.rate * 0.05) return;
      const db = 10 * Math.log10(power / samples + 1e-10);
      const length = samples / now.rate;
      power = samples = 0;
      loud((db + 70) / 60);
      // The floor follows quiet at once and noise slowly, so that a fan does not count as speech.
      floor = Math.min(Math.max(db, -75), floor + 2 * length);
      if (db > floor + 10 && db > -55) { now.spoke = true; quiet = 0; } else quiet += length;
      const patience = now.spoke ? data.silence : 20;
      if (quiet >= patience || seconds >= data.most) finish(true);
    };
  }

  function start() {
    if (!data.text || !canSpeak()) {
      listen();
      return;
    }
    synth.cancel();
    const words = utterance(synth, data.text);
    show(say.reading, say.skip_reading);
    let moved = false;
    const next = () => { if (!moved && !ended) { moved = true; synth.cancel(); listen(); } };
    words.onend = words.onerror = next;
    main.onclick = next;
    // Some browsers have a voice that never says that it is done.
    setTimeout(next, 4000 + 450 * data.text.length);
    synth.speak(words);
  }

  if (begun.has(data.id)) {
    show(say.once_more, say.begin);
    main.onclick = () => listen();
  } else {
    begun.add(data.id);
    start();
  }
  return () => { ended = true; synth?.cancel(); close(); };
}
"""
)

_recorder = st.components.v2.component("mockbot_hands_free", html=_HTML, css=_CSS, js=_JS)


def hands_free(text: str, *, turn_id: str, attempt: int, silence: float) -> bytes | None:
    """Read the text, record, and return the WAV once, when the speaker was silent long enough.

    From the second attempt on nothing is read, and recording waits for a press on the button.
    """
    result: Any = _recorder(
        data=[
            {
                "id": turn_id,
                "text": speakable(text),
                "silence": silence,
                "most": MOST_SECONDS,
                "words": _words(),
            }
        ],
        key=f"hands-free-{turn_id}-{attempt}",
        on_clip_change=lambda: None,
    )
    clip = result.clip
    # A clip that was recorded for another question is dropped.
    if not isinstance(clip, dict) or clip.get("id") != turn_id:
        return None
    given = clip.get("wav")
    if not isinstance(given, str) or len(given) > _MOST_CHARACTERS:
        return None
    try:
        return base64.b64decode(given, validate=True)
    except binascii.Error:
        return None


def _words() -> dict[str, str]:
    return {
        "volume": t("音量"),
        "type_instead": t("请关掉“免提”，打字作答。"),
        "try_again": t("再试一次"),
        "nothing_heard": t("没有听到声音。"),
        "record_again": t("再录一次"),
        "transcribing": t("正在转写……"),
        "cannot_record": t("这个浏览器不能录音。"),
        "needs_https": t("录音需要 HTTPS 或本机地址。"),
        "allow": t("请允许使用麦克风"),
        "waiting": t("等待麦克风"),
        "no_microphone": t("没有找到麦克风。"),
        "not_allowed": t("没有麦克风权限。"),
        "not_opened": t("麦克风打不开。"),
        "recording": t("正在录音，说完停一下就会结束"),
        "done": t("说完了"),
        "reading": t("正在读题"),
        "skip_reading": t("跳过朗读，直接作答"),
        "once_more": t("可以再录一次"),
        "begin": t("开始录音"),
    }
