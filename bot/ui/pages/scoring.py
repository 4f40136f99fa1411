"""How an answer is scored, told from the rubric file itself."""

from __future__ import annotations

import streamlit as st

from bot.services.reporting import escape_markdown
from bot.ui import state
from bot.ui.components.error_box import error_box
from bot.ui.components.judge_panel import judge_panel
from bot.ui.components.rubric_view import rubric_view
from bot.ui.components.score_tour import score_tour
from bot.ui.words import t

# The rubric of most questions; it is shown first.
MAIN = "structured-answer"


def show() -> None:
    """Explain the rubric, the levels, and what the offline judge cannot see."""
    services = state.services()
    st.title(t("评分说明"))
    st.markdown(
        t(
            "评分者只说**事实**：每个采分点说到没有、在哪一句；分数由代码按评分标准算出，"
            "每一分都能在你的原话里找到依据。"
        )
    )
    judge_panel()
    score_tour(services)
    st.subheader(t("评分标准"))
    for rubric in sorted(services.rubrics.values(), key=lambda one: one.id != MAIN):
        with st.expander(
            t("{title}（{name}）", title=escape_markdown(t(rubric.title)), name=rubric.name),
            expanded=rubric.id == MAIN,
        ):
            rubric_view(rubric)
    st.subheader(t("为什么准确比有把握更重要"))
    st.markdown(
        t(
            "“上了 PD 分离吞吐就翻倍”听起来有底气，却经不起一句“什么负载下？”。"
            "带条件的结论是工程判断，没有条件的结论是口号。"
            "所以绝对化断言每处扣分；“不一定”“在……条件下”、定义性的“每个 token 都要写 KV”、"
            "安全要求“必须等传输完成”都不扣。语气自信或谦虚本身既不加分也不扣分。"
        )
    )
    st.subheader(t("离线评分看不到什么"))
    st.markdown(
        t(
            "离线评分不联网、不用模型：它在作答里寻找每个采分点的各种说法、已知误区和绝对化的句式。"
            "它**不判断事实对错**：一句流利但错误的话，如果题库没有收录这种误区，它看不出来；"
            "一个正确但说法很少见的答案，它也可能漏掉。在 168 份评过分的作答上（评分者是语言模型），12 份流利而说反的有 1 份被评到 3 级以上，"
            "12 份只错一处的有 9 份被评到 4 级以上。"
            "所以离线分数适合看结构、看漏了什么，不适合当最终评价。"
        )
    )


with error_box():
    show()
