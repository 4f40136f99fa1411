"""A session of twenty questions in which everything happens that a report has to show.

`python -m tests.long_session FOLDER` writes it into a data folder, and its report in every form.
"""

from __future__ import annotations

import sys
from datetime import UTC
from functools import cache
from pathlib import Path

from bot.bootstrap import Services
from bot.domain.grade import BetterAnswer, Ungraded, UngradedReason
from bot.domain.session import Session, SessionPlan, begin
from bot.domain.target import target_of
from bot.services.interviewing import Interviews
from bot.services.reporting.files import ReportForm
from bot.settings import Settings
from tests import answers
from tests.fakes import NOON, FakeClock, MemoryStore, PlainInterviewer

QUESTIONS = (*(f"Q{number:02}" for number in range(1, 48, 3)), "Q51", "Q57", "C-KV-7", "C-LINK-3")
SKIPPED, UNKNOWN, UNGRADED, HOSTILE, LONG = 3, 5, 8, 10, 12
"""Positions in the plan with something of their own."""

MARKUP = (
    "<script>alert(1)</script> [点这里](javascript:alert(1)) **粗** | 表 | `码` $x$ :red[红]\n"
    '=HYPERLINK("http://a.invalid","点")\n@SUM(A1)\n\u202e反着写\u202c 零\u200b宽 🙂👍🏽 ✗ ⌈x⌉ ﷽ \x07\n'
    "https://a.invalid/" + "很长" * 30 + "a" * 300
)
"""What somebody types who wants to break the report."""

OVERCLAIM = "所以任何模型都一定能更快，没有任何副作用。"


@cache
def long_session() -> Session:
    """Return the session, finished, with real offline grades."""
    clock = FakeClock(NOON)
    interviews = Interviews(
        bank=answers.services().bank,
        grader=answers.services().grader,
        store=MemoryStore(),
        interviewer=PlainInterviewer(),
        clock=clock,
    )
    session = interviews.begin_with(QUESTIONS, follow_ups=1)
    while (turn := session.current) is not None:
        clock.wait(45 + 7 * len(session.turns) % 60)
        position = QUESTIONS.index(turn.question_id)
        if position == SKIPPED:
            session = interviews.skip(session)
        elif position == UNKNOWN:
            session = interviews.dont_know(session)
        else:
            session = interviews.answer(session, _text(turn.question_id, turn.follow_up_id))
        session = interviews.go_on(interviews.grade_waiting(session))
    return _with_model_s_part(session)


def _text(question_id: str, follow_up_id: str | None) -> str:
    question = answers.services().bank.find(question_id)
    probe = next((one for one in question.follow_ups if one.id == follow_up_id), None)
    whole = target_of(question, probe).reference
    position = QUESTIONS.index(question_id)
    if position == HOSTILE and probe is None:
        return MARKUP + whole
    if position == LONG and probe is None:
        return (whole + "\n") * 12 + OVERCLAIM
    quality = (whole, answers.half_of(whole) + OVERCLAIM, answers.thin(whole))[position % 3]
    return quality if probe is None else answers.half_of(whole)


def _with_model_s_part(session: Session) -> Session:
    """Return the session with an answer that nobody could grade, and one that a model rewrote."""
    mains = [turn for turn in session.turns if turn.follow_up_id is None]
    failed, better = mains[UNGRADED], mains[1]
    session = session.record(
        failed.id,
        Ungraded(
            id=failed.id,
            question_id=failed.question_id,
            reason=UngradedReason.JUDGE_UNAVAILABLE,
            message="模型服务没有应答（连接超时）；请稍后重新评分。",
        ),
    )
    reference = answers.services().bank.find(better.question_id).reference
    return session.improve(
        better.id,
        BetterAnswer(
            conclusion=reference.conclusion,
            reason=f"【{reference.reason}】",
            premise_cost=reference.premise_cost,
            model="qwen3-8b",
            prompt_version="better-2",
        ),
    )


def new_session(session_id: str = "s") -> Session:
    """Return a session in which nothing was said."""
    return begin(session_id, SessionPlan(bank_id="vllm", question_ids=("Q01",)), NOON)


def main() -> int:
    """Write the session and its report in every form."""
    folder = Path(sys.argv[1])
    services = Services(Settings(_env_file=None, data_dir=folder))
    session = services.store.save(long_session().model_copy(update={"revision": 0}))
    for form in ReportForm:
        content = services.report_files.write(session, form, UTC)
        (folder / form.file_name(session)).write_bytes(content)
    (folder / "grades.csv").write_bytes(services.report_files.grades(UTC))
    services.store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
