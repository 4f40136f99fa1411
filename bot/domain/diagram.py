"""Diagrams (画图作答) in an answer: Mermaid text is found, and told in sentences for matching.

A judge that looks for words needs what a drawing says as words: an arrow from A to B labelled 调用
is told as "A 调用→B". The told words keep their place in the answer, so that evidence can be shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bot.domain import flowchart, sequence_diagram
from bot.domain.arrow import Arrow, Line, Stroke, spans_of
from bot.domain.folding import Folded, fold

_FENCED = re.compile(
    r"^[ \t]*(?P<marks>`{3,}|~{3,})[ \t]*mermaid[^\n]*\n(?P<source>.*?)"
    r"(?:^[ \t]*(?P=marks)[`~]*[ \t]*$|\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_BARE = re.compile(
    r"\s*(?:%%[^\n]*\n\s*)*"
    r"(?:(?:flowchart|graph)(?:[ \t]+(?:TB|TD|BT|RL|LR))?|sequenceDiagram|classDiagram"
    r"|stateDiagram(?:-v2)?)[ \t]*(?:;|\n)",
    re.IGNORECASE,
)
_VERBS = tuple(
    (verb, re.compile(pattern, re.IGNORECASE))
    for verb, pattern in (
        ("负责", r"职责|负责|责任|归属|管理|duty|responsib|(?<![a-z])owns?(?![a-z])"),
        ("依赖", r"依赖|depend"),
        ("返回", r"返回|回传|回给|(?<![a-z])(?:return|respond|response)"),
        ("发消息给", r"消息|请求|发送|message|request|(?<![a-z])(?:send|ipc|zmq|rpc)"),
        ("调用", r"调用|(?<![a-z])call|invoke|\w\(\)"),
    )
)
"""What an arrow does, told by its label; the first that fits."""

_STROKES = re.compile(
    "|".join(
        f"(?P<{stroke.name}>{pattern})"
        for stroke, pattern in (
            (Stroke.SOLID, r"实线|solid"),
            (Stroke.DOTTED, r"虚线|点线|dotted|dashed"),
            (Stroke.THICK, r"粗线|thick"),
        )
    ),
    re.IGNORECASE,
)
_TYPED_ARROW = re.compile(r"(?<![-=.])[-=.]+>+")
_CLAUSE = re.compile(r"[^,，。;；|\n]+")

_NEGATED = re.compile(r"不|没|无|非|(?<![a-z])(?:not|no)(?![a-z])", re.IGNORECASE)
_MARKS = re.compile(r"[,，、/|;；。.!！?？:：]+(?=\s|[^\x00-\x7f]|$)|[,，、|;；。！？：]+")
_PART = re.compile(r"\n|[:：]\s*|(?=[(（])")
_UNIT = re.compile(r"[A-Za-z0-9_.%+-]+|[^\x00-\x7f]")
_STATES = re.compile(r"[=＝是]|表示|代表")
MOST_ARROWS = 200
"""So many arrows of an answer are told; nobody draws more in an interview."""

_NAME = 6
"""A label of at most so many words, a Chinese character being one, is a name and no statement."""


class Diagram(NamedTuple):
    """Mermaid text in an answer: characters `start` to `end`, without the fence around it.

    `whole_start` and `whole_end` take in the fence.
    """

    source: str
    start: int
    end: int
    whole_start: int
    whole_end: int


def diagrams_in(text: str) -> tuple[Diagram, ...]:
    """Return the fenced diagrams, or the whole text when it begins as a diagram without a fence."""
    fenced = tuple(
        Diagram(found["source"], *found.span("source"), *found.span())
        for found in _FENCED.finditer(text)
        if found["source"].strip()
    )
    if fenced or _BARE.match(text) is None:
        return fenced
    return (Diagram(text, 0, len(text), 0, len(text)),)


def without_diagrams(text: str) -> str:
    """Return what stands around the diagrams."""
    parts = []
    at = 0
    for one in diagrams_in(text):
        parts.append(text[at : one.whole_start])
        at = one.whole_end
    return "".join((*parts, text[at:])).strip()


def diagram_lines(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the lines of diagrams stand in a text, end exclusive."""
    return tuple(
        (one.start + line.start, one.start + line.end)
        for one in diagrams_in(text)
        for line in spans_of(one.source)
    )


def fold_told(text: str) -> Folded:
    """Fold a text whose diagrams are told in sentences, and whose typed arrows are arrows.

    Every told character has the offset of its line's begin; see `widened`.
    """
    if _TYPED_ARROW.search(text) is None and not diagrams_in(text):
        return fold(text)
    pieces = list(_pieces(text))
    told = fold("".join(words for words, _ in pieces))
    offsets = [at for _, places in pieces for at in places]
    return Folded(told.text, tuple(offsets[place] for place in told.offsets))


def _pieces(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Give the words to be read instead of the text, with an offset for each character."""
    legend = _legend(text) if (diagrams := diagrams_in(text)) else {}
    at = arrows = 0
    for one in diagrams:
        yield from _prose(text, at, one.whole_start)
        for line in _lines(one.source):
            start, end = one.start + line.start, one.start + line.end
            arrows += len(line.arrows)
            if line.is_plain or arrows > MOST_ARROWS:
                yield from _prose(text, start, end)
            else:
                words = "".join(f"{sentence}。" for sentence in _sentences(line, legend))
                yield words, [start] * len(words)
            yield "\n", [end]
        at = one.whole_end
    yield from _prose(text, at, len(text))


def _prose(text: str, start: int, end: int) -> Iterator[tuple[str, Sequence[int]]]:
    """Give words as they stand, but `-->` as an arrow: folding would leave a dash of it."""
    for found in _TYPED_ARROW.finditer(text, start, end):
        yield text[start : found.start()], range(start, found.start())
        yield "→", [found.start()]
        start = found.end()
    yield text[start:end], range(start, end)


def widened(start: int, end: int, lines: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """Return a span of the answer widened to the whole lines of diagrams that it touches."""
    for first, last in lines:
        if first < end and start < last:
            start, end = min(start, first), max(end, last)
    return start, end


def _lines(source: str) -> tuple[Line, ...]:
    spans = spans_of(source)
    first = next(
        (text for one in spans if not (text := source[one.start : one.end]).startswith("%%")), ""
    )
    if flowchart.HEADER.match(first):
        return flowchart.flowchart_lines(source)
    if sequence_diagram.HEADER.match(first):
        return sequence_diagram.sequence_lines(source)
    return tuple(one._replace(is_plain=True) for one in spans)


def _legend(text: str) -> dict[Stroke, str]:
    """Return what the strokes mean, where the answer says so: 虚线表示职责, or 职责用虚线."""
    meaning: dict[Stroke, str] = {}
    for clause in _CLAUSE.findall(text):
        named = list(_STROKES.finditer(clause))
        borders = [0, *(found.end() for found in named)]
        ends = [*(found.start() for found in named), len(clause)]
        for at, found in enumerate(named):
            after = clause[borders[at + 1] : ends[at + 1]]
            verb = _named_verb(after) or _named_verb(clause[borders[at] : ends[at]])
            if verb is not None:
                meaning.setdefault(Stroke[found.lastgroup or ""], verb)
    return meaning


def _sentences(line: Line, legend: Mapping[Stroke, str]) -> Iterator[str]:
    yield from (" ".join(note.split()) for note in line.notes if note.strip())
    for label in line.labels:
        yield from _statement(label)
    for arrow in line.arrows:
        yield from _told(arrow, legend)


def _statement(text: str) -> Iterator[str]:
    """Give what a label or note states; a mere name states nothing, and is not a keyword either."""
    parts = [part.strip(" ()（）") for part in _PART.split(text) if part.strip(" ()（）")]
    if len(parts) > 1:
        yield f"{parts[0]}是{_one_piece(' '.join(parts[1:]))}"
    elif parts and (len(_UNIT.findall(parts[0])) > _NAME or _STATES.search(parts[0])):
        yield parts[0]


def _told(arrow: Arrow, legend: Mapping[Stroke, str]) -> Iterator[str]:
    """Give an arrow as a relation alone, where the two ends stand near, and with its label."""
    source, target = _one_piece(arrow.source), _one_piece(arrow.target)
    if not arrow.is_directed:
        yield f"{source}与{target}相连"
    else:
        yield f"{source}{_verb(arrow, legend)}→{target}"
    if arrow.label:
        yield f"{source} {_one_piece(arrow.label)} → {target}"


def _verb(arrow: Arrow, legend: Mapping[Stroke, str]) -> str:
    """Return what an arrow does: as its label says, else its stroke; "" when nothing tells."""
    if _NEGATED.search(arrow.label):
        return ""
    usual = "返回" if arrow.stroke is Stroke.DOTTED else "调用"
    named = _named_verb(arrow.label) or legend.get(arrow.stroke)
    return named or (usual if arrow.is_message else "")


def _named_verb(text: str) -> str | None:
    return next((verb for verb, pattern in _VERBS if pattern.search(text)), None)


def _one_piece(text: str) -> str:
    """Return a label without the marks that would cut a sentence."""
    return _MARKS.sub(" ", text).strip()
