"""An answer cut at its own borders: into conclusion, reason, premise or cost, and into clauses."""

from __future__ import annotations

import re
from itertools import pairwise

from bot.domain.question import ReferenceAnswer

SHORTEST_CLAUSE = 24

_CLOSING = r"[”’」』）)\"']*\s*"
_SENTENCE_END = re.compile(rf"(?:[。！？!?\n]+|(?<![0-9])\.(?=\s)){_CLOSING}")
_STRETCH_END = re.compile(rf"(?:[。！？!?；;\n]+|(?<![0-9])\.(?=\s)){_CLOSING}")
_CLAUSE_END = re.compile(r"[，,]")
_PREMISE = re.compile(
    r"但|不过|代价|前提|取决于|不能|需要|不保证|不等于|不一定|并不|未必|除非|只有|否则|仍|必须|限制"
    r"|however|trade-?off|depends|unless|cost",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"因为|由于|所以|因此|从而|避免|使得|让|通过|导致|减少|增加|影响|because|since|therefore|so that",
    re.IGNORECASE,
)


def split_reference(answer: str) -> ReferenceAnswer:
    """Split an answer at sentence borders into conclusion, reason and premise or cost.

    Nothing is lost: `joined` is the answer. What cannot be told apart is all conclusion.
    """
    answer = answer.strip()
    starts = [0, *(found.end() for found in _SENTENCE_END.finditer(answer))]
    sentences = [answer[a:b] for a, b in pairwise([*starts, len(answer)]) if a < b]
    told = [at for at, one in enumerate(sentences) if at and _PREMISE.search(one)]
    late = [at for at in told if at > 1]
    reasons = any(_REASON.search(one) for one in sentences[1:])
    if len(sentences) < 2 or not (told or reasons):
        return ReferenceAnswer(conclusion=answer)
    premise = (late or told or [len(sentences)])[0]
    parts = "".join(sentences[:1]), "".join(sentences[1:premise]), "".join(sentences[premise:])
    return _without_edge_blanks(*parts)


def _without_edge_blanks(conclusion: str, reason: str, premise: str) -> ReferenceAnswer:
    """Move the blanks between the parts behind the border: a conclusion has none at its end."""
    kept = conclusion.rstrip()
    blanks = conclusion[len(kept) :]
    if reason:
        reason = blanks + reason
    else:
        premise = blanks + premise
    return ReferenceAnswer(conclusion=kept, reason=reason, premise_cost=premise)


def pieces_of(text: str) -> list[tuple[int, str]]:
    """Cut into sentences, and long ones at their commas."""
    pieces: list[tuple[int, str]] = []
    begin = 0
    for found in (*_STRETCH_END.finditer(text), None):
        end = found.end() if found else len(text)
        start = begin
        for comma in _CLAUSE_END.finditer(text, begin, end):
            if comma.end() - start >= SHORTEST_CLAUSE and end - comma.end() >= SHORTEST_CLAUSE:
                pieces.append((start, text[start : comma.end()]))
                start = comma.end()
        pieces.append((start, text[start:end]))
        begin = end
    return [(start, piece) for start, piece in pieces if piece.strip()]
