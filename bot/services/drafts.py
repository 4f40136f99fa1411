"""What an import understood (导入草稿): draft questions, what was left out, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.domain.bank import Section
from bot.domain.document import Skipped
from bot.domain.folding import fold
from bot.domain.question import Difficulty, Frozen, Question, ReferenceAnswer, Term
from bot.errors import ImportFileError

MOST_QUESTIONS = 5_000
LONGEST_ANSWER = 20_000
LONGEST_STEM = 2_000
EXCERPT = 60

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_WORD = re.compile(r"[^\W_]")
_NOT_WORD = re.compile(r"[^\w]+")


class Note(Frozen):
    """A follow-up as the document has it (追问); most have no answer of their own."""

    text: str
    answer: str = ""


class Found(Frozen):
    """A question as it stands in a document, before it was looked at closely."""

    place: str
    stem: str
    answer: str
    id: str = ""
    section: str = ""
    section_id: str = ""
    notes: tuple[Note, ...] = ()
    difficulty: str = ""
    reference: ReferenceAnswer | None = None
    """The answer in parts, where the document gives them apart."""
    question: Question | None = None
    """The whole question, where the document follows our own schema."""


class Draft(Frozen):
    """A question that can be imported, and where it came from."""

    id: str
    section: Section
    stem: str
    answer: str
    place: str
    follow_ups: tuple[Note, ...] = ()
    difficulty: Difficulty = Difficulty.MEDIUM
    reference: ReferenceAnswer | None = None
    question: Question | None = None
    """The question as it will be stored; until it was enriched only own-schema drafts have it."""


class Duplicate(Frozen):
    """A draft that says nearly the same as another question; shown, not dropped."""

    draft_id: str
    bank_id: str | None
    """The bank of the other question, or None for the same document."""
    question_id: str
    stem: str
    similarity: float


class ImportPreview(Frozen):
    """What would be imported (导入预览); nothing has been written yet."""

    name: str
    drafts: tuple[Draft, ...]
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    terms: tuple[Term, ...] = ()
    """Terms that questions of our own schema refer to."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections in the order of the document."""
        return tuple({draft.section.id: draft.section for draft in self.drafts}.values())


def preview_of(
    name: str,
    found: Sequence[Found],
    skipped: Iterable[Skipped],
    warnings: Iterable[str] = (),
    terms: Sequence[Term] = (),
) -> ImportPreview:
    """Turn what was found into drafts with ids and sections.

    Raises `ImportFileError` for more questions than a bank may have.
    """
    left_out = list(skipped)
    kept = []
    for one in found:
        if reason := _reason_against(one):
            left_out.append(Skipped(one.place, reason, excerpt(one.stem or one.answer)))
        else:
            kept.append(one)
    if len(kept) > MOST_QUESTIONS:
        raise ImportFileError(
            f"{name}：认出 {len(kept)} 道题，一次最多导入 {MOST_QUESTIONS} 道；请拆成几个文件。"
        )
    notes = list(warnings)
    ids = _ids([one.question.id if one.question else one.id for one in kept], notes)
    sections = _sections(kept)
    drafts = tuple(
        _draft(one, id_, section) for one, id_, section in zip(kept, ids, sections, strict=True)
    )
    return ImportPreview(
        name=name,
        drafts=drafts,
        skipped=tuple(left_out),
        warnings=(*notes, *_repeated(drafts)),
        terms=tuple(terms),
    )


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text[: 4 * EXCERPT].split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"


def stem_key(stem: str) -> str:
    """Return what two stems share when they differ in width, case, spacing or marks alone."""
    return _NOT_WORD.sub("", fold(stem).text)


def _reason_against(one: Found) -> str | None:
    if not _WORD.search(one.stem):
        return "没有题干"
    if not _WORD.search(one.answer):
        return "没有答案"
    if len(one.stem) > LONGEST_STEM:
        return f"题干有 {len(one.stem)} 个字符，上限是 {LONGEST_STEM}"
    if len(one.answer) > LONGEST_ANSWER:
        return f"答案有 {len(one.answer)} 个字符，上限是 {LONGEST_ANSWER}"
    return None


def _ids(wanted: Sequence[str], warnings: list[str]) -> list[str]:
    """Keep the ids that can be kept; give the others the next free number."""
    usable = {id_ for id_ in wanted if _ID.fullmatch(id_)}
    width = max(2, len(str(len(wanted))))
    ids: list[str] = []
    taken: set[str] = set()
    number = 0
    for old in wanted:
        id_ = old if old in usable and old not in taken else ""
        while not id_:
            number += 1
            free = f"Q{number:0{width}d}"
            id_ = "" if free in usable else free
        if old and id_ != old:
            why = "重复出现" if old in usable else "不能用作编号（只能有字母、数字、- 和 _）"
            warnings.append(f"编号 {excerpt(old)!r} {why}，已改为 {id_}。")
        taken.add(id_)
        ids.append(id_)
    return ids


def _sections(found: Sequence[Found]) -> list[Section]:
    """Return the section of each question; one title is one section."""
    wanted = {one.section_id for one in found if _ID.fullmatch(one.section_id)}
    known: dict[str, Section] = {}
    taken: set[str] = set()
    sections = []
    for one in found:
        title = one.section.strip() or "未分章节"
        if title not in known:
            id_, number = one.section_id, len(known)
            while not _ID.fullmatch(id_) or id_ in taken:
                number += 1
                id_ = f"S{number}" if f"S{number}" not in wanted else ""
            taken.add(id_)
            known[title] = Section(id=id_, title=title)
        sections.append(known[title])
    return sections


def _draft(one: Found, id_: str, section: Section) -> Draft:
    question = one.question.model_copy(update={"id": id_}) if one.question else None
    return Draft(
        id=id_,
        section=section,
        stem=one.stem.strip(),
        answer=one.answer.strip(),
        place=one.place,
        follow_ups=tuple(_tidy(note) for note in one.notes if _WORD.search(note.text)),
        difficulty=difficulty_of(one.difficulty),
        reference=one.reference,
        question=question,
    )


def _tidy(note: Note) -> Note:
    """Take away an answer that says nothing."""
    return note if _WORD.search(note.answer) else note.model_copy(update={"answer": ""})


def difficulty_of(said: str) -> Difficulty:
    """Return the difficulty that a word or a number 1–3 names; medium when it names none."""
    word = said.strip().casefold()
    if word in {"easy", "1", "e", "low"} or word.startswith(("易", "简单", "基础", "容易", "初")):
        return Difficulty.EASY
    if word in {"hard", "3", "h", "high", "difficult"} or word.startswith(
        ("难", "困难", "进阶", "高")
    ):
        return Difficulty.HARD
    return Difficulty.MEDIUM


def _repeated(drafts: Sequence[Draft]) -> list[str]:
    first: dict[str, Draft] = {}
    warnings = []
    for draft in drafts:
        same = first.setdefault(stem_key(draft.stem), draft)
        if same is not draft:
            warnings.append(
                f"{draft.id}（{draft.place}）与 {same.id}（{same.place}）题干相同："
                f"{excerpt(draft.stem)}"
            )
    return warnings
