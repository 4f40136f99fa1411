"""The words of an answer that are worth looking for (关键说法)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from bot.domain.folding import fold
from bot.domain.question import Term

Words = Callable[[str], list[str]]
"""Gives the words of a text, folded, in order."""

REACH = 50
"""Terms of one key point stand this near: the judge looks for them within a window."""

_STOP = frozenset(
    re.findall(
        r"\S+",
        """
        可以 通常 需要 可能 不同 相同 应该 如果 因此 所以 因为 这些 它们 每个 还要 不是 不能 没有 使用 进行
        之间 只是 一个 一种 一些 这种 这样 那么 什么 怎么 以及 或者 并且 而且 但是 不过 同时 其他 其中 由于
        通过 根据 按照 对于 关于 为了 避免 确认 考虑 影响 问题 情况 方式 方法 具体 实际 相关 对应 主要 常见
        一般 一定 必须 仍然 仍需 已经 正在 后续 之前 之后 以后 以前 就是 也是 不会 不要 并不 意味 意味着 作为
        成为 包括 包含 例如 比如 等等 时候 多个 若干 各自 分别 整个 全部 部分 大量 较大 较小 更高 更低 更多
        更少 直接 首先 然后 最后 再次 还有 还会 还是 只有 只能 不仅 甚至 尤其 往往 常常 能够 无法 不足 足够
        以为 认为 说明 应当 前提 代价 结论 原因
        a an the is are be to of and or in on for with by as it its that this can may not from at if but
        """,
    )
)
_SIGN = re.compile(r"[~(|){}]")
_WORD = re.compile(r"[^\W_]")
_NEGATED = re.compile(
    r"[不没无未非别勿](?:有|会|是|能|用|需要?|要|必|应该?|再|可以|太|怎么|直接|被|去|让|把|对|法|并)*$"
)


class Salient(NamedTuple):
    """A word with where it stands in the folded text, and the spelling that finds it."""

    at: int
    word: str
    spelling: str


class Lexicon:
    """Knows which words are common, and which spellings are terms of the field."""

    def __init__(self, words: Words, texts: Iterable[str], terms: Mapping[str, Term]) -> None:
        """Take the texts by which the commonness of a word is told, and the terms by id."""
        self._words = words
        self._seen = Counter(word for text in texts for word in set(words(text)))
        self._terms: dict[str, str] = {}
        for term in terms.values():
            for spelling in term.spellings:
                if not _SIGN.search(spelling):
                    self._terms.setdefault(fold(spelling).text, term.id)

    def salient(self, text: str, stem: str, *, lenient: bool = False) -> list[Salient]:
        """Return the words worth looking for, the rarest first, none that the stem has.

        `lenient` lets stop words and single characters in, for an answer of few words.
        """
        folded, asked = fold(text).text, fold(stem).text
        in_stem = {self._spelling(word) for word in self._words(stem)}
        found = []
        for word in dict.fromkeys(self._words(text)):
            at = folded.find(word)
            spelling = self._spelling(word)
            if at < 0 or word in asked or spelling in in_stem or _SIGN.search(word):
                continue
            if _NEGATED.search(folded[max(0, at - 10) : at]):
                continue
            if lenient or (len(word) > 1 and word not in _STOP and _WORD.search(word)):
                found.append(Salient(at, word, spelling))
        whole = [
            one
            for one in found
            if not any(one.word != other.word and one.word in other.word for other in found)
        ]
        ranked = sorted(whole, key=lambda one: (self._seen[one.word], -len(one.word), one.at))
        return _near(list({one.spelling: one for one in reversed(ranked)}.values())[::-1])

    def rarity(self, found: Sequence[Salient]) -> float:
        """Return how telling the words are together."""
        return sum(1 / (1 + self._seen[one.word]) for one in found)

    def _spelling(self, word: str) -> str:
        """Return how a bank writes the word: a term by its id, an English plural as singular."""
        if term := self._terms.get(word):
            return f"{{{term}}}"
        is_plural = word.isascii() and word.isalpha() and len(word) > 3 and word[-1] == "s"
        return word[:-1] if is_plural and word[-2] != "s" else word


def _near(found: list[Salient]) -> list[Salient]:
    """Keep the words of the stretch that has the most of them, in their order."""
    best: list[Salient] = []
    for first in found:
        inside = [one for one in found if 0 <= one.at - first.at <= REACH - len(one.word)]
        if len(inside) > len(best):
            best = inside
    return best
