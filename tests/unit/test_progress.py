"""Many answers over time: what is charted of them, and which grades never meet in one line."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import progress
from bot.domain.claims import Verdict
from bot.domain.grade import Provenance
from bot.domain.practice_days import practice_days
from bot.domain.progress import Attempt, Graded, Marks, Point, Step
from bot.domain.question import Slot
from bot.domain.session import AnswerKind
from tests.fakes import NOON, graded, provenance, question
from tests.strategies import overclaim, sessions

SHANGHAI = timezone(timedelta(hours=8))


def marks(score: float = 60, level: int = 3, **changes: object) -> Marks:
    """Return the numbers of a grade."""
    made = Marks(score, level, {"coverage": 0.5}, 0, (), provenance())
    return made._replace(**changes)


def attempt(
    question_id: str = "Q01",
    *,
    at: datetime = NOON,
    marks: Marks | None = None,
    bank_id: str = "demo",
) -> Attempt:
    """Return a main answer in short."""
    return Attempt("s", bank_id, question_id, at, marks)


def test_of_a_grade_its_numbers_are_kept_and_not_its_cost():
    source = provenance("llm", model="m", method="json_schema", tokens=900, seconds=3.5)
    given_grade = graded(
        question(), {"a": Verdict.CONTRADICTED}, source=source, overclaims=(overclaim(),)
    )

    kept = progress.marks_of(given_grade)

    assert (kept.score, kept.level) == (given_grade.score, given_grade.level)
    assert kept.shares["reason"] == 1.0
    assert kept.overclaims == 1
    assert kept.contradicted == ("Q01.a",)
    assert kept.source == provenance("llm", model="m")


def test_a_slot_that_overclaims_cost_dear_is_below_nothing():
    kept = progress.marks_of(graded(question(), overclaims=tuple(map(overclaim, range(4)))))

    assert kept.shares["calibration"] == pytest.approx(-1)


@given(sessions())
def test_attempts_are_the_main_answers_that_were_not_skipped(session):
    found = dict(progress.attempts_of(session))

    for position, turn in enumerate(session.turns):
        is_main = turn.follow_up_id is None and turn.answer is not None
        counts = is_main and turn.answer.kind is not AnswerKind.SKIPPED
        assert (position in found) == counts
        if counts:
            assert found[position].question_id == turn.question_id
            assert (found[position].marks is None) == (turn.grade is None)


sources = st.builds(
    Provenance,
    judge=st.sampled_from(["offline", "llm"]),
    model=st.sampled_from([None, "m", "n"]),
    prompt_version=st.sampled_from([None, "judge-1", "judge-2"]),
    rubric=st.sampled_from(["explain@1", "explain@2", "design@1"]),
    bank=st.sampled_from(["demo@1", "demo@2"]),
)
histories = st.lists(
    st.builds(
        attempt,
        st.sampled_from(["Q01", "Q02"]),
        at=st.integers(0, 300).map(lambda hours: NOON + timedelta(hours=hours)),
        marks=st.none() | sources.map(lambda source: marks(source=source)),
        bank_id=st.sampled_from(["demo", "other"]),
    ),
    max_size=30,
)


@given(histories)
def test_only_comparable_grades_meet_in_a_series_and_none_is_lost(history):
    series = progress.series_of(history, UTC)

    for one in series:
        met = {held.marks.source for held in one.attempts}
        assert all(first.comparable(second) for first, second in combinations(met, 2))
        assert one.source == one.attempts[-1].marks.source
        assert [held.at for held in one.attempts] == sorted(held.at for held in one.attempts)
    kept = sorted((one.question_id, one.at) for held in series for one in held.attempts)
    assert kept == sorted((one.question_id, one.at) for one in history if one.marks)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"judge": "llm", "model": "m"}, id="another judge"),
        pytest.param({"prompt_version": "offline-2"}, id="another version of the judge"),
        pytest.param({"bank": "demo@2"}, id="another version of the bank"),
        pytest.param({"rubric": "structured-answer@2"}, id="another version of the rubric"),
    ],
)
def test_grades_of_another_source_stay_apart_and_the_latest_comes_first(other):
    later = NOON + timedelta(days=1)
    history = [
        attempt(marks=marks()),
        attempt(at=later, marks=marks(source=provenance().model_copy(update=other))),
    ]

    series = progress.series_of(history, UTC)

    assert [len(one.attempts) for one in series] == [1, 1]
    assert series[0].attempts[0].at == later


def test_questions_of_different_kinds_share_a_series():
    design = provenance(rubric="system-design@1")
    history = [attempt(marks=marks()), attempt("Q02", marks=marks(source=design))]

    assert len(progress.series_of(history, UTC)) == 1


def test_the_latest_attempt_at_a_question_counts_and_stands_at_its_time():
    first, second, third = (
        Graded(name, NOON + timedelta(hours=hour), NOON.date(), marks(level=hour))
        for hour, name in enumerate(["Q01", "Q02", "Q01"])
    )

    latest = progress.latest_of([first, second, third])

    assert list(latest.items()) == [("Q02", second), ("Q01", third)]


@pytest.mark.parametrize(
    ("days", "step"),
    [
        pytest.param(0, Step.DAY, id="one day"),
        pytest.param(20, Step.DAY, id="three weeks"),
        pytest.param(21, Step.WEEK, id="longer"),
        pytest.param(181, Step.WEEK, id="half a year"),
        pytest.param(182, Step.MONTH, id="longer still"),
    ],
)
def test_a_long_history_is_shown_in_longer_steps(days, step):
    first = date(2026, 1, 5)

    assert progress.step_for([first + timedelta(days=days), first]) is step


@given(st.dates(date(1990, 1, 1), date(2100, 1, 1)), st.sampled_from(Step))
def test_a_period_begins_on_a_day_of_its_own(day, step):
    begins = progress.begin_of(day, step)

    assert begins <= day
    assert progress.begin_of(begins, step) == begins
    assert step is not Step.WEEK or begins.weekday() == 0


values = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.dates(date(2026, 1, 1), date(2026, 12, 31)),
        st.floats(-2, 100),
    ),
    max_size=40,
)


@given(values, st.sampled_from(Step))
def test_means_lie_between_what_they_are_made_of_and_count_it_all(found, step):
    points = progress.means(found, step)

    assert sum(one.answers for held in points.values() for one in held) == len(found)
    for name, held in points.items():
        assert [one.begins for one in held] == sorted({one.begins for one in held})
        for one in held:
            part = [
                value
                for other, day, value in found
                if other == name and progress.begin_of(day, step) == one.begins
            ]
            assert min(part) - 1e-9 <= one.mean <= max(part) + 1e-9


def test_shares_are_charted_for_one_rubric_alone():
    graded_ones = [
        Graded("Q01", NOON, NOON.date(), marks(shares={Slot.REASON.value: 0.4})),
        Graded("Q02", NOON, NOON.date(), marks(shares={Slot.REASON.value: 0.8})),
        Graded(
            "Q03",
            NOON,
            NOON.date(),
            marks(shares={Slot.COST.value: 1.0}, source=provenance(rubric="system-design@1")),
        ),
    ]

    found = progress.means(progress.by_criterion(graded_ones, "structured-answer"), Step.DAY)

    assert set(found) == {"reason"}
    assert found["reason"] == (Point(NOON.date(), pytest.approx(0.6), 2),)


def test_scores_are_charted_under_every_group_of_the_question():
    one = Graded("Q01", NOON, NOON.date(), marks(score=70))

    found = list(progress.by_group([one], {"Q01": ("kv", "memory")}.__getitem__))

    assert found == [("kv", NOON.date(), 70), ("memory", NOON.date(), 70)]


def test_the_day_is_that_of_the_candidates_calendar():
    late = datetime(2026, 11, 29, 17, tzinfo=UTC)

    (series,) = progress.series_of([attempt(at=late, marks=marks())], SHANGHAI)
    found = practice_days([attempt(at=late)], today=date(2026, 11, 30), zone=SHANGHAI)

    assert series.attempts[0].day == date(2026, 11, 30)
    assert found.days[-1] == (date(2026, 11, 30), 1)


@pytest.mark.parametrize(
    ("ago", "run"),
    [
        pytest.param([], 0, id="never"),
        pytest.param([0, 1, 2, 4], 3, id="up to today"),
        pytest.param([1, 2], 2, id="today is not over"),
        pytest.param([2, 3], 0, id="yesterday was missed"),
        pytest.param(range(40), 40, id="longer than what is shown"),
    ],
)
def test_a_run_of_days_goes_on_until_a_day_is_over_without_an_answer(ago, run):
    history = [attempt(at=NOON - timedelta(days=one)) for one in ago]

    found = practice_days(history, today=NOON.date(), zone=UTC)

    assert found.run == run
    assert len(found.days) == 28
    assert found.practised == len([one for one in ago if one < 28])
