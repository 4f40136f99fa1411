"""Pieces of a bank that can be found by meaning (检索片段)."""

from __future__ import annotations

from enum import StrEnum

from bot.domain.question import Frozen


class Part(StrEnum):
    """Which text of a question a passage holds."""

    STEM = "stem"
    CONCLUSION = "conclusion"
    REASON = "reason"
    PREMISE_COST = "premise_cost"
    FOLLOW_UP = "follow_up"

    @property
    def is_main(self) -> bool:
        """Whether it belongs to the question itself, rather than to a follow-up."""
        return self is not Part.FOLLOW_UP


class Passage(Frozen):
    """A piece of the bank that can be found by meaning; its id is unique in the bank."""

    id: str
    bank_id: str
    question_id: str
    part: Part
    text: str


class Hit(Frozen):
    """A passage that was found, and how near it is: cosine similarity, 1 at the most."""

    passage: Passage
    similarity: float


class Near(Frozen):
    """A question near to a text, and how near it is: cosine similarity, 1 at the most."""

    question_id: str
    similarity: float


class Entry(Frozen):
    """All that is searched by the words of one question (检索条目)."""

    question_id: str
    passages: tuple[Passage, ...]
    """At least one."""
    topics: str
    """Their names, as one text."""
    more: str
    """What people do not read as a text: key points, misconceptions, spellings of concepts."""


class WordHit(Frozen):
    """A question that shares words with a text; the best one of a search scores 1."""

    question_id: str
    score: float
    passage: Passage
    """The one that shares most."""
