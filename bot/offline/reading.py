"""A reading of an answer: folded, cut into sentences, with what must not count blanked out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from bot.domain.claims import Flag
from bot.domain.content import addresses_the_judge, calculates, unanswered
from bot.domain.folding import fold
from bot.domain.sentence import split
from bot.offline.settings import OfflineSettings
from bot.offline.spelling import ENDS

_BLANK = "\x00"
_STRETCH = re.compile(rf"[^{ENDS}]+[{ENDS}]*")
_QUOTED = re.compile(r"「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"]*\"|‘[^’]*’")
_ITEM = re.compile(r"(?:\d (?=[a-z])|[^,、/;|\s])+")
"""One thing of a list; a number goes with its unit."""


class Stretch(NamedTuple):
    """A sentence of the folded text, `start` to `end`, end exclusive."""

    start: int
    end: int
    text: str


class Found(NamedTuple):
    """Where something stands in the folded text."""

    start: int
    end: int


class Reading:
    """One answer, prepared for looking things up in it.

    `text` is folded; whatever speaks to the judge, merely lists keywords or repeats the question
    is blanked out, so that no concept is found there. Positions are those of the folded text.
    """

    def __init__(self, answer: str, stem: str, settings: OfflineSettings) -> None:
        """Prepare `answer`, which was given to `stem`."""
        self._answer = answer
        self._settings = settings
        self._folded = fold(answer)
        self._sentences = split(answer)
        self._starts = [one.start for one in self._sentences]
        self._negation = re.compile(settings.negation)
        self._refutation = re.compile(settings.refutation)
        self._hearsay = re.compile(settings.hearsay)
        self.flags: tuple[Flag, ...] = ()
        self.text = self._folded.text
        for stretch in self.stretches():
            self._judge_stretch(stretch, stem)
        self._quoted = [
            Found(*span) for found in _QUOTED.finditer(answer) if (span := self._fold_span(found))
        ]

    def stretches(self) -> Iterator[Stretch]:
        """Give the sentences of the folded text."""
        for found in _STRETCH.finditer(self.text):
            yield Stretch(found.start(), found.end(), found[0])

    def hits(self, pattern: re.Pattern[str]) -> Iterator[Found]:
        """Give where the pattern stands without a negation before it."""
        for found in pattern.finditer(self.text):
            if found.end() > found.start() and not self.is_negated(found.start()):
                yield Found(found.start(), found.end())

    def is_negated(self, at: int) -> bool:
        """Say whether a negation stands right before the position, unless it stands there itself."""
        own = re.match(self._settings.own_negation, self.text[at : at + 4])
        return own is None and bool(self._negation.search(self.text[max(0, at - 10) : at]))

    def is_refuted(self, found: Found) -> bool:
        """Say whether the words are somebody else's that the candidate turns down."""
        stretch = self.stretch_at(found.start)
        around = self.text[stretch.start : min(len(self.text), stretch.end + 40)]
        quoted = any(one.start <= found.start and found.end <= one.end for one in self._quoted)
        reported = bool(self._hearsay.search(self.text[stretch.start : found.start]))
        after = self.text[found.end : min(len(self.text), stretch.end + 40)]
        return (quoted and bool(self._refutation.search(around))) or bool(
            (reported or quoted) and self._refutation.search(after)
        )

    def stretch_at(self, at: int) -> Stretch:
        """Return the sentence that holds the position."""
        start = max((self.text.rfind(end, 0, at) for end in ENDS), default=-1) + 1
        ends = [place for end in ENDS if (place := self.text.find(end, at)) >= 0]
        stop = min(ends, default=len(self.text) - 1) + 1
        return Stretch(start, stop, self.text[start:stop])

    def clause(self, found: Found) -> Found:
        """Widen to the whole clauses that hold the words."""
        marks = ENDS + ",:" + _BLANK
        start = max((self.text.rfind(mark, 0, found.start) for mark in marks), default=-1) + 1
        ends = [place for mark in marks if (place := self.text.find(mark, found.end)) >= 0]
        return Found(start, min(ends, default=len(self.text)))

    def sentence_numbers(self, found: Found) -> tuple[int, ...]:
        """Return the numbers of the sentences that the words touch."""
        start, end = self._folded.span(found.start, found.end)
        first = max(0, bisect_right(self._starts, start) - 1)
        return tuple(one.number for one in self._sentences[first:] if one.start < end)

    def original(self, found: Found) -> str:
        """Return the words as the candidate wrote them."""
        start, end = self._folded.span(found.start, found.end)
        return self._answer[start:end]

    def _judge_stretch(self, stretch: Stretch, stem: str) -> None:
        flag = None
        if addresses_the_judge(stretch.text):
            flag = Flag.INJECTION
        elif self._is_keyword_list(stretch.text):
            flag = Flag.KEYWORD_LIST
        if flag is not None:
            self.flags = tuple(dict.fromkeys((*self.flags, flag)))
        if flag is not None or Flag.ECHO in unanswered(stretch.text, stem):
            self._blank(stretch.start, stretch.end)

    def _blank(self, start: int, end: int) -> None:
        """Blank a part out; an end mark stays, so that no relation reaches across the gap."""
        if end > start:
            blank = _BLANK * (end - start - 1) + ";"
            self.text = self.text[:start] + blank + self.text[end:]

    def _is_keyword_list(self, text: str) -> bool:
        items = _ITEM.findall(text)
        return len(items) >= self._settings.list_items and not (
            re.search(self._settings.predicates, text) or calculates(text)
        )

    def _fold_span(self, found: re.Match[str]) -> tuple[int, int] | None:
        inside = [
            index
            for index, offset in enumerate(self._folded.offsets)
            if found.start() <= offset < found.end()
        ]
        return (inside[0], inside[-1] + 1) if inside else None
