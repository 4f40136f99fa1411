"""Speech at any endpoint that speaks OpenAI's audio API: transcriptions and read-aloud."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import SecretStr

from bot.adapters import base_url as addresses
from bot.adapters.endpoint_errors import Failure, failure_of, place_of
from bot.adapters.endpoint_sentences import Kind
from bot.domain.speech import Heard
from bot.errors import BotError, SpeechError

if TYPE_CHECKING:
    from openai import OpenAI

ResultT = TypeVar("ResultT")

MOST_BYTES = 25 * 2**20
"""What OpenAI takes; others take no more."""

_FORMATS: tuple[tuple[bytes, int, str, str], ...] = (
    (b"RIFF", 0, "wav", "audio/wav"),
    (b"fLaC", 0, "flac", "audio/flac"),
    (b"OggS", 0, "ogg", "audio/ogg"),
    (b"\x1aE\xdf\xa3", 0, "webm", "audio/webm"),
    (b"ftyp", 4, "m4a", "audio/mp4"),
    (b"ID3", 0, "mp3", "audio/mpeg"),
    (b"\xff\xfb", 0, "mp3", "audio/mpeg"),
    (b"\xff\xf3", 0, "mp3", "audio/mpeg"),
    (b"\xff\xf2", 0, "mp3", "audio/mpeg"),
)


_BY_STATUS = {
    400: "不接受这种录音；请改用 WAV 或 MP3",
    413: "嫌录音太大；请录短一些",
    415: "不接受这种录音；请改用 WAV 或 MP3",
    422: "不接受这种录音；请改用 WAV 或 MP3",
}
_WHY = {
    Kind.KEY: "不接受这个密钥；请检查 BOT_STT_API_KEY 或 OPENAI_API_KEY",
    Kind.PERMISSION: "拒绝访问；请检查密钥是否有权使用它",
    Kind.QUOTA: "的余额或额度已用完；请充值或换一个密钥",
    Kind.MODEL: "不存在；请检查 BOT_STT_MODEL 或 BOT_TTS_MODEL",
    Kind.ADDRESS: "的地址不是语音接口；请检查 BOT_STT_BASE_URL",
    Kind.MOVED: "把请求转向了别处，没有跟随；请检查 BOT_STT_BASE_URL",
    Kind.BUSY: "正忙；请稍后再试",
    Kind.TIMEOUT: "没有及时回应；请稍后再试",
    Kind.NAME: "的地址找不到；请检查 BOT_STT_BASE_URL 和网络",
    Kind.CLOSED: "连不上；请检查 BOT_STT_BASE_URL 和网络",
    Kind.OVERFLOW: "嫌录音太长；请录短一些",
}


class _Client:
    """Asks the endpoint, and turns what the client library raises into our errors."""

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None,
        key: SecretStr | None,
        timeout: float,
        public_only: bool = False,
    ) -> None:
        address = addresses.normalise(base_url).url if base_url else addresses.OPENAI
        if key is None and addresses.is_provider(address):
            raise SpeechError(
                f"语音模型 {model!r}（{addresses.host_of(address)}）需要密钥；"
                "请设置 BOT_STT_API_KEY 或 OPENAI_API_KEY，或直接打字作答。"
            )
        self._model = model
        self._address = address
        self._key = key
        self._timeout = timeout
        self._public_only = public_only
        self._place = place_of(address, model)

    def call(self, ask: Callable[[OpenAI], ResultT]) -> ResultT | Failure:
        """Return what the call gives, or what its failure means."""
        try:
            # A connection for each clip: there are a few an hour, and none is left open.
            with self._client() as client:
                return ask(client)
        except BotError:
            raise
        except Exception as error:
            return failure_of(error)

    def error(self, failure: Failure) -> SpeechError:
        """Return what to raise for a failure."""
        why = _BY_STATUS.get(failure.status) or _WHY.get(failure.kind)
        if why is None:
            what = f"HTTP {failure.status}" if failure.status else failure.name or "没有回应"
            why = f"没有完成（{what}）；请稍后再试"
        return SpeechError(f"语音{self._place}{why}；也可以直接打字作答。")

    def _client(self) -> OpenAI:
        from openai import OpenAI

        from bot.adapters.endpoint_http import client, timeouts

        return OpenAI(
            api_key=self._key.get_secret_value() if self._key else "none",
            base_url=self._address,
            timeout=timeouts(self._timeout),
            max_retries=1,
            http_client=client(
                self._address,
                timeout=self._timeout,
                elapsed=time.monotonic,
                public_only=self._public_only,
            ),
        )


class EndpointTranscriber:
    """Hears with a model behind an endpoint; implements `Transcriber`."""

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None,
        key: SecretStr | None,
        timeout: float,
        public_only: bool = False,
    ) -> None:
        """Take the model and where it is, which must perhaps be on the open internet.

        Raises `SpeechError` or `ConfigError`.
        """
        self._model = model
        self._client = _Client(
            model=model, base_url=base_url, key=key, timeout=timeout, public_only=public_only
        )
        self._format = "verbose_json"

    def transcribe(self, audio: bytes, *, prompt: str) -> Heard:
        """Return what the clip says. Raises `SpeechError`."""
        if len(audio) > MOST_BYTES:
            raise SpeechError(
                f"录音有 {len(audio) / 2**20:.0f} MB，上限是 {MOST_BYTES // 2**20} MB；请录短一些。"
            )
        outcome = self._ask(audio, prompt)
        if (
            isinstance(outcome, Failure)
            and self._format != "json"
            and outcome.status in (400, 422)
            and "response_format" in outcome.said
        ):
            # The newer models of OpenAI give plain JSON only.
            self._format = "json"
            outcome = self._ask(audio, prompt)
        if isinstance(outcome, Failure):
            raise self._client.error(outcome)
        return _heard(outcome, self._model)

    def _ask(self, audio: bytes, prompt: str) -> Any | Failure:
        suffix, kind = format_of(audio)
        file = (f"answer.{suffix}", audio, kind)
        wanted: Any = self._format
        return self._client.call(
            lambda client: client.audio.transcriptions.create(
                model=self._model,
                file=file,
                language="zh",
                prompt=prompt,
                response_format=wanted,
                temperature=0,
            )
        )


class EndpointSpeaker:
    """Reads aloud with a model behind an endpoint; implements `Speaker`."""

    def __init__(
        self, *, model: str, voice: str, base_url: str | None, key: SecretStr | None, timeout: float
    ) -> None:
        """Take the model, the voice and where they are. Raises `SpeechError` or `ConfigError`."""
        self._model = model
        self._voice = voice
        self._client = _Client(model=model, base_url=base_url, key=key, timeout=timeout)

    def say(self, text: str) -> bytes:
        """Return MP3. Raises `SpeechError`."""
        outcome = self._client.call(
            lambda client: (
                client.audio.speech.create(
                    model=self._model, voice=self._voice, input=text, response_format="mp3"
                ).content
            )
        )
        if isinstance(outcome, Failure):
            raise self._client.error(outcome)
        return outcome


def format_of(audio: bytes) -> tuple[str, str]:
    """Return suffix and media type of a clip by its first bytes."""
    for magic, at, suffix, kind in _FORMATS:
        if audio[at : at + len(magic)] == magic:
            return suffix, kind
    return "wav", "application/octet-stream"


def _heard(reply: Any, model: str) -> Heard:
    import math

    segments = [one for one in getattr(reply, "segments", None) or () if one is not None]
    logs = [value for one in segments if (value := _number(one, "avg_logprob")) is not None]
    silent = [value for one in segments if (value := _number(one, "no_speech_prob")) is not None]
    return Heard(
        text=str(getattr(reply, "text", "") or "").strip(),
        engine=model,
        confidence=min(1.0, math.exp(sum(logs) / len(logs))) if logs else None,
        silence=min(1.0, max(0.0, sum(silent) / len(silent))) if silent else None,
    )


def _number(segment: Any, name: str) -> float | None:
    value = segment.get(name) if isinstance(segment, dict) else getattr(segment, name, None)
    return float(value) if isinstance(value, (int, float)) else None
