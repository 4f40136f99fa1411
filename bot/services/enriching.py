"""Enrichment without a model (自动生成): key points and slots derived from a plain answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from bot.domain.question import (
    FollowUp,
    KeyPoint,
    Question,
    ReferenceAnswer,
    Slot,
    Term,
)
from bot.ports import Progress
from bot.services.answer_parts import pieces_of, split_reference
from bot.services.drafts import Draft, Note
from bot.services.salient import Lexicon, Salient, Words

MOST_POINTS = 8
GROUPS = 3
PER_GROUP = 3
"""Three groups of up to three words each: of a few settings tried on the source document this one
takes in most paraphrases while at least 97 % of the unrelated answers stay at level 1 or below."""

LONGEST_SAYS = 200
LONGEST_RUN = 40
TOPIC = "imported"

_IDS = "abcdefgh"

_ASKING = re.compile(
    r"[?？]\s*$|^(?:请|画|说|比较|解释|举|怎|如何|为什么|不要|先|列|分析|设计|给出|区分|如果|explain|draw|why|how)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"^(.{2,30}?)(?=不|会|是|能|可|需|应|有|要|在|，|,|。)")
_RUN = re.compile(r"[^\W_]+")


class Clause(NamedTuple):
    """A piece of an answer, with where it begins and its telling words."""

    start: int
    text: str
    words: tuple[Salient, ...]


Unmet = Callable[[Question], Collection[str]]
"""Gives the ids of the key points that the question's own reference does not meet."""


class Enricher:
    """Makes whole questions of drafts; everything it adds is marked `generated`."""

    def __init__(self, words: Words, terms: Mapping[str, Term], unmet: Unmet) -> None:
        """Take the words function, the known terms, and a check.

        The check is the judge's: it passes over what merely lists keywords, for one thing.
        """
        self._words = words
        self._terms = terms
        self._unmet = unmet

    def enrich(
        self, drafts: Sequence[Draft], progress: Progress = lambda _done, _total: None
    ) -> tuple[Draft, ...]:
        """Return the drafts, each with its question; whole ones stay as they are."""
        answers = [draft.answer for draft in drafts]
        lexicon = Lexicon(self._words, answers, self._terms)
        enriched = []
        for done, draft in enumerate(drafts, start=1):
            question = draft.question or self._question(draft, lexicon)
            enriched.append(draft.model_copy(update={"question": question}))
            progress(done, len(drafts))
        return tuple(enriched)

    def _question(self, draft: Draft, lexicon: Lexicon) -> Question:
        reference = draft.reference or split_reference(draft.answer)
        clauses = _telling(reference.joined, draft.stem, lexicon)
        question = _built(draft, reference, _chosen(clauses, lexicon), lexicon)
        if not (lost := self._unmet(question)):
            return question
        says = {point.says for point in question.key_points if point.id in lost}
        kept = [one for one in clauses if _says(one) not in says]
        return _built(draft, reference, _chosen(kept, lexicon), lexicon) if kept else question


def is_gradable(question: Question) -> bool:
    """Say whether words alone can tell an answer: some key point has a word the stem has not."""
    return any(
        spelling not in question.stem
        for point in question.key_points
        for group in point.concepts
        for spelling in group
    )


def _built(
    draft: Draft, reference: ReferenceAnswer, clauses: Sequence[Clause], lexicon: Lexicon
) -> Question:
    slots = _slots(clauses, reference)
    return Question(
        id=draft.id,
        stem=draft.stem,
        difficulty=draft.difficulty,
        topics=(TOPIC,),
        reference=reference,
        key_points=_points(clauses, slots),
        follow_ups=tuple(
            _follow_up(f"f{number}", note, draft, lexicon, slots[-1])
            for number, note in enumerate(draft.follow_ups, start=1)
        ),
    )


def _telling(text: str, stem: str, lexicon: Lexicon) -> list[Clause]:
    """Return the clauses that say something the stem does not; at least one."""
    pieces = pieces_of(text)
    for lenient in (False, True):
        found = [
            Clause(start, piece, tuple(lexicon.salient(piece, stem, lenient=lenient)))
            for start, piece in pieces
        ]
        for least in (2, 1):
            if telling := [one for one in found if len(one.words) >= least]:
                return telling
    run = max(_RUN.findall(text), key=len, default=text)[:LONGEST_RUN]
    return [Clause(0, text, (Salient(0, run, run),))]


def _chosen(clauses: Sequence[Clause], lexicon: Lexicon) -> list[Clause]:
    """Return at most `MOST_POINTS` clauses from all over the answer."""
    count = min(MOST_POINTS, len(clauses))
    borders = [round(len(clauses) * part / count) for part in range(count + 1)]
    return [
        max(clauses[a:b], key=lambda one: lexicon.rarity(one.words)) for a, b in pairwise(borders)
    ]


def _slots(clauses: Sequence[Clause], reference: ReferenceAnswer) -> list[Slot]:
    """Return the slot of each clause: that of the part of the reference it stands in."""
    reason = len(reference.conclusion)
    premise = reason + len(reference.reason)
    return [
        Slot.CONCLUSION
        if one.start < reason
        else Slot.REASON
        if one.start < premise
        else Slot.PREMISE_COST
        for one in clauses
    ]


def _points(clauses: Sequence[Clause], slots: Sequence[Slot]) -> tuple[KeyPoint, ...]:
    return tuple(
        _point(id_, clause, slot) for id_, clause, slot in zip(_IDS, clauses, slots, strict=False)
    )


def _point(id_: str, clause: Clause, slot: Slot) -> KeyPoint:
    spellings = [one.spelling for one in clause.words[: GROUPS * PER_GROUP]]
    groups = [tuple(spellings[at::GROUPS]) for at in range(GROUPS)]
    return KeyPoint(
        id=id_,
        says=_says(clause),
        slot=slot,
        concepts=tuple(group for group in groups if group),
        generated=True,
    )


def _says(clause: Clause) -> str:
    text = clause.text.strip()
    says = text.rstrip("，,。；; ") or text
    return says if len(says) <= LONGEST_SAYS else says[: LONGEST_SAYS - 1] + "…"


def _follow_up(id_: str, note: Note, draft: Draft, lexicon: Lexicon, aims_at: Slot) -> FollowUp:
    """Return the follow-up of a note.

    A note that asks is asked; without an answer of its own the question's holds it. One that
    states something is what the candidate should say: it is the reference, and is not given away.
    """
    asks, reference = note.text, note.answer or draft.answer
    if not note.answer and not _ASKING.search(note.text):
        subject = _SUBJECT.match(note.text)
        about = f"关于“{subject[1].strip()}”，" if subject else "这道题"
        asks, reference = f"{about}还有一点容易忽略，请补充说明。", note.text
    clauses = _chosen(_telling(reference, asks, lexicon), lexicon)
    return FollowUp(
        id=id_,
        asks=asks,
        aims_at=aims_at,
        reference=reference,
        key_points=_points(clauses, [aims_at] * len(clauses)),
    )
