"""The English catalogue (英文词表): what the pages say, by the Chinese text that is in the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from string import Formatter
from typing import Final, Literal, NamedTuple

Language = Literal["zh", "en"]
CHINESE: Final = "zh"
ENGLISH: Final = "en"

FOLDER = Path(__file__).parent / "en"
"""All `.yaml` files in it together are the catalogue."""

PLACEHOLDER = re.compile(r"\{(\w+)(?:![rsa])?(?::[^{}]*)?\}")
"""A value in a template, as in `第 {at} / {total} 题` or `{score:g} 分`."""

CHINESE_SIGNS = re.compile("[\u3001-\u3011\u3400-\u9fff！（），：；？]")
"""A Chinese character or mark; full-width plus and minus are understood by everybody."""

_IDEOGRAPH = re.compile("[\u3400-\u9fff]")

_JOINTS: Final = (
    (" · ", " · "),
    ("；", "; "),
    ("、", ", "),
    ("，", ", "),
    ("：", ": "),
    ("。", ". "),
)


def translated(text: str, language: Language, /, **values: object) -> str:
    """Return a text of the code in a language.

    Args:
        text: The Chinese text; with `values` a template for `str.format`.
        language: The wanted language.
        values: What the placeholders stand for, already in that language.

    Returns:
        The text; in Chinese again where the catalogue has nothing for it.
    """
    if values:
        template = text if language == CHINESE else entries().get(text, text)
        return _FILLED.vformat(template, (), values)
    return text if language == CHINESE else sentence(text)


@cache
def entries() -> Mapping[str, str]:
    """Return the English text of each Chinese one; read once, and only if somebody wants English."""
    import yaml

    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        found |= yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return found


@lru_cache(maxsize=8192)
def sentence(text: str) -> str:
    """Return a finished Chinese sentence of the code in English.

    It may have been made from a template of the catalogue, or be joined from several texts. What
    is not known, such as the words of a bank or of a user, stays as it is.
    """
    if not CHINESE_SIGNS.search(text):
        return text
    found = entries().get(text)
    if found is not None:
        return found
    return next(chain(_filled(text, _templates()), _joined(text), _marked(text)), text)


def _filled(text: str, templates: Iterable[_Template]) -> Iterator[str]:
    """Give the text by each template that it was made from."""
    for template in templates:
        values = template.values_in(text)
        if values is not None:
            said = {name: sentence(one) for name, one in values.items()}
            yield _FILLED.vformat(template.english, (), said)


def _marked(text: str) -> Iterator[str]:
    """Give the text with the marks of English, but only if no words are left in Chinese."""
    found = next(_filled(text, _marks()), text)
    if not _IDEOGRAPH.search(found):
        yield found


def _joined(text: str) -> Iterator[str]:
    """Give the text with its parts translated, if there are parts of which one is known."""
    for joint, english in _JOINTS:
        parts = text.split(joint)
        if len(parts) > 1:
            said = [sentence(one) for one in parts]
            if said != parts:
                yield english.join(said).strip()


class _Formatter(Formatter):
    """Knows the plural: `{count} question{count:~s}`, `{count} entr{count:~y|ies}`."""

    def format_field(self, value: object, format_spec: str) -> str:
        if not format_spec.startswith("~"):
            return str(super().format_field(value, format_spec))
        one, _, many = format_spec[1:].rpartition("|")
        return one if str(value) == "1" else many


_FILLED: Final = _Formatter()


class _Template(NamedTuple):
    """A text with placeholders, to be recognised in a finished sentence."""

    pieces: tuple[str, ...]
    """The words between the placeholders, in order."""

    pattern: str
    english: str

    def values_in(self, text: str) -> dict[str, str] | None:
        # Most templates are told apart by their words alone; few patterns are ever compiled.
        at = 0
        for piece in self.pieces:
            at = text.find(piece, at)
            if at < 0:
                return None
            at += len(piece)
        match = re.fullmatch(self.pattern, text, re.DOTALL)
        return match.groupdict() if match else None


@cache
def _templates() -> tuple[_Template, ...]:
    """Return the templates with Chinese words, those with most of them first."""
    return tuple(one for one in _all_templates() if _IDEOGRAPH.search("".join(one.pieces)))


@cache
def _marks() -> tuple[_Template, ...]:
    """Return the templates that have only marks of their own, such as brackets."""
    return tuple(one for one in _all_templates() if not _IDEOGRAPH.search("".join(one.pieces)))


@cache
def _all_templates() -> tuple[_Template, ...]:
    made = []
    for chinese, english in entries().items():
        if PLACEHOLDER.search(chinese):
            pieces = tuple(_plain(one) for one in PLACEHOLDER.split(chinese)[::2])
            if CHINESE_SIGNS.search("".join(pieces)):
                english = PLACEHOLDER.sub(_without_form, english)
                made.append(_Template(pieces, _pattern(chinese), english))
    return tuple(sorted(made, key=lambda one: -len("".join(one.pieces))))


def _without_form(placeholder: re.Match[str]) -> str:
    """Return a placeholder for a value that was written already; the plural still matters."""
    whole = placeholder.group()
    return whole if ":~" in whole else f"{{{placeholder.group(1)}}}"


def _pattern(chinese: str) -> str:
    parts, seen = [], set()
    for at, part in enumerate(PLACEHOLDER.split(chinese)):
        if at % 2 == 0:
            parts.append(re.escape(_plain(part)))
        elif part in seen:
            parts.append(f"(?P={part})")
        else:
            seen.add(part)
            parts.append(f"(?P<{part}>(?:(?! · ).)*?)")  # joined texts are taken apart first
    return "".join(parts)


def _plain(piece: str) -> str:
    return piece.replace("{{", "{").replace("}}", "}")
