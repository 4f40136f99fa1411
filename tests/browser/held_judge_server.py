"""Starts the product with a judge that waits for a file: `held_judge_server.py FILE streamlit-arguments…`.

The product has no switch for this; the wait is put in here, before Streamlit starts.
"""

import runpy
import sys
import time
from pathlib import Path

from bot.domain.grade import Grade, Ungraded
from bot.domain.target import Target
from bot.services.grading import Grader

gate = Path(sys.argv[1])
grade = Grader.grade


def grade_when_let(self: Grader, answer_id: str, target: Target, answer: str) -> Grade | Ungraded:
    while not gate.exists():
        time.sleep(0.05)
    return grade(self, answer_id, target, answer)


Grader.grade = grade_when_let  # type: ignore[method-assign]
sys.argv = ["streamlit", *sys.argv[2:]]
runpy.run_module("streamlit", run_name="__main__")
