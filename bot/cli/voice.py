"""`mockbot transcribe`, and answers that are given as a recording."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from bot.bootstrap import Services
from bot.domain.speech import Transcript
from bot.errors import SpeechError

MOST_BYTES = 200 * 2**20
"""An hour of WAV; whatever is larger is no answer."""


def transcript_of(services: Services, file: Path, question_id: str | None) -> Transcript:
    """Return what a recording says. Raises `SpeechError` or `ConfigError`."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise SpeechError(f"{file}：超过 {MOST_BYTES // 2**20} MB；请只留下作答的部分。")
        audio = file.read_bytes()
    except OSError as error:
        raise SpeechError(f"{file}：无法读取（{error.strerror}）；请检查路径。") from error
    prompt = services.voice.prompt_for(question_id or "")
    return services.voice.hearing.hear(audio, prompt=prompt)


def tell(services: Services, found: Transcript, console: Console) -> None:
    """Print what the candidate should know about a transcript, beside its text."""
    if found.needs_check:
        console.print("这段转写的把握不大，请先核对文字。", markup=False)
    for one in services.voice.misheard.suggestions(found.text):
        console.print(f"可能听错：{one.heard} → {one.meant}", markup=False, soft_wrap=True)
    sound = found.speech.sound
    if sound is not None and sound.speaking > 0:
        pace = 60 * sum(not char.isspace() for char in found.text) / sound.speaking
        pauses = f"，停顿 {len(sound.pauses)} 次" if sound.pauses else ""
        console.print(
            f"录音 {sound.seconds:.0f} 秒，说话 {sound.speaking:.0f} 秒{pauses}，"
            f"约 {pace:.0f} 字/分钟",
            markup=False,
            highlight=False,
        )
