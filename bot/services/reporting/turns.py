"""The section of a report about one turn: what was asked, said, found, and better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.domain.bank import Bank
from bot.domain.claims import Verdict
from bot.domain.delivery import delivery_of
from bot.domain.evidence import Evidence, Match
from bot.domain.grade import BetterAnswer, Grade, Ungraded
from bot.domain.question import SLOT_NAMES, Question
from bot.domain.report_document import (
    Block,
    Bullets,
    Cell,
    Mark,
    Paragraph,
    Quote,
    Section,
    Table,
    Tone,
    pieces,
    printable,
)
from bot.domain.rubric import CalibrationCriterion, Rubric, rubric_named
from bot.domain.self_score import difference_name
from bot.domain.session import Answer, AnswerKind, Turn
from bot.domain.target import Target, target_of
from bot.services.budgeting import Price
from bot.services.costs import cost_of
from bot.services.reporting.delivery import DELIVERY, delivery_says
from bot.services.reporting.names import FLAG_NAMES, VERDICT_NAMES, judge_label, minutes

_VERDICTS = (Verdict.CONTRADICTED, Verdict.NOT_MET, Verdict.PARTLY_MET, Verdict.MET)
"""What is missing comes first."""

_LONGEST_QUOTE = 60
"""Characters in a table; the whole answer stands above it, with marks."""


def anchor_of(position: int) -> str:
    """Return the anchor of a turn's section, from its position in the session."""
    return f"turn-{position + 1}"


def turn_section(
    turn: Turn, position: int, bank: Bank, rubrics: Mapping[str, Rubric], price: Price | None
) -> Section:
    """Return the section of a turn. Raises `NotFoundError` when its question is gone."""
    question = bank.find(turn.question_id)
    probe = next((one for one in question.follow_ups if one.id == turn.follow_up_id), None)
    target = target_of(question, probe)
    name = question.id if turn.follow_up_id is None else "追问"
    graded_by = turn.grade.provenance.rubric if turn.grade else target.rubric_id
    rubric = rubric_named(graded_by, rubrics, target.rubric_id)
    return Section(
        title=printable(f"{name}：{target.stem}"),
        anchor=anchor_of(position),
        blocks=tuple(_blocks(turn, question, target, rubric, price)),
        depth=2 if turn.follow_up_id is None else 3,
    )


def _blocks(
    turn: Turn, question: Question, target: Target, rubric: Rubric, price: Price | None
) -> Iterator[Block]:
    if _adds(turn.says, target.stem):
        yield Paragraph("面试官", printable(turn.says))
    answer = turn.answer
    if answer is None:
        yield Paragraph("", "（未作答）")
        return
    if answer.kind is AnswerKind.SKIPPED:
        yield Paragraph("", f"（跳过，用时 {minutes(answer.seconds)}）")
    else:
        yield from _answered(turn, answer, target, rubric, price)
    if turn.better is not None:
        yield from _better(turn.better)
    yield from _reference(question, target, is_main=turn.follow_up_id is None)


def _adds(says: str, stem: str) -> bool:
    """Say whether the interviewer asked in words of their own."""
    return bool(says.strip()) and "".join(stem.split()) not in "".join(says.split())


def _answered(
    turn: Turn, answer: Answer, target: Target, rubric: Rubric, price: Price | None
) -> Iterator[Block]:
    lead = f"作答（{minutes(answer.seconds)}）"
    match turn.outcome:
        case Grade() as given:
            yield Paragraph(
                printable(
                    f"{given.score:g} 分 · {given.level} 级 {rubric.level_names[given.level]}"
                ),
                printable(" · ".join(_made(turn, given, price))),
            )
            yield Quote(lead, pieces(answer.text, tuple(_marks(given, rubric))))
            yield from _grade(given, target, rubric)
        case Ungraded() as reason:
            yield Paragraph("未评分", printable(reason.message))
            yield Quote(lead, pieces(answer.text, ()))
        case None:
            yield Paragraph("未评分", "还没有评分。")
            yield Quote(lead, pieces(answer.text, ()))
    figures = delivery_of(turn, target)
    if figures is not None:
        yield Paragraph(DELIVERY, delivery_says(figures))


def _made(turn: Turn, given: Grade, price: Price | None) -> Iterator[str]:
    """Give how the grade was made, and how the candidate's guess met it."""
    yield judge_label(given.provenance)
    if given.provenance.judge != "offline":
        yield cost_of(given, price).says
        yield f"{given.provenance.seconds:.1f} 秒"
    if given.confidence is not None:
        yield f"判定把握 {given.confidence:.2f}"
    if given.spread is not None:
        yield f"多次评分相差 {given.spread:g} 分"
    if turn.guess is not None:
        yield f"自评 {turn.guess} 级，{difference_name(turn.guess - given.level)}"


def _marks(given: Grade, rubric: Rubric) -> Iterator[Mark]:
    titles = _titles(rubric)
    faults = {one.id for one in rubric.criteria if isinstance(one, CalibrationCriterion)}
    for one in given.overclaims:
        yield Mark(one.start, one.end, "bad", "绝对化")
    for error in given.errors:
        yield Mark(error.start, error.end, "bad", "错误")
    for criterion in given.criteria:
        # The evidence of calibration is the overclaims, which are marked already.
        if criterion.id not in faults:
            for found in criterion.evidence:
                tone: Tone = "good" if criterion.level == 2 else "part"
                yield Mark(found.start, found.end, tone, titles.get(criterion.id, criterion.id))


def _grade(given: Grade, target: Target, rubric: Rubric) -> Iterator[Block]:
    titles = _titles(rubric)
    yield Table(
        ("维度", "得分", "依据"),
        (3, 3, 9),
        tuple(
            (
                Cell(printable(titles.get(one.id, one.id))),
                Cell(f"{one.points:g} / {one.max:g}", share=one.points / one.max if one.max else 0),
                Cell(" / ".join(map(_cited, one.evidence)) or "—"),
            )
            for one in given.criteria
        ),
    )
    yield from _points(given, target)
    faults = [
        Paragraph(
            "绝对化断言",
            printable(f"“{over.quote}”：{over.why.rstrip('。')}。改写：{over.rewrite}"),
        )
        for over in given.overclaims
    ]
    faults += [
        Paragraph("错误", printable(f"“{error.quote}”：{error.why}")) for error in given.errors
    ]
    if faults:
        yield Bullets(tuple(faults))
    if given.flags:
        yield Bullets(tuple(Paragraph("提示", FLAG_NAMES[flag]) for flag in given.flags))


def _points(given: Grade, target: Target) -> Iterator[Block]:
    if not given.key_points:
        return
    points = {target.point_id(point): point for point in target.key_points}
    met = sum(one.verdict is Verdict.MET for one in given.key_points)
    yield Paragraph(f"采分点（说到 {met} / {len(given.key_points)}）")
    ranked = sorted(given.key_points, key=lambda one: _VERDICTS.index(one.verdict))
    yield Bullets(
        tuple(
            Paragraph(
                VERDICT_NAMES[one.verdict],
                printable(f"{point.says}（{SLOT_NAMES[point.slot]}）")
                if (point := points.get(one.id)) is not None
                # The bank has changed since: the grade names a point that is gone.
                else printable(f"{one.id}（题库里已没有这一点）"),
            )
            for one in ranked
        )
    )


def _better(better: BetterAnswer) -> Iterator[Block]:
    yield Paragraph("更好的回答", printable(f"由 {better.model} 改写；【】里是补上或改正的内容。"))
    parts = (
        ("结论", better.conclusion),
        ("原因", better.reason),
        ("前提/代价", better.premise_cost),
    )
    yield Bullets(tuple(Paragraph(name, printable(text)) for name, text in parts))


def _reference(question: Question, target: Target, *, is_main: bool) -> Iterator[Block]:
    whole = question.reference
    if not is_main or not (whole.reason or whole.premise_cost):
        yield Paragraph("参考答案", printable(target.reference))
        return
    parts = (
        ("结论", whole.conclusion),
        ("原因", whole.reason),
        ("前提/代价", whole.premise_cost),
    )
    yield Paragraph("参考答案")
    yield Bullets(tuple(Paragraph(name, printable(text)) for name, text in parts if text))


def _cited(evidence: Evidence) -> str:
    text = printable(" ".join(evidence.quote.split()))
    if len(text) > _LONGEST_QUOTE:
        text = text[:_LONGEST_QUOTE] + "……"
    return text if evidence.match is Match.VERIFIED else f"{text}（与原话相近）"


def _titles(rubric: Rubric) -> dict[str, str]:
    return {one.id: one.title for one in rubric.criteria}
