"""A judge that one person cannot keep busy for everybody."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta

from bot.domain.target import Target
from bot.errors import JudgeUnavailableError
from bot.ports import Judge, JudgeIdentity, Judgement

Take = Callable[[], timedelta | None]
"""Takes one of an owner's allowance, or says how long to wait."""


def require(take: Take, per_hour: int) -> None:
    """Raise `JudgeUnavailableError` when nothing is left of the allowance."""
    wait = take()
    if wait is not None:
        minutes = math.ceil(wait / timedelta(minutes=1))
        raise JudgeUnavailableError(
            f"评分太频繁：每人每小时最多 {per_hour} 次（BOT_ANSWERS_PER_HOUR），"
            f"大约 {minutes} 分钟后可以继续；已有的作答都已保存，届时可以重新评分。"
        )


class LimitedJudge:
    """Judges as long as something is left of the owner's allowance."""

    def __init__(self, judge: Judge, *, take: Take, per_hour: int) -> None:
        """Take the judge, and what counts its calls."""
        self._judge = judge
        self._take = take
        self._per_hour = per_hour

    @property
    def identity(self) -> JudgeIdentity:
        """Return who would judge now."""
        return self._judge.identity

    def judge(self, target: Target, answer: str) -> Judgement:
        """Return claims. Raises `JudgeUnavailableError` when the allowance is used up."""
        require(self._take, self._per_hour)
        return self._judge.judge(target, answer)
