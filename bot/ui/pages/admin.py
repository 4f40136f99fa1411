"""What everybody uses, for administrators: numbers, and no answers."""

from __future__ import annotations

import streamlit as st

from bot.services.budgeting import month_of
from bot.ui import state
from bot.ui.components.error_box import error_box
from bot.ui.words import t


def show() -> None:
    """Show the figures of this month."""
    st.title(t("用量"))
    services = state.services()
    who = state.visitor()
    if who is None or not state.is_admin():
        st.error(
            t(
                "这一页只给管理员看；你的用户编号是 {owner}，可以请管理员把它加进 BOT_ADMINS。",
                owner=who.owner if who else "—",
            ),
            icon=":material/lock:",
        )
        return
    month = month_of(services.clock.now())
    figures = services.store.owners.figures(month)
    total = sum(one.tokens for one in figures)
    st.caption(
        t(
            "{people} 个用户，{sessions} 场面试；{month} 用了 {tokens} token。这里没有任何作答内容。",
            people=len(figures),
            sessions=sum(one.sessions for one in figures),
            month=month,
            tokens=f"{total:,}",
        )
    )
    zone = state.zone()
    st.dataframe(
        [
            {
                t("用户"): one.label or t("（本机或已删除）"),
                t("编号"): one.owner[:8],
                t("面试"): one.sessions,
                t("作答"): one.answers,
                t("本月 token"): one.tokens,
                t("最近访问"): f"{one.seen_at.astimezone(zone):%Y-%m-%d %H:%M}"
                if one.seen_at
                else "—",
            }
            for one in figures
        ],
        width="stretch",
        hide_index=True,
    )


with error_box():
    show()
