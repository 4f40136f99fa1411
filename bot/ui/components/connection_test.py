"""What a try of the models and the voice gave, step by step."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from bot.bootstrap.connection import Step
from bot.services.reporting import escape_markdown
from bot.ui.words import t

_MARKS = {True: "✓", False: "✗", None: "–"}


def connection_test(steps: Iterable[Step]) -> None:
    """Show each step as it is done, and at the end what that means."""
    with st.status(t("正在测试……"), expanded=True) as box:
        done = []
        for step in steps:
            done.append(step)
            mark, title, says = _MARKS[step.works], t(step.title), escape_markdown(t(step.says))
            st.markdown(t("{mark} **{title}**：{says}", mark=mark, title=title, says=says))
        failed = [t(step.title) for step in done if step.works is False]
        if failed:
            names = t("、").join(failed)
            box.update(label=t("有问题的步骤：{names}", names=names), state="error", expanded=True)
        elif any(step.works for step in done):
            box.update(label=t("测试通过。"), state="complete", expanded=True)
        else:
            nothing = t("没有可测的：没有设置模型，也没有设置语音转写。")
            box.update(label=nothing, state="complete", expanded=True)
