"""How sure a model was of its verdicts (判定把握), read off the probabilities of its tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple


class Token(NamedTuple):
    """A token that a model chose, and what else it weighed at that place."""

    text: str
    logprob: float
    """Natural logarithm of the probability, ≤ 0."""
    others: tuple[tuple[str, float], ...] = ()
    """The likeliest tokens of this place with their logarithms, the chosen one most often too."""


_WORD = re.compile(r"[\W_]*([a-z0-9]+)")


def likelihoods(
    tokens: Sequence[Token], written: Sequence[str], choices: Sequence[str], field: str = "v"
) -> tuple[float, ...]:
    """Return how likely each verdict was to the model, 0–1, in the order of `written`.

    A verdict is decided by the token that holds its first character, for no two choices begin
    alike. Where rivals are told, the probability counts among the choices only: how a tokenizer
    joins quotes and blanks to a word, and words that the form does not allow, make no verdict less
    certain.

    Args:
        tokens: The reply, token by token.
        written: The verdicts of the reply, in its order. Of what the tokens spell the last so many
            are taken: there may be a draft before them.
        choices: All verdicts that could have been written.
        field: The name under which a verdict stands in the reply's JSON.

    Returns:
        Nothing at all when the tokens do not spell these verdicts.
    """
    begins = [0, *accumulate(len(token.text) for token in tokens)]
    text = "".join(token.text for token in tokens)
    words = "|".join(map(re.escape, choices))
    # The field's quote must not be escaped: what is quoted from an answer stands inside a string.
    pattern = rf'(?<!\\)"{re.escape(field)}"\s*:\s*"?\s*({words})(?![a-z0-9])'
    found = list(re.finditer(pattern, text, re.IGNORECASE))[-len(written) :]
    if not written or [one[1].lower() for one in found] != list(written):
        return ()
    places, at = [], 0
    for one in found:
        while begins[at + 1] <= one.start(1):
            at += 1
        places.append((tokens[at], tokens[at].text[: one.start(1) - begins[at]]))
    return tuple(
        _share(token, before, verdict, choices)
        for (token, before), verdict in zip(places, written, strict=True)
    )


def confidence(groups: Iterable[Sequence[float]]) -> float | None:
    """Return the mean over the groups of the mean likelihood in each, or None without any.

    It is the share of the verdicts that would come out the same in another sample. Key points are
    one group and slots are another, since a rubric gives both about the same weight: so a slot,
    which moves the score more than a key point does, counts for more. The least likelihood was
    tried and says less about how far samples would lie apart (`tests/benchmarks/confidence.py`).
    """
    means = [fmean(group) for group in groups if group]
    return round(fmean(means), 4) if means else None


def _share(token: Token, before: str, verdict: str, choices: Sequence[str]) -> float:
    """Return the probability of the verdict among the choices, at the token that decides it."""
    weighed = {token.text: token.logprob, **dict(token.others)}
    if len(weighed) == 1:
        return math.exp(min(0.0, token.logprob))
    masses = dict.fromkeys(choices, 0.0)
    for text, logprob in weighed.items():
        if (choice := _choice_of(text, before, choices)) is not None:
            masses[choice] += math.exp(min(0.0, logprob))
    total = sum(masses.values())
    return masses[verdict] / total if total else 0.0


def _choice_of(text: str, before: str, choices: Sequence[str]) -> str | None:
    """Return the one choice that a token begins or spells, after what stood before it."""
    if re.search(r"\w", before):
        if not text.startswith(before):
            return None
        text = text[len(before) :]
    word = _WORD.match(text.lower())
    fitting = [one for one in choices if word and one.startswith(word[1])]
    return fitting[0] if len(fitting) == 1 else None
