"""The JSON schema of a form, in the shape that endpoints take."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, JsonValue

from bot.ports import Message

_ANNOTATIONS = ("title", "default", "examples")
_VALUES = ("enum", "const", "required")
_INSTRUCTION = (
    "只输出一个 JSON 对象，不要代码围栏，不要任何解释。"
    "JSON 必须符合这个 JSON Schema（只填写值，不要抄写 Schema 本身）：\n"
)
_WORD = "请以 JSON 格式回答。"


@dataclass(frozen=True)
class FormSchema:
    """A form as endpoints see it: every field required, nothing else allowed."""

    name: str
    schema: Mapping[str, JsonValue]
    fields: frozenset[str]

    @property
    def text(self) -> str:
        """Return the schema as short as it can be written."""
        return json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=64)
def schema_of(form: type[BaseModel]) -> FormSchema:
    """Return the schema of a form, references replaced by what they stand for."""
    raw = form.model_json_schema()
    raw.pop("description", None)
    definitions = raw.pop("$defs", {})
    schema = _plain(raw, definitions, ())
    if not isinstance(schema, dict):  # a root model of something else than an object
        raise TypeError(f"{form.__name__} is not a form: a form is a JSON object")
    properties = schema.get("properties")
    return FormSchema(
        name=re.sub(r"[^a-zA-Z0-9_-]", "_", form.__name__)[:64],
        schema=schema,
        fields=frozenset(properties) if isinstance(properties, dict) else frozenset(),
    )


def with_schema(messages: Sequence[Message], form: FormSchema) -> list[Message]:
    """Return the messages with the schema at the end of what the system says."""
    return _told(messages, _INSTRUCTION + form.text)


def with_word(messages: Sequence[Message]) -> list[Message]:
    """Return messages that contain the word JSON: some endpoints refuse to answer others."""
    if any("json" in message.text.lower() for message in messages):
        return list(messages)
    return _told(messages, _WORD)


def _told(messages: Sequence[Message], text: str) -> list[Message]:
    told = list(messages)
    for at, message in enumerate(told):
        if message.role == "system":
            told[at] = Message(role="system", text=f"{message.text}\n\n{text}")
            return told
    return [Message(role="system", text=text), *told]


def _plain(
    node: JsonValue, definitions: Mapping[str, JsonValue], within: tuple[str, ...]
) -> JsonValue:
    """Resolve references, drop annotations, and close every object."""
    if isinstance(node, list):
        return [_plain(one, definitions, within) for one in node]
    if not isinstance(node, dict):
        return node
    if isinstance(reference := node.get("$ref"), str):
        return _resolved(node, reference.rpartition("/")[2], definitions, within)
    plain: dict[str, JsonValue] = {}
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            plain[key] = {name: _plain(one, definitions, within) for name, one in value.items()}
        elif key in _VALUES:
            plain[key] = value
        elif key not in _ANNOTATIONS:
            plain[key] = _plain(value, definitions, within)
    if isinstance(properties := plain.get("properties"), dict):
        plain["required"] = list(properties)
        plain["additionalProperties"] = False
    return plain


def _resolved(
    node: dict[str, JsonValue],
    name: str,
    definitions: Mapping[str, JsonValue],
    within: tuple[str, ...],
) -> JsonValue:
    if name in within:
        return {}  # a form that contains itself: anything is allowed there
    target = definitions[name]
    joined = dict(target) if isinstance(target, dict) else {}
    joined.pop("description", None)  # a docstring, written for developers
    joined.update((key, value) for key, value in node.items() if key != "$ref")
    return _plain(joined, definitions, (*within, name))
