"""Terms that were heard wrongly are offered, one by one, and only where that is likely."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.offline.homophones import Homophones
from bot.offline.judge import texts_of
from bot.offline.misheard import Misheard, accepted
from tests.answers import services


@pytest.fixture(scope="module")
def misheard() -> Misheard:
    bank = services().bank
    texts = texts_of(bank)
    return Misheard(bank.terms, Homophones(bank.terms, texts), texts)


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("批里菲尔阶段", [("批里菲尔", "Prefill")]),
        ("KV 开始不够", [("KV 开始", "KV cache")]),
        ("卡在显存带快上", [("带快", "带宽")]),
        ("访村受限", [("访村", "访存")]),
        ("病发一高就抢占", [("病发", "并发")]),
        ("per fill 先做完", [("per fill", "Prefill")]),
        ("尾燕迟", [("尾燕迟", "尾延迟")]),
    ],
)
def test_a_slip_is_offered_with_what_was_meant(
    misheard: Misheard, heard: str, expected: list[tuple[str, str]]
) -> None:
    found = misheard.suggestions(heard)

    assert [(one.heard, one.meant) for one in found] == expected
    assert all(heard[one.start : one.end] == one.heard for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "一批请求进来",
        "瓶颈卡什么要看负载",
        "supper fillet",
        "带宽受限，KV cache 放不下",
        "先存一份再传",
        "",
    ],
)
def test_right_words_are_left_alone(misheard: Misheard, text: str) -> None:
    assert misheard.suggestions(text) == ()


def test_references_need_no_correction(misheard: Misheard) -> None:
    offered = [
        (question.id, one.heard)
        for question in services().bank.questions
        for part in (question.reference.conclusion, question.reference.reason)
        for one in misheard.suggestions(part)
    ]

    assert offered == []


def test_taking_one_leaves_the_others_as_they_are(misheard: Misheard) -> None:
    text = "批里菲尔看算力decode看带快"
    first = misheard.suggestions(text)[0]

    once = accepted(text, first)

    assert once == "Prefill看算力decode看带快"
    assert [one.heard for one in misheard.suggestions(once)] == ["带快"]


def test_latin_words_stay_apart(misheard: Misheard) -> None:
    text = "先做批里菲尔decode"

    assert accepted(text, misheard.suggestions(text)[0]) == "先做Prefill decode"


@given(st.text(alphabet="批里菲尔KV 开始带快decode的是病发，", max_size=40))
def test_suggestions_never_overlap_and_taking_all_ends(misheard: Misheard, text: str) -> None:
    found = misheard.suggestions(text)

    assert all(a.end <= b.start for a, b in pairwise(found))
    for _ in range(len(text) + 1):
        found = misheard.suggestions(text)
        if not found:
            break
        text = accepted(text, found[0])
    assert misheard.suggestions(text) == ()
