"""Paraphrased stems, and at which place a search puts the question that each stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from bot.domain.folding import fold
from bot.ports import QuestionIndex
from bot.services.indexing import DEPTH, LexicalSearch, fuse

DATA = Path(__file__).parent / "data" / "paraphrases.yaml"
RUN = 4
"""So many characters in a row are wording, not chance."""


class Paraphrases(NamedTuple):
    """Two sets of paraphrases by question id, and the terms that they cannot do without."""

    terms: Sequence[str]
    asked: Mapping[str, str]
    held_out: Mapping[str, str]


class Share(NamedTuple):
    """How many questions a search puts first, or among the first three, as shares of 1."""

    first: float
    top_three: float

    def __str__(self) -> str:
        return f"first {self.first:6.1%}, in the first three {self.top_three:6.1%}"


def read() -> Paraphrases:
    """Return the paraphrases."""
    data = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    return Paraphrases(data["terms"], data["paraphrases"], data["held_out"])


def runs(text: str, terms: Sequence[str]) -> set[str]:
    """Return all runs of characters of a text that no term of the list has a part in."""
    folded = fold(text).text
    for term in sorted(terms, key=len, reverse=True):
        folded = folded.replace(fold(term).text, "\0")
    found = {folded[at : at + RUN] for at in range(len(folded) - RUN + 1)}
    return {run for run in found if "\0" not in run}


def found_by(
    wanted: Mapping[str, str], bank_id: str, lexical: LexicalSearch, index: QuestionIndex
) -> dict[str, Share]:
    """Return how well words alone, meaning alone, and both together find the questions."""
    found: dict[str, list[list[str]]] = {"words": [], "meaning": [], "both": []}
    for text in wanted.values():
        hits, near = lexical(text, DEPTH), index.nearest(bank_id, text, DEPTH)
        for way, ranked in zip(
            found, (fuse(hits, ()), fuse((), near), fuse(hits, near)), strict=True
        ):
            found[way].append([name for name, _ in ranked[:3]])
    return {way: _share(list(wanted), names) for way, names in found.items()}


def _share(wanted: Sequence[str], found: Sequence[Sequence[str]]) -> Share:
    pairs = list(zip(wanted, found, strict=True))
    return Share(
        first=sum(names[:1] == [name] for name, names in pairs) / len(pairs),
        top_three=sum(name in names for name, names in pairs) / len(pairs),
    )
