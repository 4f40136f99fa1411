"""What may be graded of what was heard, without an engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.sound import decode, measure, sound_of
from bot.domain.folding import simplified
from bot.domain.speech import (
    Heard,
    Sound,
    digest,
    domain_prompt,
    is_echo,
    silent_because,
    without_inventions,
)
from bot.errors import SpeechError, UnclearSpeechError
from bot.services.hearing import Hearing
from tests.sounds import Samples, hum, noise, silence, speechlike, wav


@pytest.mark.parametrize(
    ("samples", "why"),
    [
        pytest.param(silence(3), "没有声音", id="silence"),
        pytest.param(noise(3), "噪声", id="white noise"),
        pytest.param(noise(3, 0.0005), "没有声音", id="a quiet microphone"),
        pytest.param(hum(3), "噪声", id="hum"),
        pytest.param(speechlike(0.3), "0.3 秒", id="a click's length"),
        pytest.param(np.concatenate([silence(1), np.ones(160) * 0.8, silence(1)]), "没有", id="click"),
    ],
)  # fmt: skip
def test_a_clip_without_speech_is_told_before_an_engine_is_asked(
    samples: Samples, why: str
) -> None:
    sound = measure(wav(samples))

    assert sound is not None
    assert why in (silent_because(sound) or "")


def test_speech_is_no_noise_and_its_pauses_are_measured() -> None:
    clip = np.concatenate([silence(0.5), speechlike(2), silence(1.5), speechlike(3), silence(0.5)])

    sound = sound_of(clip.astype(np.float32) + noise(7.5, 0.0005).astype(np.float32))

    assert silent_because(sound) is None
    assert sound.speaking == pytest.approx(5, abs=0.5)
    assert sound.begins == pytest.approx(0.5, abs=0.15)
    assert len(sound.pauses) == 1
    assert sound.pauses[0] == pytest.approx(1.5, abs=0.3)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_every_usual_wav_gives_the_same_sound(width: int, channels: int, rate: int) -> None:
    at = np.arange(2 * rate) / rate
    tone = 0.5 * np.sin(2 * np.pi * 220 * at)

    samples = decode(wav(tone, rate=rate, channels=channels, width=width))

    assert samples is not None
    assert len(samples) == pytest.approx(32_000, abs=4)
    assert float(np.sqrt(np.mean(samples**2))) == pytest.approx(0.5 / 2**0.5, abs=0.01)


@given(st.binary(max_size=300))
def test_nothing_that_is_no_sound_breaks_the_decoder(junk: bytes) -> None:
    for audio in (junk, b"RIFF" + junk, wav(silence(0.1))[:44] + junk):
        samples = decode(audio)

        assert samples is None or samples.ndim == 1


def test_a_wav_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    whole = wav(speechlike(4))

    samples = decode(whole[: len(whole) // 2 + 1])

    assert samples is not None
    assert len(samples) == pytest.approx(32_000, abs=50)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("字幕由Amara.org社区提供", ""),
        ("请不吝点赞 订阅 转发 打赏支持明镜与点点栏目", ""),
        ("Prefill 是计算受限。谢谢大家的观看。", "Prefill 是计算受限"),
        ("先算再传。Thank you for watching!", "先算再传"),
        ("谢谢观看。谢谢观看。", ""),
        ("中文字幕志愿者 李宗盛", ""),
        ("我们下期再见", ""),
        ("优优独播剧场——YoYo Television Series Exclusive", ""),
        ("用户订阅转发的消息队列要限流，否则会积压。", "用户订阅转发的消息队列要限流，否则会积压。"),
        ("我会感谢观看监控的同事", "我会感谢观看监控的同事"),
        ("这样 TTFT 就降了", "这样 TTFT 就降了"),
    ],
)  # fmt: skip
def test_invented_endings_are_cut_and_real_words_stay(text: str, kept: str) -> None:
    assert without_inventions(text).rstrip("。") == kept.rstrip("。")


def test_an_engine_that_gives_its_prompt_back_has_heard_nothing() -> None:
    prompt = domain_prompt(("Prefill", "KV cache"))

    assert is_echo("用简体中文书写", prompt)
    assert not is_echo("Prefill 用简体中文书写出来", prompt)
    assert not is_echo("。", prompt)


def test_the_prompt_tells_script_and_terms_and_stays_short() -> None:
    prompt = domain_prompt(tuple(f"term{number}" for number in range(200)))

    assert prompt.startswith("以下是普通话")
    assert "term0、term1" in prompt
    assert len(prompt) <= 170
    assert "涉及" not in domain_prompt(())


# -- the service ----------------------------------------------------------------------------------

SPOKEN = Sound(seconds=5, speaking=4, loudness=-20, swing=30)


class Engine:
    """Hears what the test says, and counts how often it was asked."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        self.prompts: list[str] = []

    def transcribe(self, audio: bytes, *, prompt: str) -> Heard:
        self.prompts.append(prompt)
        return self.heard


def hearing(
    text: str, *, sound: Sound | None = SPOKEN, confidence: float | None = 0.9, silent: float = 0.0
) -> tuple[Hearing, Engine]:
    engine = Engine(Heard(text=text, engine="e", confidence=confidence, silence=silent))
    return Hearing(transcriber=engine, measure=lambda _: sound, simplify=simplified), engine


def test_a_transcript_is_simplified_and_keeps_the_raw_words() -> None:
    service, _ = hearing("顯存帶寬是瓶頸。謝謝觀看")

    found = service.hear(b"x", prompt="p")

    assert found.text == "显存带宽是瓶颈。"
    assert found.speech.raw == "顯存帶寬是瓶頸。謝謝觀看"
    assert found.speech.sound == SPOKEN
    assert found.speech.clip == digest(b"x")
    assert not found.needs_check


def test_an_unsure_transcript_has_to_be_looked_at() -> None:
    service, _ = hearing("显存带宽", confidence=0.3)

    assert service.hear(b"x", prompt="p").needs_check


@pytest.mark.parametrize(
    ("text", "confidence", "silent"),
    [
        ("", 0.9, 0.0),
        ("。。。", 0.9, 0.0),
        ("谢谢观看", 0.9, 0.0),
        ("嗯嗯", 0.2, 0.9),
        ("以下是普通话的面试回答", 0.9, 0.0),
    ],
)
def test_what_is_no_answer_is_recorded_again(text: str, confidence: float, silent: float) -> None:
    service, _ = hearing(text, confidence=confidence, silent=silent)

    with pytest.raises(UnclearSpeechError, match="没有听到清楚的语音"):
        service.hear(b"x", prompt="以下是普通话的面试回答，用简体中文书写。")


def test_an_engine_is_not_asked_about_silence_or_about_half_an_hour() -> None:
    quiet, engine = hearing("x", sound=Sound(seconds=5, speaking=0, loudness=-90, swing=0))
    long, other = hearing("x", sound=Sound(seconds=1800, speaking=900, loudness=-20, swing=30))

    with pytest.raises(UnclearSpeechError):
        quiet.hear(b"x", prompt="p")
    with pytest.raises(UnclearSpeechError):
        quiet.hear(b"", prompt="p")
    with pytest.raises(SpeechError, match="30 分钟"):
        long.hear(b"x", prompt="p")
    assert engine.prompts == other.prompts == []


def test_a_format_that_cannot_be_measured_still_goes_to_the_engine() -> None:
    service, engine = hearing("显存带宽", sound=None)

    assert service.hear(b"x", prompt="p").text == "显存带宽"
    assert engine.prompts == ["p"]
