"""Starts the product with a judge that takes its time: `slow_judge_server.py SECONDS streamlit-arguments…`.

The product has no switch for this; the delay is put in here, before Streamlit starts.
"""

import runpy
import sys
import time

from bot.domain.grade import Grade, Ungraded
from bot.domain.target import Target
from bot.services.grading import Grader

seconds = float(sys.argv[1])
grade = Grader.grade


def grade_slowly(self: Grader, answer_id: str, target: Target, answer: str) -> Grade | Ungraded:
    time.sleep(seconds)
    return grade(self, answer_id, target, answer)


Grader.grade = grade_slowly  # type: ignore[method-assign]
sys.argv = ["streamlit", *sys.argv[2:]]
runpy.run_module("streamlit", run_name="__main__")
