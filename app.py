"""The page: `streamlit run app.py`, or `mockbot serve`."""

import streamlit as st

from bot.ui import navigation
from bot.ui.words import language_switch, settle_language, t

settle_language()
st.set_page_config(
    page_title=t("大模型推理模拟面试"),
    page_icon="🎙️",
    layout="centered",
    initial_sidebar_state="collapsed",
)
page = navigation.page()
language_switch()
navigation.run(page)
