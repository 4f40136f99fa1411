"""A question (题目) with its reference answer, key points, misconceptions and follow-ups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from bot.domain.unit import Unit

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]

Groups = Annotated[
    tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...], Field(min_length=1)
]
"""All-of groups of any-of spellings; `bot.offline.spelling` explains what a spelling may contain."""


class Slot(StrEnum):
    """The part of a structured answer that a key point belongs to (结构槽位)."""

    CONCLUSION = "conclusion"
    REASON = "reason"
    PREMISE_COST = "premise_cost"
    REQUIREMENTS = "requirements"
    ESTIMATE = "estimate"
    BASELINE = "baseline"
    APPROACH = "approach"
    COST = "cost"
    VERIFICATION = "verification"
    RESULT = "result"
    UNIT = "unit"
    FORMULA = "formula"
    ASSUMPTION = "assumption"


SLOT_NAMES: dict[Slot, str] = {
    Slot.CONCLUSION: "结论",
    Slot.REASON: "原因",
    Slot.PREMISE_COST: "前提/代价",
    Slot.REQUIREMENTS: "需求",
    Slot.ESTIMATE: "估算",
    Slot.BASELINE: "基线",
    Slot.APPROACH: "方案",
    Slot.COST: "代价",
    Slot.VERIFICATION: "验证",
    Slot.RESULT: "结果",
    Slot.UNIT: "单位",
    Slot.FORMULA: "公式",
    Slot.ASSUMPTION: "假设",
}
"""What the slots are called on the page, in reports and in prompts."""


class Kind(StrEnum):
    """What a question asks for; it decides which rubric applies."""

    EXPLAIN = "explain"
    CALCULATE = "calculate"
    DESIGN = "design"


KIND_NAMES: dict[Kind, str] = {Kind.EXPLAIN: "解释", Kind.DESIGN: "设计", Kind.CALCULATE: "计算"}
"""What the kinds are called on the page (题型)."""


class Difficulty(StrEnum):
    """How hard a question is meant to be (难度)."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


SLOTS_OF_KIND: dict[Kind, tuple[Slot, ...]] = {
    Kind.EXPLAIN: (Slot.CONCLUSION, Slot.REASON, Slot.PREMISE_COST),
    Kind.DESIGN: (
        Slot.REQUIREMENTS,
        Slot.ESTIMATE,
        Slot.BASELINE,
        Slot.APPROACH,
        Slot.COST,
        Slot.VERIFICATION,
    ),
    Kind.CALCULATE: (Slot.RESULT, Slot.UNIT, Slot.FORMULA, Slot.ASSUMPTION),
}
"""The slots in the order in which a good answer goes through them."""


class Frozen(BaseModel):
    """A value: strict about its fields, never changed after it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Term(Frozen):
    """A term of the field with the ways people write, say and mishear it (术语).

    A spelling of a concept may refer to it as `{id}`.
    """

    id: Identifier
    says: Text
    spellings: Annotated[tuple[Text, ...], Field(min_length=1)]
    slips: tuple[Text, ...] = ()
    """What speech recognition makes of it."""


class KeyPoint(Frozen):
    """One thing that a complete answer says (采分点)."""

    id: Identifier
    says: Text
    slot: Slot
    weight: Annotated[int, Field(ge=1, le=5)] = 1
    core: bool = False
    """Contradicting a core key point caps the whole grade."""
    concepts: Groups = Field(description="All-of groups of any-of spellings.")
    generated: bool = False
    """Whether code or a model made it (自动生成), and nobody has accepted it yet."""


class Misconception(Frozen):
    """A known wrong belief (误区); all groups of `patterns` within one sentence show it."""

    says: Text
    why: Text
    contradicts: Identifier | None = None
    """The key point it turns on its head, if there is one."""
    patterns: Groups


class FollowUp(Frozen):
    """A probe into one slot of the answer (追问)."""

    id: Identifier
    asks: Text
    aims_at: Slot
    reference: Text
    key_points: Annotated[tuple[KeyPoint, ...], Field(min_length=1)]
    drawing: bool = False
    """Whether a drawing is asked for (画图); words are taken too."""


class ReferenceAnswer(Frozen):
    """A full answer, for people and for feedback (参考答案).

    An imported answer that could not be told apart stands in `conclusion` alone.
    """

    conclusion: Text
    reason: str = ""
    premise_cost: str = ""

    @property
    def joined(self) -> str:
        """The three parts as one running answer."""
        return "".join((self.conclusion, self.reason, self.premise_cost))


class WrongNumber(Frozen):
    """A wrong result that people get, and what went wrong (典型错法)."""

    value: float
    """In the unit of the right answer."""
    why: Text
    partly: bool = False
    """Whether it is GB taken for GiB or the like, which leaves the result partly right."""


class NumericAnswer(Frozen):
    """The number that an answer to a calculation task is compared with (数值答案).

    It decides the core key points of slot `result` and those of slot `unit`.
    """

    value: Annotated[float, Field(gt=0)]
    unit: Unit
    tolerance: Annotated[float, Field(gt=0, le=0.2)]
    """How far off, as a share of the value, a right answer may be."""
    wrong: tuple[WrongNumber, ...] = ()


class Question(Frozen):
    """One question of a bank (题目)."""

    id: Identifier
    stem: Text
    kind: Kind = Kind.EXPLAIN
    difficulty: Difficulty
    topics: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    reference: ReferenceAnswer
    key_points: Annotated[tuple[KeyPoint, ...], Field(min_length=1)]
    misconceptions: tuple[Misconception, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    sources: tuple[Text, ...] = ()
    expected: NumericAnswer | None = None
    drawing: bool = False
    """Whether a drawing is asked for (画图); words are taken too."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        unique("key_points", (point.id for point in self.key_points))
        unique("follow_ups", (follow_up.id for follow_up in self.follow_ups))
        allowed = SLOTS_OF_KIND[self.kind]
        for point in self.key_points:
            if point.slot not in allowed:
                raise ValueError(
                    f"key_points 的 {point.id!r} 用了槽位 slot {point.slot.value!r}；"
                    f"kind {self.kind.value!r} 的题只有 {'、'.join(allowed)}"
                )
        present = {point.slot for point in self.key_points}
        for follow_up in self.follow_ups:
            if follow_up.aims_at not in present:
                raise ValueError(
                    f"follow_ups 的 {follow_up.id!r} 的 aims_at 是 {follow_up.aims_at.value!r}，"
                    "但这道题没有这个槽位的采分点"
                )
            unique(f"follow_ups.{follow_up.id}.key_points", (p.id for p in follow_up.key_points))
        ids = {point.id for point in self.key_points}
        for misconception in self.misconceptions:
            if misconception.contradicts is not None and misconception.contradicts not in ids:
                raise ValueError(
                    f"misconceptions 的 {misconception.says!r} 的 contradicts 是 "
                    f"{misconception.contradicts!r}，但这道题没有这个采分点"
                )
        if self.expected is not None and not any(
            point.core and point.slot is Slot.RESULT for point in self.key_points
        ):
            raise ValueError("有 expected 的题要有一个槽位 slot 为 'result' 的核心采分点")
        return self


def unique(field: str, ids: Iterable[str]) -> None:
    """Raise `ValueError` when two things of a list have the same id."""
    repeated = sorted(name for name, count in Counter(ids).items() if count > 1)
    if repeated:
        raise ValueError(f"{field} 里的 id {repeated[0]!r} 重复出现")
