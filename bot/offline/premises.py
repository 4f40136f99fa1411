"""Premises of a question: which of them an overclaim forgot, by the words that they share."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from bot.domain.folding import fold
from bot.domain.question import Slot
from bot.domain.target import Target
from bot.offline.concepts import LIMITS

_WORD = re.compile(r"[a-z][a-z0-9]+|[\u4e00-\u9fff]+")
_EMPTY = re.compile(
    "[的了是和与在有个吗呢吧啊就都也要会能把被这那么怎为如何哪请一你我它不没无可以需还该更最只很或而但因所其]"
)
"""Characters that say nothing of what a sentence is about; no pair reaches across them."""

_COMMON = frozenset(
    re.findall(
        r"\S+",
        "情况 条件 前提 通常 必须 等于 意味 代表 说明 "
        "the is are of to and in it for not on by with be",
    )
)
_COST = re.compile(r"代价|开销|成本|占用|损失|副作用")


class Premise(NamedTuple):
    """A condition, limit or cost that the question asks for, and what it is about."""

    says: str
    tokens: Set[str]
    is_cost: bool


def premises_of(target: Target) -> tuple[Premise, ...]:
    """Return the premises of a question; words of the stem tell no two of them apart."""
    asked = content_tokens(target.stem)
    return tuple(
        Premise(
            point.says,
            content_tokens(point.says) - asked,
            point.slot is Slot.COST or bool(_COST.search(point.says)),
        )
        for point in target.key_points
        if point.slot in LIMITS
    )


def nearest(premises: Sequence[Premise], text: str, *, cost: bool = False) -> Premise | None:
    """Return the premise that shares most content tokens with `text`, or None if none shares any.

    With `cost` only costs are looked at, and any will do: whoever denies costs forgot them all.
    """
    told = content_tokens(text)
    ranked = [(len(one.tokens & told), one) for one in premises if one.is_cost or not cost]
    shared, best = max(ranked, key=lambda pair: pair[0], default=(0, None))
    return best if shared or cost else None


def content_tokens(text: str) -> Set[str]:
    """Return the English words and the adjacent pairs of Chinese characters that carry content."""
    tokens: set[str] = set()
    for word in _WORD.findall(fold(text).text):
        if word.isascii():
            tokens.add(word)
        else:
            for run in _EMPTY.split(word):
                tokens.update(run[at : at + 2] for at in range(len(run) - 1))
    return tokens - _COMMON
