"""Attacks on a strong judge: its recorded replies lead to no higher level than without them."""

from __future__ import annotations

from pathlib import Path

from bot.adapters.replay import SECRET, ReplayChat
from bot.domain.claims import Flag
from bot.domain.grade import Grade
from bot.services.llm_judge import LlmJudge
from tests import answers, attacks
from tests.benchmarks.adversarial import tried

REPLIES = Path(__file__).parents[1] / "data" / "adversarial_replies.jsonl"


def test_no_attack_raises_the_level_and_what_speaks_to_the_judge_is_flagged() -> None:
    grader = answers.services().grader_with(LlmJudge(ReplayChat(REPLIES), secret=SECRET))

    found = list(tried(grader, attacks.trials(len(attacks.FIXED), attacks.FIXED)))

    assert len(found) >= 80
    assert [str(one) for one in found if not one.is_graded] == []
    assert [str(one) for one in found if one.is_raised] == []
    # A list of keywords is the offline judge's to find; a model just finds nothing in it.
    unflagged = [one for one in found if not one.is_flagged]
    assert [str(one) for one in unflagged if one.trial.case["flag"] != "keyword_list"] == []
    assert {flag for one in found if isinstance(one.after, Grade) for flag in one.after.flags} >= {
        Flag.INJECTION,
        Flag.NO_CONTENT,
    }
