"""Writes the judge's exact prompts of a set, to be replied to; puts the replies into one file.

The sets are `exam` (the probes of the entrance exam), `adversarial` (attacked answers, and the
answers they were made from) and `references` (the reference answers themselves).
`python tools/record_probes.py SET write FOLDER` writes one text file a prompt, named by its hash,
with nothing in it of what a good judge should say. Each reply goes beside its prompt as
`<hash>.json`. `python tools/record_probes.py SET gather FOLDER` checks that all replies are there
and complete, and writes `tests/data/<set>_replies.jsonl`. When the prompt changes, both are done
again: the hashes change with it, and the tests say so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the attacks live with the tests

from bot.adapters.replay import SECRET  # noqa: E402
from bot.bootstrap import Services  # noqa: E402
from bot.cli.judges import replay_grader  # noqa: E402
from bot.domain.target import Target, target_of  # noqa: E402
from bot.prompts import judge as prompt  # noqa: E402
from bot.services.llm_judge import is_asked, messages_for  # noqa: E402
from bot.settings import Settings  # noqa: E402
from tests import answers, attacks  # noqa: E402

DATA = ROOT / "tests" / "data"


class Asked(NamedTuple):
    """An answer that a judge is asked about."""

    id: str
    target: Target
    answer: str


def exam() -> Iterator[Asked]:
    """Give the probes of the exam."""
    services = Services(Settings(_env_file=None))
    for probe in services.models.exam.probes:
        yield Asked(probe.id, target_of(services.bank.find(probe.question_id)), probe.answer)


def adversarial() -> Iterator[Asked]:
    """Give the attacked answers and their bases."""
    bases: set[str] = set()
    for trial in attacks.trials(len(attacks.FIXED), attacks.FIXED):
        target = trial.base.target
        if trial.base.name not in bases:
            bases.add(trial.base.name)
            yield Asked(trial.base.name.replace(" ", "-"), target, trial.base.text)
        yield Asked(trial.name, target, trial.text)


def references() -> Iterator[Asked]:
    """Give the reference answers."""
    for one in answers.references():
        yield Asked(one.name, one.target, one.text)


SETS = {"exam": exam, "adversarial": adversarial, "references": references}


def main(name: str, what: str, folder: Path) -> int:
    """Write the prompts or gather the replies; return 1 when replies are missing or faulty."""
    lines: dict[str, str] = {}
    faults: list[str] = []
    grader = replay_grader(answers.services(), DATA / "exam_replies.jsonl")
    for one in SETS[name]():
        read = one.answer if name == "exam" else grader.read(one.target, one.answer)
        if not is_asked(one.target, read):
            continue
        messages = messages_for(one.target, read, SECRET)
        key = prompt.prompt_hash(messages)
        if what == "write":
            folder.mkdir(parents=True, exist_ok=True)
            text = f"{messages[0].text}\n\n{messages[1].text}\n"
            (folder / f"{key}.txt").write_text(text, encoding="utf-8")
            continue
        reply_file = folder / f"{key}.json"
        if not reply_file.is_file():
            faults.append(f"{reply_file}: missing")
            continue
        reply = json.loads(reply_file.read_text(encoding="utf-8"))
        checked = prompt.check(reply, one.target, read)
        faults += [f"{reply_file}: {fault}" for fault in checked.faults]
        line = {"id": one.id, "prompt": key, "reply": reply}
        lines.setdefault(key, json.dumps(line, ensure_ascii=False))
    if what == "gather" and not faults:
        path = DATA / f"{name}_replies.jsonl"
        path.write_text("\n".join(lines.values()) + "\n", encoding="utf-8")
    print("\n".join(faults) or "no faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
