"""Clips that tests make: silence, noise, a click, and something that swings like speech."""

from __future__ import annotations

import io
import wave

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
Samples = NDArray[np.float64]


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE))


def noise(seconds: float, loudness: float = 0.1) -> Samples:
    return np.random.default_rng(1).normal(0, loudness, int(seconds * RATE))


def hum(seconds: float) -> Samples:
    return 0.2 * np.sin(2 * np.pi * 50 * np.arange(int(seconds * RATE)) / RATE)


def speechlike(seconds: float) -> Samples:
    """Return syllables: a tone that swells and fades five times a second, over a faint hiss."""
    at = np.arange(int(seconds * RATE)) / RATE
    swell = np.clip(np.sin(2 * np.pi * 5 * at), 0, 1) ** 0.5
    return 0.3 * swell * np.sin(2 * np.pi * 220 * at) + noise(seconds, 0.001)


def wav(samples: Samples, *, rate: int = RATE, channels: int = 1, width: int = 2) -> bytes:
    """Return the samples as a WAV file."""
    clipped = np.clip(samples, -1, 1)
    if width == 1:
        raw = (clipped * 127 + 128).astype("u1")
    else:
        raw = (clipped * (2 ** (8 * width - 1) - 1)).astype(f"<i{width}")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(np.repeat(raw, channels).tobytes())
    return buffer.getvalue()
