"""Reads what was meant to be JSON: cut off, badly quoted, with marks of a Chinese keyboard."""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

DEEPEST = 64

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,2})?(?=[\s,，}\]])")
_WORD = re.compile(r"[A-Za-z_][\w-]*(?=\s*[,，}\]:：\n])")
_WORDS: dict[str, JsonValue] = {
    "true": True, "false": False, "null": None, "none": None, "nan": None,
}  # fmt: skip
_QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "「": "」"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "/": "/"}
_ESCAPES["\\"] = "\\"
_AFTER_KEY = re.compile(r"\s*[:：]")
_AFTER_VALUE = re.compile(
    r"""\s*(?:$|[}\]]
    |[,，]\s*(?:["'“{\[}\]\d-]|true|false|null|[A-Za-z_]\w*\s*[:：]|$)
    |["“][^"”\n]{1,60}["”]\s*[:：])""",
    re.VERBOSE,
)


class _CutError(Exception):
    """The text ended, or went wrong, before the value was complete."""


def read_loosely(text: str, at: int) -> tuple[JsonValue, int]:
    """Return the object that begins at `at` with all its complete fields, and where it ends.

    An incomplete field is left out, not guessed. None when there is no object.
    """
    reader = _Reader(text, at)
    try:
        value = reader.value(0)
    except _CutError:
        return None, at + 1
    return value, reader.at


class _Reader:
    """A position in a text."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at
        self._is_lost = False

    def value(self, depth: int) -> JsonValue:
        """Return the value at the position. Raises `_CutError`."""
        if depth > DEEPEST:
            raise _CutError
        match self._peek():
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case quote if quote in _QUOTES:
                return self._string(_AFTER_VALUE)
            case _:
                return self._scalar()

    def _object(self, depth: int) -> JsonValue:
        fields: dict[str, JsonValue] = {}
        self.at += 1
        while not self._closes("}"):
            try:
                key = self._key()
                fields[key] = self.value(depth + 1)
            except _CutError:
                self._is_lost = True
        if not fields and self._is_lost:
            raise _CutError
        return fields

    def _array(self, depth: int) -> JsonValue:
        items: list[JsonValue] = []
        self.at += 1
        while not self._closes("]"):
            try:
                items.append(self.value(depth + 1))
            except _CutError:
                self._is_lost = True
        return items

    def _closes(self, bracket: str) -> bool:
        """Say whether the container ends here, and step over its end or over a separator."""
        if self._is_lost:
            return True
        while (char := self._peek()) in (",", "，", "、") and char:
            self.at += 1
        if char == bracket:
            self.at += 1
            return True
        if char in ("", "}", "]"):
            # The end of the text, or of a container further out: a bracket was forgotten.
            self._is_lost = not char
            return True
        return False

    def _key(self) -> str:
        if self._peek() in _QUOTES:
            key = self._string(_AFTER_KEY)
        elif word := _WORD.match(self._text, self.at):
            key, self.at = word[0], word.end()
        else:
            raise _CutError
        colon = _AFTER_KEY.match(self._text, self.at)
        if colon is None:
            raise _CutError
        self.at = colon.end()
        return key

    def _string(self, after: re.Pattern[str]) -> str:
        """Return a string; a quote inside it that nobody escaped does not end it."""
        closing = _QUOTES[self._text[self.at]]
        begin = at = self.at + 1
        while at < len(self._text):
            char = self._text[at]
            if char == "\\":
                at += 2
                continue
            if char == closing and after.match(self._text, at + 1):
                self.at = at + 1
                return _ESCAPE.sub(_unescaped, self._text[begin:at])
            at += 1
        self.at = len(self._text)
        raise _CutError

    def _scalar(self) -> JsonValue:
        if number := _NUMBER.match(self._text, self.at):
            self.at = number.end()
            value: JsonValue = json.loads(re.sub(r"^(-?)0+(?=\d)", r"\1", number[0]))
            return value
        if word := _WORD.match(self._text, self.at):
            self.at = word.end()
            return _WORDS.get(word[0].lower(), word[0])
        raise _CutError

    def _peek(self) -> str:
        found = _SPACE.match(self._text, self.at)
        self.at = found.end() if found else self.at
        return self._text[self.at : self.at + 1]


def _unescaped(found: re.Match[str]) -> str:
    kind = found[1]
    if len(kind) == 5:
        return chr(int(kind[1:], 16))
    return _ESCAPES.get(kind, found[0])
