"""Mermaid drawn on the page, by a bundled script and only where a diagram is in view.

The text is a candidate's: it is drawn in a frame of its own without an origin, whose policy allows
nothing but the bundled script, so that neither the page nor the network can be reached from it.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
import streamlit.components.v1 as served

from bot.domain.diagram import diagrams_in, without_diagrams
from bot.services.reporting import escape_markdown
from bot.ui.words import t

VENDOR = Path(__file__).with_name("vendor")
SCRIPT = "mermaid-11.17.2.min.js"
LONGEST = 8_000
"""Characters; laying out more would keep the browser busy."""

_HTML = """
<div class="diagram">
  <div class="scroll" hidden></div>
  <p class="note" role="status"></p>
  <pre class="source" hidden></pre>
</div>
"""

_CSS = """
.diagram { font-family: var(--st-font); color: var(--st-text-color); min-height: 2rem; }
.scroll { max-width: 100%; max-height: 70vh; overflow: auto; border-radius: 8px;
          border: 1px solid var(--st-border-color); }
.scroll:focus-visible { outline: 2px solid var(--st-primary-color); }
iframe { display: block; border: 0; margin: 0 auto; }
.note { margin: 4px 0; font-size: .875rem; opacity: .8; }
.source { margin: 0; padding: 8px; overflow: auto; max-height: 40vh; font-size: .8125rem;
          border-radius: 8px; background: var(--st-secondary-background-color); }
"""

_JS = r"""
let code;  // of the library, once for all diagrams of the page
const load = (url) => code ??= fetch(url).then((reply) => {
  if (!reply.ok) throw new Error(String(reply.status));
  return reply.text();
}).catch((error) => { code = undefined; throw error; });

// Runs inside the frame; what it posts are sizes and whether there was a fault.
const inside = function () {
  addEventListener('message', async ({ data }) => {
    const tell = (said) => parent.postMessage({ ...said, id: data.id }, '*');
    try {
      const script = document.createElement('script');
      script.nonce = data.nonce;
      script.textContent = data.code;
      document.head.append(script);
      mermaid.initialize(data.config);
      const { svg } = await mermaid.render('drawing', data.text);
      document.body.innerHTML = svg;
      const drawn = document.querySelector('svg');
      drawn.style.maxWidth = 'none';
      const box = drawn.viewBox.baseVal;
      // A little too wide is made to fit; far too wide would not be readable then, and is scrolled.
      const scale = box.width > data.room && box.width < 1.35 * data.room
        ? data.room / box.width : 1;
      const [width, height] = [Math.floor(box.width * scale), Math.ceil(box.height * scale)];
      drawn.setAttribute('width', width);
      drawn.setAttribute('height', height);
      tell({ width, height });
    } catch (error) {
      tell({ fault: true });
    }
  }, { once: true });
  parent.postMessage({ ready: true }, '*');
};

const look = (element) => {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(name).trim();
  const [paper, ink] = [colour('--st-background-color'), colour('--st-text-color')];
  const box = colour('--st-secondary-background-color');
  const font = colour('--st-font') || 'sans-serif';
  const [red, green, blue] = paper.replace('#', '').match(/../g)?.map((one) => parseInt(one, 16))
    ?? [255, 255, 255];
  return { darkMode: 0.3 * red + 0.59 * green + 0.11 * blue < 128, background: paper,
    primaryColor: box, primaryTextColor: ink, primaryBorderColor: colour('--st-primary-color'),
    secondaryColor: box, tertiaryColor: paper, lineColor: ink, textColor: ink, noteBkgColor: box,
    noteTextColor: ink, edgeLabelBackground: paper, fontFamily: font, fontSize: '15px' };
};

export default function ({ data: [data], parentElement }) {
  const [scroll, note, source] = ['.scroll', '.note', '.source']
    .map((name) => parentElement.querySelector(name));
  if (!note.textContent) note.textContent = data.words.drawing;
  const colours = look(scroll.parentElement);
  const wanted = JSON.stringify([data.text, colours]);
  if (scroll.dataset.drawn === wanted) return;
  scroll.dataset.drawn = wanted;
  const fail = (sentence) => {
    scroll.hidden = true;
    note.textContent = sentence;
    note.hidden = source.hidden = false;
    source.textContent = data.text;
  };

  const draw = async () => {
    let library;
    try { library = await load(data.script); } catch (error) {
      delete scroll.dataset.drawn;
      return fail(data.words.unloaded);
    }
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) =>
      one.toString(16).padStart(2, '0')).join('');
    const id = nonce;
    const frame = document.createElement('iframe');
    frame.title = data.label;
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.setAttribute('scrolling', 'no');
    frame.tabIndex = -1;
    frame.width = Math.max(320, scroll.parentElement.clientWidth);
    frame.height = 1;
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'`;
    frame.srcdoc = `<!doctype html><html lang="zh-CN"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="${policy}">
      <title>${data.title}</title>
      <style>:root { color-scheme: ${colours.darkMode ? 'dark' : 'light'};
        background: ${colours.background} } body { margin: 0 } svg { display: block }</style></head>
      <body><script nonce="${nonce}">(${inside})();</scr` + `ipt></body></html>`;
    const hear = ({ source: from, data: said }) => {
      if (from !== frame.contentWindow) return;
      if (said.ready) {
        const config = { startOnLoad: false, securityLevel: 'strict', htmlLabels: false,
          suppressErrorRendering: true, themeCSS: '.edgeLabel rect { opacity: 1 }', maxTextSize: data.longest, theme: 'base',
          themeVariables: colours, fontFamily: colours.fontFamily,
          flowchart: { htmlLabels: false, useMaxWidth: false }, sequence: { useMaxWidth: false } };
        frame.contentWindow.postMessage(
          { id, nonce, code: library, text: data.text, config, room: scroll.clientWidth }, '*');
        return;
      }
      if (said.id !== id) return;
      removeEventListener('message', hear);
      if (said.fault) {
        fail(data.words.fault);
        return;
      }
      frame.width = Math.min(Math.max(1, Number(said.width) || 1), 10000);
      frame.height = Math.min(Math.max(1, Number(said.height) || 1), 10000);
      scroll.setAttribute('role', 'group');
      scroll.setAttribute('aria-label', data.label);
      scroll.tabIndex = 0;
      note.hidden = source.hidden = true;
    };
    addEventListener('message', hear);
    scroll.replaceChildren(frame);
    scroll.hidden = false;
  };

  // A frame that is not shown cannot measure text, and a diagram nobody sees costs nothing.
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((one) => one.isIntersecting)) { seen.disconnect(); draw(); }
  });
  seen.observe(scroll.parentElement);
  return () => seen.disconnect();
}
"""

_diagram = st.components.v2.component("mockbot_diagram", html=_HTML, css=_CSS, js=_JS)


def diagram(source: str, *, key: str, label: str) -> None:
    """Draw Mermaid text; what cannot be drawn is shown as text with a sentence why.

    Args:
        source: The text, which may be anybody's.
        key: The key of the element.
        label: What a screen reader calls the drawing.
    """
    if len(source) > LONGEST:
        st.caption(
            t(
                "图有 {count} 个字符，超过 {longest} 个的不画；原文如上。",
                count=len(source),
                longest=LONGEST,
            )
        )
        return
    files = served.declare_component("drawing", path=str(VENDOR))
    _diagram(
        data=[
            {
                "text": source,
                "label": label,
                "title": t("图"),
                "longest": LONGEST,
                "words": {
                    "drawing": t("正在画图……"),
                    "unloaded": t("画图组件没有载入，下面是图的原文；请刷新页面重试。"),
                    "fault": t("这段 Mermaid 有语法错误，画不出来；下面是图的原文。"),
                },
                # Relative to the page, as Streamlit's own scripts are.
                "script": f"component/{files.name}/{SCRIPT}",
            }
        ],
        key=key,
    )


def diagrams(text: str, *, key: str, label: str) -> None:
    """Draw the diagrams that a text holds, if it holds any."""
    for number, one in enumerate(diagrams_in(text), start=1):
        diagram(one.source, key=f"{key}-{number}", label=f"{label} {number}")


def text_with_diagrams(text: str, *, key: str, label: str) -> None:
    """Show the words of a text and draw its diagrams; the Mermaid text itself is not shown."""
    if words := without_diagrams(text):
        st.markdown(escape_markdown(words))
    diagrams(text, key=key, label=label)
