"""Hearing: a clip becomes a transcript that the candidate can look at before it is graded."""

from __future__ import annotations

from collections.abc import Callable

from bot.domain.speech import (
    LONGEST,
    UNSURE,
    Heard,
    Sound,
    Speech,
    Transcript,
    digest,
    is_echo,
    is_too_long,
    silent_because,
    without_inventions,
)
from bot.errors import SpeechError, UnclearSpeechError
from bot.ports import Transcriber

SILENT = 0.6
"""From this probability of silence on, words that the engine is unsure of were made up."""

GUESSED = 0.37
"""Mean probability of the tokens; with `SILENT` it is Whisper's own rule (log-probability −1)."""


class Hearing:
    """Hears clips with one engine."""

    def __init__(
        self,
        *,
        transcriber: Transcriber,
        measure: Callable[[bytes], Sound | None],
        simplify: Callable[[str], str],
    ) -> None:
        """Take the engine, what measures a clip, and what turns 繁体 into 简体."""
        self._transcriber = transcriber
        self._measure = measure
        self._simplify = simplify

    def hear(self, audio: bytes, *, prompt: str) -> Transcript:
        """Return what was said.

        Raises `UnclearSpeechError` when nobody spoke clearly, `SpeechError` when the clip or the
        engine will not do.
        """
        if not audio:
            raise UnclearSpeechError(_unclear("录音是空的"))
        sound = self._measure(audio)
        if sound is not None:
            if is_too_long(sound.seconds):
                raise SpeechError(
                    f"录音有 {sound.seconds / 60:.0f} 分钟，上限是 {LONGEST / 60:.0f} 分钟；"
                    "请分段录，或直接打字作答。"
                )
            if (why := silent_because(sound)) is not None:
                raise UnclearSpeechError(_unclear(why))
        heard = self._transcriber.transcribe(audio, prompt=prompt)
        text = without_inventions(self._simplify(heard.text)).strip()
        if not any(char.isalnum() for char in text) or is_echo(text, prompt) or _is_made_up(heard):
            raise UnclearSpeechError(_unclear("没有听出话来"))
        confidence = None if heard.confidence is None else round(heard.confidence, 3)
        return Transcript(
            text=text,
            speech=Speech(
                raw=heard.text,
                engine=heard.engine,
                confidence=confidence,
                sound=sound,
                clip=digest(audio),
            ),
            needs_check=confidence is not None and confidence < UNSURE,
        )


def _is_made_up(heard: Heard) -> bool:
    sure = 1.0 if heard.confidence is None else heard.confidence
    return (heard.silence or 0.0) >= SILENT and sure < GUESSED


def _unclear(why: str) -> str:
    return f"没有听到清楚的语音（{why}）；请靠近麦克风再录一次，或直接打字作答。"
