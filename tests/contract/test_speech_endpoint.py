"""Speech behind an endpoint: what is sent, what is heard, and one sentence for every refusal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.adapters.speech_endpoint import MOST_BYTES, EndpointSpeaker, EndpointTranscriber
from bot.errors import SpeechError
from tests.contract.audio_server import MP3, AudioServer, audio_server
from tests.contract.test_cli import refused, run
from tests.sounds import silence, speechlike, wav

pytestmark = pytest.mark.contract

KEY = "sk-canary-4711"
CLIP = wav(speechlike(2))


@pytest.fixture
def server() -> Iterator[AudioServer]:
    with audio_server() as running:
        yield running


def engine(
    server: AudioServer, model: str = "whisper-1", timeout: float = 20
) -> EndpointTranscriber:
    return EndpointTranscriber(
        model=model, base_url=server.url, key=SecretStr(KEY), timeout=timeout
    )


def test_the_clip_goes_out_with_language_prompt_and_name(server: AudioServer) -> None:
    heard = engine(server).transcribe(CLIP, prompt="涉及 Prefill。")

    asked = server.asked[0]
    assert asked.path == "/v1/audio/transcriptions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.fields["language"] == "zh"
    assert asked.fields["prompt"] == "涉及 Prefill。"
    assert (asked.clip, asked.clip_name, asked.clip_type) == (CLIP, "answer.wav", "audio/wav")
    assert heard.text == server.says
    assert heard.engine == "whisper-1"
    assert heard.confidence == pytest.approx(0.819, abs=0.001)
    assert heard.silence == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("first", "name"),
    [
        (b"\x1aE\xdf\xa3", "answer.webm"),
        (b"OggS", "answer.ogg"),
        (b"ID3", "answer.mp3"),
        (b"\xff\xfb\x90", "answer.mp3"),
        (b"\x00\x00\x00\x20ftypM4A ", "answer.m4a"),
        (b"fLaC", "answer.flac"),
    ],
)
def test_a_clip_is_named_after_what_it_is(server: AudioServer, first: bytes, name: str) -> None:
    engine(server).transcribe(first + b"\x00" * 50, prompt="")

    assert server.asked[0].clip_name == name


def test_a_model_that_gives_plain_json_only_is_asked_for_that_from_then_on(
    server: AudioServer,
) -> None:
    one = engine(server, "json-only")

    first, second = one.transcribe(CLIP, prompt=""), one.transcribe(CLIP, prompt="")

    assert first.text == second.text == server.says
    assert first.confidence is None
    formats = [asked.fields["response_format"] for asked in server.asked]
    assert formats == ["verbose_json", "json", "json"]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("too-large", "录短一些"),
        ("wrong-kind", "WAV"),
        ("wrong-key", "BOT_STT_API_KEY"),
        ("no-model", "BOT_STT_MODEL"),
        ("moved", "转向"),
        ("broken", "HTTP 500"),
    ],
)
def test_a_refusal_is_one_sentence_without_the_key(
    server: AudioServer, model: str, said: str
) -> None:
    with pytest.raises(SpeechError) as caught:
        engine(server, model).transcribe(CLIP, prompt="")

    assert said in str(caught.value)
    assert "打字作答" in str(caught.value)
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_slow_server_is_not_waited_for_without_an_end(server: AudioServer) -> None:
    with pytest.raises(SpeechError, match="没有及时回应"):
        engine(server, "slow", timeout=0.3).transcribe(CLIP, prompt="")


def test_nobody_listening_is_told(server: AudioServer) -> None:
    one = EndpointTranscriber(
        model="whisper-1", base_url="http://127.0.0.1:9/v1", key=None, timeout=5
    )

    with pytest.raises(SpeechError, match="连不上"):
        one.transcribe(CLIP, prompt="")


def test_a_clip_that_no_endpoint_takes_is_not_sent(server: AudioServer) -> None:
    with pytest.raises(SpeechError, match="上限"):
        engine(server).transcribe(b"RIFF" + b"\x00" * MOST_BYTES, prompt="")
    assert server.asked == []


def test_a_provider_without_a_key_is_told_at_once() -> None:
    with pytest.raises(SpeechError, match="密钥"):
        EndpointTranscriber(model="whisper-1", base_url=None, key=None, timeout=5)


def test_text_is_read_aloud(server: AudioServer) -> None:
    speaker = EndpointSpeaker(
        model="tts-1", voice="nova", base_url=server.url, key=SecretStr(KEY), timeout=5
    )

    assert speaker.say("什么是 Prefill？") == MP3
    asked = server.asked[0]
    assert asked.path == "/v1/audio/speech"
    assert asked.fields == {
        "model": "tts-1", "voice": "nova", "input": "什么是 Prefill？", "response_format": "mp3",
    }  # fmt: skip


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture
def recording(
    product: Path, server: AudioServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.setenv("BOT_STT_MODEL", "whisper-1")
    monkeypatch.setenv("BOT_STT_BASE_URL", server.url)
    monkeypatch.setenv("BOT_STT_API_KEY", KEY)
    file = tmp_path / "answer.wav"
    file.write_bytes(CLIP)
    return file


def test_a_recording_is_transcribed_in_simplified_characters(recording: Path) -> None:
    outcome = run("transcribe", str(recording))

    assert outcome.code == 0, outcome
    assert outcome.out == "显存带宽是瓶颈\n"
    assert "录音 2 秒" in outcome.err


def test_a_recording_is_graded_like_text(recording: Path, server: AudioServer) -> None:
    server.says = "不一定减半，因为每层都有集合通信。前提是互联够快，跨机时可能更慢。"

    outcome = run("grade", "--audio", str(recording), "--question", "S03", "--json")

    assert outcome.code == 0, outcome
    assert '"status":"graded"' in outcome.out
    assert "普通话" in server.asked[0].fields["prompt"]


def test_silence_is_no_answer_and_costs_nothing(recording: Path, server: AudioServer) -> None:
    recording.write_bytes(wav(silence(3)))

    refused(run("transcribe", str(recording)), "没有听到清楚的语音")
    assert server.asked == []


def test_a_file_that_is_not_there_is_named(recording: Path) -> None:
    refused(run("transcribe", "/nowhere/a.wav"), "/nowhere/a.wav")


def test_without_an_engine_the_setting_is_named(product: Path, tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(CLIP)

    refused(run("transcribe", str(tmp_path / "a.wav")), "BOT_STT_MODEL")


def test_a_clip_in_which_nothing_was_heard_is_no_answer(
    recording: Path, server: AudioServer
) -> None:
    server.says = ""

    refused(run("transcribe", str(recording)), "没有听到清楚的语音")
