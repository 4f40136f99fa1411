"""From which confidence on a grade is stable: `python -m tests.benchmarks.confidence`.

The recorded verdicts on the gold answers are given made-up likelihoods and drawn again by them,
each unlikely verdict giving way to its neighbour. It is printed how well several ways to sum the
likelihoods up foretell the spread of three draws, and how often that spread is one that the grader
calls unstable.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from bot.bootstrap import Services
from bot.cli.evaluating import read_gold
from bot.domain.agreement import spearman
from bot.domain.claims import check as checked
from bot.domain.confidence import confidence
from bot.domain.grade import Provenance, grade
from bot.domain.rubric import Rubric
from bot.domain.target import Target, target_of
from bot.prompts import judge as prompt
from bot.services.grading import UNSTABLE
from bot.settings import Settings

GOLD = Path(__file__).parents[1] / "gold"
NEIGHBOURS: dict[object, tuple[object, ...]] = {
    "met": ("part",), "part": ("met", "no"), "no": ("part", "wrong"), "wrong": ("no",),
    0: (1,), 1: (0, 2), 2: (1,),
}  # fmt: skip
DRAWS, TRIPLES = 6, 12
SUMS: dict[str, Callable[[Sequence[Sequence[float]]], float]] = {
    "mean of the groups' means": lambda groups: confidence(groups) or 0.0,
    "mean of all": lambda groups: fmean(one for group in groups for one in group),
    "least": lambda groups: min(one for group in groups for one in group),
    "product": lambda groups: math.prod(one for group in groups for one in group),
}


class Case(NamedTuple):
    """A recorded reply and what it is about."""

    target: Target
    rubric: Rubric
    answer: str
    reply: dict[str, Any]

    def score(self, reply: dict[str, Any]) -> float:
        """Return the score that a reply leads to."""
        claims = prompt.check(reply, self.target, self.answer).claims
        source = Provenance(judge="llm", rubric=self.rubric.name, bank="")
        findings = checked(claims, self.target, self.answer)
        return grade("", self.target, self.rubric, findings, source).score


def cases() -> list[Case]:
    """Return the gold answers with the replies recorded for them."""
    services = Services(Settings(_env_file=None))
    lines = (GOLD / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    replies = {one["id"]: one["reply"] for one in map(json.loads, lines)}
    found = []
    for one in read_gold(GOLD / "dev.jsonl"):
        target = target_of(services.bank.find(one.question_id))
        rubric = services.rubrics[target.rubric_id]
        found.append(Case(target, rubric, one.answer, replies[one.id]))
    return found


def drawn(
    reply: dict[str, Any], groups: Sequence[Sequence[float]], rng: random.Random
) -> dict[str, Any]:
    """Return the reply with each verdict drawn again by its likelihood."""
    again = dict(reply)
    for name, likely in zip(("points", "slots"), groups, strict=True):
        again[name] = [
            one if rng.random() < share else moved(one, rng)
            for one, share in zip(reply[name], likely, strict=True)
        ]
    return again


def moved(one: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return an item with a neighbouring verdict, and with a sentence if it had none."""
    return {**one, "v": rng.choice(NEIGHBOURS[one["v"]]), "s": one["s"] or [1]}


def main() -> None:
    """Print the table."""
    rng = random.Random(1)
    rows: list[tuple[list[list[float]], float, float]] = []
    for case in cases():
        for _ in range(DRAWS):
            doubt = rng.uniform(0, 0.9)
            groups = [
                [1 - doubt * rng.random() for _ in case.reply[name]] for name in ("points", "slots")
            ]
            spreads = []
            for _ in range(TRIPLES):
                scores = [case.score(drawn(case.reply, groups, rng)) for _ in range(3)]
                spreads.append(max(scores) - min(scores))
            unstable = fmean(one >= UNSTABLE for one in spreads)
            rows.append((groups, fmean(spreads), unstable))
    for name, sum_up in SUMS.items():
        rank = spearman([sum_up(groups) for groups, *_ in rows], [spread for _, spread, _ in rows])
        print(f"{name}: Spearman with the spread of three draws {rank:.2f}")
    print("confidence   n  spread  unstable")
    for low in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        inside = [row for row in rows if low <= (confidence(row[0]) or 0) < low + 0.05]
        spread, unstable = (fmean(row[at] for row in inside) for at in (1, 2))
        print(f"{low:.2f}–{low + 0.05:.2f} {len(inside):4} {spread:7.1f} {unstable:8.0%}")


if __name__ == "__main__":
    main()
