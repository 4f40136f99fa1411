"""Terms that speech recognition wrote wrongly: offered for correction, never corrected silently."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from bot.domain.folding import fold
from bot.domain.question import Term
from bot.offline.homophones import Homophones, sound_of

_SIGNS = re.compile(r"[|~(){}]")
"""Of the notation for spellings: such a slip is a pattern and no word that could be replaced."""

_CHINESE = re.compile(r"[\u4e00-\u9fff]+")


class Suggestion(NamedTuple):
    """A place of a transcript (end exclusive), what stands there, and what was probably said."""

    start: int
    end: int
    heard: str
    meant: str


class Misheard:
    """Finds the bank's terms where a transcript has one of their slips or a word of their sound."""

    def __init__(
        self, terms: Iterable[Term], homophones: Homophones, texts: Iterable[str] = ()
    ) -> None:
        """Take the terms with their slips, and what finds words of the same sound.

        What stands in `texts`, such as references, is no slip: 一批 there means a batch, not EP.
        """
        self._homophones = homophones
        right = "\n".join(fold(text).text for text in texts)
        self._meant: dict[str, Term] = {}
        for term in terms:
            spellings = [fold(one).text for one in term.spellings]
            for slip in term.slips:
                name = fold(slip).text
                if _SIGNS.search(slip) or name in spellings or name in right:
                    continue
                # Of terms that share a slip the longer name says more: KV cache, not KV.
                if len(term.says) > len(self._meant[name].says if name in self._meant else ""):
                    self._meant[name] = term
        longest_first = sorted(self._meant, key=len, reverse=True)
        self._slips = re.compile("|".join(map(_whole, longest_first))) if longest_first else None

    def suggestions(self, text: str) -> tuple[Suggestion, ...]:
        """Return what to offer, in the order of the text and without overlaps."""
        found = [*self._by_slip(text), *self._by_sound(text)]
        kept: list[Suggestion] = []
        for one in sorted(found, key=lambda it: (it.start, it.start - it.end)):
            if not kept or one.start >= kept[-1].end:
                kept.append(one)
        return tuple(kept)

    def _by_slip(self, text: str) -> Iterable[Suggestion]:
        if self._slips is None:
            return
        folded = fold(text)
        edges = _edges(text)
        for match in self._slips.finditer(folded.text):
            start, end = folded.span(*match.span())
            heard = text[start:end]
            # 卡什 in 卡什么 is no word of its own; of three characters that does not happen.
            if len(heard) < 3 and _CHINESE.match(heard[-1]) and end not in edges:
                continue
            yield Suggestion(start, end, heard, _right_of(self._meant[match[0]], heard))

    def _by_sound(self, text: str) -> Iterable[Suggestion]:
        at = 0
        for heard, meant in self._homophones.words(text):
            if heard != meant:
                yield Suggestion(at, at + len(heard), heard, meant)
            at += len(heard)


def accepted(text: str, suggestion: Suggestion) -> str:
    """Return the text with one suggestion taken; spaces keep Latin words apart."""
    before, after = text[: suggestion.start], text[suggestion.end :]
    meant = suggestion.meant
    if before and _is_latin(before[-1]) and _is_latin(meant[0]):
        meant = f" {meant}"
    if after and _is_latin(after[0]) and _is_latin(meant[-1]):
        meant = f"{meant} "
    return before + meant + after


def _edges(text: str) -> frozenset[int]:
    """Return the offsets at which words of the text begin or end."""
    import rjieba

    return frozenset(accumulate((len(word) for word in rjieba.cut(text)), initial=0))


def _right_of(term: Term, heard: str) -> str:
    """Return the spelling that sounds like what was heard, else the term's name."""
    if _CHINESE.fullmatch(heard):
        said = sound_of(heard)
        for spelling in term.spellings:
            if _CHINESE.fullmatch(spelling) and sound_of(spelling) == said:
                return spelling
    return term.says


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _whole(slip: str) -> str:
    """Return a pattern of a slip; a Latin one must not begin or end inside a word."""
    before = r"(?<![a-z0-9])" if _is_latin(slip[0]) else ""
    after = r"(?![a-z0-9])" if _is_latin(slip[-1]) else ""
    return before + re.escape(slip) + after
