"""A rubric (评分标准): what earns how many points; read from `rubrics/*.yaml`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from bot.domain.question import Frozen, Identifier, Slot, Text

JudgeKind = Literal["offline", "llm"]
Points = Annotated[float, Field(ge=0, le=100)]


class CoverageCriterion(Frozen):
    """Earned by the weighted share of key points that the answer meets."""

    kind: Literal["coverage"]
    id: Identifier
    title: Text
    max: Points
    partly: Annotated[float, Field(ge=0, le=1)] = 0.5
    """What a partly met point is worth."""
    full_at: Annotated[float, Field(gt=0, le=1)] = 1.0
    """The share of key points that earns all points: nobody says everything in 90 seconds."""


class SlotCriterion(Frozen):
    """Earned by filling one slot of the answer's structure."""

    kind: Literal["slot"]
    id: Identifier
    title: Text
    max: Points
    slot: Slot
    partial: Annotated[float, Field(ge=0, le=1)] = 0.5
    """What level 1 of 2 is worth."""
    opening_points: Points = 0
    """How many of the points need the slot to stand in the first two sentences."""

    @model_validator(mode="after")
    def _has_the_opening_points(self) -> Self:
        if self.opening_points > self.max:
            raise ValueError(
                f"opening_points 是 {self.opening_points:g}，不能大于 max {self.max:g}"
            )
        return self


class CalibrationCriterion(Frozen):
    """Full with real content and no overclaim; each overclaim takes points away."""

    kind: Literal["calibration"]
    id: Identifier
    title: Text
    max: Points
    per_overclaim: Points
    floor: Annotated[float, Field(ge=-100, le=0)]
    content_at: Annotated[float, Field(gt=0, le=1)] = 0.3
    """The coverage that counts as real content."""


Criterion = Annotated[
    CoverageCriterion | SlotCriterion | CalibrationCriterion, Field(discriminator="kind")
]


class Gates(Frozen):
    """Totals that cannot be exceeded, whatever else the answer earned."""

    contradicted_core: Points
    no_point_met: Points
    one_error: Points
    more_errors: Points
    more_overclaims: Points = 100
    """For two and more: whoever promises too much twice does not answer well."""

    @model_validator(mode="after")
    def _fall_with_errors(self) -> Self:
        if self.more_errors > self.one_error:
            raise ValueError(
                f"more_errors 是 {self.more_errors:g}，不能大于 one_error {self.one_error:g}"
            )
        return self


class Rubric(Frozen):
    """Criteria that add up to 100 points, gates, and the scores at which levels begin."""

    id: Identifier
    version: Annotated[int, Field(ge=1)]
    based_on: Identifier | None = None
    """The shipped rubric that a user's own one stands in for."""
    title: Text
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)]
    gates: Gates
    levels: tuple[Points, Points, Points, Points, Points]
    """The lowest scores of the levels 1 to 5."""
    offline_levels: tuple[Points, Points, Points, Points, Points] | None = None
    """The same for the offline judge, which knows only the ways of saying that the bank lists."""
    level_names: tuple[Text, Text, Text, Text, Text, Text]

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        total = sum(criterion.max for criterion in self.criteria)
        if abs(total - 100) > 1e-9:
            raise ValueError(f"criteria 的 max 加起来是 {total:g}，应当是 100")
        if any(
            list(cuts) != sorted(set(cuts)) or cuts[0] <= 0
            for cuts in (self.levels, self.levels_for("offline"))
        ):
            raise ValueError("levels 的五个分数应当大于 0 且逐个升高")
        ids = [criterion.id for criterion in self.criteria]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        if repeated:
            raise ValueError(f"criteria 里的 id {repeated[0]!r} 重复出现")
        return self

    @property
    def name(self) -> str:
        """The rubric with its version, as grades quote it: `structured-answer@1`."""
        return f"{self.id}@{self.version}"

    def for_slots(self, slots: Collection[Slot]) -> Rubric:
        """Return the rubric for a question that has key points in these slots alone.

        The points of a slot that the question does not ask for go to its other slots, in proportion:
        nobody can earn them, and nobody shall miss them.
        """
        mine = [one for one in self.criteria if isinstance(one, SlotCriterion)]
        asked = sum(one.max for one in mine if one.slot in slots)
        if not asked or all(one.slot in slots for one in mine):
            return self
        factor = sum(one.max for one in mine) / asked
        criteria = [
            one.model_copy(
                update={
                    "max": one.max * factor,
                    "opening_points": one.opening_points * factor,
                }
            )
            if isinstance(one, SlotCriterion)
            else one
            for one in self.criteria
            if not isinstance(one, SlotCriterion) or one.slot in slots
        ]
        return self.model_copy(update={"criteria": tuple(criteria)})

    def levels_for(self, judge: JudgeKind) -> tuple[float, ...]:
        """Return the lowest scores of the levels 1 to 5 where this kind of judge graded."""
        return self.offline_levels or self.levels if judge == "offline" else self.levels

    def level_of(self, score: float, judge: JudgeKind) -> int:
        """Return the level 0–5 of a score 0–100 that came from this kind of judge."""
        return sum(score >= cut for cut in self.levels_for(judge))


class OwnRubric(NamedTuple):
    """A rubric that a user wrote, with its text, comments and all."""

    rubric: Rubric
    text: str


def rubric_named(name: str, rubrics: Mapping[str, Rubric], otherwise: str) -> Rubric:
    """Return the rubric that a grade names (`structured-answer@1`), in its latest version.

    One that is not there any more, such as a deleted one of the user, gives that with the id
    `otherwise`, which what was graded would be weighed by. Raises `KeyError` without that one.
    """
    return rubrics.get(name.partition("@")[0]) or rubrics[otherwise]
