"""What is in effect now, and where each value comes from."""

from __future__ import annotations

import streamlit as st

from bot.bootstrap import Services
from bot.domain.preferences import Preferences
from bot.services.reporting import escape_markdown
from bot.ui.words import t

ENVIRONMENT, PAGE, DEFAULT = "环境变量", "本页", "默认"


def effective_settings(base: Services, mine: Services, saved: Preferences) -> None:
    """Show a table: what, its value, and its source."""
    typed = mine.typed is not None
    settings, models = base.settings, mine.models.settings
    by_models = PAGE if typed else ENVIRONMENT
    rows = [
        _row("模型", models.model or "离线评分", by_models if models.model else DEFAULT),
        _row(
            "评分模型",
            models.judge_model or "与模型相同",
            by_models if models.judge_model else DEFAULT,
        ),
    ]
    if mine.models.is_set and not (settings.shared and not typed):
        address = mine.models.address
        is_given = models.openai_base_url is not None
        rows.append(_row("接口地址", f"`{address}`", by_models if is_given else DEFAULT, raw=True))
    has_key = models.openai_api_key is not None
    rows.append(_row("密钥", "已填写" if has_key else "没有", by_models if has_key else DEFAULT))
    samples = mine.samples or settings.judge_samples
    of_page = mine.samples is not None
    is_set = "judge_samples" in settings.model_fields_set
    rows.append(_row("评几次", f"{samples}", PAGE if of_page else _set(is_set)))
    budget = models.budget_tokens
    rows.append(
        _row("预算", f"{budget:,} token" if budget else "不限", by_models if budget else DEFAULT)
    )
    hears = mine.voice.settings.stt_model
    rows.append(
        _row(
            "语音转写",
            hears or "没有",
            (PAGE if saved.stt_model else ENVIRONMENT) if hears else DEFAULT,
        )
    )
    keeps = "保留" if settings.keep_audio else "转写后即丢弃"
    rows.append(_row("录音", keeps, _set("keep_audio" in settings.model_fields_set)))
    with st.expander(t("现在生效的设置，各来自哪里"), icon=":material/list_alt:"):
        st.table(rows, border="horizontal", hide_index=True)


def _row(name: str, value: str, source: str, *, raw: bool = False) -> dict[str, str]:
    shown = value if raw else escape_markdown(t(value))
    return {t("项目"): t(name), t("值"): shown, t("来源"): t(source)}


def _set(is_set: bool) -> str:
    return ENVIRONMENT if is_set else DEFAULT
