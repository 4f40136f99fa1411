"""A term that speech recognition wrote with other characters of the same sound is understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.question import Term
from bot.offline.homophones import Homophones
from bot.offline.reading import Reading
from tests import fakes

TERMS = (
    Term(id="concurrency", says="并发", spellings=("并发",), slips=("病发",)),
    Term(id="hbm", says="显存", spellings=("显存", "HBM"), slips=("限存",)),
    Term(id="more", says="增加", spellings=("上升", "变大")),
)


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        pytest.param("病发一高就不够", "并发一高就不够", id="same sound"),
        pytest.param("现存不够用", "显存不够用", id="another word of the language"),
        pytest.param("并发和显存", "并发和显存", id="right already"),
        pytest.param("先存下来再说", "先存下来再说", id="two words that sound like one term"),
        pytest.param("上声是一种声调", "上声是一种声调", id="a word of every day is no term"),
        pytest.param("KV cache 占 HBM", "KV cache 占 HBM", id="latin text"),
    ],
)
def test_misheard_terms_are_mended(heard: str, meant: str) -> None:
    assert Homophones(TERMS).mended(heard) == meant


@given(st.text(alphabet=st.sampled_from("病发现存先并显高 a1，。\n"), max_size=40))
def test_the_length_never_changes(text: str) -> None:
    assert len(Homophones(TERMS).mended(text)) == len(text)


def test_a_word_of_the_bank_is_no_mishearing() -> None:
    preempt = Term(id="preempt", says="抢占", spellings=("踢出",), slips=("抢战",))

    assert Homophones((preempt,)).mended("先提出若干") == "先踢出若干"
    assert Homophones((preempt,), ["草稿模型提出若干"]).mended("先提出若干") == "先提出若干"


def test_without_terms_nothing_changes() -> None:
    assert Homophones(()).mended("病发") == "病发"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        pytest.param(
            "它是串行的，说错了，是并行的。", "是并行的", id="the clause before is taken back"
        ),
        pytest.param("它是并行的，每步读权重。", "它是并行的", id="nothing taken back"),
    ],
)
def test_what_was_taken_back_does_not_count(answer: str, left: str) -> None:
    reading = Reading(answer, "？", fakes.lexicon())

    assert "串行" not in reading.text
    assert left in reading.text
