"""The answer clock: time since the question, beside the target; never cuts off."""

from __future__ import annotations

import streamlit as st

from bot.domain.delivery import LONGEST, SHORTEST
from bot.ui.words import t

_HTML = """
<div class="clock" role="timer">
  <div class="line"><span class="time">0:00</span><span class="hint"></span></div>
  <div class="track"><div class="zone"></div><div class="bar"></div></div>
</div>
"""

_CSS = """
.clock { font-family: var(--st-font); color: var(--st-text-color); }
.line { display: flex; justify-content: space-between; font-size: .875rem; margin-bottom: 4px; }
.time { font-variant-numeric: tabular-nums; font-weight: 600; }
.hint { opacity: .75; }
.track { position: relative; height: 6px; border-radius: 3px;
         background: var(--st-secondary-background-color); overflow: hidden; }
.zone { position: absolute; inset: 0 25% 0 auto; background: rgba(46,160,67,.30); }
.bar { position: absolute; inset: 0 auto 0 0; width: 0; background: var(--st-primary-color); }
"""

# The target ends at three quarters of the track.
_JS = """
export default function ({ data: [data], parentElement }) {
  const time = parentElement.querySelector('.time');
  const hint = parentElement.querySelector('.hint');
  const bar = parentElement.querySelector('.bar');
  const [low, high] = data.target;
  const words = data.words;
  parentElement.querySelector('.clock').setAttribute('aria-label', words.label);
  parentElement.querySelector('.zone').style.left = 75 * low / high + '%';
  const begun = performance.now() - data.elapsed * 1000;
  const tick = () => {
    const seconds = Math.max(0, Math.floor((performance.now() - begun) / 1000));
    const hours = Math.floor(seconds / 3600);
    time.textContent = hours > 0 ? words.long
      : Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0');
    hint.textContent = seconds < low ? words.target
      : seconds <= high ? words.inside : words.over;
    bar.style.width = Math.min(100, 75 * seconds / high) + '%';
  };
  tick();
  const timer = setInterval(tick, 500);
  return () => clearInterval(timer);
}
"""

_clock = st.components.v2.component("mockbot_answer_clock", html=_HTML, css=_CSS, js=_JS)


def answer_clock(
    *, elapsed: float, key: str, target: tuple[float, float] = (SHORTEST, LONGEST)
) -> None:
    """Show a clock that has been running for `elapsed` seconds; it ticks in the browser."""
    low, high = target
    words = {
        "label": t("作答用时"),
        "long": t("超过 1 小时"),
        "target": t("目标 {low:g}–{high:g} 秒", low=low, high=high),
        "inside": t("正在目标时间内"),
        "over": t("已超过目标，可以收尾（不会中断）"),
    }
    # In a list: among the values of a dict, Streamlit looks for data frames, and imports pandas.
    _clock(data=[{"elapsed": elapsed, "target": list(target), "words": words}], key=key)
