"""Editing a question of one's own bank (改题): what was typed is checked, then a new version kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.domain import concept_lines
from bot.domain.bank import Bank, Section
from bot.domain.question import Frozen, Question
from bot.domain.question_edit import QuestionEdit, edited
from bot.errors import BankError, ImportFileError, NotFoundError
from bot.ports import OwnBanks, QuestionBanks
from bot.services.checking import problems_of
from bot.services.drafts import Draft, ImportPreview, stem_key
from bot.services.grading import Grader
from bot.services.merging import merge


class Saved(Frozen):
    """The edit is stored; `remarks` tell what is still wrong with the question."""

    bank: str
    """With its new version, such as `mine@2`."""
    remarks: tuple[str, ...] = ()


class NotSaved(Frozen):
    """Nothing was stored: `problems` must be mended, `remarks` may be passed over."""

    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Editing:
    """Changes questions of the user's own banks; each change is a new version of the bank."""

    def __init__(
        self,
        *,
        banks: QuestionBanks,
        own: OwnBanks,
        grader: Callable[[str], Grader],
        forget: Callable[[str], None],
    ) -> None:
        """Take the banks; `grader` gives the offline grader of a bank, `forget` hears of changes."""
        self._banks = banks
        self._own = own
        self._grader = grader
        self._forget = forget

    def is_own(self, bank_id: str) -> bool:
        """Say whether a bank is the user's own and may be changed."""
        try:
            self._own.require_own(bank_id)
        except ImportFileError:
            return False
        return True

    def save(
        self, bank_id: str, former: Question, edit: QuestionEdit, *, despite_remarks: bool = False
    ) -> Saved | NotSaved:
        """Store the edit of `former`, as it was when the editing began, in a new version.

        Remarks that the question did not call for before keep it from being stored, unless they
        were seen. Raises `ImportFileError` for a bank that is not the user's own, or `StoreError`.
        """
        self._own.require_own(bank_id)
        version = self._own.next_version(bank_id)
        question = edited(former, edit, version)
        if isinstance(question, tuple):
            return NotSaved(problems=question)
        self._forget(bank_id)  # another process may have changed it
        bank = self._banks.load(bank_id)
        if former not in bank.questions:
            return NotSaved(
                problems=(
                    f"{former.id} 已在别处改过（题库现在是 {bank.name}），这次没有保存；"
                    "请记下你的改动，放弃编辑后重新打开这道题。",
                )
            )
        grader = self._grader(bank_id)
        try:
            remarks = (*problems_of(question, grader), *_tight(former, question))
        except BankError as error:
            return NotSaved(problems=(str(error),))
        if not despite_remarks and (fresh := set(remarks) - set(_known(former, grader))):
            return NotSaved(remarks=tuple(one for one in remarks if one in fresh))
        if question == former:
            return Saved(bank=bank.name, remarks=remarks)
        changed = bank.with_questions({question.id: question})
        changed = changed.model_copy(update={"version": version})
        self._own.write(changed, over=bank.version)
        self._forget(bank_id)
        return Saved(bank=changed.name, remarks=remarks)

    def copy(self, question: Question, section: Section, bank: Bank, bank_id: str) -> str:
        """Put a question of `bank` into a bank of the user's own, and return its id there.

        Raises `ImportFileError` for a name that may not be used or a question that is there
        already, or `StoreError`.
        """
        self._own.require_own(bank_id)
        self._forget(bank_id)
        there = self._banks.load(bank_id) if bank_id in self._banks.names() else None
        known = (one for one in there.questions if _same_stem(one, question)) if there else ()
        if (same := next(iter(known), None)) is not None:
            raise ImportFileError(
                f"题库 {bank_id} 里已经有这道题（{same.id}）；请直接改那一道，或换一个题库名。"
            )
        draft = Draft(
            id=question.id,
            section=section,
            stem=question.stem,
            answer=question.reference.joined,
            place=bank.name,
            difficulty=question.difficulty,
            question=question,
        )
        made = merge(
            ImportPreview(name=bank.name, drafts=(draft,)),
            there,
            {term.id: term for term in bank.terms},
            bank_id=bank_id,
            version=self._own.next_version(bank_id),
        ).bank
        named = [*made.topics, *(one for one in bank.topics if one.id in question.topics)]
        topics = tuple({one.id: one for one in reversed(named)}.values())
        made = made.model_copy(update={"topics": topics})
        self._own.write(made, over=there.version if there else None)
        self._forget(bank_id)
        return next(one.id for one in made.questions if _same_stem(one, question))

    def former_version(self, bank_id: str) -> int | None:
        """Return the version that `undo` would bring back; None where there is none."""
        return self._own.former_version(bank_id)

    def undo(self, bank_id: str) -> str:
        """Bring the former version of a bank back, and return its name with that version.

        Raises `NotFoundError` when there is none, so that no bank is removed here, or `StoreError`.
        """
        if self._own.former_version(bank_id) is None:
            raise NotFoundError(
                f"题库 {bank_id!r} 没有更早的版本，不能撤销；要移除它请到“导入”页。"
            )
        version = self._own.undo(bank_id)
        self._forget(bank_id)
        return f"{bank_id}@{version}"


def _tight(former: Question, question: Question) -> Iterator[str]:
    known = {group for point in former.key_points for group in point.concepts}
    for point in question.key_points:
        fresh = [group for group in point.concepts if group not in known]
        for spelling in concept_lines.tight(fresh):
            yield (f"写法“{spelling}”会当成一种说法；如果是两种，请在“/”两边各空一格。")


def _known(former: Question, grader: Grader) -> list[str]:
    """Return the remarks about the question as it was; one that cannot be read has none."""
    try:
        return list(problems_of(former, grader))
    except BankError:
        return []


def _same_stem(one: Question, other: Question) -> bool:
    return stem_key(one.stem) == stem_key(other.stem)
