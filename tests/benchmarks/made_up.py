"""Banks of made-up questions, any number of them, the same at every run."""

from __future__ import annotations

import hashlib
import random
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bot.adapters.e5 import DIMENSION
from bot.adapters.words import words
from bot.domain.bank import Bank, Section, SectionFile
from bot.domain.question import Difficulty, KeyPoint, Question, ReferenceAnswer, Slot

PARTS = (
    (
        "显存",
        "带宽",
        "缓存",
        "调度",
        "批次",
        "权重",
        "算子",
        "前缀",
        "路由",
        "量化",
        "通信",
        "副本",
    ),
    ("块", "表", "池", "队列", "节点", "阈值", "窗口", "分片", "索引", "租约", "流水", "预算"),
    (
        "命中",
        "抢占",
        "迁移",
        "对齐",
        "回收",
        "合并",
        "切分",
        "排队",
        "重算",
        "预取",
        "校验",
        "限流",
    ),
)
"""Words of the field: two or three together are a topic that no other question may have."""

ASKS = ("为什么会变慢", "怎么排查", "有什么代价", "怎么估算", "和哪些因素有关", "怎么设计")


def bank(questions: int, *, slots: int = 3) -> Bank:
    """Return a bank whose questions have a stem and a reference of so many parts, 1 to 3."""
    made = random.Random(questions)
    return Bank(
        id=f"made-up-{questions}",
        version=1,
        title="编造的题目",
        terms=(),
        sections=(
            SectionFile(
                bank=f"made-up-{questions}",
                section=Section(id="A", title="编造"),
                questions=tuple(_question(number, made, slots) for number in range(questions)),
            ),
        ),
    )


def texts(count: int) -> tuple[str, ...]:
    """Return what somebody may look for in such a bank."""
    made = random.Random(0)
    return tuple(f"{_topic(made)}{made.choice(ASKS)}" for _ in range(count))


def _question(number: int, made: random.Random, slots: int) -> Question:
    topic = _topic(made)
    conclusion = f"{topic}先看{_topic(made)}，再看{_topic(made)}。"
    reason = f"因为{_topic(made)}受{_topic(made)}影响。"
    premise_cost = f"代价是{_topic(made)}，前提是{_topic(made)}。"
    return Question(
        id=f"M{number}",
        stem=f"第 {number} 号系统的{topic}{made.choice(ASKS)}？",
        difficulty=Difficulty.MEDIUM,
        topics=("made-up",),
        reference=ReferenceAnswer(
            conclusion=conclusion,
            reason=reason if slots > 1 else "",
            premise_cost=premise_cost if slots > 2 else "",
        ),
        key_points=(
            KeyPoint(id="a", says=f"说出{topic}", slot=Slot.CONCLUSION, concepts=((topic,),)),
        ),
    )


def _topic(made: random.Random) -> str:
    return "".join(_pick(part, made) for part in PARTS)


def _pick(part: tuple[str, ...], made: random.Random) -> str:
    """Return a word, the earlier ones more often: words of a language are like that."""
    weights = list(accumulate(1 / (at + 1) for at in range(len(part))))
    return made.choices(part, cum_weights=weights)[0]


class StandIn:
    """Vectors without a model: the sum of a random direction for each word of a text."""

    def __init__(self) -> None:
        self.computed = 0
        self.reused = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.computed += len(texts)
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        found = words(text) or [text]
        vector = np.sum([_direction(word) for word in found], axis=0)
        return [float(x) for x in vector / np.linalg.norm(vector)]


@lru_cache(maxsize=200_000)
def _direction(word: str) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).standard_normal(DIMENSION, dtype=np.float32)
