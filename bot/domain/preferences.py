"""What a user chose in the settings (偏好); never a key, which stays in the browser's session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from pydantic import Field, JsonValue, StringConstraints, ValidationError

from bot.domain.question import Frozen, Identifier
from bot.domain.session import Persona

Line = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=400, pattern=r"^[^\x00-\x1f\x7f]*$")
]
"""What fits into one line of a form."""

ENVIRONMENT = ""
"""The preset that leaves the model to the environment."""


class Preferences(Frozen):
    """The settings of one user; None and an empty line leave a value to the environment."""

    preset: Line = ENVIRONMENT
    base_url: Line = ""
    model: Line = ""
    judge_model: Line = ""
    judge_samples: Annotated[int, Field(ge=1, le=9)] | None = None
    budget_tokens: Annotated[int, Field(ge=1, le=10**12)] | None = None
    stt_model: Line = ""
    stt_base_url: Line = ""
    questions: Annotated[int, Field(ge=1, le=60)] = 3
    persona: Persona = Persona.NEUTRAL
    self_score: bool = False
    read_aloud: bool = False
    rubrics: dict[Identifier, Identifier] = Field(default_factory=dict, max_length=20)
    """The own rubric that stands in for a shipped one, by the id of the shipped one."""


class ReadPreferences(NamedTuple):
    """The preferences as far as they could be read, and a sentence for each that could not."""

    chosen: Preferences
    faults: tuple[str, ...] = ()


def preferences_of(stored: Mapping[str, JsonValue]) -> ReadPreferences:
    """Return the preferences in what was stored.

    A name that a newer version stored is passed over; a value that does not fit becomes the default.
    """
    good: dict[str, JsonValue] = {}
    faults: list[str] = []
    for name in Preferences.model_fields.keys() & stored.keys():
        try:
            Preferences.model_validate({name: stored[name]})
        except ValidationError:
            faults.append(f"保存的设置 {name} 读不出来，已改用默认值；请在设置页重新选择。")
        else:
            good[name] = stored[name]
    return ReadPreferences(Preferences.model_validate(good), tuple(sorted(faults)))
