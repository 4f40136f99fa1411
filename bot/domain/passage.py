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
