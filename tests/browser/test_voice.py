"""Speaking answers in a real browser: a fake microphone, a spied voice, a local speech server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, expect

from bot.domain.speakable import speakable
from tests.browser.conftest import CHROMIUM, QUIET, Server, StartServer
from tests.browser.interviewing import begin_beside, send
from tests.contract.audio_server import AudioServer, audio_server
from tests.sounds import silence, speechlike, wav

pytestmark = pytest.mark.browser

SPY = """
window.said = [];
window.speechSynthesis.speak = (words) => {
  window.said.push(words.text);
  setTimeout(() => words.onstart?.(), 0);
  setTimeout(() => words.onend?.(), 50);
};
"""
HEARD = "不一定减半，因为每层都有集合通信。前提是互联够快，病发高时可能更慢。"


@pytest.fixture(scope="module")
def ears() -> Iterator[AudioServer]:
    with audio_server() as running:
        yield running


@pytest.fixture
def server(start_server: StartServer, ears: AudioServer) -> Server:
    ears.says, ears.asked[:] = HEARD, []
    return start_server(
        variables={
            "BOT_STT_MODEL": "whisper-1",
            "BOT_STT_BASE_URL": ears.url,
            "BOT_STT_API_KEY": "sk-canary",
        }
    )


@pytest.fixture(scope="module")
def talker(
    browser_type: BrowserType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser whose microphone hears three seconds of speech and then nothing."""
    clip = tmp_path_factory.mktemp("mic") / "speech.wav"
    sound = np.concatenate([silence(0.5), speechlike(3), silence(30)])
    clip.write_bytes(wav(sound, rate=16_000))
    arguments = [
        *QUIET,
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={clip}",
        "--autoplay-policy=no-user-gesture-required",
    ]
    path = {"executable_path": CHROMIUM} if CHROMIUM.exists() else {}
    browser = browser_type.launch(args=arguments, **path)
    yield browser
    browser.close()


@pytest.fixture
def mouth(talker: Browser) -> Iterator[Page]:
    context: BrowserContext = talker.new_context(
        locale="zh-CN", permissions=["microphone"], viewport={"width": 390, "height": 844}
    )
    context.add_init_script(SPY)
    yield context.new_page()
    context.close()


def test_a_spoken_answer_is_looked_at_mended_and_graded(
    mouth: Page, server: Server, ears: AudioServer
) -> None:
    session_id = begin_beside(mouth, server)

    mouth.get_by_test_id("stChatInputMicButton").click()
    mouth.wait_for_timeout(2500)  # speech takes its time
    mouth.get_by_test_id("stChatInputApproveButton").click()

    transcript = mouth.get_by_label(re.compile("^转写"))
    expect(transcript).to_have_value(HEARD)
    assert len(ears.asked) == 1
    assert ears.asked[0].clip[:4] == b"RIFF"
    # A slip is offered and not taken by itself.
    mouth.get_by_role("button", name="病发 → 并发").click()
    mended = HEARD.replace("病发", "并发")
    expect(transcript).to_have_value(mended)
    expect(mouth.get_by_role("button", name="病发 → 并发")).to_have_count(0)
    mouth.get_by_role("button", name="发送").click()

    expect(mouth.get_by_text(re.compile(r"^反馈：\d")).first).to_be_visible()
    assert len(ears.asked) == 1
    answer = server.services.store.load(session_id).turns[0].answer
    assert answer is not None
    assert answer.text == mended
    assert answer.speech is not None
    assert answer.speech.raw == HEARD
    assert answer.speech.sound is not None
    assert answer.speech.sound.speaking > 1


def test_hands_free_reads_records_and_sends_by_itself(
    mouth: Page, server: Server, ears: AudioServer
) -> None:
    ears.says = HEARD.replace("病发", "并发")
    session_id = begin_beside(mouth, server)

    mouth.get_by_text("免提", exact=True).click()

    expect(mouth.get_by_text("正在录音，说完停一下就会结束")).to_be_visible()
    stem = server.services.store.load(session_id).turns[0].says
    assert mouth.evaluate("window.said") == [speakable(stem)]
    # Silence ends the recording; the transcript goes in when nobody touches the page.
    expect(mouth.get_by_label(re.compile("^转写"))).to_have_value(ears.says)
    expect(mouth.get_by_text(re.compile(r"^反馈：\d")).first).to_be_visible(timeout=30_000)
    answer = server.services.store.load(session_id).turns[0].answer
    assert answer is not None
    assert answer.text == ears.says


def test_who_touches_the_transcript_sends_it_by_hand(
    mouth: Page, server: Server, ears: AudioServer
) -> None:
    ears.says = HEARD.replace("病发", "并发")
    # A second of the countdown takes five: other work may share the machine.
    mouth.add_init_script("const tick = setInterval; setInterval = (f, t) => tick(f, 5 * t);")
    begin_beside(mouth, server)
    mouth.get_by_text("免提", exact=True).click()

    transcript = mouth.get_by_label(re.compile("^转写"))
    expect(transcript).to_have_value(ears.says)
    transcript.click()

    expect(mouth.get_by_text(re.compile("已停下自动发送"))).to_be_visible()
    expect(mouth.get_by_text(re.compile("秒后自动发送"))).to_have_count(0)
    expect(transcript).to_be_visible()


def test_a_clip_without_words_is_told_and_can_be_recorded_again(
    mouth: Page, server: Server, ears: AudioServer
) -> None:
    ears.says = "谢谢观看"
    session_id = begin_beside(mouth, server)

    mouth.get_by_text("免提", exact=True).click()

    expect(mouth.get_by_text(re.compile("没有听到清楚的语音"))).to_be_visible()
    again = mouth.get_by_role("button", name="开始录音")
    expect(again).to_be_enabled()
    ears.says = HEARD
    again.click()
    expect(mouth.get_by_label(re.compile("^转写"))).to_have_value(HEARD)
    assert server.services.store.load(session_id).turns[0].answer is None


def test_questions_are_read_aloud_when_wanted(mouth: Page, start_server: StartServer) -> None:
    plain = start_server()
    session_id = begin_beside(mouth, plain)
    assert mouth.evaluate("window.said") == []

    mouth.get_by_text("自动读题").click()

    expect(mouth.get_by_role("button", name="停止")).to_be_visible()
    mouth.wait_for_function("window.said.length === 1")
    stem = plain.services.store.load(session_id).turns[0].says
    assert mouth.evaluate("window.said") == [speakable(stem)]
    mouth.get_by_role("button", name="朗读").click()
    mouth.wait_for_function("window.said.length === 2")


def test_a_denied_microphone_leaves_the_way_of_typing(page: Page, server: Server) -> None:
    page.context.clear_permissions()
    page.add_init_script(SPY)
    page.add_init_script(
        "navigator.mediaDevices.getUserMedia = () =>"
        " Promise.reject(new DOMException('denied', 'NotAllowedError'));"
    )
    begin_beside(page, server)

    page.get_by_text("免提", exact=True).click()

    expect(page.get_by_text(re.compile("没有麦克风权限。.*打字作答"))).to_be_visible()
    send(page, "不一定减半，因为每层都有集合通信。")
    expect(page.get_by_text(re.compile(r"^反馈：\d")).first).to_be_visible()
