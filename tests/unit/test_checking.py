"""A bank whose own references do not earn full marks has a problem, and it is told in a sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.domain.claims import (
    Claims,
    ErrorClaim,
    OverclaimClaim,
    PointClaim,
    SlotClaim,
    Verdict,
)
from bot.domain.question import Misconception, Question, Term
from bot.domain.sentence import split
from bot.domain.target import Target
from bot.errors import JudgeUnavailableError
from bot.ports import JudgeIdentity, Judgement
from bot.services.checking import counts, problems
from bot.services.grading import Grader
from tests import fakes
from tests.fakes import FakeClock

QUESTION = fakes.question(follow_ups=(fakes.follow_up(),))


def full_marks(target: Target, answer: str) -> Claims:
    """Claim everything of a reference answer and nothing of any other text."""
    if answer != target.reference:
        return Claims()
    numbers = tuple(one.number for one in split(answer))
    return Claims(
        points=tuple(
            PointClaim(key_point_id=one.id, verdict=Verdict.MET, sentences=numbers)
            for one in target.key_points
        ),
        slots=tuple(
            SlotClaim(slot=slot, level=2, sentences=numbers)
            for slot in dict.fromkeys(one.slot for one in target.key_points)
        ),
    )


class JudgeBy:
    """Judges by a function."""

    def __init__(self, judges: Callable[[Target, str], Claims]) -> None:
        self.identity = JudgeIdentity(kind="offline")
        self._judges = judges

    def judge(self, target: Target, answer: str) -> Judgement:
        return Judgement(by=self.identity, claims=self._judges(target, answer))


def found(
    judges: Callable[[Target, str], Claims] = full_marks, question: Question = QUESTION
) -> list[str]:
    """Return the problems of a bank of one question under this judge."""
    grader = Grader(
        judge=JudgeBy(judges), rubrics=fakes.rubrics(), bank_name="demo@1", clock=FakeClock()
    )
    return list(problems(fakes.bank(question), grader))


def changed(target_id: str, **fields: object) -> Callable[[Target, str], Claims]:
    """Return full marks, but with these claims about the reference of one target."""

    def judges(target: Target, answer: str) -> Claims:
        claims = full_marks(target, answer)
        is_meant = target.id == target_id and answer == target.reference
        return claims.model_copy(update=fields) if is_meant else claims

    return judges


def test_a_bank_whose_references_earn_full_marks_has_no_problem() -> None:
    assert found() == []


def test_a_key_point_that_its_own_reference_misses_is_named() -> None:
    points = (PointClaim(key_point_id="a", verdict=Verdict.PARTLY_MET, sentences=(1,)),)

    told = found(changed("Q01.f1", points=points))

    assert told == [
        "Q01.f1.a：自己的参考答案没有命中这个采分点（部分说到）；"
        "请补充概念组（concepts）的写法或参考答案。"
    ]


def test_an_overclaim_in_a_reference_is_quoted() -> None:
    over = OverclaimClaim(quote="前者并行计算", why="太满", rewrite="通常")

    told = found(changed("Q01", overclaims=(over,)))

    assert told == ["Q01：参考答案里有绝对化断言 '前者并行计算'；请说清条件。"]


def test_a_misconception_in_a_reference_is_quoted_with_the_level_it_costs() -> None:
    error = ErrorClaim(quote="代价是显存占用", why="不对")

    told = found(changed("Q01", errors=(error,)))

    assert told[0] == "Q01：参考答案触发了误区 '代价是显存占用'；请收紧误区的写法（patterns）。"
    assert told[1].startswith("Q01：参考答案只得到 3 级（55 分）")


def test_a_follow_up_need_not_reach_the_best_level() -> None:
    def fewer(target: Target, answer: str) -> Claims:
        claims = full_marks(target, answer)
        overs = tuple(
            OverclaimClaim(quote=quote, why="太满", rewrite="通常") for quote in ("开销", "分摊")
        )
        return claims.model_copy(update={"overclaims": overs}) if "." in target.id else claims

    told = found(fewer)

    assert len(told) == 2
    assert not any("级" in one for one in told)


def test_a_question_whose_stem_alone_earns_a_level_is_named() -> None:
    def takes_the_stem(target: Target, answer: str) -> Claims:
        points = tuple(
            PointClaim(key_point_id=one.id, verdict=Verdict.MET, sentences=(1,))
            for one in target.key_points
        )
        is_stem = answer.startswith("这道题问的是")
        return Claims(points=points) if is_stem else full_marks(target, answer)

    question = fakes.question(stem="如何估算？")
    told = found(takes_the_stem, question)

    assert len(told) == 1
    assert told[0].startswith("Q01：只念题目就得到")


def test_a_reference_that_is_not_told_apart_is_named() -> None:
    whole = QUESTION.reference.model_copy(update={"premise_cost": ""})

    told = found(question=QUESTION.model_copy(update={"reference": whole}))

    assert told == ["Q01：参考答案没有分成结论、原因、前提/代价三部分。"]


def test_a_judge_that_fails_is_told_for_each_reference() -> None:
    def fails(target: Target, answer: str) -> Claims:
        raise JudgeUnavailableError("连不上。")

    told = found(fails)

    assert told == [
        "Q01：参考答案没有得到评分（连不上。）。",
        "Q01.f1：参考答案没有得到评分（连不上。）。",
    ]


@pytest.mark.parametrize(
    ("field", "number"),
    [
        pytest.param("sections", 2, id="sections"),
        pytest.param("questions", 3, id="questions"),
        pytest.param("key_points", 11, id="key points, those of follow-ups too"),
        pytest.param("follow_ups", 2, id="follow-ups"),
        pytest.param("misconceptions", 1, id="misconceptions"),
        pytest.param("terms", 1, id="terms"),
        pytest.param("calculations", 0, id="calculations"),
    ],
)
def test_a_bank_is_counted(field: str, number: int) -> None:
    wrong = Misconception(says="误区", why="不对。", patterns=(("错",),))
    probes = (fakes.follow_up("f1"), fakes.follow_up("f2"))
    bank = fakes.bank(
        sections={
            "A": [fakes.question("Q01", follow_ups=probes), fakes.question("Q02")],
            "B": [fakes.question("Q03", misconceptions=(wrong,))],
        },
        terms=[Term(id="kv", says="KV", spellings=("KV",))],
    )

    assert getattr(counts(bank), field) == number
