"""All grades as a table for a spreadsheet: one line a turn; no cell can become a formula."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from typing import TypeAlias

from bot.domain.bank import Bank
from bot.domain.grade import Grade, Ungraded
from bot.domain.report import state_of, unmet
from bot.domain.report_document import printable
from bot.domain.rubric import Rubric, rubric_named
from bot.domain.session import Session, Turn
from bot.domain.target import Target, target_of
from bot.errors import BotError
from bot.services.budgeting import Price
from bot.services.costs import cost_of
from bot.services.reporting.names import FLAG_NAMES, judge_label

FindBank: TypeAlias = Callable[[str], Bank]
Value: TypeAlias = str | float | None

_FORMULA = frozenset("=+-@")


def grades_csv(
    sessions: Iterable[Session],
    find_bank: FindBank,
    rubrics: Mapping[str, Rubric],
    zone: tzinfo,
    price: Price | None = None,
) -> bytes:
    """Return every turn of the sessions as CSV, UTF-8 with a byte order mark, which Excel needs.

    A question that its bank does not have any more keeps its line, without the bank's words.
    """
    lines = [
        (
            _line(session, number, _target(find_bank, session, turn), rubrics, zone)
            | _findings(turn.grade)
            | _source(turn, price),
            turn,
        )
        for session in sessions
        for number, turn in enumerate(session.turns, start=1)
    ]
    criteria = _criteria([turn.grade for _, turn in lines if turn.grade is not None], rubrics)
    made = io.StringIO(newline="")
    writer = csv.writer(made)
    for position, (line, turn) in enumerate(lines):
        full = {**line, **_points(turn.grade, criteria)}
        if position == 0:
            writer.writerow(full)
        writer.writerow(cell(value) for value in full.values())
    if not lines:
        writer.writerow(["场次"])
    return made.getvalue().encode("utf-8-sig")


def cell(value: Value) -> str | float:
    """Return a value as a spreadsheet may read it: a number, or a text that is no formula.

    A text that begins like a formula, after space or invisible signs too, gets an apostrophe.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    text = printable(value)
    first = next((one for one in text if not _is_invisible(one)), "")
    # A spreadsheet takes the full-width signs for the plain ones.
    is_formula = unicodedata.normalize("NFKC", first)[:1] in _FORMULA if first else False
    return f"'{text}" if is_formula or text[:1] in ("\t", "\n") else text


def _is_invisible(sign: str) -> bool:
    return sign.isspace() or unicodedata.category(sign) == "Cf"


def _target(find_bank: FindBank, session: Session, turn: Turn) -> Target | None:
    """Return what the turn was graded against, if the bank still has it."""
    try:
        question = find_bank(session.plan.bank_id).find(turn.question_id)
    except BotError:
        return None
    if turn.follow_up_id is None:
        return target_of(question)
    probe = next((one for one in question.follow_ups if one.id == turn.follow_up_id), None)
    return target_of(question, probe) if probe is not None else None


def _line(
    session: Session,
    number: int,
    target: Target | None,
    rubrics: Mapping[str, Rubric],
    zone: tzinfo,
) -> dict[str, Value]:
    turn = session.turns[number - 1]
    given, answer = turn.grade, turn.answer
    levels: tuple[str, ...] = ()
    if target and given:
        levels = rubric_named(given.provenance.rubric, rubrics, target.rubric_id).level_names
    return {
        "场次": session.id,
        "开始": f"{session.begun_at.astimezone(zone):%Y-%m-%d %H:%M:%S}",
        "题库": session.plan.bank_id,
        "序号": number,
        "题目": turn.question_id,
        "追问": turn.follow_up_id,
        "题干": target.stem if target else "",
        "状态": state_of(turn),
        "作答": answer.text if answer else "",
        "用时（秒）": round(answer.seconds, 1) if answer else None,
        "得分": given.score if given else None,
        "等级": given.level if given else None,
        "等级名": levels[given.level] if given and levels else "",
        "自评等级": turn.guess,
        "没有说到": "；".join(unmet(target, given)) if target and given else "",
    }


def _findings(given: Grade | None) -> dict[str, Value]:
    overclaims = [one.quote for one in given.overclaims] if given else []
    errors = [one.quote for one in given.errors] if given else []
    flags = [FLAG_NAMES[one] for one in given.flags] if given else []
    return {
        "绝对化断言": "；".join(overclaims),
        "错误": "；".join(errors),
        "提示": "；".join(flags),
    }


def _source(turn: Turn, price: Price | None) -> dict[str, Value]:
    source = turn.grade.provenance if turn.grade else None
    money = cost_of(turn.grade, price).money if turn.grade else None
    reason = turn.outcome.message if isinstance(turn.outcome, Ungraded) else ""
    return {
        "未评分的原因": reason,
        "评分者": judge_label(source) if source else "",
        "模型": source.model if source else "",
        "评分方式": source.method if source else "",
        "提示词版本": source.prompt_version if source else "",
        "评分标准": source.rubric if source else "",
        "题库版本": source.bank if source else "",
        "token": source.tokens if source else None,
        "估算花费（元）": None if money is None else float(money),
        "评分耗时（秒）": round(source.seconds, 2) if source else None,
    }


def _criteria(grades: Iterable[Grade], rubrics: Mapping[str, Rubric]) -> dict[str, str]:
    """Return the criteria that occur, by id and in their order, with their titles."""
    titles = {one.id: one.title for rubric in rubrics.values() for one in rubric.criteria}
    return {one.id: titles.get(one.id, one.id) for given in grades for one in given.criteria}


def _points(given: Grade | None, criteria: Mapping[str, str]) -> dict[str, Value]:
    """Return points and maximum of each criterion, in columns of their own: `3/8` is a date."""
    scores = {one.id: one for one in given.criteria} if given else {}
    line: dict[str, Value] = {}
    for name, title in criteria.items():
        score = scores.get(name)
        line[f"{title}（得分）"] = score.points if score else None
        line[f"{title}（满分）"] = score.max if score else None
    return line
