"""Structured data: JSON, JSON lines and YAML, as plain values of bounded depth and number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import yaml
from pydantic import JsonValue

from bot.adapters.documents import limits
from bot.adapters.documents.text import cleaned
from bot.domain.document import Line, Record, Skipped
from bot.errors import ImportFileError

_TOO_DEEP = "嵌套太深"
_TOO_MANY = "内容太多"


def json_records(name: str, text: str) -> tuple[Record, ...]:
    """Return a JSON document. Raises `ImportFileError`."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ImportFileError(_refusal(name, _TOO_DEEP)) from error
    except ValueError as error:
        where = f"第 {error.lineno} 行" if isinstance(error, json.JSONDecodeError) else "文件"
        raise ImportFileError(
            f"{name}：{where}的 JSON 语法有误；请检查引号、逗号与括号。"
        ) from error
    return (Record("", _plain(name, value)),)


def json_lines(
    name: str, lines: tuple[Line, ...]
) -> tuple[tuple[Record, ...], tuple[Skipped, ...]]:
    """Return the values of a file with one JSON value a line, and the lines that are none."""
    records: list[Record] = []
    skipped: list[Skipped] = []
    for line in lines:
        if not line.text.strip():
            continue
        try:
            records.append(Record(line.place, _plain(name, json.loads(line.text))))
        except (ValueError, RecursionError):
            skipped.append(Skipped(line.place, "不是完整的 JSON", line.text.strip()[:60]))
    return tuple(records), tuple(skipped)


def yaml_records(name: str, text: str) -> tuple[Record, ...]:
    """Return the documents of a YAML file: plain data, no aliases. Raises `ImportFileError`."""
    try:
        _require_plain(name, text)
        values = [_plain(name, one) for one in yaml.load_all(text, Loader=yaml.CSafeLoader)]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"第 {mark.line + 1} 行" if mark is not None else "文件"
        raise ImportFileError(
            f"{name}：{where}的 YAML 语法有误；请检查缩进、引号与冒号。"
        ) from error
    except (ValueError, OverflowError, TypeError) as error:
        # A date such as 2026-13-45, or a mapping as a key: the loader raises what it meets.
        raise ImportFileError(f"{name}：YAML 里有无法读取的值；请给它加上引号。") from error
    return tuple(Record("", value) for value in values if value is not None)


def _require_plain(name: str, text: str) -> None:
    """Walk the events first: aliases can blow a small file up, deep nesting the stack."""
    depth = 0
    for number, event in enumerate(_events(text)):
        if isinstance(event, yaml.AliasEvent):
            raise ImportFileError(
                f"{name}：用了 YAML 别名（*{event.anchor}）；请在每一处写出完整内容。"
            )
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            depth += 1
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            depth -= 1
        if depth > limits.DEEPEST_NESTING:
            raise ImportFileError(_refusal(name, _TOO_DEEP))
        if number > limits.MOST_VALUES:
            raise ImportFileError(_refusal(name, _TOO_MANY))


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text, Loader=yaml.CSafeLoader)


def _plain(name: str, value: object) -> JsonValue:
    """Return the value in JSON's types, within the limits."""
    return _Plain(name).of(value, 0)


class _Plain:
    """Copies one value, and counts what it copies."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0

    def of(self, value: object, depth: int) -> JsonValue:
        """Return the copy. Raises `ImportFileError` when there is too much of it."""
        self._count += 1
        if self._count > limits.MOST_VALUES:
            raise ImportFileError(_refusal(self._name, _TOO_MANY))
        if depth > limits.DEEPEST_NESTING:
            raise ImportFileError(_refusal(self._name, _TOO_DEEP))
        match value:
            case None | bool() | int():
                return _number(value)
            case float():
                return value if math.isfinite(value) else str(value)
            case str():
                return cleaned(value)
            case dict():
                return {
                    cleaned(str(key)): self.of(inside, depth + 1) for key, inside in value.items()
                }
            case list() | tuple():
                return [self.of(inside, depth + 1) for inside in value]
            case _:
                return str(value)  # a date


def _number(value: bool | int | None) -> JsonValue:
    """Return the value; a whole number too long to be printed cannot matter."""
    if isinstance(value, int) and value.bit_length() > 1_000:
        return "（过长的整数）"
    return value


def _refusal(name: str, what: str) -> str:
    return f"{name}：{what}，不像题目文档；请只保留题目列表。"
