"""Question documents as text: every way of writing them that is understood."""

from __future__ import annotations

import time

import pytest

from bot.domain.document import Line
from bot.errors import ImportFileError
from bot.services.line_questions import questions_in
from tests.importing import pairs, understood

WAYS = {
    "source": "A. 基础\n\nQ01. 甲是什么？\n\n参考回答：甲。\n\nQ02. 乙是什么？\n\n参考回答：乙。\n",
    "chinese marks": "问：甲是什么？\n答：甲。\n\n问：乙是什么？\n答：乙。\n",
    "english marks": "Q: 甲是什么？\nA: 甲。\nQ: 乙是什么？\nA: 乙。\n",
    "numbered english marks": "Q1: 甲是什么？\nA1: 甲。\nQ2: 乙是什么？\nA2: 乙。\n",
    "dotted english marks": "Q1. 甲是什么？\nA1. 甲。\nQ2. 乙是什么？\nA2. 乙。\n",
    "on one line": "问：甲是什么？答：甲。\n问：乙是什么？ 答：乙。\n",
    "bold marks": "**问**：甲是什么？\n\n**答**：甲。\n\n**问：**乙是什么？\n\n**答：**乙。\n",
    "brackets": "【问题】甲是什么？\n【答案】甲。\n【问题】乙是什么？\n【答案】乙。\n",
    "headings": "## 章\n\n### 甲是什么？\n\n甲。\n\n### 乙是什么？\n\n乙。\n",
    "top headings": "# 甲是什么？\n甲。\n# 乙是什么？\n乙。\n",
    "numbered headings": "## 1. 甲是什么？\n甲。\n## 2. 乙是什么？\n乙。\n",
    "bullets": "- Q: 甲是什么？\n- A: 甲。\n- Q: 乙是什么？\n- A: 乙。\n",
    "numbers with answers": "1. 甲是什么？\n答：甲。\n2. 乙是什么？\n答：乙。\n",
    "numbers alone": "1、甲是什么？\n甲。\n\n2、乙是什么？\n乙。\n",
    "nth": "第1题：甲是什么？\n答案：甲。\n第 2 题 乙是什么？\n答案：乙。\n",
    "answers alone": "甲是什么？\n答：甲。\n\n乙是什么？\n答：乙。\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in WAYS.items()])
def test_each_way_of_writing_gives_the_same_questions(text: str):
    found = understood(text)

    assert pairs(found) == [("甲是什么？", "甲。"), ("乙是什么？", "乙。")]
    assert found.skipped == ()


def test_sections_are_headings_letters_or_chapters():
    text = "# 题库\n\n## 第一章 显存\n\n### 甲是什么？\n甲。\n\n## 第二章 调度\n\n### 乙是什么？\n乙。\n"
    assert [one.title for one in understood(text).sections] == ["显存", "调度"]

    text = "一、显存\n1. 甲是什么？\n答：甲。\n二、调度\n1. 乙是什么？\n答：乙。\n"
    assert [one.title for one in understood(text).sections] == ["显存", "调度"]

    text = "A. 显存\nQ1. 甲是什么？\n答：甲。\nB. 调度\nQ2. 乙是什么？\n答：乙。\n"
    assert [(one.id, one.title) for one in understood(text).sections] == [
        ("A", "显存"), ("B", "调度"),
    ]  # fmt: skip


def test_ids_of_the_document_are_kept_and_others_are_made():
    found = understood("Q07. 甲？\n答：甲。\n\nQ09. 乙？\n答：乙。\n")
    assert [one.id for one in found.drafts] == ["Q07", "Q09"]

    found = understood("问：甲？\n答：甲。\n\n问：乙？\n答：乙。\n")
    assert [one.id for one in found.drafts] == ["Q01", "Q02"]


def test_a_repeated_id_gives_way_and_is_reported():
    found = understood("Q1. 甲？\n答：甲。\n\nQ1. 乙？\n答：乙。\n\nQ01. 丙？\n答：丙。")

    assert [one.id for one in found.drafts] == ["Q1", "Q02", "Q01"]
    assert "重复出现" in found.warnings[0]


def test_equal_stems_are_reported_and_both_kept():
    found = understood("问：KV 是什么？\n答：甲。\n\n问：ＫＶ是什么\n答：乙。\n")

    assert len(found.drafts) == 2
    assert "题干相同" in found.warnings[0]


def test_follow_ups_are_taken_with_and_without_answers():
    text = "问：甲？\n答：甲。\n追问：为什么？\n答：因为乙。\n\n追问：\n- 怎么测？\n- 何时不行？\n\n问：丙？\n答：丙。\n"

    first, second = understood(text).drafts

    assert [(one.text, one.answer) for one in first.follow_ups] == [
        ("为什么？", "因为乙。"), ("怎么测？", ""), ("何时不行？", ""),
    ]  # fmt: skip
    assert first.answer == "甲。"
    assert second.follow_ups == ()


def test_lists_code_and_headings_inside_an_answer_stay_in_it():
    body = "先看：\n\n1. 第一\n2. 第二\n\n```python\n# 不是标题\n问：也不是\n```\n\n#### 小结\n\n- 完。"
    text = f"### 甲是什么？\n\n{body}\n\n### 乙是什么？\n\n乙。\n"

    assert pairs(understood(text)) == [("甲是什么？", body), ("乙是什么？", "乙。")]


def test_a_list_after_an_answers_mark_is_no_list_of_questions():
    text = "1. 甲是什么？\n答：\n1. 其一\n2. 其二\n2. 乙是什么？\n答：乙。\n"

    assert pairs(understood(text)) == [("甲是什么？", "1. 其一\n2. 其二"), ("乙是什么？", "乙。")]


@pytest.mark.parametrize(
    "line", ["问题：显存不够。", "Q、K、V 各有用处。", "A100：80 GB。", "答：再说一遍。", "B. 选项"]
)
def test_a_line_of_an_answer_that_looks_like_a_mark_stays_in_it(line: str):
    text = f"问：甲？\n答：甲。\n{line}\n\n问：乙？\n答：乙。\n问：丙？\n答：丙。\n"

    assert pairs(understood(text))[0] == ("甲？", f"甲。\n{line}")


def test_a_stem_of_several_lines_is_kept_whole():
    found = understood("问：有这样一段话：\n甲乙丙。\n它对吗？\n答：不对。\n")

    assert pairs(found) == [("有这样一段话：\n甲乙丙。\n它对吗？", "不对。")]


def test_what_is_no_question_is_listed_with_place_and_reason():
    text = "我的题库\n介绍。\n\n问：甲？\n答：甲。\n\n问：没有答案？\n\n问：乙？\n答：乙。\n"

    found = understood(text)

    assert [(one.place, one.reason) for one in found.skipped] == [
        ("第 7 行", "没有答案"),
        ("第 1 行至第 2 行", "不在任何题目里的文字"),
    ] or [(one.place, one.reason) for one in found.skipped] == [
        ("第 1 行至第 2 行", "不在任何题目里的文字"),
        ("第 7 行", "没有答案"),
    ]


def test_text_behind_the_last_answer_is_left_out_when_no_other_answer_has_paragraphs():
    text = "".join(f"Q{n}. 甲{n}？\n\n答：甲{n}。\n\n" for n in range(1, 5)) + "附录\n\n参考资料\n"

    found = understood(text)

    assert found.drafts[-1].answer == "甲4。"
    assert [one.text for one in found.skipped] == ["附录", "参考资料"]


def test_paragraphs_of_the_last_answer_stay_when_others_have_them_too():
    text = "".join(f"Q{n}. 甲{n}？\n\n答：甲{n}。\n\n又一段。\n\n" for n in range(1, 5))

    assert understood(text).drafts[-1].answer == "甲4。\n\n又一段。"


def test_wrapped_lines_are_joined_again():
    text = "Q1. 怎么估算 KV\n显存？\n答：层数乘\n以 KV heads\nper layer。\nQ2. 乙？\n答：乙。\n"

    assert pairs(understood(text, is_wrapped=True))[0] == (
        "怎么估算 KV显存？",
        "层数乘以 KV heads per layer。",
    )


def test_prose_is_refused_and_the_sentence_says_what_would_do():
    with pytest.raises(ImportFileError, match=r"没有可以导入的题目.*支持 Q01"):
        understood("这是一段普通的文字。\n\n没有题目。")


def test_too_many_questions_are_refused():
    text = "".join(f"Q{n}. 甲{n}？\n答：甲。\n" for n in range(1, 5_002))

    with pytest.raises(ImportFileError, match="5001 道题，一次最多导入 5000 道"):
        understood(text)


@pytest.mark.parametrize(
    ("stem", "answer", "reason"),
    [
        pytest.param("甲？", "甲" * 20_001, "答案有 20001 个字符", id="answer"),
        pytest.param("甲" * 2_001, "甲", "题干有 2001 个字符", id="stem"),
    ],
)
def test_a_question_that_is_too_long_is_left_out_alone(stem: str, answer: str, reason: str):
    found = understood(f"问：{stem}\n答：{answer}\n\n问：乙？\n答：乙。\n")

    assert pairs(found) == [("乙？", "乙。")]
    assert found.skipped[0].reason.startswith(reason)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# a" + " " * 300_000 + "b", id="spaces"),
        pytest.param("1. " * 100_000, id="numbers"),
        pytest.param("**" * 150_000, id="stars"),
        pytest.param("A" + "\t" * 300_000 + "：", id="tabs"),
        pytest.param("答" * 300_000, id="marks"),
        pytest.param("#\n" * 60_000, id="headings"),
        pytest.param("# 甲\n\n\n" * 40_000, id="headings and blanks"),
        pytest.param("1. 甲？\n" * 60_000, id="questions"),
    ],
)
def test_odd_texts_take_no_longer_than_their_length(text: str):
    lines = [Line("", one) for one in text.split("\n")]
    begun = time.perf_counter()

    questions_in(lines, is_wrapped=False)

    assert time.perf_counter() - begun < 20
