"""Homophones: speech recognition writes a term with other characters of the same sound."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from bot.domain.question import Term

_ADVERB = re.compile("[先再又就还都也只更最很]")
"""With such a first character a word is rather two: 先存 is no mishearing of 显存."""

_CHINESE = re.compile(r"[\u4e00-\u9fff]{2,4}")


class Homophones:
    """Puts the bank's terms back where an answer has a word that sounds the same.

    Only whole words of the segmenter are replaced, by a term of the same length, so that offsets
    stay: 病发 becomes 并发. Tones do not count.
    """

    def __init__(self, terms: Iterable[Term], texts: Iterable[str] = ()) -> None:
        """Take the terms, and texts whose words are right as they are, such as references.

        Terms without slips are words of every day and are left alone.
        """
        self._texts = tuple(texts)
        self._terms = tuple(
            spelling
            for term in terms
            if term.slips
            for spelling in term.spellings
            if _CHINESE.fullmatch(spelling)
        )

    def mended(self, text: str) -> str:
        """Return the text with its misheard terms mended; the length stays."""
        return "".join(meant for _, meant in self.words(text))

    def words(self, text: str) -> Iterator[tuple[str, str]]:
        """Give the words of the text, each with what was meant; mostly that is the word itself."""
        import rjieba

        if not self._terms:
            yield text, text
            return
        for word in rjieba.cut(text):
            yield word, self._term_for(word)

    @cached_property
    def _by_sound(self) -> dict[tuple[str, ...], str]:
        """Return the terms by sound; made at the first answer, for pypinyin loads slowly."""
        return {sound_of(spelling): spelling for spelling in reversed(self._terms)}

    @cached_property
    def _known(self) -> frozenset[str]:
        """Return the words of the texts: 提出 there is no mishearing of 踢出."""
        import rjieba

        return frozenset(word for text in self._texts for word in rjieba.cut(text))

    def _term_for(self, word: str) -> str:
        if (
            word in self._terms
            or word in self._known
            or _ADVERB.match(word)
            or not _CHINESE.fullmatch(word)
        ):
            return word
        return self._by_sound.get(sound_of(word), word)


@lru_cache(maxsize=16384)
def sound_of(word: str) -> tuple[str, ...]:
    """Return the syllables without tones."""
    from pypinyin import lazy_pinyin

    return tuple(lazy_pinyin(word))
