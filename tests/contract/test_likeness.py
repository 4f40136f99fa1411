"""Texts compared by the real embedding, and by a small one that counts."""

from __future__ import annotations

import pytest

from bot.adapters.e5 import E5Embeddings
from bot.adapters.likeness import EmbeddedLikeness
from bot.ports import Pair
from bot.services.duplicates import ALIKE

pytestmark = pytest.mark.contract


class Counting:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return [[1.0, 0.0] if "甲" in text else [0.0, 1.0] for text in texts]


def silent(_done: int, _total: int) -> None: ...


def test_pairs_are_those_that_are_near_enough_and_vectors_are_made_once():
    embeddings = Counting()
    likeness = EmbeddedLikeness(embeddings)
    steps: list[tuple[int, int]] = []

    found = likeness.pairs(
        ["甲一", "乙"], ["甲二", "乙", "甲一"], 0.9, lambda a, b: steps.append((a, b))
    )
    likeness.pairs(["甲一"], ["甲二"], 0.9, silent)

    assert set(found) == {Pair(0, 0, 1.0), Pair(0, 2, 1.0), Pair(1, 1, 1.0)}
    assert sorted(embeddings.texts) == ["乙", "甲一", "甲二"]
    assert steps == [(3, 3)]
    assert likeness.pairs([], ["甲"], 0.9, silent) == ()


def test_a_paraphrase_is_alike_and_another_question_of_the_field_is_not():
    asked = "KV Cache 到底节省了什么？它保存各层历史位置的 K/V，避免每生成一个 token 都重新执行历史序列的计算。"
    paraphrase = "KV 缓存真正替我们省掉的是什么？它把历史位置每层的 K、V 留下来，不用每出一个 token 就重算整段历史。"
    other = "TP、PP、DP、EP 怎么选？TP 在层内切分，适合用高速互联减轻单卡权重；PP 按层切分，要考虑气泡。"

    found = EmbeddedLikeness(E5Embeddings()).pairs([asked], [paraphrase, other], ALIKE, silent)

    assert [one.second for one in found] == [0]
