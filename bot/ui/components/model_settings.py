"""The models and the voice of this user: where they are, how they are asked, whether that works."""

from __future__ import annotations

import streamlit as st
from pydantic import SecretStr, ValidationError

from bot.bootstrap import Services
from bot.bootstrap.choices import Keys, choices_of, lacks_key
from bot.bootstrap.connection import try_out
from bot.bootstrap.presets import LOCAL_FILE, PRESETS, Preset, preset_of
from bot.domain.preferences import ENVIRONMENT, Preferences
from bot.errors import ConfigError
from bot.ui import chosen, state
from bot.ui.components.connection_test import connection_test
from bot.ui.components.effective_settings import effective_settings
from bot.ui.components.model_status import model_status
from bot.ui.words import t

_PRESET, _URL, _MODEL = "settings.preset", "settings.base_url", "settings.model"

_ROUND = "settings.round"
"""Counts what was saved: new fields for the keys take the place of those that held them."""


def model_settings_form(base: Services) -> None:
    """Show the form, and what is in effect now."""
    model_status()
    saved = chosen.preferences(base)
    preset = _preset(saved)
    # In a form even a key counts that was typed and then left with the tab key.
    with st.form("settings.models", border=False, enter_to_submit=False):
        wanted, typed = _fields(base, saved, preset)
        left, right = st.columns(2)
        saves = left.form_submit_button(
            t("保存并使用"),
            type="primary",
            key="settings.save",
            icon=":material/save:",
            width="stretch",
        )
        tests = right.form_submit_button(
            t("测试连接"), key="settings.test", icon=":material/network_check:", width="stretch"
        )
    outcome = st.container()  # always there, or what follows would show within it for a while
    if saves or tests:
        found = _read(wanted)
        if found is not None and saves:
            _save(base, found, typed)
        elif found is not None:
            with outcome:
                _test(base, found, typed)
    effective_settings(base, state.services(), saved)


def _preset(saved: Preferences) -> Preset:
    presets = {one.id: one for one in PRESETS}
    st.session_state.setdefault(_PRESET, preset_of(saved.preset).id)
    name = st.selectbox(
        t("模型接口"),
        list(presets),
        format_func=lambda one: t(presets[one].title),
        key=_PRESET,
        on_change=_fill,
        help=t("选了就填好地址和常见的模型名，可以再改。"),
    )
    return presets[name]


def _fill() -> None:
    """Fill the fields with what belongs to the preset that was just chosen."""
    preset = preset_of(st.session_state[_PRESET])
    st.session_state[_URL] = preset.base_url
    st.session_state[_MODEL] = "" if preset.id == LOCAL_FILE else preset.example
    st.session_state["settings.judge_model"] = ""
    _next_round()


def _key_field(name: str) -> str:
    return f"settings.{name}.{st.session_state.get(_ROUND, 0)}"


def _next_round() -> None:
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1


def _fields(base: Services, saved: Preferences, preset: Preset) -> tuple[dict[str, object], Keys]:
    """Show the fields, and return what they hold: the preferences, and the keys apart from them."""
    for name in ("base_url", "model", "judge_model", "stt_model", "stt_base_url"):
        st.session_state.setdefault(f"settings.{name}", getattr(saved, name))
    wanted: dict[str, object] = {"preset": preset.id}
    key = ""
    if preset.id == ENVIRONMENT:
        st.caption(t("模型由环境变量或 .env 决定（BOT_MODEL 等）；没有设置时用离线评分。"))
    elif preset.id == LOCAL_FILE:
        wanted["model"] = st.text_input(
            t("GGUF 文件的路径"),
            key=_MODEL,
            placeholder=preset.example,
            help=t("这台机器上的模型文件，需要安装 mockbot[local]。"),
        )
    else:
        key = _endpoint(base, preset, wanted)
    wanted |= _amounts(base, saved, preset)
    speech_key = _voice(wanted)
    return wanted, Keys(_secret(key), _secret(speech_key))


def _endpoint(base: Services, preset: Preset, wanted: dict[str, object]) -> str:
    wanted["base_url"] = st.text_input(
        t("接口地址"), key=_URL, placeholder=preset.base_url or "https://api.example.com/v1"
    )
    left, right = st.columns(2)
    example = preset.example or "my-model"
    wanted["model"] = left.text_input(t("模型名"), key=_MODEL, placeholder=example)
    wanted["judge_model"] = right.text_input(
        t("评分模型（可选）"),
        key="settings.judge_model",
        help=t("更强的模型，专门评分；留空则与上面相同。"),
    )
    kept = chosen.keys().chat is not None and _same_place(base, preset)
    needed = t("需要") if preset.needs_key else t("通常不需要")
    key = st.text_input(
        t("密钥（{needed}）", needed=needed),
        type="password",
        key=_key_field("key"),
        autocomplete="off",
        placeholder=t("已填写，留空则沿用") if kept else "",
        help=t(
            "只留在这次浏览器会话的内存里：不写入数据库、日志和文件，关闭或刷新页面后要重新填写。"
        ),
    )
    return str(key)


def _amounts(base: Services, saved: Preferences, preset: Preset) -> dict[str, object]:
    left, right = st.columns(2)
    # On a shared server, each time of judging with its model is paid for by somebody else.
    is_others = preset.id == ENVIRONMENT and base.settings.shared
    samples = left.number_input(
        t("每个回答评几次"),
        1,
        9,
        saved.judge_samples or base.settings.judge_samples,
        key="settings.samples",
        disabled=is_others,
        help=t("只对模型评分有效：评多次取中位数，花费也是几倍。"),
    )
    is_default = is_others or (
        saved.judge_samples is None and samples == base.settings.judge_samples
    )
    amounts: dict[str, object] = {"judge_samples": None if is_default else int(samples)}
    if preset.id != ENVIRONMENT:
        budget = right.number_input(
            t("token 预算（可选）"),
            1,
            10**12,
            saved.budget_tokens,
            step=10_000,
            key="settings.budget",
            help=t("这次浏览器会话最多用多少 token，用完后改用离线评分；留空则不限。"),
        )
        amounts["budget_tokens"] = None if budget is None else int(budget)
    return amounts


def _voice(wanted: dict[str, object]) -> str:
    with st.expander(t("语音转写（可选）"), icon=":material/mic:"):
        left, right = st.columns(2)
        wanted["stt_model"] = left.text_input(
            t("语音转写模型"),
            key="settings.stt_model",
            placeholder="whisper-1",
            help=t("接口上的模型名；留空则由环境变量 BOT_STT_MODEL 决定。"),
        )
        wanted["stt_base_url"] = right.text_input(
            t("语音接口地址"),
            key="settings.stt_base_url",
            help=t("留空则与上面的模型接口相同。"),
        )
        kept = chosen.keys().speech is not None
        return str(
            st.text_input(
                t("语音接口的密钥"),
                type="password",
                key=_key_field("speech_key"),
                autocomplete="off",
                placeholder=t("已填写，留空则沿用") if kept else "",
                help=t("同样只留在这次浏览器会话里；地址相同时沿用上面的密钥。"),
            )
        )


def _read(wanted: dict[str, object]) -> Preferences | None:
    """Return what was typed as preferences over the saved ones, or say what does not fit."""
    try:
        return Preferences.model_validate(wanted)
    except ValidationError as error:
        names = {"base_url": "接口地址", "model": "模型名", "judge_model": "评分模型"}
        names |= {"stt_model": "语音转写模型", "stt_base_url": "语音接口地址"}
        field = str(error.errors()[0]["loc"][0])
        st.error(
            t(
                "{field} 太长，或含有换行等控制字符；请修改后再保存。",
                field=t(names.get(field, field)),
            ),
            icon=":material/error:",
        )
        return None


def _merged(base: Services, found: Preferences) -> Preferences:
    """Return the saved preferences with the models and the voice that were typed."""
    of_models = ("preset", "base_url", "model", "judge_model", "judge_samples", "budget_tokens")
    mine = (*of_models, "stt_model", "stt_base_url")
    return chosen.preferences(base).model_copy(update={name: getattr(found, name) for name in mine})


def _keys(base: Services, found: Preferences, typed: Keys) -> Keys:
    """Return the keys to use: those just typed, or kept ones whose addresses are still the same."""
    saved, kept = chosen.preferences(base), chosen.keys()
    same_chat = (saved.preset, saved.base_url) == (found.preset, found.base_url)
    same_voice = same_chat and saved.stt_base_url == found.stt_base_url
    return Keys(
        typed.chat or (kept.chat if same_chat else None),
        typed.speech or (kept.speech if same_voice else None),
    )


def _same_place(base: Services, preset: Preset) -> bool:
    saved = chosen.preferences(base)
    return (saved.preset, saved.base_url) == (preset.id, st.session_state.get(_URL))


def _save(base: Services, found: Preferences, typed: Keys) -> None:
    merged, keys = _merged(base, found), _keys(base, found, typed)
    if merged.preset != ENVIRONMENT and not merged.model:
        raise ConfigError("还没有填写模型名；请填写，或把模型接口改回“环境变量（默认）”。")
    chosen.with_models(base, merged, keys)
    choices_of(merged, keys, ())
    chosen.save(base, merged)
    chosen.keep_keys(keys)
    _next_round()
    state.flash(t("已保存。"))
    st.rerun()


def _test(base: Services, found: Preferences, typed: Keys) -> None:
    merged, keys = _merged(base, found), _keys(base, found, typed)
    if merged.preset != ENVIRONMENT and not merged.model:
        raise ConfigError("还没有填写模型名；填写之后才能测试。")
    if lacks_key(merged, keys):
        title = preset_of(merged.preset).title
        raise ConfigError(f"{title} 需要密钥；请填写密钥后再测试。")
    tried = chosen.with_models(base, merged, keys)
    connection_test(try_out(tried.with_choices(choices_of(merged, keys, ()))))


def _secret(text: str) -> SecretStr | None:
    return SecretStr(text.strip()) if text.strip() else None
