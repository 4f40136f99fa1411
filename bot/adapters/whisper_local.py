"""Speech to text on this machine: faster-whisper, in 8-bit integers on the CPU."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from bot.adapters.sound import RATE, decode
from bot.domain.speech import Heard
from bot.errors import SpeechError

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

PROMPTED = 5.0
"""Seconds of speech that a prompt helps; it outweighs a shorter clip, whose words then suffer."""


class LocalWhisper:
    """Hears with a model in this process; implements `Transcriber`."""

    def __init__(self, model: str) -> None:
        """Take a model's name (`base`) or its folder; it is loaded at the first clip."""
        self._model = model
        self._lock = Lock()
        self._loaded: WhisperModel | None = None

    @property
    def engine(self) -> str:
        """Return the engine's name, as transcripts quote it."""
        return f"faster-whisper {Path(self._model).name}"

    def transcribe(self, audio: bytes, *, prompt: str) -> Heard:
        """Return what the clip says. Raises `SpeechError`."""
        whisper = self._ready()
        samples = decode(audio)
        if samples is None:
            raise SpeechError("这段录音的格式读不了；请改用 WAV、MP3、M4A、OGG 或 WebM。")
        # One clip at a time: two would share the cores and both be late.
        with self._lock:
            segments, _ = whisper.transcribe(
                samples,
                language="zh",
                initial_prompt=prompt if len(samples) > PROMPTED * RATE else None,
                # It cuts the first sounds of short clips off; long ones gain by it.
                vad_filter=len(samples) > 30 * RATE,
                # Else one invented sentence leads to the next.
                condition_on_previous_text=False,
            )
            found = list(segments)
        if not found:
            return Heard(text="", engine=self.engine, silence=1.0)
        spoken = sum(max(one.end - one.start, 0.01) for one in found)

        def mean(values: list[float]) -> float:
            pairs = zip(found, values, strict=True)
            return float(
                sum(max(one.end - one.start, 0.01) * value for one, value in pairs) / spoken
            )

        return Heard(
            text="".join(one.text for one in found).strip(),
            engine=self.engine,
            confidence=min(1.0, math.exp(mean([one.avg_logprob for one in found]))),
            silence=min(1.0, max(0.0, mean([one.no_speech_prob for one in found]))),
        )

    def _ready(self) -> WhisperModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> WhisperModel:
        try:
            from faster_whisper import WhisperModel
        except ImportError:
            raise SpeechError(
                "本机语音转写需要额外安装：pip install 'mockbot[voice]'；也可以直接打字作答。"
            ) from None
        try:
            return WhisperModel(
                str(Path(self._model).expanduser()) if "/" in self._model else self._model,
                device="cpu",
                compute_type="int8",
            )
        # The library raises whatever its download or its engine raises.
        except Exception as error:
            raise SpeechError(
                f"语音模型 {self._model!r} 打不开（{type(error).__name__}）；"
                "请检查 BOT_STT_MODEL 的文件夹，没有网络时要先把模型下载好。"
            ) from None
