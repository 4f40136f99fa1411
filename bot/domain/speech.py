"""Speech: what a clip sounds like, what an engine heard in it, and what of that may be graded."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated

from pydantic import Field

from bot.domain.folding import fold
from bot.domain.question import Frozen

SHORTEST = 0.9
"""Seconds: one, less the tenth that recorders cut off; nobody answers a question in less."""

LONGEST = 600.0
"""Seconds; an answer takes 60 to 90 of them."""

QUIETEST = -50.0
"""dBFS of the loud parts; below, a microphone gave nothing but its own noise."""

STEADIEST = 6.0
"""dB between loud and quiet parts; syllables swing by 10 and more, noise hums along."""

UNSURE = 0.45
"""Mean probability of the tokens; below, a transcript has to be looked at before it counts."""

PAUSE = 0.7
"""Seconds of silence between words that count as a pause."""

# What engines are known to write where nobody speaks: they learned it from subtitles.
_INVENTED = re.compile(
    r"字幕由.{0,20}(?:提供|制作|社区)|(?:中文)?字幕(?:志愿者|制作|提供|组)[^。！？\n]{0,12}"
    r"|请?不吝点赞.{0,30}|(?:请|欢迎)?(?:点赞|订阅|转发|打赏)[,、 ]{0,2}(?:订阅|转发|打赏|点赞|关注).{0,24}"
    r"|明镜与点点.{0,8}|(?:谢谢|感谢)(?:大家|您|你们)?(?:的)?(?:观看|收看|收听|聆听)(?:[,，]?下次再见)?"
    r"|我们下(?:期|集|次)(?:再见|再会)|优优独播剧场.*|yoyo television.*|amara\.org\w*"
    r"|thank(?:s| you)(?: so much)? for (?:watching|listening).*"
    r"|(?:please )?(?:like and )?subscribe(?: to (?:my|our) channel)?.*|subtitles by.*",
    re.IGNORECASE,
)
_EDGE = " \t\n。！？!?,，.、…~-—"


class Sound(Frozen):
    """What can be measured of a clip without understanding it."""

    seconds: Annotated[float, Field(ge=0)]
    speaking: Annotated[float, Field(ge=0)]
    """Seconds in which somebody speaks, short gaps included."""
    begins: float = 0.0
    """Seconds until the first word."""
    pauses: tuple[float, ...] = ()
    """Lengths in seconds of the silences between words that count as pauses."""
    loudness: float
    """dBFS of the loud parts: 0 is full scale."""
    swing: float
    """dB between the loud and the quiet parts."""


class Heard(Frozen):
    """What an engine understood; `text` is exactly its words."""

    text: str
    engine: str
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    """Mean probability of the tokens, where the engine tells."""
    silence: Annotated[float, Field(ge=0, le=1)] | None = None
    """Probability that nobody speaks, where the engine tells."""


class Speech(Frozen):
    """What is kept with a spoken answer: the engine's own words and the clip's figures."""

    raw: str
    engine: str
    confidence: float | None = None
    sound: Sound | None = None
    clip: str | None = None
    """Digest of the audio."""


class Transcript(Frozen):
    """A text that may become an answer once the candidate has looked at it."""

    text: str
    """For display: simplified characters, without invented endings."""
    speech: Speech
    needs_check: bool
    """Whether the candidate has to confirm it before it is graded."""


def digest(audio: bytes) -> str:
    """Return the name of a clip: the same clip has the same name and is heard once."""
    return hashlib.sha256(audio).hexdigest()[:24]


def silent_because(sound: Sound) -> str | None:
    """Return why a clip holds no answer, before any engine is asked; None when it may."""
    if sound.seconds < SHORTEST:
        return f"录音只有 {sound.seconds:.1f} 秒"
    if sound.loudness < QUIETEST:
        return "录音里几乎没有声音"
    if sound.swing < STEADIEST:
        return "录音里只有持续的噪声"
    if sound.speaking <= 0:
        return "录音里没有人声"
    return None


def is_too_long(seconds: float) -> bool:
    """Say whether a clip is longer than any answer."""
    return seconds > LONGEST


def without_inventions(text: str) -> str:
    """Return the text without endings that engines invent where nobody speaks."""
    kept = text
    while True:
        shorter = _cut(kept)
        if shorter == kept:
            return kept
        kept = shorter


def is_echo(text: str, prompt: str) -> bool:
    """Say whether an engine only gave back what it was told beforehand."""
    said = re.sub(r"\W", "", fold(text).text)
    return bool(said) and said in re.sub(r"\W", "", fold(prompt).text)


def domain_prompt(terms: tuple[str, ...], longest: int = 160) -> str:
    """Return what an engine is told beforehand: language, script, and the terms to expect.

    Whisper reads 224 tokens at most, and of a longer text only the end.
    """
    prompt = "以下是普通话的面试回答，用简体中文书写。"
    if not terms:
        return prompt
    listed = ""
    for term in terms:
        if len(prompt) + len(listed) + len(term) > longest:
            break
        listed += f"、{term}" if listed else term
    return f"{prompt}涉及{listed}。"


def _cut(text: str) -> str:
    """Cut one invented sentence from the end, if there is one."""
    trimmed = text.rstrip(_EDGE)
    found = None
    for match in _INVENTED.finditer(trimmed):
        found = match
    if found is None or found.end() < len(trimmed):
        return text
    before = trimmed[: found.start()]
    # In the middle of a sentence the same words may be meant.
    if before.rstrip(" ") and before[-1] not in _EDGE:
        return text
    return before.rstrip()
