"""Key points and slots derived from a plain answer, without a model."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.words import words
from bot.domain.bank import Section
from bot.domain.question import Difficulty, Question, Slot, Term
from bot.services.answer_parts import pieces_of, split_reference
from bot.services.drafts import Draft, Note
from bot.services.enriching import MOST_POINTS, Enricher, is_gradable

ANSWER = "KV 缓存保存历史键值，省去重复计算。新位置只为自己做投影。代价是显存随上下文增长，长文可能变慢。"
TEXTS = st.text(
    st.one_of(st.sampled_from("。，；！？.\n \t但因为代价甲乙abKV12、~{}()|"), st.characters(exclude_categories=["Cs"])),
    max_size=120,
)  # fmt: skip


def draft(answer: str, stem: str = "缓存有什么用？", *notes: Note) -> Draft:
    return Draft(
        id="Q01",
        section=Section(id="A", title="甲"),
        stem=stem,
        answer=answer,
        place="",
        follow_ups=notes,
        difficulty=Difficulty.HARD,
    )


def enriched(*drafts: Draft, terms: dict[str, Term] | None = None) -> list[Question]:
    found = Enricher(words, terms or {}, lambda _: ()).enrich(drafts)
    return [one.question for one in found if one.question is not None]


def spellings(question: Question) -> set[str]:
    return {one for point in question.key_points for group in point.concepts for one in group}


def test_an_answer_is_split_at_sentences_into_conclusion_reason_and_cost():
    reference = split_reference(ANSWER)

    assert reference.conclusion == "KV 缓存保存历史键值，省去重复计算。"
    assert reference.reason == "新位置只为自己做投影。"
    assert reference.premise_cost == "代价是显存随上下文增长，长文可能变慢。"


@pytest.mark.parametrize("answer", ["一句话说完。", "第一句。第二句。第三句。", "没有标点的一段"])
def test_what_cannot_be_told_apart_is_all_conclusion(answer: str):
    reference = split_reference(answer)

    assert (reference.conclusion, reference.reason, reference.premise_cost) == (answer, "", "")


@given(TEXTS)
@example("甲。\n\n因为乙。 \n 但丙。")
@example("a b. because c. but d")
def test_no_character_of_an_answer_is_lost(answer: str):
    if not answer.strip():
        return

    assert split_reference(answer).joined == answer.strip()
    assert "".join(piece for _, piece in pieces_of(answer)).split() == answer.split()


def test_key_points_stand_in_the_part_they_come_from():
    points = enriched(draft(ANSWER))[0].key_points

    assert [point.slot for point in points] == [Slot.CONCLUSION, Slot.REASON, Slot.PREMISE_COST]
    assert points[2].says == "代价是显存随上下文增长，长文可能变慢"
    assert all(point.generated for point in points)


def test_concepts_leave_out_the_words_of_the_stem_and_common_words():
    found = spellings(enriched(draft(ANSWER))[0])

    assert "投影" in found
    assert not found & {"缓存", "可能", "代价", "的"}


def test_words_behind_a_negation_are_no_concepts():
    found = spellings(
        enriched(draft("历史查询不参与后续注意力计算，保存没有意义。", "为什么？"))[0]
    )

    assert "参与" not in found
    assert "注意力" in found


def test_terms_of_the_field_are_found_in_every_spelling():
    terms = {"hbm": Term(id="hbm", says="显存", spellings=("显存", "HBM"))}

    found = spellings(enriched(draft(ANSWER), terms=terms)[0])

    assert "{hbm}" in found
    assert "显存" not in found
    assert "{hbm}" not in spellings(enriched(draft(ANSWER, "HBM 够吗？"), terms=terms)[0])


def test_an_answer_that_is_one_part_has_key_points_of_one_slot():
    question = enriched(draft("分页管理显存。", "缓存？", Note(text="为什么？")))[0]

    assert {point.slot for point in question.key_points} == {Slot.CONCLUSION}
    assert question.follow_ups[0].aims_at is Slot.CONCLUSION


def test_a_long_answer_has_no_more_than_eight_key_points():
    answer = "".join(f"第{n}点说的是模块{n}负责处理阶段{n}的队列与内存。" for n in range(40))

    assert len(enriched(draft(answer))[0].key_points) == MOST_POINTS


def test_clauses_that_the_judge_cannot_see_give_no_key_points():
    def unmet(question: Question) -> list[str]:
        return [one.id for one in question.key_points if "投影" in one.says]

    found = Enricher(words, {}, unmet).enrich([draft(ANSWER)])[0].question

    assert found is not None
    assert not any("投影" in point.says for point in found.key_points)


def test_a_note_that_asks_is_asked_and_one_that_states_is_not_given_away():
    asking = Note(text="为什么会变慢？")
    with_answer = Note(text="怎么测？", answer="用压测工具看分位数。")
    stating = Note(text="中间片段不一定产生用户可见输出。")

    follow_ups = enriched(draft(ANSWER, "缓存？", asking, with_answer, stating))[0].follow_ups

    assert [one.asks for one in follow_ups[:2]] == ["为什么会变慢？", "怎么测？"]
    assert follow_ups[0].reference == ANSWER
    assert follow_ups[1].reference == "用压测工具看分位数。"
    assert follow_ups[2].reference == stating.text
    assert "可见输出" not in follow_ups[2].asks
    assert "中间片段" in follow_ups[2].asks


def test_an_answer_of_the_stems_own_words_is_marked_as_not_gradable():
    question = enriched(draft("缓存", "缓存有什么用？"))[0]

    assert not is_gradable(question)
    assert is_gradable(enriched(draft(ANSWER))[0])


@given(answer=TEXTS, stem=TEXTS)
@example(answer="~{}()|a", stem="b")
@example(answer="不不不没有", stem="没")
def test_any_answer_with_a_word_in_it_makes_a_valid_question(answer: str, stem: str):
    if not any(char.isalnum() for char in answer) or not stem.strip():
        return
    question = enriched(draft(answer.strip(), stem.strip()))[0]

    assert question.reference.joined == answer.strip()
    assert 1 <= len(question.key_points) <= MOST_POINTS
