"""What a card asks at each rung, and what alone an answer to it is graded against."""

from __future__ import annotations

from bot.domain.card import Aim, Card, Rung
from bot.domain.question import FollowUp, KeyPoint, Kind, Question, Slot
from bot.domain.target import FOLLOW_UP_RUBRIC, Target, target_of
from bot.errors import NotFoundError

LIMITS = (Slot.PREMISE_COST, Slot.COST, Slot.ASSUMPTION)
"""The slots that answer "are you sure in every case?"."""

_ASKS = {
    Slot.CONCLUSION: "这道题的结论是什么？",
    Slot.REASON: "为什么会这样，机制是什么？",
    Slot.PREMISE_COST: "在什么条件下成立，要付出什么代价？",
    Slot.REQUIREMENTS: "动手之前要先问清哪些需求和约束？",
    Slot.ESTIMATE: "先估一下量级：怎么估，大约是多少？",
    Slot.BASELINE: "最简单可行的基线是什么？",
    Slot.APPROACH: "你的方案分哪几步，每一步做什么？",
    Slot.COST: "这个方案要付出什么代价？",
    Slot.VERIFICATION: "怎样验证它真的有效？",
    Slot.RESULT: "结果是多少？",
    Slot.UNIT: "结果的单位是什么？",
    Slot.FORMULA: "用什么公式算，各项是什么？",
    Slot.ASSUMPTION: "这样算的前提假设是什么？",
}
"""Words that ask for a slot and give nothing of it away."""

_MANNER = {
    Rung.HEADLINE: "先用一句话说最要紧的：",
    Rung.FULL: "请完整地说：",
    Rung.PUSHBACK: "请完整地说，我会再追问一句：",
}


def aim_at(card: Card, question: Question) -> Aim:
    """Return what the card asks for at its rung, without key points that the bank no longer has.

    Under pushback the limits of the question are asked for too: they are what a claim that is
    right has to be defended with. Raises `NotFoundError` when nothing of the card is left.
    """
    probe = _probe(card.aim, question)
    known = {point.id for point in (probe or question).key_points}
    points = [id for id in card.aim.points if id in known]
    if not points:
        raise NotFoundError(f"题库里已经没有卡片 {card.id!r} 的采分点；请把这张卡片停用。")
    if card.standing.rung is Rung.PUSHBACK and probe is None:
        points += [point.id for point in question.key_points if point.slot in LIMITS]
    return card.aim.model_copy(update={"points": tuple(dict.fromkeys(points))})


def says(card: Card, question: Question) -> str:
    """Return the question of the card in words; what is missing is not in them."""
    asks = f"{_MANNER[card.standing.rung]}{ask_of(card.aim, question)}"
    if card.aim.follow_up_id is not None:
        return asks
    said = [point.says for point in question.key_points if point.id in card.known]
    known = f"上次已经说到：{'；'.join(said)}。还缺的是什么？" if said else ""
    return f"{asks}{known}"


def ask_of(aim: Aim, question: Question) -> str:
    """Return the bare question: the bank's follow-up, or words that ask for the slot.

    Raises `NotFoundError` when the bank no longer has the follow-up.
    """
    probe = _probe(aim, question)
    return _ASKS[aim.slot] if probe is None else probe.asks


def reference_of(aim: Aim, question: Question) -> str:
    """Return the reference of the part that is aimed at, as `target_at` has it."""
    return target_at(aim, question).reference


def target_at(aim: Aim, question: Question) -> Target:
    """Return what an answer is graded against: the key points that are aimed at, and no others.

    Raises `NotFoundError` when the bank has none of them any more.
    """
    probe = _probe(aim, question)
    whole = target_of(question, probe)
    points = tuple(point for point in whole.key_points if point.id in aim.points)
    if not points:
        raise NotFoundError(f"题库里已经没有题目 {question.id!r} 的这些采分点；这次作答无法评分。")
    changes: dict[str, object] = {"key_points": points}
    if probe is None:
        changes |= {
            "stem": f"{question.stem}\n{_ASKS[aim.slot]}",
            "reference": _reference(question, points),
            "rubric_id": FOLLOW_UP_RUBRIC,
            "aims_at": aim.slot,
            "expected": None,
        }
    return whole.model_copy(update=changes)


def _probe(aim: Aim, question: Question) -> FollowUp | None:
    """Return the follow-up that is aimed at, None for a slot. Raises `NotFoundError`."""
    if aim.follow_up_id is None:
        return None
    for one in question.follow_ups:
        if one.id == aim.follow_up_id:
            return one
    raise NotFoundError(f"题目 {question.id!r} 已经没有追问 {aim.follow_up_id!r}。")


def _reference(question: Question, points: tuple[KeyPoint, ...]) -> str:
    """Return the parts of the reference answer that hold these key points."""
    parts = {
        Slot.CONCLUSION: question.reference.conclusion,
        Slot.REASON: question.reference.reason,
        Slot.PREMISE_COST: question.reference.premise_cost,
    }
    slots = dict.fromkeys(point.slot for point in points)
    found = [parts.get(slot, "") for slot in slots]
    is_told_apart = question.kind is Kind.EXPLAIN and all(found)
    return "".join(found) if is_told_apart else question.reference.joined
