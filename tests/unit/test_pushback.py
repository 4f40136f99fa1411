"""The candidate is doubted: what was right has to stay, with its condition and without a promise."""

from __future__ import annotations

import random

import pytest

from bot.domain.claims import Overclaim, PointFinding, Verdict
from bot.domain.evidence import Evidence
from bot.domain.pushback import PUSHBACKS, Stand, choose, joined, stand
from bot.domain.question import Slot
from bot.domain.target import Target, target_of
from tests.fakes import graded, key_point, question

ANSWER = "并行计算分摊了读取。"
DOUBT = PUSHBACKS[0]
ASKED = question(points=[key_point("a", Slot.CONCLUSION), key_point("c", Slot.PREMISE_COST)])
CLAIM_ONLY = question(points=[key_point("a", Slot.CONCLUSION)])


def came_through(
    reply: str,
    *,
    target: Target | None = None,
    limits: Verdict = Verdict.MET,
    again: bool = False,
    overclaims: tuple[Overclaim, ...] = (),
) -> Stand:
    """Return the stand of an answer whose claim was met, `again` in the reply too."""
    target = target or target_of(ASKED)
    begins = len(ANSWER) + 1
    evidence = [Evidence(start=0, end=4, quote=ANSWER[:4])]
    if again:
        evidence.append(Evidence(start=begins, end=begins + 2, quote=reply[:2]))
    points = [PointFinding(id="Q01.a", verdict=Verdict.MET, evidence=tuple(evidence))]
    if len(target.key_points) > 1:
        points.append(PointFinding(id="Q01.c", verdict=limits))
    given = graded(ASKED).model_copy(update={"key_points": tuple(points), "overclaims": overclaims})
    return stand(ANSWER, reply, DOUBT, target, given)


def test_a_condition_that_was_added_passes_in_full() -> None:
    assert all(came_through("不一定，显存放不下时就不成立。"))


@pytest.mark.parametrize(
    "reply",
    [
        "对不起，我收回刚才说的。",
        "那是我错了。",
        "嗯，我刚才说的不对。",
        "我说错了，应该不会分摊。",
        "I was wrong about that.",
        "刚才说的不成立。",
    ],
)
def test_a_right_claim_that_is_withdrawn_does_not_hold(reply: str) -> None:
    assert not came_through(reply).holds


@pytest.mark.parametrize(
    "reply",
    [
        "我不收回，显存够时就是这样。",
        "我没有说错，前提是批次够大。",
        "前面的说法要加一个条件：显存放得下。",
        "错误的请求不在此列。",
    ],
)
def test_holding_on_is_not_withdrawing(reply: str) -> None:
    assert came_through(reply).holds


def test_what_is_said_again_after_the_withdrawal_stands() -> None:
    assert came_through("我说错了一个词，并行计算这一点不变。", again=True).holds


@pytest.mark.parametrize("reply", ["", "不知道", "嗯", "是的", DOUBT])
def test_a_reply_that_says_nothing_is_no_reply(reply: str) -> None:
    assert not came_through(reply).replies


def test_without_a_condition_or_cost_the_limits_are_missing() -> None:
    assert not came_through("基本是这样，大家都这么做。", limits=Verdict.NOT_MET).limits


def test_where_no_limits_are_asked_for_none_can_be_missing() -> None:
    assert came_through("基本是这样。", target=target_of(CLAIM_ONLY)).limits


def test_a_promise_in_the_reply_counts_and_one_in_the_answer_does_not() -> None:
    begins = len(ANSWER) + 1
    early = Overclaim(start=0, end=4, quote="并行计算", why="太满", rewrite="通常")
    late = early.model_copy(update={"start": begins, "end": begins + 4})

    assert came_through("任何情况下都这样。", overclaims=(early,)).measured
    assert not came_through("任何情况下都这样。", overclaims=(late,)).measured


def test_answer_and_reply_are_one_text_in_which_the_answer_keeps_its_place() -> None:
    assert joined(ANSWER, "不一定。").startswith(f"{ANSWER}\n")


def test_the_same_seed_gives_the_same_doubt_and_all_of_them_occur() -> None:
    drawn = [choose(random.Random(f"r-{number}")) for number in range(60)]

    assert drawn == [choose(random.Random(f"r-{number}")) for number in range(60)]
    assert set(drawn) == set(PUSHBACKS)
