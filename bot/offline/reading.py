"""A reading of an answer: folded, cut into sentences, with what must not count blanked out."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from bot.domain.claims import Flag
from bot.domain.content import addresses_the_judge, calculates, unanswered
from bot.domain.diagram import diagram_lines, fold_told, widened
from bot.domain.evidence import Evidence
from bot.domain.folding import Folded
from bot.domain.sentence import split
from bot.offline.settings import OfflineSettings
from bot.offline.spelling import ENDS

_BLANK = "\x00"
_STRETCH = re.compile(rf"[^{ENDS}]+[{ENDS}]*")
_QUOTED = re.compile(r"「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"]*\"|‘[^’]*’")
_ITEM = re.compile(rf"[^,、/|{ENDS}{_BLANK}]+")
_WORD = re.compile(r"(?:\d (?=[a-z])|\S)+")
"""A word; a number goes with its unit."""

_UNIT = re.compile(r"[a-z0-9_.%+-]+|[^\x00-\x7f]")
SHORT_ITEM = 6
"""A keyword has at most so many words, a Chinese character being one; a clause has more."""


class Stretch(NamedTuple):
    """A sentence of the folded text, `start` to `end`, end exclusive."""

    start: int
    end: int
    text: str


class Found(NamedTuple):
    """Where something stands in the folded text."""

    start: int
    end: int

    def overlaps(self, other: Found) -> bool:
        """Say whether the two share a character."""
        return self.start < other.end and other.start < self.end


class Reading:
    """One answer, prepared for looking things up in it.

    `text` is folded, with diagrams told in sentences; whatever speaks to the judge, merely lists keywords or repeats the question
    is blanked out, so that no concept is found there. Positions are those of the folded text.
    `stated` keeps the lists: a number with its unit says something in a list too.
    """

    def __init__(
        self,
        answer: str,
        stem: str,
        settings: OfflineSettings,
        mended: Callable[[str], str] = str,
    ) -> None:
        """Prepare `answer`, which was given to `stem`; `mended` keeps the length of a text."""
        self._answer = answer
        self._settings = settings
        self._folded = _with_lines_ended(fold_told(answer), answer)
        self._drawn = diagram_lines(answer)
        self._sentences = split(answer)
        self._starts = [one.start for one in self._sentences]
        self._negation = re.compile(settings.negation)
        self._refutation = re.compile(settings.refutation)
        self._hearsay = re.compile(settings.hearsay)
        self.flags: tuple[Flag, ...] = ()
        self._spoiled: tuple[Found, ...] = ()
        self.text = mended(self._folded.text)
        for taken in re.finditer(settings.retraction, self.text):
            self._blank(self.clause(Found(taken.start(), taken.start() + 1)).start, taken.end())
        for stretch in self.stretches():
            self._judge_stretch(stretch, stem)
        self.stated = self.text
        for found in list(self._keyword_lists()):
            self._flag(Flag.KEYWORD_LIST)
            self._blank(found.start, found.end)
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

    def spoil(self, spans: Sequence[Found]) -> None:
        """Mark words that promise too much: they name no condition and no cost."""
        self._spoiled = tuple(spans)

    def is_spoiled(self, found: Found) -> bool:
        """Say whether the words stand inside a promise."""
        return any(one.start <= found.start and found.end <= one.end for one in self._spoiled)

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
        start, end = self._place(found)
        first = max(0, bisect_right(self._starts, start) - 1)
        return tuple(one.number for one in self._sentences[first:] if one.start < end)

    def original(self, found: Found) -> str:
        """Return the words as the candidate wrote them; of a diagram, the whole line."""
        start, end = self._place(found)
        return self._answer[start:end]

    def cited(self, found: Found) -> Evidence:
        """Return the words as a piece of the answer."""
        start, end = self._place(found)
        return Evidence(start=start, end=end, quote=self._answer[start:end])

    def _place(self, found: Found) -> tuple[int, int]:
        start, end = self._folded.span(found.start, found.end)
        return widened(start, end, self._drawn)

    def _judge_stretch(self, stretch: Stretch, stem: str) -> None:
        if addresses_the_judge(stretch.text):
            self._flag(Flag.INJECTION)
            for part in self._speaking_to_the_judge(stretch):
                self._blank(part.start, part.end)
        elif Flag.ECHO in unanswered(stretch.text, stem):
            self._blank(stretch.start, stretch.end)

    def _speaking_to_the_judge(self, stretch: Stretch) -> list[Found]:
        """Return the lines and clauses that do, or the whole stretch when only the whole does.

        Speech without an end mark is one stretch: a line for the judge must not cost all of it.
        """
        places = self._places
        first = bisect_right(places, stretch.start, key=lambda one: one.end)
        last = bisect_left(places, stretch.end, key=lambda one: one.start)
        parts = [
            Found(max(one.start, stretch.start), min(one.end, stretch.end))
            for one in places[first:last]
        ]
        found = [part for part in parts if addresses_the_judge(self.text[part.start : part.end])]
        return found or [Found(stretch.start, stretch.end)]

    @cached_property
    def _places(self) -> list[Found]:
        """Where the sentences stand in the folded text."""
        offsets = self._folded.offsets
        return [
            Found(bisect_left(offsets, one.start), bisect_left(offsets, one.end))
            for one in self._sentences
        ]

    def _flag(self, flag: Flag) -> None:
        self.flags = tuple(dict.fromkeys((*self.flags, flag)))

    def _blank(self, start: int, end: int) -> None:
        """Blank a part out; an end mark stays, so that no relation reaches across the gap."""
        if end > start:
            blank = _BLANK * (end - start - 1) + ";"
            self.text = self.text[:start] + blank + self.text[end:]

    def _keyword_lists(self) -> Iterator[Found]:
        """Give where whole sentences or lines, one after another, hold short items only."""
        items: list[str] = []
        start = end = 0
        for piece in [*self._pieces(), None]:
            mine = _ITEM.findall(self.text[piece.start : piece.end]) if piece else []
            if piece and all(len(_UNIT.findall(item)) <= SHORT_ITEM for item in mine):
                start = start if items else piece.start
                items, end = [*items, *mine], piece.end
                continue
            if self._is_keyword_list(items):
                yield Found(start, end)
            items = []

    def _is_keyword_list(self, items: list[str]) -> bool:
        """Say whether the items say nothing: no verb in any of a few, in few of many."""
        verbs = sum(bool(re.search(self._settings.predicates, item)) for item in items)
        least = self._settings.list_items
        few = verbs == 0 and sum(len(_WORD.findall(item)) for item in items) >= least
        many = verbs <= len(items) / 3 and len(items) >= least + 2
        return (few or many) and not calculates(",".join(items))

    def _pieces(self) -> Iterator[Found]:
        """Give the sentences, cut where a line of the answer ends too."""
        offsets = self._folded.offsets
        start = 0
        for at in range(1, len(self.text) + 1):
            is_last = at == len(self.text)
            if is_last or self.text[at - 1] in ENDS or _breaks(self._answer, offsets, at):
                yield Found(start, at)
                start = at

    def _fold_span(self, found: re.Match[str]) -> tuple[int, int] | None:
        start = bisect_left(self._folded.offsets, found.start())
        end = bisect_left(self._folded.offsets, found.end())
        return (start, end) if start < end else None


def _with_lines_ended(folded: Folded, answer: str) -> Folded:
    """Put an end mark where a line ends without one: folding joins the last word to the next line.

    After a comma or a colon the sentence goes on.
    """
    text: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(folded.text):
        # Between ASCII words the break itself has become a space.
        before = folded.text[max(0, at - 2) : at].rstrip(" ")[-1:]
        if at and before not in tuple(ENDS + ",、:") and _breaks(answer, folded.offsets, at):
            text.append(";")
            offsets.append(answer.index("\n", folded.offsets[at - 1]))
        text.append(char)
        offsets.append(folded.offsets[at])
    return Folded("".join(text), tuple(offsets))


def _breaks(answer: str, offsets: tuple[int, ...], at: int) -> bool:
    """Say whether a line ends between the folded character and the one before it."""
    return "\n" in answer[offsets[at - 1] : offsets[at]]
