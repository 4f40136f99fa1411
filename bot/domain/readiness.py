"""An estimate by rule of whether one is ready for the interview, and what is missing (备考评估)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import NamedTuple

from bot.domain.bank import Bank
from bot.domain.coverage import CALCULATIONS, Contents, Covered
from bot.domain.grade import Provenance
from bot.domain.progress import Graded, Series, latest_of

ENOUGH = 5
"""Below so many graded questions there is nothing to estimate from."""

PER_SECTION = 3
"""So many questions of each section should have a grade, or all where there are fewer."""

GOOD_LEVEL = 4
"""The median of the latest levels of a section should reach it."""

RECENT = 20
"""Contradictions are looked for in the latest answers to so many questions."""

OVERCLAIMS_OVER = 10
MOST_OVERCLAIMS = 0.3
"""The latest `OVERCLAIMS_OVER` answers should have no more overclaims each than this, on average."""

CARDS = "cards"
"""The condition that drill cards are answered; no interview mends it."""

TO_PRACTISE = 3
"""How many questions are proposed for what is missing."""


class Condition(NamedTuple):
    """One condition of the rule: whether it is met, in words, and what to practise if not."""

    id: str
    met: bool
    says: str
    question_ids: tuple[str, ...] = ()


class Readiness(NamedTuple):
    """All conditions, and by whose grades; `missing_answers` above 0 means too few to tell."""

    source: Provenance
    missing_answers: int
    conditions: tuple[Condition, ...]

    @property
    def is_ready(self) -> bool:
        """Say whether the rule is satisfied."""
        return self.missing_answers == 0 and all(one.met for one in self.conditions)


def readiness(
    series: Series, bank: Bank, covered: Sequence[Covered], *, due_cards: int | None = None
) -> Readiness:
    """Weigh the latest grades of one series; `due_cards` are drill cards, None without drills."""
    contents = Contents(bank)
    latest = {
        question_id: one
        for question_id, one in latest_of(series.attempts).items()
        if contents.item_of(question_id) is not None
    }
    sections = [one for one in covered if one.chapter.id != CALCULATIONS]
    conditions = [
        _practised(sections),
        _levels(sections, latest),
        _contradictions(bank, list(latest.values())[-RECENT:]),
        _overclaims(series.attempts[-OVERCLAIMS_OVER:]),
    ]
    if due_cards is not None:
        says = f"有 {due_cards} 张复习卡片到期" if due_cards else "没有到期的复习卡片"
        conditions.append(Condition(CARDS, due_cards == 0, says))
    return Readiness(series.source, max(0, ENOUGH - len(latest)), tuple(conditions))


def _practised(sections: Sequence[Covered]) -> Condition:
    lacking = [one for one in sections if len(one.best) < _wanted(one)]
    if not lacking:
        return Condition("practised", True, f"每个章节都有至少 {PER_SECTION} 道题得过评分")
    names = "、".join(f"{one.chapter.id}（{len(one.best)}/{_wanted(one)}）" for one in lacking)
    ungraded = ([item for item in one.chapter.items if item not in one.best] for one in lacking)
    return Condition("practised", False, f"评过分的题还不够：{names}", _in_turn(ungraded))


def _wanted(one: Covered) -> int:
    return min(PER_SECTION, len(one.chapter.items))


def _levels(sections: Sequence[Covered], latest: dict[str, Graded]) -> Condition:
    weak: list[tuple[str, float, list[str]]] = []
    for one in sections:
        levels = {item: latest[item].marks.level for item in one.chapter.items if item in latest}
        if levels and (middle := median(levels.values())) < GOOD_LEVEL:
            lowest = sorted(
                (item for item in levels if levels[item] < GOOD_LEVEL), key=levels.__getitem__
            )
            weak.append((one.chapter.id, middle, lowest))
    if not weak:
        return Condition("levels", True, f"练过的章节，最近等级的中位数都到了 {GOOD_LEVEL} 级")
    names = "、".join(f"{name}（{middle:g} 级）" for name, middle, _ in weak)
    says = f"最近等级的中位数不到 {GOOD_LEVEL} 级：{names}"
    return Condition("levels", False, says, _in_turn(lowest for _, _, lowest in weak))


def _contradictions(bank: Bank, recent: Sequence[Graded]) -> Condition:
    wrong = [one.question_id for one in recent if _contradicts_core(bank, one)]
    if not wrong:
        return Condition("contradictions", True, "最近的作答没有把核心采分点说反")
    says = f"最近的作答把核心采分点说反了：{'、'.join(wrong)}"
    return Condition("contradictions", False, says, tuple(wrong[:TO_PRACTISE]))


def _contradicts_core(bank: Bank, one: Graded) -> bool:
    if not one.marks.contradicted:
        return False
    core = {point.id for point in bank.find(one.question_id).key_points if point.core}
    return any(point_id.rpartition(".")[2] in core for point_id in one.marks.contradicted)


def _overclaims(recent: Sequence[Graded]) -> Condition:
    mean = fmean(one.marks.overclaims for one in recent)
    says = (
        f"最近 {len(recent)} 次作答，每次平均 {mean:.1f} 处绝对化断言（不超过 {MOST_OVERCLAIMS}）"
    )
    counted = latest_of(one for one in recent if one.marks.overclaims)
    met = mean <= MOST_OVERCLAIMS
    return Condition("overclaims", met, says, () if met else tuple(counted)[-TO_PRACTISE:])


def _in_turn(piles: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Take turns between the piles, so that each section that lacks something is practised."""
    held = [list(pile) for pile in piles]
    longest = max(map(len, held), default=0)
    spread = [pile[at] for at in range(longest) for pile in held if at < len(pile)]
    return tuple(spread[:TO_PRACTISE])
