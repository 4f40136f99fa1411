"""The box for an answer with a drawing: syntax, a place to try it, and a picture as a way in."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.bootstrap.drawings import read_drawing
from bot.domain.diagram import diagrams_in
from bot.domain.session import Turn
from bot.services.reporting import escape_markdown
from bot.ui.components.diagram import diagrams
from bot.ui.components.error_box import error_box
from bot.ui.words import t

# Nothing of any question: only what the syntax looks like.
EXAMPLE = """```mermaid
flowchart LR
  A[浏览器] -->|请求| B[网站]
  B -->|"查询：select()"| C[(数据库)]
  B -.->|备份| D[存储]
```"""

TYPES = ("png", "jpg", "jpeg", "webp")


def drawing_box(services: Services, turn: Turn) -> str | None:
    """Offer to draw, and return the text that was sent as the answer, if it was just now."""
    key = f"draw-{turn.id}"
    with st.expander(t("可以画图：Mermaid 示例"), icon=":material/draw:"):
        st.caption(
            escape_markdown(
                t(
                    "用文字或 Mermaid 作答都可以，也可以一起写。图放在 ```mermaid 与 ``` 之间；"
                    "-->|文字| 是实线箭头，-.->|文字| 是虚线箭头。"
                )
            )
        )
        st.code(EXAMPLE, language=None)
        if services.models.settings.vision_model is not None:
            with error_box():
                _picture(services, key)
        text = st.text_area(
            t("在这里写，离开输入框后预览"),
            key=key,
            height=200,
            placeholder="```mermaid\nflowchart LR\n  …\n```",
        )
        if diagrams_in(text):
            diagrams(text, key=f"{key}-preview", label=t("预览图"))
        elif text.strip():
            st.caption(t("没有找到 Mermaid 图，会按文字作答。"))
        if st.button(t("作为作答发送"), key=f"{key}-send", disabled=not text.strip()):
            return text
    return None


def _picture(services: Services, key: str) -> None:
    """Put what a picture shows into the box, where the candidate corrects it."""
    uploaded = st.file_uploader(
        t("或上传一张图片（PNG、JPEG、WebP，不超过 5 MiB）"),
        type=list(TYPES),
        max_upload_size=5,
        key=f"{key}-picture",
    )
    if uploaded is None:
        return
    st.caption(t("图片会发给 BOT_VISION_MODEL 指定的模型，只用来抄写成 Mermaid，不保存。"))
    if st.button(t("读成 Mermaid"), key=f"{key}-read", icon=":material/image_search:"):
        with st.spinner(t("正在读图……")):
            read = read_drawing(services, uploaded.getvalue())
        st.session_state[key] = read.as_answer
        st.session_state[f"{key}-unreadable"] = read.unreadable
    unreadable: tuple[str, ...] = st.session_state.get(f"{key}-unreadable", ())
    if key in st.session_state and f"{key}-unreadable" in st.session_state:
        st.info(t("已填入下面的输入框；请核对、改好以后再发送。"), icon=":material/fact_check:")
    if unreadable:
        st.warning(
            t(
                "有 {count} 处没有看清：{unreadable}",
                count=len(unreadable),
                unreadable=escape_markdown(t("；").join(unreadable)),
            ),
            icon=":material/visibility_off:",
        )
