"""The page: `streamlit run app.py`, or `mockbot serve`."""

import streamlit as st

from bot.ui import navigation

st.set_page_config(
    page_title="大模型推理模拟面试",
    page_icon="🎙️",
    layout="centered",
    initial_sidebar_state="collapsed",
)
navigation.page().run()
