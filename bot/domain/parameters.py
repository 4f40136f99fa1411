"""The parameters of a calculation task, drawn by a seed."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from bot.domain.question import Frozen

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Value = int | float | str


class Rows(Frozen):
    """Parameters that are drawn together, as one of the rows."""

    names: Annotated[tuple[Name, ...], Field(min_length=1)]
    rows: Annotated[tuple[tuple[Value, ...], ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if any(len(row) != len(self.names) for row in self.rows):
            raise ValueError(f"rows：每一行应当有 {len(self.names)} 个值")
        return self


class Span(Frozen):
    """A parameter drawn from `first`, `first + step`, … up to `last`."""

    name: Name
    first: int
    last: int
    step: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.last < self.first:
            raise ValueError("last 应当不小于 first")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Return the name, as rows do."""
        return (self.name,)

    @property
    def rows(self) -> tuple[tuple[Value, ...], ...]:
        """Return every value, as rows do."""
        return tuple((value,) for value in range(self.first, self.last + 1, self.step))


def draw(parameters: Iterable[Rows | Span], seed: str) -> dict[str, Value]:
    """Draw one row of each; the same seed draws the same rows for ever.

    Only `random()` of a seeded generator is the same in every version of Python.
    """
    rng = random.Random(seed)  # noqa: S311 - a draw of numbers, no secret
    drawn: dict[str, Value] = {}
    for one in parameters:
        drawn.update(zip(one.names, one.rows[int(rng.random() * len(one.rows))], strict=True))
    return drawn
