"""Sound of a clip: decoded and measured, so that silence and noise are told before they cost."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.domain.speech import PAUSE, Sound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Samples = NDArray["np.float32"]  # type: ignore[name-defined]

RATE = 16_000
"""Samples a second, as speech engines take them."""

_FRAME = 0.03
_SHORT_GAP = 0.3
_ABOVE_FLOOR = 9.0
_LOWEST = -50.0
_MOST_SECONDS = 3600

_ZERO = {1: ("u1", 128, 128.0), 2: ("<i2", 0, 32768.0), 4: ("<i4", 0, 2147483648.0)}
"""By bytes a sample: how WAV stores it, where zero is, and full scale."""


def measure(audio: bytes) -> Sound | None:
    """Return what the clip sounds like, or None when this machine cannot decode its format."""
    samples = decode(audio)
    return None if samples is None else sound_of(samples)


def decode(audio: bytes) -> Samples | None:
    """Return 16 kHz mono samples in −1…1; None when they cannot be decoded.

    WAV needs nothing; other formats need the extra `[voice]`.
    """
    if audio[:4] == b"RIFF" and (found := _of_wav(audio)) is not None:
        return found
    return _of_anything(audio)


def sound_of(samples: Samples) -> Sound:
    """Measure samples at 16 kHz."""
    import numpy as np

    size = int(RATE * _FRAME)
    count = len(samples) // size
    seconds = len(samples) / RATE
    if count == 0:
        return Sound(seconds=seconds, speaking=0, loudness=-120, swing=0)
    frames = samples[: count * size].reshape(count, size)
    power = np.mean(np.square(frames, dtype=np.float64), axis=1)
    levels = 10 * np.log10(power + 1e-12)
    quiet, loud = (float(one) for one in np.percentile(levels, (10, 95)))
    voiced = levels > max(min(quiet + _ABOVE_FLOOR, loud - 3), _LOWEST)
    spans = _spans(voiced.tolist())
    pauses = tuple(
        round(gap, 2)
        for (_, end), (start, _) in pairwise(spans)
        if (gap := (start - end) * _FRAME) >= PAUSE
    )
    return Sound(
        seconds=round(seconds, 3),
        speaking=round(sum(end - start for start, end in spans) * _FRAME, 3),
        begins=round(spans[0][0] * _FRAME, 3) if spans else 0.0,
        pauses=pauses,
        loudness=round(loud, 1),
        swing=round(loud - quiet, 1),
    )


def _spans(voiced: list[bool]) -> list[tuple[int, int]]:
    """Return runs of voiced frames; gaps within a word or phrase do not divide them."""
    most = int(_SHORT_GAP / _FRAME)
    spans: list[tuple[int, int]] = []
    for start, end in _runs(voiced):
        if spans and start - spans[-1][1] <= most:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    # A single frame is a click.
    return [span for span in spans if span[1] - span[0] > 2]


def _runs(voiced: list[bool]) -> Iterator[tuple[int, int]]:
    begun: int | None = None
    for at, one in enumerate([*voiced, False]):
        if one and begun is None:
            begun = at
        elif not one and begun is not None:
            yield begun, at
            begun = None


def _of_wav(audio: bytes) -> Samples | None:
    import numpy as np

    try:
        with wave.open(io.BytesIO(audio)) as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            raw = file.readframes(min(file.getnframes(), rate * _MOST_SECONDS))
    except (wave.Error, EOFError, ValueError):
        return None
    raw = raw[: len(raw) - len(raw) % (width * channels)]
    if width not in _ZERO:
        return None
    kind, zero, full = _ZERO[width]
    whole = (np.frombuffer(raw, kind).astype(np.float32) - zero) / full
    return _at_rate(np.asarray(whole.reshape(-1, channels).mean(axis=1), np.float32), rate)


def _at_rate(samples: Samples, rate: int) -> Samples:
    import numpy as np

    if rate == RATE or len(samples) == 0:
        return samples
    wanted = np.arange(0, len(samples), rate / RATE)
    return np.asarray(np.interp(wanted, np.arange(len(samples)), samples), np.float32)


def _of_anything(audio: bytes) -> Samples | None:
    try:
        import av
    except ImportError:
        return None
    import numpy as np

    parts: list[Samples] = []
    total = 0
    try:
        with av.open(io.BytesIO(audio), mode="r", metadata_errors="ignore") as container:
            resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
            for frame in container.decode(audio=0):
                for piece in resampler.resample(frame):
                    parts.append(piece.to_ndarray().reshape(-1))
                    total += parts[-1].size
                if total > RATE * _MOST_SECONDS:
                    break
            parts.extend(piece.to_ndarray().reshape(-1) for piece in resampler.resample(None))
    except (av.FFmpegError, IndexError, ValueError):
        # A clip that was cut off ends with an error: what came before it counts.
        if not parts:
            return None
    if not parts:
        return None
    return np.concatenate(parts).astype(np.float32) / 32768
