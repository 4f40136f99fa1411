"""The follow-up that asks for a drawing is graded alike in words and in Mermaid."""

from __future__ import annotations

import pytest

from bot.domain.claims import Flag, Verdict
from bot.domain.sentence import split
from bot.domain.target import Target, target_of
from tests import drawn
from tests.answers import grade, services


@pytest.fixture(scope="module")
def target() -> Target:
    question = services().bank.find(drawn.QUESTION)
    follow_up = next(one for one in question.follow_ups if one.id == drawn.FOLLOW_UP)
    return target_of(question, follow_up)


def met(target: Target, answer: str) -> set[str]:
    found = grade(target, answer).key_points
    return {one.id.rpartition(".")[2] for one in found if one.verdict is Verdict.MET}


def test_it_says_that_a_drawing_is_asked_for(target: Target):
    assert target.drawing


@pytest.mark.parametrize("name", [*drawn.WORDS, *drawn.DIAGRAMS])
def test_a_right_answer_earns_every_key_point(target: Target, name: str):
    answer = (drawn.WORDS | drawn.DIAGRAMS)[name]

    given = grade(target, answer)

    assert met(target, answer) == {point.id for point in target.key_points}
    assert given.level == 5
    assert Flag.KEYWORD_LIST not in given.flags


@pytest.mark.parametrize("name", drawn.WRONG)
def test_reversed_missing_and_foreign_arrows_earn_nothing(target: Target, name: str):
    given = grade(target, drawn.WRONG[name])

    assert not met(target, drawn.WRONG[name])
    assert given.level == 0


def test_a_missing_arrow_costs_its_key_point(target: Target):
    assert met(target, drawn.HALF) == {"a", "b"}
    assert grade(target, drawn.HALF).level <= 2


def test_arrows_that_are_all_alike_tell_no_duty_from_a_call(target: Target):
    assert met(target, drawn.ALIKE) == {"a", "b", "c", "d"}
    assert grade(target, drawn.ALIKE).level == 3


def test_the_evidence_of_a_diagram_is_its_lines(target: Target):
    answer = drawn.DIAGRAMS["flowchart with labelled arrows"]

    (criterion,) = (one for one in grade(target, answer).criteria if one.id == "coverage")

    quotes = [one.quote for one in criterion.evidence]
    assert 'CL -->|"ZMQ 消息"| EC(EngineCore)' in quotes
    assert set(quotes) <= {one.text for one in split(answer)}
    assert all(answer[one.start : one.end] == one.quote for one in criterion.evidence)
