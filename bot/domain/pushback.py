"""Pushback (施压): the interviewer doubts an answer; does the candidate hold what was right?"""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from bot.domain.claims import Verdict
from bot.domain.content import unanswered
from bot.domain.drill_question import LIMITS
from bot.domain.folding import fold
from bot.domain.grade import Grade
from bot.domain.target import Target

PUSHBACKS = (
    "你确定任何情况下都这样吗？",
    "换一种负载，或者规模大一个数量级，你的说法还成立吗？",
    "我不太同意。有没有不该这么做的时候？",
    "听起来没有代价。真的吗？",
)

_WITHDRAWS = re.compile(
    r"(?<!不)(?<!不会)(?<!没)(?<!没有)(?<!不用)"
    r"(?:收回|我?说错了|我?讲错了|我?记错了|我?搞错了|是我错了|我错了|我刚才(?:说的|讲的|的说法)?(?:不对|是?错的?|不成立)"
    r"|(?:刚才|前面|之前)(?:我)?(?:说|讲|答)(?:的|得)(?:都|是)?(?:不对|错的?|不成立|有误)"
    r"|i ?was ?wrong|i ?take ?(?:it|that) ?back)"
)
"""Over folded text: the candidate takes back what was said."""


class Stand(NamedTuple):
    """How an answer came through the pushback; all four is what the top rung asks for."""

    replies: bool
    """The reply says something."""
    holds: bool
    """Nothing was withdrawn without something right in its place."""
    limits: bool
    """A condition or cost is named, here or before; true where none is asked for."""
    measured: bool
    """The reply does not turn into an overclaim."""


def choose(rng: random.Random) -> str:
    """Return one of the pushbacks."""
    return rng.choice(PUSHBACKS)


def joined(answer: str, reply: str) -> str:
    """Return the answer and the reply as the one text that is graded."""
    return f"{answer}\n{reply}"


def stand(answer: str, reply: str, pushback: str, target: Target, given: Grade) -> Stand:
    """Return how `joined(answer, reply)`, which earned the grade, came through the pushback."""
    begins = len(answer) + 1
    slots = {target.point_id(point): point.slot for point in target.key_points}
    met = [one for one in given.key_points if one.verdict is Verdict.MET]
    says_it_again = any(quote.end > begins for one in met for quote in one.evidence)
    is_withdrawn = bool(_WITHDRAWS.search(fold(reply).text)) and not says_it_again
    named = any(
        slots.get(one.id) in LIMITS and one.verdict in (Verdict.MET, Verdict.PARTLY_MET)
        for one in given.key_points
    )
    return Stand(
        replies=not unanswered(reply, pushback),
        holds=not is_withdrawn,
        limits=named or not any(slot in LIMITS for slot in slots.values()),
        measured=not any(one.end > begins for one in given.overclaims),
    )
