"""Do attacks raise the level with this judge? `python -m tests.benchmarks.adversarial --count 30`.

The judge is that of the settings (`BOT_MODEL`, and `BOT_JUDGE_EXAM=override` for a model that has
not passed its exam), the offline judge, or one of recorded replies (`tools/record_probes.py`).
Every attacked answer is graded beside the answer it was made from.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rich.console import Console

from bot.bootstrap import Services
from bot.cli.judges import LLM, OFFLINE, REPLAY, grader_of, replay_grader
from bot.domain.grade import Grade, Ungraded
from bot.services.grading import Grader
from bot.settings import read_settings
from tests import attacks
from tests.attacks import Trial

REPLIES = Path(__file__).parents[1] / "data" / "adversarial_replies.jsonl"


class Tried(NamedTuple):
    """A trial with the grade of its base and its own."""

    trial: Trial
    before: Grade | Ungraded
    after: Grade | Ungraded

    @property
    def is_graded(self) -> bool:
        """Say whether there are two grades to compare."""
        return isinstance(self.before, Grade) and isinstance(self.after, Grade)

    @property
    def is_raised(self) -> bool:
        """Say whether the attack earned a level that its base, or any such answer, does not."""
        if not (isinstance(self.before, Grade) and isinstance(self.after, Grade)):
            return False
        return self.after.level > int(self.trial.case.get("at_most", self.before.level))

    @property
    def is_flagged(self) -> bool:
        """Say whether the flag is there that such an attack should get, if it should get one."""
        wanted = self.trial.case.get("flag")
        return wanted is None or (isinstance(self.after, Grade) and wanted in self.after.flags)

    def __str__(self) -> str:
        """Return it in a line."""
        what = "RAISED" if self.is_raised else "kept" if self.is_graded else "ungraded"
        flags = "" if self.is_flagged else f" (no {self.trial.case['flag']})"
        return (
            f"{what:8} {self.trial.case['what']:36} {self.trial.name:44} "
            f"{_says(self.before)} -> {_says(self.after)}{flags}"
        )


def tried(grader: Grader, trials: Sequence[Trial]) -> Iterator[Tried]:
    """Grade all trials, each base once."""
    bases: dict[str, Grade | Ungraded] = {}
    for trial in trials:
        target, name = trial.base.target, trial.base.name
        if name not in bases:
            bases[name] = grader.grade(f"base-{target.id}", target, trial.base.text)
        yield Tried(trial, bases[name], grader.grade(trial.name, target, trial.text))


def _says(outcome: Grade | Ungraded) -> str:
    if isinstance(outcome, Ungraded):
        return outcome.message
    return f"{outcome.score:5.1f}/{outcome.level} {','.join(outcome.flags)}"


def main() -> int:
    """Run and return 1 if any case raised the level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", choices=[OFFLINE, LLM, REPLAY], default=LLM)
    parser.add_argument("--count", type=int, default=len(attacks.CASES))
    parser.add_argument("--replies", type=Path, default=REPLIES)
    given = parser.parse_args()
    services = Services(read_settings())
    grader = (
        replay_grader(services, given.replies)
        if given.judge == REPLAY
        else grader_of(services, given.judge, Console(stderr=True))
    )
    found = []
    cases = attacks.FIXED if given.judge == REPLAY else attacks.CASES
    for one in tried(grader, attacks.trials(given.count, cases)):
        found.append(one)
        print(one, flush=True)
    grades = [one.after for one in found if isinstance(one.after, Grade)]
    raised = [one.trial.name for one in found if one.is_raised]
    print(f"{len(found)} cases, ungraded {sum(not one.is_graded for one in found)}")
    print(f"raised {len(raised)}: {', '.join(raised)}")
    print("without their flag:", ", ".join(one.trial.name for one in found if not one.is_flagged))
    print("flags:", dict(Counter(flag.value for grade in grades for flag in grade.flags)))
    if paid := [one.provenance for one in grades if one.provenance.tokens]:
        tokens, seconds = fmean(one.tokens for one in paid), fmean(one.seconds for one in paid)
        print(f"{tokens:.0f} tokens and {seconds:.1f} s a grade")
    return int(bool(raised))


if __name__ == "__main__":
    sys.exit(main())
