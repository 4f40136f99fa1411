"""The report as JSON, and the way back: a file of ours becomes a stored session again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from bot.domain.delivery import DeliveryMeans
from bot.domain.report import Report
from bot.domain.self_score import SelfScore
from bot.domain.session import LONGEST_ANSWER, AnswerKind, Session, Turn
from bot.errors import ImportFileError
from bot.services.costs import Cost

FORMAT = "mockbot-report@1"
"""Raise the number when a file of before cannot be read any more."""

LARGEST_FILE = 10 << 20
"""Bytes, as for any upload; twenty questions with follow-ups make a fiftieth of it."""

MOST_TURNS = 400
"""More than any plan allows: 64 questions with three follow-ups each make 256."""

_LONGEST_ID = 64
_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{_LONGEST_ID - 1}}}")
_LARGEST_NUMBER = 1e12
_HOW = "请选用报告页“下载报告”里的 JSON，或 `mockbot report 场次 --format json` 的输出"


class _File(BaseModel):
    """What is read of the file; the figures beside it are made anew from the session."""

    format: Literal["mockbot-report@1"]
    session: Session


def as_json(
    report: Report,
    *,
    delivery: DeliveryMeans | None,
    self_score: SelfScore | None,
    cost: Cost,
) -> str:
    """Return the session and all figures of its report; the same session gives the same text.

    The revision stays out: it counts what one database stored.
    """
    figures = report.model_dump(mode="json", exclude={"session": {"revision"}})
    more = {"delivery": delivery, "self_score": self_score, "cost": cost}
    figures |= {name: one and one.model_dump(mode="json") for name, one in more.items()}
    return json.dumps({"format": FORMAT, **figures}, ensure_ascii=False, indent=2) + "\n"


def session_in(content: bytes) -> Session:
    """Return the session of an exported report, as new. Raises `ImportFileError`."""
    if len(content) > LARGEST_FILE:
        raise ImportFileError(f"文件超过 {LARGEST_FILE >> 20} MB，不是导出的报告；{_HOW}。")
    try:
        read = _File.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        raise ImportFileError(_sentence(error)) from None
    session = read.session.model_copy(update={"revision": 0})
    fault = next(_faults(session), None)
    if fault is not None:
        raise ImportFileError(f"这份报告不能导入：{fault}；{_HOW}。")
    return session


def with_id(session: Session, session_id: str) -> Session:
    """Return the session under another id; its turns and grades are named after it."""
    return session.model_copy(
        update={
            "id": session_id,
            "turns": tuple(
                _renamed(turn, f"{session_id}-{number}")
                for number, turn in enumerate(session.turns, start=1)
            ),
        }
    )


def id_by_content(session: Session) -> str:
    """Return an id that the same content always gets, so that a second import finds the first."""
    said = session.model_dump_json(exclude={"revision"})
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _renamed(turn: Turn, turn_id: str) -> Turn:
    outcome = turn.outcome
    if outcome is not None and outcome.id == turn.id:
        outcome = outcome.model_copy(update={"id": turn_id})
    return turn.model_copy(update={"id": turn_id, "outcome": outcome})


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "json_invalid":
        return f"文件不是 JSON，或不完整；{_HOW}。"
    if place == "format":
        return f"文件不是本产品这一版的报告（没有 format: {FORMAT}）；{_HOW}。"
    return f"这份报告不能导入：{place or '内容'} 不合格式；{_HOW}。"


def _faults(session: Session) -> Iterator[str]:
    """Give what no interview could have made, a sentence without its end each."""
    if not _ID.fullmatch(session.id):
        yield "场次 id 只能由字母、数字、- 和 _ 组成"
    if len(session.turns) > MOST_TURNS or len(session.plan.question_ids) > MOST_TURNS:
        yield f"轮次或题目超过 {MOST_TURNS} 个"
    if not all(_is_reasonable(one) for one in _values(session.model_dump())):
        yield "有的数字或时间不合常理"
    ids = (*session.plan.question_ids, *(turn.follow_up_id or "" for turn in session.turns))
    if any(len(one) > _LONGEST_ID for one in ids):
        yield f"有的 id 超过 {_LONGEST_ID} 个字符"
    mains = session.asked
    if mains != session.plan.question_ids[: len(mains)]:
        yield "提问的次序与计划不符"
    for number, turn in enumerate(session.turns, start=1):
        if turn.id != f"{session.id}-{number}":
            yield f"第 {number} 轮的 id 与场次不符"
        if turn.follow_up_id is not None and turn.question_id not in mains:
            yield f"第 {number} 轮追问了没有问过的题"
        is_last = number == len(session.turns)
        if turn.answer is None and (session.is_finished or not is_last):
            yield f"第 {number} 轮没有作答，之后却还有内容"
        yield from _faults_of(turn, number)


def _faults_of(turn: Turn, number: int) -> Iterator[str]:
    answer, given = turn.answer, turn.grade
    if answer is not None and len(answer.text) > LONGEST_ANSWER:
        yield f"第 {number} 轮的作答超过 {LONGEST_ANSWER} 个字符"
    skipped = answer is None or answer.kind is AnswerKind.SKIPPED
    if skipped and (turn.outcome is not None or turn.better is not None):
        yield f"第 {number} 轮没有作答，却有评分"
    if given is not None and not (0 <= given.score <= 100 and 0 <= given.level <= 5):
        yield f"第 {number} 轮的得分或等级超出范围"


def _values(value: Any) -> Iterator[Any]:
    """Give every number and time within plain data."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _values(one)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for one in value:
            yield from _values(one)
    elif isinstance(value, int | float | datetime):
        yield value


def _is_reasonable(value: float | datetime) -> bool:
    """Say whether a database takes the value and a page can show it."""
    if isinstance(value, datetime):
        return 2000 <= value.year < 2200
    # Neither NaN nor infinity lies between the two.
    return -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER
