"""Made-up histories of somebody who gets better, with real offline grades.

`python -m tests.histories FOLDER` writes one into a data folder, to be looked at with
`BOT_DATA_DIR=FOLDER mockbot serve`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from bot.bootstrap import Services
from bot.domain.grade import Grade
from bot.domain.question import Question
from bot.domain.selection import select
from bot.domain.session import Session, SessionPlan, begin
from bot.domain.target import target_of
from bot.settings import Settings
from tests import answers

QUALITIES = ("thin", "half", "whole")
OVERCLAIM = "所以任何模型都一定能更快，没有任何副作用。"


def histories(
    *, sessions: int, until: datetime, per_session: int = 5, days: int = 120, seed: int = 7
) -> Iterator[Session]:
    """Give finished sessions over the days before `until`, thin answers first, whole ones last."""
    rng = random.Random(seed)
    begins = sorted(until - timedelta(days=rng.uniform(0.05, days)) for _ in range(sessions))
    for number, begun_at in enumerate(begins):
        skill = number / max(1, sessions - 1)
        question_ids = select(answers.services().bank, count=per_session, rng=rng)
        yield _session(f"h{seed}-{number}", question_ids, begun_at, skill, rng)


def as_if_by(session: Session, model: str) -> Session:
    """Return the session with its grades labelled as those of a model."""
    turns = []
    for turn in session.turns:
        given = turn.grade
        assert given is not None
        changes = {"judge": "llm", "model": model, "prompt_version": "judge-4"}
        source = given.provenance.model_copy(update=changes)
        outcome = given.model_copy(update={"provenance": source})
        turns.append(turn.model_copy(update={"outcome": outcome}))
    return session.model_copy(update={"turns": tuple(turns)})


def _session(
    name: str, question_ids: tuple[str, ...], now: datetime, skill: float, rng: random.Random
) -> Session:
    session = begin(name, SessionPlan(bank_id="vllm", question_ids=question_ids, follow_ups=0), now)
    for question_id in question_ids:
        at = min(2, max(0, int(rng.gauss(2.4 * skill, 0.8))))
        text, given = _graded(question_id, QUALITIES[at], rng.random() < 0.5 - 0.4 * skill)
        session = session.ask(question_id=question_id, says=question_id, now=now)
        now += timedelta(seconds=rng.randint(45, 110))
        session = session.answer(text, now=now)
        session = session.record(session.turns[-1].id, given)
    return session.finish(now)


@cache
def _graded(question_id: str, quality: str, overclaims: bool) -> tuple[str, Grade]:
    question = answers.services().bank.find(question_id)
    text = _answer(question, quality) + (OVERCLAIM if overclaims else "")
    return text, answers.grade(target_of(question), text)


def _answer(question: Question, quality: str) -> str:
    whole = question.reference.joined
    if quality == "whole":
        return whole
    return answers.half_of(whole) if quality == "half" else answers.thin(whole)


def main() -> int:
    """Write a history of 24 sessions by the offline judge and 6 by a model."""
    services = Services(Settings(_env_file=None, data_dir=Path(sys.argv[1])))
    now = datetime.now(UTC)
    for session in histories(sessions=24, until=now):
        services.store.save(session)
    for session in histories(sessions=6, until=now - timedelta(days=40), days=30, seed=8):
        services.store.save(as_if_by(session, "qwen3-8b"))
    services.store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
