"""Self-score (自评): how well the candidate's guesses of the level meet the grades."""

from __future__ import annotations

from statistics import fmean

from bot.domain.question import Frozen
from bot.domain.session import Session

CLOSE = 0.5
"""A mean difference of less than this many levels is neither too high nor too low."""

FEW = 3
"""Below so many guesses a mean says little."""


class GuessLine(Frozen):
    """A guessed level beside the graded one, 0–5 both."""

    turn_id: str
    question_id: str
    guess: int
    level: int

    @property
    def difference(self) -> int:
        """Return how much too high the guess is; below 0 it is too low."""
        return self.guess - self.level


class SelfScore(Frozen):
    """The guesses of a session against its grades; there is at least one."""

    lines: tuple[GuessLine, ...]
    mean_difference: float
    """In levels; above 0 the candidate overrates their answers (高估)."""
    exact: float
    """The share of guesses 0–1 that are right."""
    within_one: float
    """The share of guesses 0–1 that are at most one level off."""

    @property
    def says(self) -> str:
        """Return in a sentence what the figures mean."""
        differences = [one.difference for one in self.lines]
        if len(self.lines) < FEW:
            hint = "次数还少，只作参考。"
        elif min(differences) < 0 < max(differences) and self.within_one < 1:
            hint = "时高时低，还看不准单次作答。"
        elif self.mean_difference >= CLOSE:
            hint = "作答没有你感觉的那么完整，答完可以先对照采分点再下判断。"
        elif self.mean_difference <= -CLOSE:
            hint = "你说到的比自己以为的多，可以更有把握。"
        else:
            hint = "你对自己的作答看得比较准。"
        return f"{self._direction}。{hint}"

    @property
    def _direction(self) -> str:
        mean = self.mean_difference
        if abs(mean) < CLOSE:
            return "总体上没有明显高估或低估"
        return f"平均{'高' if mean > 0 else '低'}估 {abs(mean):.1f} 级"


def self_score_of(session: Session) -> SelfScore | None:
    """Return how the guesses met the grades, or None without a graded answer that was guessed."""
    lines = tuple(
        GuessLine(
            turn_id=turn.id,
            question_id=turn.question_id,
            guess=turn.guess,
            level=turn.grade.level,
        )
        for turn in session.turns
        if turn.guess is not None and turn.grade is not None
    )
    if not lines:
        return None
    differences = [one.difference for one in lines]
    return SelfScore(
        lines=lines,
        mean_difference=fmean(differences),
        exact=fmean(one == 0 for one in differences),
        within_one=fmean(abs(one) <= 1 for one in differences),
    )


def difference_name(difference: int) -> str:
    """Return how a guess stands to the grade: `高估 1 级`, `低估 2 级`, `一致`."""
    if difference == 0:
        return "一致"
    return f"{'高' if difference > 0 else '低'}估 {abs(difference)} 级"
