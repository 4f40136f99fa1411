"""An import put into a bank, and questions that say the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.adapters.words import words
from bot.domain.bank import Bank
from bot.domain.question import Question, Term
from bot.ports import Pair, Progress
from bot.services.drafts import ImportPreview
from bot.services.duplicates import ALIKE, MOST_COMPARED, duplicates
from bot.services.enriching import Enricher
from bot.services.merging import Merge, merge, terms_used
from tests.importing import understood

FIRST = "A. 显存\nQ1. 甲是什么？\n答：甲是分页管理。\nQ2. 乙是什么？\n答：乙是连续批处理。\n"


def preview(text: str, terms: Sequence[Term] = ()) -> ImportPreview:
    found = understood(text)
    known = {term.id: term for term in terms}
    drafts = Enricher(words, known, lambda _: ()).enrich(found.drafts)
    return found.model_copy(update={"drafts": drafts, "terms": tuple(terms)})


def merged(text: str, former: Bank | None = None, terms: Sequence[Term] = ()) -> Merge:
    found = preview(text, terms)
    version = former.version + 1 if former else 1
    return merge(found, former, {one.id: one for one in terms}, bank_id="mine", version=version)


def find(bank: Bank, stem: str) -> Question:
    return next(one for one in bank.questions if one.stem == stem)


def test_a_first_import_makes_the_bank():
    done = merged(FIRST)

    assert (done.added, done.changed, done.unchanged) == (2, 0, 0)
    assert done.bank.name == "mine@1"
    assert [part.section.title for part in done.bank.sections] == ["显存"]


def test_the_same_import_again_changes_nothing():
    first = merged(FIRST).bank

    done = merged(FIRST, first)

    assert (done.added, done.changed, done.unchanged) == (0, 0, 2)
    assert done.bank.sections == first.sections


def test_an_answer_that_changed_takes_the_old_ones_place_and_id():
    first = merged(FIRST).bank

    done = merged("Q9. 甲是什么\n答：甲是别的东西。\n", first)

    assert (done.added, done.changed, done.unchanged) == (0, 1, 0)
    changed = done.bank.questions[0]
    assert (changed.id, changed.reference.joined) == ("Q1", "甲是别的东西。")
    assert done.bank.questions[1] == first.questions[1]


def test_new_questions_go_to_their_section_and_get_ids_that_are_free():
    first = merged(FIRST).bank

    done = merged("A. 调度\nQ1. 丙是什么？\n答：丙是抢占。\n", first)
    again = merged("B. 显存\nQ2. 丁是什么？\n答：丁是块表。\n", done.bank)

    assert [(one.section.id, one.section.title) for one in again.bank.sections] == [
        ("A", "显存"), ("S2", "调度"),
    ]  # fmt: skip
    assert find(again.bank, "丁是什么？") in again.bank.sections[0].questions
    assert len({one.id for one in again.bank.questions}) == 4


def test_an_edited_question_stays_when_its_answer_is_imported_again():
    first = merged(FIRST).bank
    edited = first.questions[0].model_copy(update={"sources": ("V1",)})
    part = first.sections[0].model_copy(update={"questions": (edited, first.questions[1])})
    bank = first.model_copy(update={"sections": (part,)})

    assert merged(FIRST, bank).bank.questions[0].sources == ("V1",)


def test_the_terms_that_key_points_name_come_along_with_those_that_these_name():
    terms = [
        Term(id="page", says="分页", spellings=("分页", "{block}")),
        Term(id="block", says="块", spellings=("block",)),
        Term(id="other", says="别的", spellings=("别的",)),
    ]

    done = merged(FIRST, terms=terms)

    assert [term.id for term in done.bank.terms] == ["block", "page"]
    assert terms_used(done.bank.questions, {}) == ()


class ByFirstLetters:
    """Takes texts for alike whose first characters are the same."""

    def __init__(self) -> None:
        self.compared = 0

    def pairs(
        self, texts: Sequence[str], others: Sequence[str], at_least: float, progress: Progress
    ) -> tuple[Pair, ...]:
        assert at_least == ALIKE
        self.compared = len(texts)
        progress(1, 1)
        return tuple(
            Pair(at, place, 0.95)
            for at, one in enumerate(texts)
            for place, other in enumerate(others)
            if one[:2] == other[:2]
        )


def silent(_done: int, _total: int) -> None: ...


def test_duplicates_are_found_in_the_document_and_in_each_bank_and_nothing_is_dropped():
    bank = merged(FIRST).bank
    found = preview("Q1. 甲是啥？\n答：A。\nQ2. 甲是 什么\n答：B。\nQ3. 丙？\n答：C。\n")

    alike = duplicates(found.drafts, [bank], ByFirstLetters(), silent)

    assert [(one.draft_id, one.bank_id, one.question_id, one.similarity) for one in alike] == [
        ("Q1", "mine", "Q1", 0.95),
        ("Q2", None, "Q1", 0.95),
        ("Q2", "mine", "Q1", 1.0),
    ]
    assert len(found.drafts) == 3


def test_a_large_document_is_compared_by_equal_stems_alone():
    text = "".join(f"Q{n}. 甲{n}？\n答：乙{n}。\n" for n in range(MOST_COMPARED))
    text += "Q9998. 甲1？\n答：丙。\n"
    likeness = ByFirstLetters()

    alike = duplicates(preview(text).drafts, [], likeness, silent)

    assert [(one.draft_id, one.question_id) for one in alike] == [("Q9998", "Q1")]
    assert likeness.compared == 0


@pytest.mark.parametrize("count", [0, 1])
def test_no_banks_and_few_questions_are_no_trouble(count: int):
    drafts = preview(FIRST).drafts[:count]

    assert duplicates(drafts, [], ByFirstLetters(), silent) == ()
