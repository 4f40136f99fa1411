"""What a user chose on the settings page, as the services take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import SecretStr

from bot.adapters.base_url import OPENAI, is_provider, normalise
from bot.bootstrap.presets import LOCAL_FILE, preset_of
from bot.bootstrap.typed_models import ModelSettings
from bot.bootstrap.voice import LOCAL
from bot.domain.preferences import ENVIRONMENT, Preferences
from bot.domain.rubric import OwnRubric, Rubric
from bot.settings import Settings


class Keys(NamedTuple):
    """Keys that were typed into the page; they live in the browser's session alone."""

    chat: SecretStr | None = None
    speech: SecretStr | None = None


class SpeechSettings(NamedTuple):
    """The endpoint or model that hears, as it was typed."""

    model: str
    base_url: str | None
    key: SecretStr | None

    def over(self, settings: Settings) -> Settings:
        """Return the settings with this in place of their speech; their key never goes elsewhere."""
        is_elsewhere = self.base_url is not None or settings.shared
        base_url = self.base_url or settings.stt_base_url or settings.openai_base_url
        key = settings.stt_api_key or settings.openai_api_key
        return settings.model_copy(
            update={
                "stt_model": self.model,
                "stt_base_url": base_url or OPENAI,
                "stt_api_key": self.key or (None if is_elsewhere else key),
                "openai_base_url": None,
                "openai_api_key": None,
                # What reads aloud belongs to the other endpoint; the browser does it instead.
                "tts_model": None,
            }
        )


@dataclass(frozen=True)
class Choices:
    """Everything that was chosen but the models."""

    own: Mapping[str, Rubric] = field(default_factory=dict)
    """The user's own rubrics by id."""
    stands_in: Mapping[str, str] = field(default_factory=dict)
    """The own rubric that grades in the place of a shipped one, by the id of that."""
    samples: int | None = None
    speech: SpeechSettings | None = None

    def weights(self, shipped: Mapping[str, Rubric]) -> dict[str, Rubric]:
        """Return the rubrics to grade with, by the ids of the shipped ones."""
        chosen = {
            name: self.own[own]
            for name, own in self.stands_in.items()
            if own in self.own and self.own[own].based_on == name
        }
        return {**shipped, **chosen}


def choices_of(chosen: Preferences, keys: Keys, own: tuple[OwnRubric, ...]) -> Choices:
    """Return what was chosen. Raises `ConfigError` when an address cannot be used."""
    return Choices(
        own={one.rubric.id: one.rubric for one in own},
        stands_in=chosen.rubrics,
        samples=chosen.judge_samples,
        speech=_speech(chosen, keys),
    )


def model_settings(chosen: Preferences, keys: Keys) -> ModelSettings | None:
    """Return the models that were chosen on the page, or None where the environment decides.

    Raises `ConfigError` when the address cannot be used.
    """
    if chosen.preset == ENVIRONMENT or not chosen.model:
        return None
    if chosen.preset == LOCAL_FILE:
        path = chosen.model.removeprefix(LOCAL)
        return ModelSettings(model=f"{LOCAL}{path}", budget_tokens=chosen.budget_tokens)
    return ModelSettings(
        model=chosen.model,
        judge_model=chosen.judge_model or None,
        base_url=_address(chosen),
        key=keys.chat,
        budget_tokens=chosen.budget_tokens,
    )


def lacks_key(chosen: Preferences, keys: Keys) -> bool:
    """Say whether the chosen model waits for its key. Raises `ConfigError`."""
    if chosen.preset in (ENVIRONMENT, LOCAL_FILE) or not chosen.model or keys.chat is not None:
        return False
    return preset_of(chosen.preset).needs_key or is_provider(_address(chosen))


def _address(chosen: Preferences) -> str:
    return normalise(chosen.base_url or preset_of(chosen.preset).base_url).url


def _speech(chosen: Preferences, keys: Keys) -> SpeechSettings | None:
    if not chosen.stt_model:
        return None
    if chosen.stt_base_url:
        return SpeechSettings(chosen.stt_model, chosen.stt_base_url, keys.speech)
    if chosen.preset in (ENVIRONMENT, LOCAL_FILE):
        return SpeechSettings(chosen.stt_model, None, keys.speech)
    # The same endpoint hears: its key goes with its own address alone.
    return SpeechSettings(chosen.stt_model, _address(chosen), keys.speech or keys.chat)
