"""Speech of the settings: who hears, who reads aloud; nothing of it is loaded before it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bot.domain.bank import Bank
from bot.domain.speech import domain_prompt
from bot.errors import SpeechError
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.recordings import Recordings
    from bot.offline.misheard import Misheard
    from bot.ports import Speaker, Transcriber
    from bot.services.hearing import Hearing

LOCAL = "local:"

_ALWAYS = ("prefill", "decode", "kvcache", "token", "batch")
"""Ids of terms that an engine is told of whatever is asked."""


@dataclass(frozen=True)
class Voice:
    """Everything about speech."""

    settings: Settings
    bank: Callable[[], Bank]
    is_typed: bool = False
    """Whether a visitor typed where to ask."""

    @property
    def can_hear(self) -> bool:
        """Say whether an engine is configured."""
        return self.settings.stt_model is not None

    @property
    def can_speak(self) -> bool:
        """Say whether an endpoint reads aloud; a browser does in any case."""
        return self.settings.tts_model is not None

    @cached_property
    def hearing(self) -> Hearing:
        """Return what turns clips into transcripts. Raises `SpeechError` or `ConfigError`."""
        from bot.adapters.sound import measure
        from bot.domain.folding import simplified
        from bot.services.hearing import Hearing

        return Hearing(transcriber=self.transcriber, measure=measure, simplify=simplified)

    @cached_property
    def speaker(self) -> Speaker:
        """Return what reads aloud. Raises `SpeechError` or `ConfigError`."""
        from bot.adapters.speech_endpoint import EndpointSpeaker

        if self.settings.tts_model is None:
            raise SpeechError("没有配置朗读的模型（BOT_TTS_MODEL）；可以用浏览器朗读。")
        return EndpointSpeaker(
            model=self.settings.tts_model,
            voice=self.settings.tts_voice,
            base_url=self.settings.stt_base_url or self.settings.openai_base_url,
            key=self.settings.stt_api_key or self.settings.openai_api_key,
            timeout=self.settings.model_timeout,
        )

    @cached_property
    def misheard(self) -> Misheard:
        """Return what finds terms that were heard wrongly."""
        from bot.offline.homophones import Homophones
        from bot.offline.judge import texts_of
        from bot.offline.misheard import Misheard

        bank = self.bank()
        texts = texts_of(bank)
        return Misheard(bank.terms, Homophones(bank.terms, texts), texts)

    def keep(self, clip: bytes, turn_id: str) -> None:
        """Keep a recording in the data folder, if the user turned that on. Raises `SpeechError`."""
        if self.settings.keep_audio:
            self.recordings.keep(turn_id, clip)

    @cached_property
    def recordings(self) -> Recordings:
        """Return the recordings that were kept."""
        from bot.adapters.recordings import Recordings

        return Recordings(self.settings.data_dir)

    def prompt_for(self, question_id: str) -> str:
        """Return what an engine is told before it hears an answer: the terms of its section."""
        bank = self.bank()
        section = bank.part_of(question_id)
        if section is None:
            return domain_prompt(())
        said = "\n".join(
            f"{question.stem}{point.says}"
            for question in sorted(section.questions, key=lambda one: one.id != question_id)
            for point in question.key_points
        )
        names = {term.id: term.says for term in bank.terms}
        first = [names[name] for name in _ALWAYS if name in names]
        # Those that come up early belong to the question itself.
        places = {name: said.find(name) for name in dict.fromkeys(names.values())}
        there = sorted((name for name, at in places.items() if at >= 0), key=places.__getitem__)
        return domain_prompt(tuple(dict.fromkeys([*first, *there])))

    @cached_property
    def transcriber(self) -> Transcriber:
        """Return what hears. Raises `SpeechError` or `ConfigError`."""
        model = self.settings.stt_model
        if model is None:
            raise SpeechError(
                "没有配置语音转写（BOT_STT_MODEL）；请按 .env.example 设置，或直接打字作答。"
            )
        public_only = self.is_typed and self.settings.shared and not self.settings.private_endpoints
        if model.startswith(LOCAL) and public_only:
            raise SpeechError("多人模式下不能使用服务器上的语音模型；请填写语音接口的地址和密钥。")
        if model.startswith(LOCAL):
            from bot.adapters.whisper_local import LocalWhisper

            return LocalWhisper(model.removeprefix(LOCAL))
        from bot.adapters.speech_endpoint import EndpointTranscriber

        return EndpointTranscriber(
            model=model,
            base_url=self.settings.stt_base_url or self.settings.openai_base_url,
            key=self.settings.stt_api_key or self.settings.openai_api_key,
            timeout=self.settings.model_timeout,
            public_only=public_only,
        )
