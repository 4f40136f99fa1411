"""The real Whisper model on real and made-up sound; run by hand with MOCKBOT_TEST_MODELS set."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from bot.adapters.sound import decode, measure
from bot.adapters.whisper_local import LocalWhisper
from bot.domain.folding import simplified
from bot.domain.speech import domain_prompt
from bot.errors import SpeechError, UnclearSpeechError
from bot.services.hearing import Hearing
from tests.sounds import Samples, noise, silence, speechlike, wav

pytestmark = [pytest.mark.contract, pytest.mark.live]

AUDIO = Path(__file__).parents[3] / "shared" / "audio" / "chinese.flac"
PROMPT = domain_prompt(("Prefill", "KV cache"))


@pytest.fixture(scope="module")
def hearing() -> Hearing:
    folder = os.environ.get("MOCKBOT_TEST_MODELS")
    if not folder or not AUDIO.is_file():
        pytest.skip("set MOCKBOT_TEST_MODELS to the folder of whisper-base")
    pytest.importorskip("faster_whisper")
    return Hearing(
        transcriber=LocalWhisper(f"{folder}/whisper-base"), measure=measure, simplify=simplified
    )


def encoded(samples: Samples, container: str, codec: str, rate: int) -> bytes:
    """Return the samples in another format."""
    import io

    import av

    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as out:
        stream = out.add_stream(codec, rate=rate)
        frame = av.AudioFrame.from_ndarray(
            (samples * 32767).astype(np.int16).reshape(1, -1), format="s16", layout="mono"
        )
        frame.sample_rate = 16_000
        resampler = av.AudioResampler(format=stream.format, layout="mono", rate=rate)
        for piece in (*resampler.resample(frame), *resampler.resample(None)):
            out.mux(stream.encode(piece))
        out.mux(stream.encode(None))
    return buffer.getvalue()


def test_real_speech_is_heard_in_simplified_characters(hearing: Hearing) -> None:
    found = hearing.hear(AUDIO.read_bytes(), prompt=PROMPT)

    assert found.text.rstrip("。") == "扎自己的脚"
    assert not found.needs_check


@pytest.mark.parametrize(
    ("container", "codec", "rate"),
    [
        ("mp3", "libmp3lame", 44_100),
        ("webm", "libopus", 48_000),
        ("ogg", "libopus", 48_000),
        ("mp4", "aac", 44_100),
    ],
)
def test_every_usual_format_is_heard(
    hearing: Hearing, container: str, codec: str, rate: int
) -> None:
    samples = decode(AUDIO.read_bytes())
    assert samples is not None

    found = hearing.hear(encoded(samples.astype(float), container, codec, rate), prompt=PROMPT)

    assert found.text.rstrip("。") == "扎自己的脚"


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(silence(4), id="silence"),
        pytest.param(noise(4), id="white noise"),
        pytest.param(speechlike(0.3), id="a click"),
    ],
)
def test_what_is_no_speech_is_not_made_into_words(hearing: Hearing, samples: Samples) -> None:
    with pytest.raises(UnclearSpeechError, match="没有听到清楚的语音"):
        hearing.hear(wav(samples), prompt=PROMPT)


def test_a_file_that_was_cut_off_is_heard_as_far_as_it_goes(hearing: Hearing) -> None:
    speech = decode(AUDIO.read_bytes())
    assert speech is not None
    whole = wav(np.concatenate([speech, silence(3)]).astype(float))

    assert "脚" in hearing.hear(whole[: len(whole) // 2], prompt=PROMPT).text


def test_half_an_hour_is_refused_before_the_model_works(hearing: Hearing) -> None:
    with pytest.raises(SpeechError, match="30 分钟"):
        hearing.hear(wav(np.tile(speechlike(60), 30)), prompt=PROMPT)


def test_what_is_no_sound_at_all_is_told(hearing: Hearing) -> None:
    with pytest.raises(SpeechError, match="格式"):
        hearing.hear(b"this is text, not sound" * 100, prompt=PROMPT)


def test_a_folder_without_a_model_is_named() -> None:
    pytest.importorskip("faster_whisper")

    with pytest.raises(SpeechError, match="BOT_STT_MODEL"):
        LocalWhisper("/nowhere/model").transcribe(wav(speechlike(2)), prompt="")
