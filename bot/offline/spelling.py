"""Spellings of a concept, as the bank writes them, compiled to patterns over folded text.

A spelling is a few words with three signs:

- `a~b`: b follows a within `GAP` characters of the same sentence;
- `(a|b)`: either of them;
- `{term}`: any spelling or slip of that term of the bank.

ASCII words match whole words in any case, with or without a plural s, and with or without
the space, hyphen, underscore or slash that the spelling has. A word in capitals is an
abbreviation, whose letters may stand apart ("t t f t", "K/V"). Chinese matches anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from bot.domain.folding import fold
from bot.domain.question import Term
from bot.errors import BankError

GAP = 15
"""How many folded characters may stand between the two sides of `~`."""

MOST_PATTERNS = 8192
"""So many patterns are kept; calculation tasks have their own numbers, and there is no end of them."""

ENDS = "。!?;"
"""What ends a sentence in folded text."""

_TOKEN = re.compile(r"\{(?P<term>[^{}]*)\}|(?P<sign>[~(|)])|(?P<words>[^~(|){}]+)|(?P<stray>[{}])")
_RUN = re.compile(r"[A-Za-z]+|[0-9]+(?:\.[0-9]+)?|[ \-_/]+|.", re.DOTALL)
_ALTERNATIVES = re.compile(r"\(([^()|]*)[^()]*\)")
_GAP = f"[^{ENDS}]{{0,{GAP}}}?"


class Spellings:
    """Compiles the spellings of one bank, whose terms they may name."""

    def __init__(self, terms: Mapping[str, Term]) -> None:
        """Take the terms by id."""
        self._terms = terms
        self._compiled: dict[tuple[str, ...], re.Pattern[str]] = {}

    def any_of(self, group: tuple[str, ...]) -> re.Pattern[str]:
        """Return one pattern for all spellings of a group; it is made once.

        Raises `BankError` for an unknown term or a broken spelling.
        """
        pattern = self._compiled.get(group)
        if pattern is None:
            if len(self._compiled) >= MOST_PATTERNS:
                self._compiled.clear()
            pattern = re.compile("|".join(self._source(one) for one in group))
            self._compiled[group] = pattern
        return pattern

    def _source(self, spelling: str, *, inside: tuple[str, ...] = ()) -> str:
        parts: list[str] = []
        depth = 0
        for token in _TOKEN.finditer(spelling):
            if (term := token["term"]) is not None:
                parts.append(self._term(term, spelling, inside))
            elif words := token["words"]:
                parts.append(_literal(words))
            elif token["stray"]:
                raise BankError(f"写法 {spelling!r} 里的花括号不成对。")
            else:
                depth += {"(": 1, ")": -1}.get(token["sign"], 0)
                if depth < 0 or (token["sign"] == "|" and depth == 0):
                    raise BankError(f"写法 {spelling!r} 里的括号不成对，或括号外有“|”。")
                parts.append({"~": _GAP, "(": "(?:"}.get(token["sign"], token["sign"]))
        if depth:
            raise BankError(f"写法 {spelling!r} 里的括号不成对。")
        return f"(?:{''.join(parts)})"

    def _term(self, name: str, spelling: str, inside: tuple[str, ...]) -> str:
        if name not in self._terms or name in inside:
            raise BankError(f"写法 {spelling!r} 引用了题库里没有的术语 {name!r}。")
        term = self._terms[name]
        options = (
            self._source(one, inside=(*inside, name)) for one in (*term.spellings, *term.slips)
        )
        return f"(?:{'|'.join(options)})"


@lru_cache(maxsize=4096)
def _literal(words: str) -> str:
    """Return the pattern of plain words; between two ASCII words any joint will do, or none."""
    runs = [found[0] for found in _RUN.finditer(words)]
    return "".join(
        _run(run, after=_joined(runs, at, -1), before=_joined(runs, at, 1))
        for at, run in enumerate(runs)
    )


def _joined(runs: list[str], at: int, step: int) -> bool:
    """Say whether a joint and another ASCII word stand on that side of a run."""
    two = [runs[place] for place in (at + step, at + 2 * step) if 0 <= place < len(runs)]
    return len(two) == 2 and _is_joint(two[0]) and _is_ascii_word(two[1])


def _run(run: str, *, after: bool, before: bool) -> str:
    if _is_joint(run):
        return r"[ \-_/]?"
    if run[0].isdigit() and run[0].isascii():
        return rf"(?<![0-9.]){re.escape(run)}(?![0-9]|\.[0-9])"
    if _is_ascii_word(run):
        apart = "[ /.-]?" if run.isupper() else ""
        start, end = "" if after else "(?<![a-z])", "" if before else "s?(?![a-z])"
        return f"{start}{apart.join(run.lower())}{end}"
    # A sign such as * or > is dropped by folding, except between two ASCII words.
    return re.escape(fold(run).text) or f"{re.escape(run)}?"


def _is_joint(run: str) -> bool:
    return run[0] in " -_/"


def _is_ascii_word(run: str) -> bool:
    return run.isascii() and run.isalpha()


def spelling_texts(group: tuple[str, ...]) -> Iterator[str]:
    """Give the spellings of a group as people read them: of alternatives, the first."""
    for spelling in group:
        first = _ALTERNATIVES.sub(lambda found: found[1], spelling)
        yield first.replace("~", "…").replace("{", "").replace("}", "").strip()
