"""Fillers (口头语) and self-corrections (改口) of spoken Chinese, found by rules written by hand.

那个, 这个, 就是 and 然后 are words first: they count only where hardly anything else can be meant.
Some fillers are missed so that what is counted is right.
"""

from __future__ import annotations

import re
from functools import cache

from bot.domain.evidence import Evidence

_HAN = r"[\u4e00-\u9fff]"
_PAUSE = re.compile(rf"[，,、。.！!？?；;：:…—~～\n]|(?<={_HAN})\s+(?={_HAN})")
"""A mark, or a space between two Chinese characters; beside a Latin word a space is typography."""

_SOUND = (
    r"嗯+|呃+|额{2,}"
    r"|(?<![A-Za-z0-9])(?<!\d )(?:e+m{2,}|u+m+|u+h+m*|h+m{2,}|e+rm+)(?![A-Za-z0-9])"
)
"""Sounds that are nothing else, wherever they stand; `um` after a number is a length."""

_STOP = rf"(?={_PAUSE.pattern}|$|{_SOUND})"
_POINTER = r"(?:那个|这个|就是)"
_THINK = r"我(?:觉得|认为|想|理解|感觉)"

_ANYWHERE = (
    _SOUND,
    # Said twice or more often: all but the last, which may be meant (那个那个请求).
    r"(那个|这个|就是|然后)(?=\s*[，,、]?\s*\1(?!的))",
    r"(?:该|应该)?怎么[说讲]呢",
    rf"(?:(?:让|容)我(?:先)?|我(?:先)?)想一?想{_STOP}|我(?:先)?想一下{_STOP}",
    # After these 对吧 is the end of a word (应对吧) or a question that is meant (说得对吧).
    r"(?<![面应针绝相校核反配不得才就都也很算是])(?<!理解)(?<!说法)(?<!答案)(?<!结果)(?<!这[样么])"
    r"对吧",
)
_AFTER_A_PAUSE = (
    # 额 and 啊 may begin a word or end a sentence.
    rf"[额啊哦噢唔欸诶哎]+(?={_PAUSE.pattern}|{_POINTER}|然后|对|不)",
    rf"{_POINTER}{_STOP}",
    rf"{_POINTER}(?={_POINTER}{_STOP})",
    rf"(?:对吧|是吧|对不对|你懂吧|你知道吧){_STOP}",
)
_FIRST_OF_ALL = (rf"(?:那个|就是|然后)(?=\s*{_THINK})",)
"""The first words of an answer have nothing to point at, to explain or to follow."""

_THEN = re.compile(
    rf"然后(?=[，,\s]*(?:{_THINK}|所以|但是|不过|因此|可是|其实|{_SOUND})|呢{_STOP})", re.IGNORECASE
)
"""然后 that joins nothing: another word does, or an opinion follows, which has no turn in an order."""

_ORDER = re.compile(r"先|首先|第一|随后|接着|最后|之后|完")
"""Where one of these stands before it in the sentence, 然后 tells an order."""

_FIRST_CHARACTERS = frozenset("嗯呃额啊哦噢唔欸诶哎那这就然怎该应让容我对是你eEuUhH")


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return what counts anywhere, after a pause, and first of all.

    Compiled when they are needed: it takes as long as importing a library.
    """
    kinds = (_ANYWHERE, _AFTER_A_PAUSE, _FIRST_OF_ALL)
    together = ([one for kind in kinds[: at + 1] for one in kind] for at in range(len(kinds)))
    anywhere, opening, first = (
        re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)
        for patterns in together
    )
    return anywhere, opening, first


def fillers(text: str) -> tuple[Evidence, ...]:
    """Return the fillers of a text in order; no two overlap.

    A filler leaves the clause as open as it was: in 嗯，那个，就是，… all three stand at its start.
    """
    found: list[Evidence] = []
    text = text.rstrip()
    anywhere, opening, rules = _rules()
    at = len(text) - len(text.lstrip())
    while at < len(text):
        pause = _PAUSE.match(text, at)
        if pause is not None:
            at = pause.end()
            rules = opening if rules is anywhere else rules
            continue
        filler = rules.match(text, at) if text[at] in _FIRST_CHARACTERS else None
        if filler is None and (then := _THEN.match(text, at)) is not None:
            filler = None if _ORDER.search(_sentence_before(text, at)) else then
        if filler is None:
            at, rules = at + 1, anywhere if not text[at].isspace() else rules
            continue
        found.append(Evidence(start=at, end=filler.end(), quote=filler.group()))
        at = filler.end()
        rules = opening if rules is anywhere else rules
    return tuple(found)


def _sentence_before(text: str, at: int) -> str:
    return re.split(r"[。！!？?；;\n]", _before(text, at))[-1]


def _before(text: str, at: int) -> str:
    """Return what stands before a place, as far as it matters: an answer may be very long."""
    return text[max(0, at - 200) : at]


_RIGHT = r"(?:应该|应当|是|准确|更准确|刚才|刚刚|我|其实|换|改)"
_UNCERTAIN = r"(?:啊|哦|呃|嗯|噢|额)"
_NO = re.compile(
    # By itself after a pause; 这样说不对，应该是 is a statement.
    rf"(?:(?<=[，,、。.！!？?；;…—\s])|(?<={_UNCERTAIN})|(?<=[A-Za-z0-9])\s?)"
    rf"(?:不对)+[，,。、…\s]*(?={_RIGHT})"
    rf"|{_UNCERTAIN}[，,、…\s]*不(?:对)?(?=[，,、…\s]*(?:应该|应当|是))"
)
_SAID_SO = tuple(
    re.compile(pattern)
    for pattern in (
        r"我(?:来|先|要|得|需要)?(?:更正|纠正|订正|改口)一下",
        r"(?<![^，,。.！!？?；;…\s])(?:更正|纠正|订正)一下(?=[，,：:。\s])",
        r"(?:我(?!们)|刚才|刚刚|前面|上面)[^，,。！!？?；;\n]{0,6}?[说讲记算搞弄看][错反混]了",
        r"(?<![^，,。.！!？?；;…\s])[说讲记][错反]了(?=[，,。\s])",
        r"(?:(?:我|刚才|刚刚)(?:这)?(?:是)?)?口误",
        r"我重(?:新)?(?:说|讲|来|组织)一[遍下]|我收回(?:刚才|前面|这句|上一?句)",
    )
)
_IMAGINED = re.compile(
    r"如果|要是|万一|一旦|假如|怕|别|容易|可能|会|被|防止|避免|即使|哪怕|很多|有人"
)
_OTHERS = re.compile(r"以为|误认为|误区|有人|很多人|常见|别人|网上")
"""Somebody else's opinion that is turned down is no correction of one's own."""

_NEAR = 10
"""Corrections at most this many characters apart are one: 不对，我说错了，应该是."""

_FEWEST_BEFORE = 4
"""不对 among the first words answers the question; nothing was said yet that could be wrong."""


def corrections(text: str) -> tuple[Evidence, ...]:
    """Return where the speaker corrected themselves, in order; what lies close together is one."""
    spans = [
        *(one for one in _corrected(_NO, text) if _has_said_something(_before(text, one[0]))),
        *(one for rule in _SAID_SO for one in _corrected(rule, text)),
    ]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and len(between := text[joined[-1][1] : start]) <= _NEAR and "。" not in between:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(Evidence(start=start, end=end, quote=text[start:end]) for start, end in joined)


def _has_said_something(before: str) -> bool:
    return len(re.findall(r"\w", before)) >= _FEWEST_BEFORE


def _corrected(rule: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    spans = []
    for found in rule.finditer(text):
        before = _before(text, found.start())
        clause = re.split(r"[，,、。.！!？?；;：:\n]", before)[-1]
        if _IMAGINED.search(clause + found.group()) or _OTHERS.search(before[-30:]):
            continue
        quote = found.group().strip(" ，,。、…\n")
        start = found.start() + found.group().index(quote)
        spans.append((start, start + len(quote)))
    return spans
