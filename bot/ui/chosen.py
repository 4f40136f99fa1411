"""What this browser session has chosen: preferences of the user, and keys that nothing else keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from bot.bootstrap import Services
from bot.bootstrap.choices import Choices, Keys, choices_of, lacks_key, model_settings
from bot.bootstrap.presets import preset_of
from bot.bootstrap.typed_models import ModelSettings
from bot.domain.preferences import Preferences, ReadPreferences
from bot.domain.rubric import OwnRubric
from bot.errors import ConfigError, StoreError

_READ = "chosen.preferences"
_RUBRICS = "chosen.rubrics"
_KEYS = "chosen.keys"
_MADE = "chosen.services"


@dataclass(frozen=True)
class _Made:
    """The services of this browser session, and what they were made from."""

    base: Services
    chosen: Preferences
    keys: Keys
    own: tuple[OwnRubric, ...]
    services: Services
    note: str | None


def over(base: Services) -> Services:
    """Return the services with what was chosen; the shared ones where that is nothing."""
    return _made(base).services


def note(base: Services) -> str | None:
    """Return why the chosen model is not in use, in a sentence, or None."""
    return _made(base).note


def preferences(base: Services) -> Preferences:
    """Return what the user chose, as far as it can be read."""
    return _read(base).chosen


def faults(base: Services) -> tuple[str, ...]:
    """Return a sentence for each stored preference that could not be read."""
    return _read(base).faults


def save(base: Services, chosen: Preferences) -> None:
    """Store the preferences; they count from the next run on. Raises `StoreError`."""
    base.store.preferences.save(chosen)
    st.session_state[_READ] = (base.owner, ReadPreferences(chosen))


def keys() -> Keys:
    """Return the keys that were typed in this browser session."""
    kept: Any = st.session_state.get(_KEYS)
    return kept if isinstance(kept, Keys) else Keys()


def keep_keys(typed: Keys) -> None:
    """Keep the keys until this browser session ends, in its memory alone."""
    st.session_state[_KEYS] = typed


def with_models(base: Services, chosen: Preferences, typed: Keys) -> Services:
    """Return the services with the chosen models. Raises `ConfigError` when they cannot be used."""
    wanted = model_settings(chosen, typed)
    if wanted is None:
        return base
    if wanted.key is None:
        return _keyless(base, base.owner, wanted.model_dump_json())
    return base.with_models(wanted)


def forget() -> None:
    """Read everything again at the next run: it was changed or deleted."""
    for name in (_READ, _RUBRICS, _MADE):
        st.session_state.pop(name, None)


def _made(base: Services) -> _Made:
    chosen, typed, own = _read(base).chosen, keys(), _own(base)
    kept: Any = st.session_state.get(_MADE)
    if (
        isinstance(kept, _Made)
        and kept.base is base
        and (kept.chosen, kept.keys, kept.own) == (chosen, typed, own)
    ):
        return kept
    services, why = _with_models(base, chosen, typed)
    try:
        choices = choices_of(chosen, typed, own)
    except ConfigError as error:
        choices, why = Choices(), str(error)
    if choices != Choices():
        services = services.with_choices(choices)
    made = st.session_state[_MADE] = _Made(base, chosen, typed, own, services, why)
    return made


def _with_models(base: Services, chosen: Preferences, typed: Keys) -> tuple[Services, str | None]:
    """Return the services with the chosen models, or the given ones and why those cannot be used."""
    try:
        if lacks_key(chosen, typed):
            title = preset_of(chosen.preset).title
            return base, f"{title} 的密钥只留在浏览器会话里，请在设置页重新填写；在此之前不用它。"
        return with_models(base, chosen, typed), None
    except ConfigError as error:
        return base, f"设置页选的模型用不了：{error}"


@st.cache_resource(max_entries=20, show_spinner=False)
def _keyless(_base: Services, owner: str, wanted: str) -> Services:
    """Return services for models without a key; a file is then loaded once, not at every reload."""
    return _base.with_models(ModelSettings.model_validate_json(wanted))


def _read(base: Services) -> ReadPreferences:
    kept: Any = st.session_state.get(_READ)
    if kept is not None and kept[0] == base.owner:
        found: ReadPreferences = kept[1]
        return found
    try:
        read = base.store.preferences.load() if base.has_data else ReadPreferences(Preferences())
    except StoreError:
        return ReadPreferences(Preferences())  # the page itself will say what is wrong
    if base.has_data:
        st.session_state[_READ] = (base.owner, read)
    return read


def _own(base: Services) -> tuple[OwnRubric, ...]:
    kept: Any = st.session_state.get(_RUBRICS)
    if kept is not None and kept[0] == base.owner:
        found: tuple[OwnRubric, ...] = kept[1]
        return found
    try:
        own = base.store.rubrics.latest() if base.has_data else ()
    except StoreError:
        return ()
    if base.has_data:
        st.session_state[_RUBRICS] = (base.owner, own)
    return own
