"""Legible (阅卷所见): what of an answer a model reads, so that the rest cannot change a grade.

What is said to the judge, what only repeats, and characters that nobody sees are left out before a
model is asked. A model that never sees an instruction cannot follow it: with such a sentence added
to an answer, the prompt is that of the answer without it, to the letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bot.domain.content import addresses_the_judge
from bot.domain.diagram import diagram_lines
from bot.domain.folding import fold
from bot.domain.sentence import Sentence, split

_CLAUSES = re.compile(r"[^，,；;：:\n]*[，,；;：:\n]|[^，,；;：:\n]+")
_LETTER = re.compile(r"\w")
_LABELS = re.compile(
    r"(?:[\W_]*(?:(?:参考|标准|我的)?答案|参考|结论|原因|理由|前提|条件|代价|总结|回答|要点|评分(?:结果)?))+[\W_]*"
)
"""Of folded text: a line of headings says nothing, and 参考答案 over an answer makes it no better."""

HEADS = "：:"
SAYS_SOMETHING = 12
"""From so many letters on, a clause after one that speaks to the judge is read as an answer."""

_PICTURES = 0x1F000
"""From here on symbols are pictures; those below are marks of the field, such as ✓ and °."""


class Legible(NamedTuple):
    """The text that is read, and the place of each of its sentences in the answer.

    `numbers` has an entry for each sentence of `text`: the numbers of the answer's sentences that
    it stands for.
    """

    text: str
    numbers: tuple[tuple[int, ...], ...]

    def cited(self, sentences: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers in the answer for numbers of `text`, from 1."""
        return tuple(dict.fromkeys(number for one in sentences for number in self.numbers[one - 1]))


@lru_cache(maxsize=512)
def legible(answer: str, stem: str) -> Legible:
    """Return what a model reads of an answer to the question `stem`.

    Left out are sentences and clauses that speak to the judge, copies of a sentence of the question
    or of an earlier one, bare headings, pictures and invisible characters. Lines of a diagram may
    repeat.
    """
    sentences = split(answer)
    offsets = _stripped(answer, list(_kept(answer, stem, sentences)))
    text = "".join(answer[at] for at in offsets)
    return Legible(
        text,
        tuple(
            tuple(
                one.number
                for one in sentences
                if one.start <= offsets[read.end - 1] and offsets[read.start] < one.end
            )
            for read in split(text)
        ),
    )


def _kept(answer: str, stem: str, sentences: Sequence[Sentence]) -> Iterator[int]:
    """Give the places of the characters that are read."""
    lines = diagram_lines(answer)
    drawn = {one for one in sentences if _is_drawn(one, lines)}
    across = _addressing_across([one for one in sentences if one not in drawn], answer)
    seen = {fold(one.text).text for one in split(stem)}
    at, is_kept = 0, True
    for one in sentences:
        if is_kept:
            yield from _visible(answer, at, one.start)
        parts = [(one.start, one.end)]
        if one not in drawn:
            folded = fold(one.text).text
            is_left_out = folded in seen or one in across or _LABELS.fullmatch(folded)
            parts = [] if is_left_out else list(_unaddressed(one))
            seen.add(folded)
        for start, end in parts:
            yield from _visible(answer, start, end)
        at, is_kept = one.end, bool(parts)
    if is_kept:
        yield from _visible(answer, at, len(answer))


def _unaddressed(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Give the clauses that do not speak to the judge, or nothing where only the whole does.

    A heading before such a clause belongs to it, and so does the next one if it is short: of an
    order in two halves only one may be known for what it is. After a heading an answer begins.
    """
    if not addresses_the_judge(sentence.text):
        yield sentence.start, sentence.end
        return
    rest: list[re.Match[str]] = []
    found = goes_on = False
    for clause in _CLAUSES.finditer(sentence.text):
        if addresses_the_judge(clause[0]):
            found, goes_on = True, clause[0][-1] not in HEADS
            if rest and rest[-1].end() == clause.start() and rest[-1][0][-1] in HEADS:
                rest.pop()
            continue
        if not (goes_on and len(_LETTER.findall(clause[0])) < SAYS_SOMETHING):
            rest.append(clause)
        goes_on = False
    if found and not addresses_the_judge("".join(one[0] for one in rest)):
        yield from ((sentence.start + one.start(), sentence.start + one.end()) for one in rest)


def _addressing_across(sentences: Sequence[Sentence], answer: str) -> set[Sentence]:
    """Return the sentences that speak to the judge only together with their neighbour."""
    found: set[Sentence] = set()
    for one, other in pairwise(sentences):
        alone = addresses_the_judge(one.text) or addresses_the_judge(other.text)
        if not alone and addresses_the_judge(answer[one.start : other.end]):
            found |= {one, other}
    return found


def _is_drawn(sentence: Sentence, lines: Sequence[tuple[int, int]]) -> bool:
    return any(start < sentence.end and sentence.start < end for start, end in lines)


def _visible(text: str, start: int, end: int) -> Iterator[int]:
    return (at for at in range(start, end) if not _is_invisible(text[at]))


def _is_invisible(char: str) -> bool:
    if char < "\u00ad":
        return False
    category = unicodedata.category(char)
    is_picture = ord(char) >= _PICTURES and category in ("So", "Sk")
    return category == "Cf" or is_picture or "\ufe00" <= char <= "\ufe0f"


def _stripped(text: str, offsets: list[int]) -> list[int]:
    """Drop white space at both ends."""
    said = [number for number, at in enumerate(offsets) if not text[at].isspace()]
    return offsets[said[0] : said[-1] + 1] if said else []


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return `text` with spaces in place of the spans: what is left stays where it was."""
    chars = list(text)
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    return "".join(chars)
