"""A family of calculation tasks (计算题): one text, one formula, numbers drawn by a seed.

Texts are templates: `$tokens` is a drawn parameter, `$per_request` a step with its unit and
`$per_request_number` without, `$result` the result with its unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import Template
from typing import Annotated, Any, Self

from pydantic import Field, StringConstraints, model_validator

from bot.domain.calculation import evaluate
from bot.domain.parameters import Name, Rows, Span, Value, draw
from bot.domain.question import (
    Difficulty,
    FollowUp,
    Frozen,
    Identifier,
    KeyPoint,
    Kind,
    Misconception,
    NumericAnswer,
    Question,
    ReferenceAnswer,
    Slot,
    Text,
    WrongNumber,
    unique,
)
from bot.domain.unit import Unit, shown

Values = Mapping[str, Value]

LARGEST_SEED = 99_999
_ID = re.compile(r"C-([A-Z][A-Z0-9]*)-(0|[1-9][0-9]{0,4})")


class Computation(Frozen):
    """A formula of `bot.domain.calculation` over the drawn values."""

    formula: Text
    replace: Annotated[dict[Name, Name | float], Field(default_factory=dict)]
    """Arguments that take another parameter, or a number, than the one of their name."""
    times: float = 1


class Step(Computation):
    """A value on the way to the result, shown in its unit."""

    name: Name
    unit: Unit


class Result(Computation):
    """The value that the task asks for."""

    unit: Unit
    tolerance: Annotated[float, Field(gt=0, le=0.2)]


class WrongResult(Frozen):
    """What a typical mistake makes of the result; what is left out is as in the result."""

    why: Text
    formula: Text | None = None
    replace: Annotated[dict[Name, Name | float], Field(default_factory=dict)]
    times: float = 1
    partly: bool = False
    """Whether it is GB taken for GiB or the like, which leaves the result partly right."""


class Choice(Frozen):
    """Words that depend on which of two values is less."""

    less: Name
    than: Name
    then: dict[Name, Text]
    otherwise: dict[Name, Text]


class CalculationFamily(Frozen):
    """A calculation task without its numbers; key points for result and unit are added."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]*$")]
    title: Text
    difficulty: Difficulty
    topics: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    parameters: Annotated[tuple[Rows | Span, ...], Field(min_length=1)]
    steps: tuple[Step, ...] = ()
    choices: tuple[Choice, ...] = ()
    result: Result
    wrong: tuple[WrongResult, ...] = ()
    stem: Text
    reference: ReferenceAnswer
    key_points: Annotated[tuple[KeyPoint, ...], Field(min_length=1)]
    misconceptions: tuple[Misconception, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    sources: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        names = [name for one in self.parameters for name in one.names]
        unique("parameters and steps", [*names, *(step.name for step in self.steps), "result"])
        instantiate(self, 0)
        return self


def task_id(family_id: str, seed: int) -> str:
    """Return the id of a task; `family_and_seed` takes it apart."""
    return f"C-{family_id}-{seed}"


def family_and_seed(question_id: str) -> tuple[str | None, int]:
    """Return the family and the seed that an id names, or no family."""
    found = _ID.fullmatch(question_id)
    return (found[1], int(found[2])) if found else (None, 0)


def instantiate(family: CalculationFamily, seed: int) -> Question:
    """Return the task of the family for this seed; the same for ever, while the family is the same.

    Raises `ValueError` for a formula that lacks its parameters or a text with an unknown `$name`.
    """
    drawn = draw(family.parameters, f"{family.id}-{seed}")
    values = {**drawn, **{step.name: _value(step, drawn) for step in family.steps}}
    unit = family.result.unit
    right = _value(family.result, values)
    texts = family.model_dump(
        include={"stem", "reference", "key_points", "misconceptions", "follow_ups"}
    )
    filled = _filled(texts, _words(family, values, shown(right / unit.size, unit)))
    expected = NumericAnswer(
        value=right / unit.size,
        unit=unit,
        tolerance=family.result.tolerance,
        wrong=tuple(_wrong(family, values, right, filled["stem"])),
    )
    return Question(
        id=task_id(family.id, seed),
        kind=Kind.CALCULATE,
        difficulty=family.difficulty,
        topics=family.topics,
        sources=family.sources,
        expected=expected,
        **{**filled, "key_points": (*_number_points(expected), *filled["key_points"])},
    )


def _words(family: CalculationFamily, values: Values, result: str) -> dict[str, str]:
    """Return what stands for every `$name` of the texts."""
    words = {name: one if isinstance(one, str) else shown(one) for name, one in values.items()}
    for step in family.steps:
        value = _number(values, step.name) / step.unit.size
        words |= {step.name: shown(value, step.unit), f"{step.name}_number": shown(value)}
    for choice in family.choices:
        less = _number(values, choice.less) < _number(values, choice.than)
        words |= choice.then if less else choice.otherwise
    return words | {"result": result}


def _value(term: Computation, values: Values) -> float:
    given = dict(values)
    for name, other in term.replace.items():
        if isinstance(other, str) and other not in values:
            raise ValueError(f"replace：没有参数 {other!r}")
        given[name] = values[other] if isinstance(other, str) else other
    return evaluate(term.formula, given) * term.times


def _number(values: Values, name: str) -> float:
    value = values.get(name)
    if value is None or isinstance(value, str):
        raise ValueError(f"choices：{name!r} 不是数值参数或步骤")
    return value


def _wrong(
    family: CalculationFamily, values: Values, right: float, stem: str
) -> Iterator[WrongNumber]:
    """Give the typical wrong results that tell themselves from the right one and each other.

    A number that stands in the stem tells nothing: who repeats it need not have computed it.
    """
    unit = family.result.unit
    apart = 2 * family.result.tolerance
    taken = [right]
    for one in family.wrong:
        term = Computation(
            formula=one.formula or family.result.formula, replace=one.replace, times=one.times
        )
        value = _value(term, values)
        told = all(abs(value - other) > apart * max(value, other) for other in taken)
        if told and shown(value / unit.size, unit) not in stem:
            taken.append(value)
            yield WrongNumber(value=value / unit.size, why=one.why, partly=one.partly)


def _number_points(expected: NumericAnswer) -> tuple[dict[str, Any], ...]:
    result = shown(expected.value, expected.unit)
    return (
        {
            "id": "result",
            "says": f"结果约 {result}（相差不超过 {expected.tolerance:.0%}）",
            "slot": Slot.RESULT,
            "weight": 4,
            "core": True,
            "concepts": ((result,),),
        },
        {
            "id": "unit",
            "says": f"带上单位（{expected.unit.label}，或可换算的单位）",
            "slot": Slot.UNIT,
            "weight": 1,
            "concepts": ((expected.unit.label,),),
        },
    )


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    """Fill every text inside of a dumped model."""
    match value:
        case str() if "$" in value:
            try:
                return Template(value).substitute(words)
            except KeyError as error:
                raise ValueError(f"没有可以代入的 ${error.args[0]}：{value!r}") from error
        case dict():
            return {key: _filled(one, words) for key, one in value.items()}
        case tuple() | list():
            return tuple(_filled(one, words) for one in value)
        case _:
            return value
