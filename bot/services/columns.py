"""The names by which tables and records call the parts of a question, Chinese and English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_JOINT = re.compile(r"[\s_\-/*:：（）()]+")

_NAMES = {
    "stem": "题目 问题 题干 面试题 题目内容 提问 question stem q prompt questiontext",
    "answer": "答案 参考答案 参考回答 标准答案 正确答案 回答 解答 answer reference referenceanswer a "
    "answertext",
    "conclusion": "结论 conclusion",
    "reason": "原因 理由 reason",
    "premise_cost": "前提代价 前提 代价 前提与代价 premisecost premise cost",
    "section": "章节 分类 类别 模块 主题 专题 section category chapter topic",
    "follow_up": "追问 追问题目 延伸问题 followup followups followupquestion",
    "follow_up_answer": "追问答案 追问参考答案 followupanswer followupreference",
    "difficulty": "难度 难度等级 difficulty",
    "id": "id 编号 序号 题号 no number 问题编号 题目编号",
}
_PART_OF_NAME = {name: part for part, names in _NAMES.items() for name in names.split()}

KNOWN = "题目/question、答案/answer、章节/section、追问/follow_up、难度/difficulty、编号/id"
"""The columns, as a message names them."""


def part_named(name: str) -> str | None:
    """Return the part of a question that a column or key of that name holds."""
    plain = unicodedata.normalize("NFKC", name[:100]).casefold()
    return _PART_OF_NAME.get(_JOINT.sub("", plain))


def columns_of(names: Iterable[str]) -> dict[str, int]:
    """Return the first column of each part."""
    found: dict[str, int] = {}
    for at, name in enumerate(names):
        if part := part_named(name):
            found.setdefault(part, at)
    return found


def is_enough(parts: Iterable[str]) -> bool:
    """Say whether the parts make a question: its stem, and an answer whole or in parts."""
    have = set(parts)
    return "stem" in have and bool(have & {"answer", "conclusion"})
