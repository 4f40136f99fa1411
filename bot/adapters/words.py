"""Words of a Chinese text with English terms in it, for lexical search."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from bot.domain.folding import fold
from bot.domain.question import Term

_WORD = re.compile(r"\w")
_STOP = frozenset("的了是和与在有个吗呢吧啊就都也要会能把被这那什么怎么为么如何哪请说一下你我它")
_SIGN = re.compile(r"[~(|){}]")


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


class TermWords:
    """Cuts words, and adds the terms of a bank that a text names: 张量并行 and TP are one."""

    def __init__(self, terms: Iterable[Term]) -> None:
        """Take the terms; a spelling that is a pattern names nothing here."""
        self._from: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for term in terms:
            for spelling in dict.fromkeys((*term.spellings, term.says)):
                if not _SIGN.search(spelling) and (folded := fold(spelling).text):
                    self._from[folded[0]].append((folded, f"{{{term.id}}}"))

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text in order, then its terms as `{id}`."""
        folded = fold(text).text
        named = [
            name
            for at, character in enumerate(folded)
            for spelling, name in self._from.get(character, ())
            if folded.startswith(spelling, at) and _stands_alone(folded, at, at + len(spelling))
        ]
        return [*words(text), *named]


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether no English word goes on beyond these characters; a plural may."""
    if _is_letter(text[start]) and start and _is_letter(text[start - 1]):
        return False
    if not _is_letter(text[end - 1]):
        return True
    if text.startswith("s", end):
        end += 1
    return end == len(text) or not _is_letter(text[end])


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()
