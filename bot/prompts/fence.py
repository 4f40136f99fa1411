"""The fence: the candidate's text is data, between tags that nobody can guess."""

from __future__ import annotations

import hashlib
import hmac
import re

from bot.domain.sentence import Sentence

_TAG = re.compile(
    r"<(?=\s*/?\s*(?:answer|question|key_points|reference|system|rubric))", re.IGNORECASE
)
_NUMBER = re.compile(r"\[(?=\s*\d+\s*\])")


def fence_tag(answer: str, secret: str) -> str:
    """Return the tag for an answer: the same answer and secret give the same tag.

    So a recorded reply can be replayed, and a candidate cannot write the tag down beforehand.
    """
    digest = hmac.new(secret.encode(), answer.encode(), hashlib.sha256).hexdigest()
    return f"answer-{digest[:8]}"


def neutralise(text: str) -> str:
    """Return `text` with our tags and sentence numbers made harmless, by replacement.

    Never by removal: what is left after a removal may join up to a tag. Idempotent.
    """
    return _NUMBER.sub("［", _TAG.sub("＜", text))


def fenced(sentences: tuple[Sentence, ...], tag: str) -> str:
    """Return the numbered sentences between the tags."""
    lines = (f"[{one.number}] {neutralise(' '.join(one.text.split()))}" for one in sentences)
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))
