"""Progress (进步): what many answers add up to over time; grades of different judges stay apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from math import fsum
from typing import NamedTuple

from bot.domain.claims import Verdict
from bot.domain.grade import Grade, Provenance
from bot.domain.session import AnswerKind, Session

DAYS_BY_DAY = 21
"""A history of so many days is shown day by day."""

WEEKS_BY_WEEK = 26
"""A longer one week by week, up to so many weeks; then month by month."""


class Marks(NamedTuple):
    """The numbers of a grade (分项): what is charted of it."""

    score: float
    level: int
    shares: Mapping[str, float]
    """What each criterion earned, as a share of its maximum; calibration may be below 0."""
    overclaims: int
    contradicted: tuple[str, ...]
    """The ids of the key points that were contradicted, such as `Q01.a`."""
    source: Provenance
    """Who graded, without what that grade cost."""


class Attempt(NamedTuple):
    """One main answer in short (一次作答); `marks` is None when it was not graded."""

    session_id: str
    bank_id: str
    question_id: str
    at: datetime
    marks: Marks | None


class Graded(NamedTuple):
    """An attempt that was graded, and its day in the candidate's calendar."""

    question_id: str
    at: datetime
    day: date
    marks: Marks


class Series(NamedTuple):
    """Graded attempts of one bank whose numbers may be set side by side, oldest first."""

    bank_id: str
    source: Provenance
    """That of the latest."""
    attempts: tuple[Graded, ...]


class Step(StrEnum):
    """How long the periods are that answers are gathered in."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Point(NamedTuple):
    """The mean of one period, which begins on that day, and how many answers it is made of."""

    begins: date
    mean: float
    answers: int


def marks_of(given: Grade) -> Marks:
    """Return the numbers of a grade."""
    who = given.provenance
    return Marks(
        score=given.score,
        level=given.level,
        shares={
            one.id: round(one.points / one.max, 4) if one.max else 0.0 for one in given.criteria
        },
        overclaims=len(given.overclaims),
        contradicted=tuple(
            point.id for point in given.key_points if point.verdict is Verdict.CONTRADICTED
        ),
        source=Provenance(
            judge=who.judge,
            model=who.model,
            prompt_version=who.prompt_version,
            rubric=who.rubric,
            based_on=who.based_on,
            bank=who.bank,
        ),
    )


def attempts_of(session: Session) -> Iterator[tuple[int, Attempt]]:
    """Give the main answers of a session with the positions of their turns."""
    for position, turn in enumerate(session.turns):
        if turn.follow_up_id is not None or turn.answer is None:
            continue
        if turn.answer.kind is not AnswerKind.SKIPPED:
            marks = marks_of(turn.grade) if turn.grade is not None else None
            bank_id, at = session.plan.bank_id, turn.asked_at
            yield position, Attempt(session.id, bank_id, turn.question_id, at, marks)


def series_of(attempts: Iterable[Attempt], zone: tzinfo) -> tuple[Series, ...]:
    """Put attempts together whose grades are comparable, those with the latest answer first.

    Rubrics of different kinds may meet in a series; two versions of one rubric may not.
    """
    groups: list[_Group] = []
    homes: dict[tuple[str, int], _Group] = {}
    for one in sorted(attempts, key=lambda one: one.at):
        if one.marks is None:
            continue
        # By identity: a store gives equal sources as one object, and comparing them takes long.
        key = one.bank_id, id(one.marks.source)
        if key not in homes:
            homes[key] = _home(groups, one.bank_id, one.marks.source)
        day = local_day(one.at, zone)
        homes[key].attempts.append(Graded(one.question_id, one.at, day, one.marks))
    found = [
        Series(group.bank_id, group.attempts[-1].marks.source, tuple(group.attempts))
        for group in groups
    ]
    return tuple(sorted(found, key=lambda one: one.attempts[-1].at, reverse=True))


class _Group(NamedTuple):
    """A series in the making."""

    bank_id: str
    sources: list[Provenance]
    attempts: list[Graded]


def _home(groups: list[_Group], bank_id: str, source: Provenance) -> _Group:
    """Return the group whose every grade is comparable with the source, or a new one."""
    for group in groups:
        if group.bank_id == bank_id and all(map(source.comparable, group.sources)):
            group.sources.append(source)
            return group
    groups.append(_Group(bank_id, [source], []))
    return groups[-1]


def latest_of(attempts: Iterable[Graded]) -> dict[str, Graded]:
    """Return the latest attempt at each question, those answered last at the end."""
    latest: dict[str, Graded] = {}
    for one in attempts:
        latest.pop(one.question_id, None)
        latest[one.question_id] = one
    return latest


def step_for(days: Sequence[date]) -> Step:
    """Return the periods in which a history of these days is best shown."""
    span = (max(days) - min(days)).days if days else 0
    if span < DAYS_BY_DAY:
        return Step.DAY
    return Step.WEEK if span < 7 * WEEKS_BY_WEEK else Step.MONTH


def begin_of(day: date, step: Step) -> date:
    """Return the first day of the period that holds the day; weeks begin on Monday."""
    if step is Step.WEEK:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if step is Step.MONTH else day


def local_day(at: datetime, zone: tzinfo) -> date:
    """Return the day on which the candidate's calendar was."""
    return at.astimezone(zone).date()


def means(values: Iterable[tuple[str, date, float]], step: Step) -> dict[str, tuple[Point, ...]]:
    """Return the mean of each name in each period that has a value, oldest first."""
    by_day: dict[tuple[str, date], list[float]] = defaultdict(list)
    for name, day, value in values:
        by_day[name, day].append(value)
    periods: dict[str, dict[date, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (name, day), found in by_day.items():
        periods[name][begin_of(day, step)] += found
    return {
        name: tuple(
            Point(begins, fsum(found) / len(found), len(found))
            for begins, found in sorted(held.items())
        )
        for name, held in periods.items()
    }


def by_criterion(attempts: Iterable[Graded], rubric_id: str) -> Iterator[tuple[str, date, float]]:
    """Give the shares of the criteria of one rubric, for `means`."""
    for one in attempts:
        if one.marks.source.rubric.partition("@")[0] == rubric_id:
            for name, share in one.marks.shares.items():
                yield name, one.day, share


def by_group(
    attempts: Iterable[Graded], groups_of: Callable[[str], Sequence[str]]
) -> Iterator[tuple[str, date, float]]:
    """Give the scores under each group of their question, such as its section or its topics."""
    for one in attempts:
        for name in groups_of(one.question_id):
            yield name, one.day, one.marks.score


def overclaims(attempts: Iterable[Graded]) -> Iterator[tuple[str, date, float]]:
    """Give how many overclaims each answer had, for `means`."""
    for one in attempts:
        yield "overclaims", one.day, float(one.marks.overclaims)
