"""Chooses the few free numbers of the offline judge on the development set.

`python tools/calibrate.py` tries every combination of the grid below. Each is measured by
cross-validation over questions: the cut-offs for a question are learnt on the other questions
alone, so a combination cannot profit from single answers. It prints the table, best first; what
was chosen, and when, stands in `docs/calibration.md`.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from bot.adapters import yaml_file
from bot.bootstrap import Services
from bot.cli.evaluating import read_gold
from bot.domain.agreement import fit_cuts, half_up, held_out_levels, weighted_kappa
from bot.domain.grade import Grade
from bot.domain.rubric import CoverageCriterion, Rubric, SlotCriterion
from bot.domain.target import target_of
from bot.errors import ConfigError
from bot.offline.judge import OfflineJudge, terms_of
from bot.offline.settings import OfflineSettings
from bot.services.evaluating import WITHOUT
from bot.services.grading import Grader
from bot.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
GRID = {
    "window": (45, 60, 80),
    "slot_full_at": (0.4, 0.5),
    "full_at": (0.9, 1.0),
    "partly": (0.35, 0.5),
    "partial": (0.35, 0.5),
}


def adjusted(rubric: Rubric, *, full_at: float, partly: float, partial: float) -> Rubric:
    """Return the rubric with other numbers."""
    criteria = []
    for one in rubric.criteria:
        match one:
            case CoverageCriterion():
                change: dict[str, float] = {"full_at": full_at, "partly": partly}
            case SlotCriterion():
                change = {"partial": partial}
            case _:
                change = {}
        criteria.append(one.model_copy(update=change))
    return rubric.model_copy(update={"criteria": tuple(criteria)})


def main() -> None:
    """Print one line a combination."""
    services = Services(Settings(_env_file=None))
    answers = read_gold(ROOT / "tests/gold/dev.jsonl")
    rated = [half_up(one.level) for one in answers]
    groups = [one.question_id for one in answers]
    plain = [at for at, one in enumerate(answers) if one.type not in WITHOUT]
    lexicon = yaml_file.read(ROOT / "rubrics/judges/offline.yaml", OfflineSettings, ConfigError)
    rows = []
    for values in itertools.product(*GRID.values()):
        chosen = dict(zip(GRID, values, strict=True))
        judge = OfflineJudge(
            terms_of([services.bank]),
            lexicon.model_copy(update={key: chosen.pop(key) for key in ("window", "slot_full_at")}),
        )
        rubric = adjusted(services.rubrics["structured-answer"], **chosen)
        grader = Grader(
            judge=judge,
            rubrics={**services.rubrics, rubric.id: rubric},
            bank_name=services.bank.name,
            clock=services.clock,
        )
        scores = []
        for one in answers:
            outcome = grader.grade(
                one.id, target_of(services.bank.find(one.question_id)), one.answer
            )
            assert isinstance(outcome, Grade)
            scores.append(outcome.score)
        levels = held_out_levels(scores, rated, groups)
        every = weighted_kappa(levels, rated) or 0.0
        some = weighted_kappa([levels[at] for at in plain], [rated[at] for at in plain]) or 0.0
        cuts = [round(cut, 1) for cut in fit_cuts(scores, rated)]
        rows.append((every + some, every, some, dict(zip(GRID, values, strict=True)), cuts))
    for _, every, some, numbers, cuts in sorted(rows, key=lambda row: -row[0]):
        print(f"{every:.3f} {some:.3f} {numbers} {cuts}")


if __name__ == "__main__":
    main()
