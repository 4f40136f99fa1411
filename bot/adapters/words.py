"""Words of a Chinese text with English terms in it, for lexical search."""

from __future__ import annotations

import re

from bot.domain.folding import fold

_WORD = re.compile(r"\w")
_STOP = frozenset("的了是和与在有个吗呢吧啊就都也要会能把被这那什么怎么为么如何哪请说一下你我它")


def words(text: str) -> list[str]:
    """Return the words to index or to look for, in order."""
    import rjieba

    return [
        word
        for piece in rjieba.cut_for_search(fold(text).text)
        if (word := piece.strip()) and _WORD.search(word) and word not in _STOP
    ]


def recall(answer: str, reference: str) -> float:
    """Return the share of the reference's words that the answer has, 0–1."""
    wanted = set(words(reference))
    return len(wanted & set(words(answer))) / len(wanted) if wanted else 0.0
