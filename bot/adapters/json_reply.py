"""Finds the JSON object in what a model wrote, however it is wrapped, cut or misspelt."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from pydantic import JsonValue

from bot.adapters.loose_json import read_loosely

_TAGS = "think|thinking|thought|reasoning"
_BLOCK = re.compile(rf"\s*<({_TAGS})>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(rf"\s*<(?:{_TAGS})>", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:{_TAGS})>", re.IGNORECASE)
_TAG_START = re.compile(r"\s*(?:<[a-z]{0,10})?", re.IGNORECASE)
_MOST_TRIES = 200
_WRAPPERS = ("arguments", "parameters", "result", "response", "data", "output", "properties")


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=_finite)


def without_thinking(text: str) -> str:
    """Return the text without the thinking before it, whether or not that was closed."""
    while found := _BLOCK.match(text):
        text = text[found.end() :]
    if _OPEN.match(text):
        return ""
    if not text.lstrip().startswith("{") and (closed := _CLOSE.search(text)):
        return text[closed.end() :].lstrip()  # the opening tag was part of the prompt
    return text


def spoken_parts(parts: Iterable[str]) -> Iterator[str]:
    """Give the parts of a stream without the thinking before them."""
    held = ""
    stream = iter(parts)
    for part in stream:
        held += part
        if _OPEN.match(held):
            if not _BLOCK.match(held):
                continue
            held = without_thinking(held)
        if _TAG_START.fullmatch(held):
            continue
        yield held.lstrip()
        break
    else:
        if rest := without_thinking(held):
            yield rest
    yield from stream


def read_object(
    texts: Iterable[str], wanted: Collection[str], name: str = ""
) -> dict[str, JsonValue] | None:
    """Return the object in the texts that has most of the wanted fields, and of those the last.

    An earlier one may be a draft, or may have been quoted from somebody who hoped for that.
    Fields that nobody wants are left out. None when no field is there.
    """
    best: dict[str, JsonValue] = {}
    for found in chain.from_iterable(_objects(well_formed(text)) for text in texts):
        fields = _wanted(found, wanted, name)
        if len(fields) >= len(best):
            best = fields
    return best or None


def well_formed(text: str) -> str:
    """Return the text with halves of surrogate pairs replaced: nothing could store them."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _objects(text: str) -> Iterator[dict[str, JsonValue]]:
    at = text.find("{")
    for _ in range(_MOST_TRIES):
        if at < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = read_loosely(text, at)
        if isinstance(value, dict) and value:
            yield value
        at = text.find("{", max(end, at + 1))


def _wanted(
    found: dict[str, JsonValue], wanted: Collection[str], name: str
) -> dict[str, JsonValue]:
    fields = {key: _sound(value) for key, value in found.items() if key in wanted}
    if fields or "$schema" in found or found.get("type") == "object":  # not the schema itself
        return fields
    for wrapper in (name, *_WRAPPERS):
        inside = found.get(wrapper)
        if isinstance(inside, dict):
            return {key: _sound(value) for key, value in inside.items() if key in wanted}
    return {}


def _sound(value: JsonValue) -> JsonValue:
    """Return the value with well-formed strings: JSON can spell half a character."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [_sound(one) for one in value]
    if isinstance(value, dict):
        return {well_formed(key): _sound(one) for key, one in value.items()}
    return value
