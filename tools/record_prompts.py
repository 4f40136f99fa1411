"""Writes the judge's exact prompts for a gold file, to be replied to; puts replies into one file.

`python tools/record_prompts.py write FOLDER` writes one text file a prompt, named by its hash, with
nothing in it of the ratings or the type of the answer. Every folder in it holds one answer to each
question, so that whoever replies does not compare the answers to one question with each other.
Each reply goes beside its prompt as `<hash>.json`. `python tools/record_prompts.py gather FOLDER`
checks that all replies are there and complete, and writes `tests/gold/replies.jsonl`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bot.adapters.replay import SECRET
from bot.bootstrap import Services
from bot.cli.evaluating import read_gold
from bot.domain.target import Target, target_of
from bot.ports import Message
from bot.prompts import judge as prompt
from bot.services.evaluating import RatedAnswer
from bot.services.llm_judge import messages_for
from bot.settings import Settings

GOLD = Path(__file__).resolve().parent.parent / "tests/gold"


def main(what: str, folder: Path) -> None:
    """Write the prompts or gather the replies."""
    services = Services(Settings(_env_file=None))
    lines: list[str] = []
    faults: list[str] = []
    for at, one, target, messages in _prompts(services):
        key = prompt.prompt_hash(messages)
        path = folder / f"{at:02}" / key
        if what == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            text = f"{messages[0].text}\n\n{messages[1].text}\n"
            path.with_suffix(".txt").write_text(text, encoding="utf-8")
            continue
        reply_file = path.with_suffix(".json")
        if not reply_file.is_file():
            faults.append(f"{reply_file}: missing")
            continue
        reply = json.loads(reply_file.read_text(encoding="utf-8"))
        checked = prompt.check(reply, target, one.answer)
        faults += [f"{reply_file}: {fault}" for fault in checked.faults]
        lines.append(json.dumps({"id": one.id, "prompt": key, "reply": reply}, ensure_ascii=False))
    print("\n".join(faults) or "no faults")
    if what == "gather":
        (GOLD / "replies.jsonl").write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


def _prompts(
    services: Services,
) -> Iterator[tuple[int, RatedAnswer, Target, tuple[Message, ...]]]:
    """Give every answer with its prompt and the number of its folder."""
    found: dict[str, list[tuple[str, RatedAnswer, Target, tuple[Message, ...]]]] = {}
    for one in read_gold(GOLD / "dev.jsonl"):
        target = target_of(services.bank.find(one.question_id))
        messages = messages_for(target, one.answer, SECRET)
        found.setdefault(one.question_id, []).append(
            (prompt.prompt_hash(messages), one, target, messages)
        )
    for answers in found.values():
        # In the order of the hashes, which says nothing about the answers.
        for at, (_, one, target, messages) in enumerate(sorted(answers, key=lambda it: it[0])):
            yield at, one, target, messages


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
