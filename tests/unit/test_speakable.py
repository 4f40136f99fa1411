"""What a voice says instead of code and signs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.speakable import speakable
from tests.answers import questions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("结论 → 原因 → 前提/代价", "结论 到 原因 到 前提、代价"),
        ("KV = 2 × L × H", "KV 等于 2 乘以 L 乘以 H"),
        ("带宽 900 GB/s，延迟 20ms", "带宽 900 GB 每秒，延迟 20 毫秒"),
        ("显存 80/2 GiB", "显存 80 除以 2 GiB"),
        ("用 `max_num_batched_tokens` 控制", "用 max num batched tokens 控制"),
        ("吞吐 >= 100 tokens/s", "吞吐 大于等于 100 tokens 每秒"),
        ("2^30 字节，约 10⁹", "2 的 30 次方 字节，约 10 的 9 次方"),
        ("60–90 秒", "60 到 90 秒"),
        ("看代码：\n```python\nx = 1\n```\n它对吗？", "看代码： （代码见屏幕） 它对吗？"),
        ("**重点**：TTFT", "重点：TTFT"),
        ("第 1/3 题：什么是 TP？", "第 1 题，共 3 题：什么是 TP？"),
        ("", ""),
    ],
)
def test_signs_become_words(text: str, said: str) -> None:
    assert speakable(text) == said


def test_no_question_of_the_bank_has_anything_left_that_cannot_be_said() -> None:
    left = {
        question.id: char
        for question in questions()
        for stem in (question.stem, *(probe.asks for probe in question.follow_ups))
        for char in speakable(stem)
        if char in "`*_=<>→×/|{}[]\\^~#"
    }

    assert left == {}


@given(st.text(max_size=200))
def test_any_text_becomes_one_line(text: str) -> None:
    said = speakable(text)

    assert "\n" not in said
    assert said == said.strip()
    assert "`" not in said or "`" in text
