"""Recordings of answers, kept in the data folder where the user turned that on."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from bot.adapters.speech_endpoint import format_of
from bot.domain.session import session_id_of
from bot.errors import SpeechError

_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")


class Recordings:
    """Files by session; their names are ids of ours, never words of a user."""

    def __init__(self, data_dir: Path) -> None:
        """Take the data folder; nothing is made before the first clip."""
        self._folder = data_dir / "audio"

    def keep(self, turn_id: str, clip: bytes) -> None:
        """Keep a clip of a turn; a later one takes its place. Raises `SpeechError`."""
        folder = self._of(session_id_of(turn_id))
        suffix, _ = format_of(clip)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob(f"{_checked(turn_id)}.*"):
                old.unlink()
            (folder / f"{turn_id}.{suffix}").write_bytes(clip)
        except OSError as error:
            raise SpeechError(
                f"录音存不进 {folder}（{error.strerror}）；请检查 BOT_DATA_DIR，或关掉 BOT_KEEP_AUDIO。"
            ) from error

    def of_session(self, session_id: str) -> tuple[Path, ...]:
        """Return the recordings of a session, by turn."""
        return tuple(sorted(self._of(session_id).glob("*.*")))

    def delete(self, session_id: str) -> int:
        """Delete the recordings of a session and return how many there were.

        Raises `SpeechError`.
        """
        found = self.of_session(session_id)
        try:
            if found:
                shutil.rmtree(self._of(session_id))
        except OSError as error:
            raise SpeechError(f"录音删不掉（{error.strerror}）；请检查文件夹的权限。") from error
        return len(found)

    def _of(self, session_id: str) -> Path:
        return self._folder / _checked(session_id)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise SpeechError(f"{name!r} 不是面试的编号。")
    return name
