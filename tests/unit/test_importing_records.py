"""Question documents as tables and structured data."""

from __future__ import annotations

from typing import Any

import pytest

from bot.domain.document import Document, Record, Row
from bot.domain.question import Difficulty
from bot.errors import ImportFileError
from bot.services.drafts import ImportPreview, difficulty_of
from bot.services.importing import understand
from tests.importing import pairs


def table(*rows: tuple[str, ...]) -> ImportPreview:
    found = tuple(Row(f"第 {at} 行", cells) for at, cells in enumerate(rows, start=1))
    return understand(Document("t.csv", tables=(found,)))


def records(value: Any) -> ImportPreview:
    return understand(Document("t.json", records=(Record("", value),)))


@pytest.mark.parametrize(
    "header",
    [
        ("题目", "答案"),
        ("问题", "参考答案"),
        ("题干", "参考回答"),
        ("Question", "Answer"),
        ("stem", "Reference"),
        ("Question Text", "reference_answer"),
        ("  题目 ", "（参考）答案"),
    ],
)
def test_columns_are_found_by_name(header: tuple[str, str]):
    assert pairs(table(header, ("甲？", "甲。"))) == [("甲？", "甲。")]


def test_every_part_has_its_column():
    found = table(
        ("编号", "章节", "题目", "答案", "追问", "难度"),
        ("K1", "显存", "甲？", "甲。", "为什么？\n怎么测？", "难"),
        ("", "", "乙？", "乙。", "", "easy"),
    )

    first, second = found.drafts
    assert (first.id, first.section.title, first.difficulty) == ("K1", "显存", Difficulty.HARD)
    assert [one.text for one in first.follow_ups] == ["为什么？", "怎么测？"]
    # A merged cell holds its text in the first row alone.
    assert (second.section.title, second.difficulty) == ("显存", Difficulty.EASY)


def test_the_header_may_stand_below_a_title_and_answers_may_come_in_parts():
    found = table(
        ("面试题", ""),
        ("", "", "", ""),
        ("问题", "结论", "原因", "前提/代价"),
        ("甲？", "是甲。", "因为乙。", "代价是丙。"),
    )

    draft = found.drafts[0]
    assert draft.answer == "是甲。因为乙。代价是丙。"
    assert draft.reference is not None
    assert draft.reference.premise_cost == "代价是丙。"


def test_rows_without_a_stem_or_an_answer_are_listed():
    found = table(("题目", "答案"), ("甲？", "甲。"), ("", "没题"), ("没答？", ""), ("", ""))

    assert [(one.place, one.reason) for one in found.skipped] == [
        ("第 3 行", "没有题干"), ("第 4 行", "没有答案"),
    ]  # fmt: skip


def test_a_table_without_the_columns_says_which_names_are_known():
    with pytest.raises(ImportFileError, match="没有找到题目列和答案列；认得的列名有 题目"):
        table(("名称", "价格"), ("甲", "1"))


def test_difficulties_have_many_names():
    assert difficulty_of("简单") is difficulty_of("1") is difficulty_of("Easy") is Difficulty.EASY
    assert difficulty_of("困难") is difficulty_of("HARD") is difficulty_of("3") is Difficulty.HARD
    assert difficulty_of("") is difficulty_of("中等") is Difficulty.MEDIUM


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([{"question": "甲？", "answer": "甲。"}], id="list"),
        pytest.param({"questions": [{"题目": "甲？", "答案": "甲。"}]}, id="wrapped"),
        pytest.param({"甲？": "甲。"}, id="mapping"),
        pytest.param({"data": {"items": [{"q": "甲？", "a": "甲。"}]}}, id="deep"),
        pytest.param([{"stem": "甲？", "reference": {"结论": "甲", "原因": "。"}}], id="parts"),
    ],
)
def test_questions_are_found_wherever_they_stand(value: Any):
    assert pairs(records(value)) == [("甲？", "甲。")]


def test_sections_and_follow_ups_of_records():
    found = records(
        {
            "sections": [
                {
                    "title": "显存",
                    "questions": [
                        {
                            "id": 7,
                            "题目": "甲？",
                            "答案": ["甲", "乙"],
                            "追问": [{"question": "为什么？", "answer": "因为。"}, "怎么测？"],
                        }
                    ],
                }
            ]
        }
    )

    draft = found.drafts[0]
    assert (draft.id, draft.section.title, draft.answer) == ("7", "显存", "甲\n乙")
    assert [(one.text, one.answer) for one in draft.follow_ups] == [
        ("为什么？", "因为。"), ("怎么测？", ""),
    ]  # fmt: skip
    assert draft.place == "sections 第 1 项 questions 第 1 项"


OWN = {
    "id": "X1",
    "stem": "甲？",
    "difficulty": "easy",
    "topics": ["t"],
    "reference": {"conclusion": "甲。", "reason": "乙。", "premise_cost": "丙。"},
    "key_points": [{"id": "a", "says": "甲", "slot": "reason", "concepts": [["甲", "{kv}"]]}],
    "follow_ups": [
        {
            "id": "f",
            "asks": "为何？",
            "aims_at": "reason",
            "reference": "乙。",
            "key_points": [{"id": "a", "says": "乙", "slot": "reason", "concepts": [["乙"]]}],
        }
    ],
}


def test_questions_of_our_own_schema_pass_through_whole():
    section = {"bank": "b", "section": {"id": "C", "title": "丙章"}, "questions": [OWN]}

    draft = records(section).drafts[0]

    assert draft.question is not None
    assert draft.question.model_dump(mode="json", exclude_defaults=True) == OWN
    assert (draft.section.id, draft.section.title) == ("C", "丙章")


def test_a_broken_question_of_our_own_schema_is_left_out_with_its_field():
    broken = OWN | {"id": "X2", "key_points": [{**OWN["key_points"][0], "weight": 9}]}  # type: ignore[index]

    found = records({"questions": [OWN, broken]})

    assert [one.id for one in found.drafts] == ["X1"]
    assert "字段 key_points.0.weight" in found.skipped[0].reason


def test_terms_of_a_document_are_kept():
    found = records(
        {"terms": [{"id": "kv", "says": "KV", "spellings": ["KV"]}], "questions": [OWN]}
    )

    assert [term.id for term in found.terms] == ["kv"]


def test_the_better_of_two_readings_is_kept():
    rows = (Row("第 1 行", ("题目", "答案")), Row("第 2 行", ("甲？", "甲")))
    poor = Document("t", tables=((Row("第 1 行", ("a", "b")),),))

    assert len(understand(poor._replace(other=Document("t", tables=(rows,)))).drafts) == 1
    assert len(understand(Document("t", tables=(rows,), other=poor)).drafts) == 1
