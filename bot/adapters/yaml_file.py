"""YAML read into a model; what is wrong is named by file, line and field."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from bot.errors import BotError

_TEXT, _LIST, _MAPPING = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))

ModelT = TypeVar("ModelT", bound=BaseModel)

_MESSAGES = {
    "extra_forbidden": "多余的键，格式里没有它；请删除或改正拼写",
    "missing": "缺少这个必填的键",
    "string_type": "应当是文字；数字、是/否等请加引号",
    "tuple_type": "应当是列表",
    "enum": "不是允许的值",
    "too_short": "至少要有一项",
    "string_too_short": "不能为空",
}


def read(path: Path, model: type[ModelT], error: type[BotError]) -> ModelT:
    """Return the file as a `model`, or raise `error` with one sentence."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as cause:
        raise error(f"{path}：文件不是 UTF-8 编码；请另存为 UTF-8。") from cause
    except OSError as cause:
        raise error(f"{path}：无法读取（{cause.strerror}）；请检查路径与权限。") from cause
    return parse(text, model, error, place=str(path))


def parse(text: str, model: type[ModelT], error: type[BotError], *, place: str = "") -> ModelT:
    """Return YAML as a `model`, or raise `error` with one sentence.

    Without a `place`, such as a file, the sentence names the line alone.
    """
    try:
        value = _loaded(text)
    except yaml.YAMLError as cause:
        raise error(_syntax_sentence(place, cause)) from cause
    except RecursionError as cause:
        raise error(f"{_at(place)}嵌套太深，或引用（*）指向了自己；请展开写。") from cause
    if value is None:
        raise error(f"{_at(place)}文件是空的；请按 docs/banks.md 的格式填写。")
    try:
        return model.model_validate(value)
    except ValidationError as cause:
        # A misspelt key is a missing one too; the spelling is what helps.
        first = min(cause.errors(), key=lambda one: one["type"] != "extra_forbidden")
        line = _line_of(text, first["loc"])
        raise error(f"{_at(place, line)}{_field(first['loc'])}{_problem(dict(first))}") from cause


def _loaded(text: str) -> Any:
    loader = yaml.CSafeLoader(text)
    try:
        node = loader.get_single_node()
        return None if node is None else _plain(loader, node)
    finally:
        loader.dispose()


def _plain(loader: yaml.CSafeLoader, node: yaml.Node) -> Any:
    """Return plain data with no key twice; faster than the loader's own way."""
    if node.tag == _TEXT:
        return node.value
    if node.tag == _LIST and isinstance(node, yaml.SequenceNode):
        return [_plain(loader, item) for item in node.value]
    if node.tag != _MAPPING or not isinstance(node, yaml.MappingNode):
        return loader.construct_object(node)
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="键应当是文字", problem_mark=key.start_mark)
        if key.value in found:
            raise yaml.MarkedYAMLError(
                problem=f"键 {key.value!r} 重复出现", problem_mark=key.start_mark
            )
        found[key.value] = _plain(loader, value)
    return found


def _at(place: str, line: int | None = None) -> str:
    """Return the beginning of a sentence about the place, with its colon."""
    if not place:
        return "" if line is None else f"第 {line} 行："
    return f"{place}：" if line is None else f"{place}:{line}："


def _syntax_sentence(place: str, cause: yaml.YAMLError) -> str:
    mark = getattr(cause, "problem_mark", None)
    where = _at(place, None if mark is None else mark.line + 1)
    problem = getattr(cause, "problem", None) or str(cause).splitlines()[0]
    return f"{where}YAML 语法有误（{problem}）；请检查缩进、引号与冒号。"


def _field(loc: Iterable[int | str]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc]
    return f"字段 {''.join(parts).lstrip('.')} " if parts else ""


def _problem(detail: dict[str, Any]) -> str:
    known = _MESSAGES.get(detail["type"])
    said = known or str(detail["msg"]).removeprefix("Value error, ")
    return f"{said}（得到 {detail['input']!r:.60}）。" if detail["type"] == "enum" else f"{said}。"


def _line_of(text: str, loc: Iterable[int | str]) -> int:
    """Return the line, from 1, of the deepest node that the location still names."""
    node = yaml.compose(text, Loader=yaml.CSafeLoader)
    line = node.start_mark.line if node is not None else 0
    for part in loc:
        children: list[tuple[object, yaml.Node]] = []
        if isinstance(node, yaml.MappingNode):
            children = [(key.value, value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            children = list(enumerate(node.value))
        found = [child for key, child in children if key == part]
        if found:
            node = found[0]
            line = node.start_mark.line
    return line + 1
