"""Signing in where several people share a server: through Streamlit's own OpenID Connect."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from bot.domain.owner import Visitor, visitor_of
from bot.ui.words import t


def visitor() -> Visitor | None:
    """Return who signed in, or None; asked of Streamlit in every run, fragments too."""
    claims = st.user.to_dict()
    return visitor_of(claims) if claims.get("is_logged_in") is True else None


def show() -> None:
    """Show the way in, or why there is none; nothing else of the product is shown."""
    st.title(t("大模型推理模拟面试"))
    providers = _providers()
    if not providers:
        st.error(
            t(
                "这台服务器开启了多人模式（BOT_SHARED），但没有设置登录：请在 .streamlit/secrets.toml "
                "的 [auth] 里填写登录服务，然后重启；在此之前页面不开放。"
            ),
            icon=":material/lock:",
        )
        return
    st.write(t("请先登录：每个人只看到自己的面试记录、卡片和题库。"))
    for name in providers:
        label = t("登录") if name is None else t("用 {name} 登录", name=name)
        st.button(
            label,
            key=f"sign-in.{name or 'default'}",
            type="primary",
            icon=":material/login:",
            on_click=st.login,
            args=(name,),
        )


def bar(who: Visitor) -> None:
    """Show who is signed in, and the way out."""
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="signed-in"
    ):
        st.text(who.label, width="content")
        st.button(
            t("退出"), key="sign-out", type="tertiary", icon=":material/logout:", on_click=st.logout
        )


def _providers() -> tuple[str | None, ...]:
    """Return the providers of the section `[auth]`; None stands for one without a name."""
    section: object = None
    with suppress(StreamlitSecretNotFoundError):
        section = st.secrets.get("auth")
    if not isinstance(section, Mapping):
        return ()
    named = [str(name) for name, value in section.items() if isinstance(value, Mapping)]
    return (*((None,) if section.get("client_id") else ()), *named)
