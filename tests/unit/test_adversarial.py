"""Whoever speaks to the judge, pads, copies or says nothing earns no more than without it.

The cases stand in `tests/data/adversarial.jsonl`: each is done to three answers of every fourth
question, so that every question meets a quarter of the cases. `ADVERSARIAL=all` takes them all.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from itertools import islice
from typing import Any

import pytest

from bot.domain.claims import Flag
from bot.domain.content import unanswered
from bot.domain.grade import Grade
from bot.domain.target import target_of
from tests import answers
from tests.attacks import CASES, QUESTIONS, done

STEP = 1 if os.environ.get("ADVERSARIAL") == "all" else 4


each_case = pytest.mark.parametrize(
    ("number", "case"), [pytest.param(n, case, id=case["id"]) for n, case in enumerate(CASES)]
)


@each_case
def test_no_case_raises_the_level(number: int, case: dict[str, Any]) -> None:
    raised = []
    for question in islice(QUESTIONS, number % STEP, None, STEP):
        for base in answers.bases_of(question):
            attack = done(case, base.text, question)
            before, after = grade_of(base), answers.grade(base.target, attack)
            if after.level > case.get("at_most", before.level):
                raised.append(f"{base.name}: {before.score} -> {after.score}: {attack[-80:]!r}")
    assert raised == []


@cache
def grade_of(base: answers.Given) -> Grade:
    """Return the grade of an answer to which nothing was done."""
    return answers.grade(base.target, base.text)


@each_case
def test_what_was_tried_is_flagged(number: int, case: dict[str, Any]) -> None:
    question = QUESTIONS[number % len(QUESTIONS)]

    found = answers.grade(
        target_of(question), done(case, question.reference.joined, question)
    ).flags

    assert {case.get("flag")} - {None} <= set(found)
    if case["what"] in {"padding", "emoji and zero-width"}:
        assert set(found) == set()


def test_there_are_enough_cases_of_every_kind() -> None:
    kinds = Counter(case["what"] for case in CASES)

    assert len({case["id"] for case in CASES}) == len(CASES) >= 45
    assert set(kinds) == {
        "instruction",
        "fake frame",
        "fake JSON",
        "copied question",
        "copied reference of another question",
        "keyword list",
        "padding",
        "emoji and zero-width",
        "no content",
        "off the subject",
    }
    assert min(kinds.values()) >= 3


@pytest.mark.parametrize(
    "marks", ["，。；：、！？“”（）", "，。；：、！？“”（） "], ids=["marks", "marks-and-spaces"]
)
def test_a_normal_answer_without_punctuation_is_never_called_noise(marks: str) -> None:
    called_noise = []
    for question in QUESTIONS:
        targets = [target_of(question), *(target_of(question, one) for one in question.follow_ups)]
        for target in targets:
            spoken = "".join(char for char in target.reference if char not in marks)
            if unanswered(spoken, target.stem) or answers.grade(target, spoken).level == 0:
                called_noise.append(target.id)
    assert called_noise == []


@pytest.mark.parametrize(
    "answer",
    [
        "前面那步是整段一起算的后面是一个一个往外蹦",
        "嗯就是显存不够的时候会把请求踢出去后面再重新算",
        "我觉得是因为每一步都要把权重读一遍所以卡在带宽上",
        "主要看命中率",
        "块太小表就长块太大就浪费",
    ],
)
def test_a_short_spoken_answer_is_content(answer: str) -> None:
    assert unanswered(answer, "为什么每一轮都要重新组批？") == ()


TERSE = [
    "Prefill 整段并行算、写 KV、出首 token logits，偏算力；Decode 靠旧 KV 逐 token 推，小 batch 卡带宽。",
    "- Prefill 并行算，吃算力\n- Decode 逐个算，吃带宽\n- batch 大了瓶颈会变",
    "权重外还有激活峰值、KV、graph、通信 buffer，并发和长度一涨就爆。",
    "KV 按 block 管，少预留、少碎片，同样显存多容纳些并发；",
    "要看 TTFT、TPOT、ITL、吞吐、排队时间、抢占次数和 KV 占用率。",
    "Prefill runs in parallel, decode is sequential, so one is compute bound, the other bandwidth bound.",
    "In practice, it depends on the workload, the batch size, the context length, and the hardware.",
    "结论是不一定。原因是通信。前提是互联够快。代价是显存变多。",
    "32 层、8 个 KV head、dim 128、BF16，每 token 就是 2×32×8×128×2 = 128 KiB。",
    "嗯 就是 先把 prompt 一次算完 然后 一个一个 往外蹦 所以 前面吃算力 后面吃带宽",
]


@pytest.mark.parametrize("answer", TERSE)
def test_a_terse_answer_is_no_keyword_list(answer: str) -> None:
    assert answers.grade(target_of(QUESTIONS[5]), answer).flags in ((), (Flag.CAPPED_NO_POINT,))


@pytest.mark.parametrize(
    "answer",
    [
        "KV cache、PagedAttention、Continuous Batching、TTFT",
        "KV cache, paged attention, TTFT, TPOT, chunked prefill",
        "- 并行\n- 带宽受限\n- 计算受限\n- 首 token\n- 权重\n- 显存",
        "并行；带宽；算力；显存；权重；吞吐。",
        "并行\n串行\n显存\n带宽\n权重\nKV\n算力",
        "显存，碎片，分块，前缀，命中，驱逐",
    ],
)
def test_a_list_of_keywords_is_flagged_and_earns_nothing(answer: str) -> None:
    found = answers.grade(target_of(QUESTIONS[0]), answer)

    assert Flag.KEYWORD_LIST in found.flags
    assert found.score == 0
