"""What to say instead of an overclaim (改写): softer, with a premise, its cost or its cases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.domain.claims import Claims, OverclaimClaim, Verdict
from bot.domain.evidence import Evidence, cite, locate
from bot.domain.folding import fold
from bot.domain.sentence import split
from bot.domain.target import Target
from bot.offline.overclaims import Promise
from bot.offline.premises import nearest, premises_of
from bot.offline.reading import Found, Reading
from bot.offline.settings import Instead, OfflineSettings, OverclaimPattern

WRONG = "这句话本身不成立，补条件也没用；先改正，见参考答案。"
LONGEST_LEAD = 24
"""A clause before the promise is told with it up to so many characters."""

_CONNECTIVE = r"(?:所以|因此|因为|而且|并且|但是|不过|那么|那)"
_LEADING = re.compile(rf"^{_CONNECTIVE}\s*")
_NO_SUBJECT = re.compile(rf"(?:{_CONNECTIVE}|就|也|都|还|则|便|会|能|可以|可|它|\s)*")
_EDGES = " ，,。、；;：:"


def overclaims(
    reading: Reading,
    target: Target,
    made: Sequence[Promise],
    settings: OfflineSettings,
    wrong: Sequence[Evidence] = (),
) -> list[OverclaimClaim]:
    """Return the overclaims, each with what to say instead; a premise is an example once.

    What overlaps with something `wrong` is not softened: no condition makes it true.
    """
    unused = premises_of(target)
    claims = []
    for one in made:
        rewrite = WRONG
        if not _is_wrong(reading, one.span, wrong):
            lead = _with_lead(reading, one, made, settings, wrong)
            softened = _softened(reading, one, lead, settings)
            instead = _instead(reading, one, settings)
            cost = softened is None and instead == "cost"
            premise = nearest(unused, _around(reading, one, made), cost=cost)
            unused = tuple(other for other in unused if other is not premise)
            quote = _LEADING.sub("", _words(reading, lead))
            example = premise.says if premise is not None else ""
            rewrite = _rewrite(instead, quote, softened, example)
        claims.append(
            OverclaimClaim(quote=_words(reading, one.span), why=one.pattern.why, rewrite=rewrite)
        )
    return claims


def wrong_parts(claims: Claims, answer: str) -> tuple[Evidence, ...]:
    """Return the parts of the answer that the claims call wrong.

    The sentence of a contradicted key point is wrong as a whole where no error says which words.
    """
    errors = [found for one in claims.errors if (found := locate(one.quote, answer)) is not None]
    numbers = {
        number
        for point in claims.points
        if point.verdict is Verdict.CONTRADICTED
        for number in point.sentences
    }
    turned = [
        sentence
        for sentence in cite(numbers, split(answer))
        if not any(sentence.overlaps(error) for error in errors)
    ]
    return (*errors, *turned)


def _rewrite(instead: Instead, quote: str, softened: str | None, example: str) -> str:
    such_as = f"，例如：{example}" if example else ""
    if softened is not None:
        return f"{softened}，前提是【写明条件或代价{such_as}】。"
    such_as_this = f"，例如：【{example}】" if example else ""
    match instead:
        case "cost":
            return f"代价是有的，写明是什么{such_as_this}。"
        case "cases":
            return f"只说在哪些情况下成立{such_as_this}；其余情况不一定。"
        case "condition":
            return f"在【写明条件或代价{such_as}】的情况下，“{quote}”可能成立；否则不一定。"


def _instead(reading: Reading, one: Promise, settings: OfflineSettings) -> Instead:
    """Return the advice for the clause: words that no condition repairs come first."""
    wanted = {
        pattern.instead for pattern in _patterns_in(reading.text[slice(*one.span)], settings)
    } | {one.pattern.instead}
    if "cost" in wanted:
        return "cost"
    # A clause that has a softer word and is told otherwise promises in more than one way.
    return "cases" if "cases" in wanted or one.pattern.softer else "condition"


def _softened(reading: Reading, one: Promise, lead: Found, settings: OfflineSettings) -> str | None:
    """Return the clause with its marker word softened, or None where that does not repair it."""
    if not one.pattern.softer or one.match.groupdict().get("mark") is None:
        return None
    mark = Found(*one.match.span("mark"))
    marker, whole = reading.original(mark), reading.original(lead)
    at = reading.cited(mark).start - reading.cited(lead).start
    if whole[at : at + len(marker)] != marker:
        return None
    changed = whole[:at] + one.pattern.softer + whole[at + len(marker) :]
    changed = _LEADING.sub("", changed.strip(_EDGES))
    return None if _patterns_in(fold(changed).text, settings) else changed


def _with_lead(
    reading: Reading,
    one: Promise,
    made: Sequence[Promise],
    settings: OfflineSettings,
    wrong: Sequence[Evidence],
) -> Found:
    """Return the clause of a promise, with the one before it where its subject stands there."""
    start = one.span.start
    before = reading.text[start : one.match.start()]
    if not _NO_SUBJECT.fullmatch(before) or reading.text[max(0, start - 1) : start] != ",":
        return one.span
    lead = reading.clause(Found(start - 1, start - 1))
    text = reading.text[slice(*lead)]
    if (
        not text.strip()
        or len(text) > LONGEST_LEAD
        or any(lead.overlaps(other.span) for other in made)
        or _patterns_in(text, settings)
        or _is_wrong(reading, lead, wrong)
    ):
        return one.span
    return Found(lead.start, one.span.end)


def _around(reading: Reading, one: Promise, made: Sequence[Promise]) -> str:
    """Return the sentence that a promise stands in, without what else it promises."""
    stretch = reading.stretch_at(one.span.start)
    text = stretch.text
    for other in made:
        if other is not one and other.span.overlaps(Found(stretch.start, stretch.end)):
            start, end = (place - stretch.start for place in other.span)
            text = text[: max(0, start)] + "," * (end - max(0, start)) + text[end:]
    return text


def _patterns_in(text: str, settings: OfflineSettings) -> list[OverclaimPattern]:
    return [one for one in settings.overclaims if re.search(one.pattern, text)]


def _is_wrong(reading: Reading, found: Found, wrong: Sequence[Evidence]) -> bool:
    return any(reading.cited(found).overlaps(one) for one in wrong)


def _words(reading: Reading, found: Found) -> str:
    return reading.original(found).strip(_EDGES)
