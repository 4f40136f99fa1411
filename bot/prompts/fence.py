"""The fence: the candidate's text is data, between tags that nobody can guess."""

from __future__ import annotations

import hashlib
import hmac
import re

from bot.domain.content import addresses_the_judge
from bot.domain.sentence import Sentence

_TAG = re.compile(
    r"<(?=\s*/?\s*(?:answer|question|key_points|reference|system|rubric))", re.IGNORECASE
)
UNSAID = "（此处是对评分者说的话，已略去）"
_CLAUSES = re.compile(r"(?<=[，,；;：:\n])")
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


def unsaid(text: str) -> str:
    """Return `text` with what it says to the judge replaced, clause by clause where that is enough.

    A weak model follows what it reads, whatever it was told before. What it does not read changes
    nothing.
    """
    if not addresses_the_judge(text):
        return text
    clauses = _CLAUSES.split(text)
    kept = [UNSAID if addresses_the_judge(one) else one for one in clauses]
    return UNSAID if kept == clauses or addresses_the_judge("".join(kept)) else "".join(kept)


def fenced(sentences: tuple[Sentence, ...], tag: str, *, for_judge: bool = False) -> str:
    """Return the numbered sentences between the tags; a judge does not read what is said to it."""
    texts = ((one.number, unsaid(one.text) if for_judge else one.text) for one in sentences)
    lines = (f"[{number}] {neutralise(' '.join(text.split()))}" for number, text in texts)
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>"))
