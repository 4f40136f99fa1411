"""What may change in an answer without changing its grade, and what must change it.

The offline judge on the shipped bank: every reference answer and its first half, in other dress,
with something added, with something taken away.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from functools import cache

import opencc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.grade import CriterionScore, Grade
from bot.domain.question import Question
from bot.domain.rubric import SlotCriterion
from bot.domain.sentence import split
from bot.domain.target import target_of
from tests import answers
from tests.answers import Given

QUESTIONS = {question.id: question for question in answers.questions()}
WHOLE = tuple(answers.references())
HALF = tuple(Given(f"{one.name} half", one.target, answers.half_of(one.text)) for one in WHOLE)
BOTH = WHOLE + HALF
SOME = WHOLE[::2] + HALF[1::2]

HAN = "\u4e00-\u9fff"
WIDE = str.maketrans({chr(c): chr(c + 0xFEE0) for c in range(0x21, 0x7F) if chr(c).isalnum()})
NARROW = str.maketrans("，；：！？（）", ",;:!?()")
TRADITIONAL = opencc.OpenCC("s2t").convert


@cache
def plainly(name: str) -> Grade:
    """Return the grade of an answer as it was given."""
    one = next(one for one in BOTH if one.name == name)
    return answers.grade(one.target, one.text)


def content(grade: Grade) -> tuple[object, ...]:
    """Return what a grade says, without where it says it."""
    return (
        grade.score,
        grade.level,
        [(point.id, point.verdict) for point in grade.key_points],
        [(one.id, one.points) for one in grade.criteria],
        len(grade.overclaims),
        len(grade.errors),
    )


def criterion(grade: Grade, name: str) -> CriterionScore:
    """Return one criterion of a grade."""
    return next(one for one in grade.criteria if one.id == name)


def opening_criteria(given: Given) -> set[str]:
    """Return the criteria that look at what stands first."""
    rubric = answers.services().rubrics[given.target.rubric_id]
    slots = [one for one in rubric.criteria if isinstance(one, SlotCriterion)]
    return {one.id for one in slots if one.opening_points}


LISTS = {"dashes", "dots", "stars", "numbers", "numbers-in-brackets", "numbers-as-in-chinese"}
"""Dresses that put sentences on lines: first, for marks make a sentence longer, and a long one is
cut where nobody would begin a line."""

LAST = {"quoted-block", "space-around"}
"""A bullet is one only where it begins a line, and so is the mark of a quoted block."""


def bulleted(mark: str) -> Callable[[str], str]:
    """Return what puts every sentence on a line of its own, with a mark before it."""
    return lambda text: "\n".join(
        mark.format(sentence.number) + sentence.text for sentence in split(text)
    )


DRESSES: dict[str, Callable[[str], str]] = {
    "full-width": lambda text: text.translate(WIDE),
    "half-width-marks": lambda text: text.translate(NARROW),
    "traditional": TRADITIONAL,
    "capitals": str.upper,
    "small-letters": str.lower,
    "no-space-beside-chinese": lambda text: re.sub(rf"(?<=[{HAN}]) +| +(?=[{HAN}])", "", text),
    "a-space-beside-chinese": lambda text: re.sub(
        rf"(?<=[{HAN}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{HAN}])", " ", text
    ),
    "spaces-between-chinese": lambda text: re.sub(rf"(?<=[{HAN}])(?=[{HAN}])", " ", text),
    "wide-spaces": lambda text: text.replace(" ", "\u3000"),
    "line-breaks": lambda text: text.replace("。", "。\n"),
    "windows-line-breaks": lambda text: text.replace("。", "。\r\n"),
    "paragraphs": lambda text: text.replace("。", "。\n\n").replace("；", "；\n"),
    "dashes": bulleted("- "),
    "dots": bulleted("• "),
    "stars": bulleted("* "),
    "numbers": bulleted("{}. "),
    "numbers-in-brackets": bulleted("（{}）"),
    "numbers-as-in-chinese": bulleted("{}、"),
    "bold": lambda text: re.sub(r"([A-Za-z]{2,})", r"**\1**", text),
    "code": lambda text: re.sub(r"([A-Za-z_]{4,})", r"`\1`", text),
    "quoted-block": lambda text: "> " + text,
    "space-around": lambda text: f"\n  {text}\n\n",
    "byte-order-mark": lambda text: "\ufeff" + text,
}


@pytest.mark.parametrize("dress", DRESSES)
def test_the_dress_of_an_answer_changes_nothing(dress: str) -> None:
    changed = [
        f"{one.name}: {plainly(one.name).score} -> {found.score}"
        for one in WHOLE
        if content(found := answers.grade(one.target, DRESSES[dress](one.text)))
        != content(plainly(one.name))
    ]

    assert changed == []


@given(
    one=st.sampled_from(BOTH),
    dresses=st.lists(st.sampled_from(sorted(DRESSES)), min_size=2, max_size=3, unique=True),
)
def test_several_dresses_change_nothing_either(one: Given, dresses: list[str]) -> None:
    text = one.text
    for dress in sorted(dresses, key=lambda name: (name not in LISTS, name in LAST)):
        text = DRESSES[dress](text)

    assert content(answers.grade(one.target, text)) == content(plainly(one.name))


IRRELEVANT = (
    "顺便说一句，今天来的路上堵车了。",
    "我平时喜欢打篮球，也喜欢看电影。",
    "By the way, I enjoy cooking on weekends. ",
)


@pytest.mark.parametrize("added", IRRELEVANT)
@pytest.mark.parametrize("place", [0.0, 0.5, 1.0], ids=["first", "middle", "last"])
def test_an_irrelevant_sentence_moves_the_level_by_one_at_most_and_never_up(
    added: str, place: float
) -> None:
    moved = []
    for one in SOME:
        starts = [*(sentence.start for sentence in split(one.text)), len(one.text)]
        at = starts[int(place * (len(starts) - 1))]
        before = plainly(one.name)
        after = answers.grade(one.target, one.text[:at] + added + one.text[at:])
        if not before.level - 1 <= after.level <= before.level:
            moved.append(f"{one.name}: {before.score} -> {after.score}")

    assert moved == []


@pytest.mark.parametrize(
    "again",
    [lambda text: text * 2, lambda text: f"{text}\n{text}", lambda text: text * 5],
    ids=["twice", "as-a-paragraph", "five-times"],
)
def test_repeating_an_answer_earns_nothing(again: Callable[[str], str]) -> None:
    raised = [
        f"{one.name}: {plainly(one.name).score} -> {found.score}"
        for one in SOME
        if (found := answers.grade(one.target, again(one.text))).score > plainly(one.name).score
    ]

    assert raised == []


def parts_of(question: Question) -> tuple[str, ...]:
    """Return the parts of a reference answer."""
    reference = question.reference
    return reference.conclusion, reference.reason, reference.premise_cost


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:], ids=str)
def test_the_order_of_the_parts_changes_only_what_stands_first(order: tuple[int, ...]) -> None:
    changed = []
    for one in WHOLE:
        parts = parts_of(QUESTIONS[one.name])
        before = plainly(one.name)
        after = answers.grade(one.target, "".join(parts[place] for place in order))
        if departures(one, before, after):
            changed.append(f"{one.name}: {before.score} -> {after.score}")

    assert changed == []


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_sentences_changes_only_what_stands_first(seed: int) -> None:
    """A thought that two sentences share may lose a little when they are torn apart: a point."""
    changed = []
    for one in WHOLE:
        sentences = [sentence.text for sentence in split(one.text)]
        random.Random(seed).shuffle(sentences)
        before, after = plainly(one.name), answers.grade(one.target, "".join(sentences))
        if sum(abs(points) for points in departures(one, before, after).values()) > 1:
            changed.append(f"{one.name}: {before.score} -> {after.score}")

    assert changed == []


def departures(one: Given, before: Grade, after: Grade) -> dict[str, float]:
    """Return what each criterion that does not look at the opening lost."""
    points = {found.id: found.points for found in after.criteria}
    return {
        found.id: found.points - points[found.id]
        for found in before.criteria
        if found.points != points[found.id] and found.id not in opening_criteria(one)
    }


@pytest.mark.parametrize("other", [0, 1], ids=["beside-the-conclusion", "beside-the-reason"])
def test_deleting_the_premise_sentences_lowers_premise_cost(other: int) -> None:
    kept = []
    for one in WHOLE:
        if one.target.rubric_id != "structured-answer":
            continue
        parts = parts_of(QUESTIONS[one.name])
        whole = answers.grade(one.target, parts[other] + parts[2])
        without = answers.grade(one.target, parts[other])
        before, after = (criterion(found, "premise_cost").points for found in (whole, without))
        if after > before or (after == before and after == 0):
            kept.append(f"{one.name}: {before} -> {after}")
        # What is left may name a limit itself; then nothing needs to be lost.
        assert after < before or criterion(without, "premise_cost").evidence

    assert kept == []


HEDGE = re.compile("通常|往往|常常|可能|一般|多半|大多")
UNDER_A_CONDITION = re.compile("如果|若|除非|只有|时|下|前提")


def claims() -> list[tuple[str, Given, str, str]]:
    """Return the hedged claims of the reference answers, cut before and after the hedge."""
    found = []
    for one in WHOLE:
        for hedge in HEDGE.finditer(one.text):
            sentence = next(s for s in split(one.text) if s.start <= hedge.start() < s.end)
            before = one.text[sentence.start : hedge.start()]
            after = one.text[hedge.end() : hedge.end() + 1]
            # 一定要 and 一定得 are requirements; a claim may hold under its condition.
            is_claim = after not in {"要", "需"} and not UNDER_A_CONDITION.search(before)
            if is_claim:
                found.append((one.name, one, one.text[: hedge.start()], one.text[hedge.end() :]))
    return found


def test_a_certainty_put_into_a_claim_is_an_overclaim() -> None:
    found = claims()
    missed = [
        f"{name}: …{before[-14:]}【一定】{after[:14]}…"
        for name, one, before, after in found
        if len(answers.grade(one.target, f"{before}一定{after}").overclaims)
        <= len(plainly(name).overclaims)
    ]

    assert len(found) > 40
    assert missed == []


@pytest.mark.parametrize("hedge", ["不一定", "未必", "并不一定"])
def test_a_negated_certainty_is_none(hedge: str) -> None:
    accused = [
        f"{name}: …{before[-14:]}【{hedge}】{after[:14]}…"
        for name, one, before, after in claims()
        if len(answers.grade(one.target, f"{before}{hedge}{after}").overclaims)
        > len(plainly(name).overclaims)
    ]

    assert accused == []


CLAIMS = (
    "开了 Chunked Prefill 以后首字延迟{}会下降",
    "加大 batch 吞吐{}能提高",
    "用 FP8 的 KV {}更快",
    "前缀缓存{}能省掉重算",
    "TP 开到 8 卡{}比 4 卡快",
    "投机解码{}会加速",
)


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("question", ["Q01", "Q30"])
def test_certainty_counts_and_doubt_does_not(claim: str, question: str) -> None:
    target = target_of(QUESTIONS[question])

    def accused(word: str) -> int:
        return len(answers.grade(target, f"我的看法是，{claim.format(word)}。").overclaims)

    assert accused("一定") == 1
    assert accused("肯定") >= accused("")
    assert accused("不一定") == accused("未必") == accused("") == 0
    assert accused("有时") == 0
    quoted = f"有人说{claim.format('一定')}，其实不对。"
    assert answers.grade(target, quoted).overclaims == ()


def test_an_overclaim_lowers_the_score() -> None:
    kept = []
    for one in SOME:
        after = answers.grade(one.target, one.text + "所以这样做一定更快，任何模型都适用。")
        if not (after.overclaims and after.score < plainly(one.name).score):
            kept.append(f"{one.name}: {plainly(one.name).score} -> {after.score}")

    assert kept == []


@given(one=st.sampled_from(WHOLE), data=st.data())
def test_leaving_out_a_sentence_never_raises_the_coverage(one: Given, data: st.DataObject) -> None:
    sentences = [sentence.text for sentence in split(one.text)]
    gone = data.draw(st.integers(0, len(sentences) - 1))
    left = "".join(text for place, text in enumerate(sentences) if place != gone)

    after = answers.grade(one.target, left)

    assert criterion(after, "coverage").points <= criterion(plainly(one.name), "coverage").points


@given(one=st.sampled_from(BOTH), noise=st.text(max_size=40))
def test_whatever_stands_after_an_answer_offsets_stay_slices(one: Given, noise: str) -> None:
    text = one.text + noise

    found = answers.grade(one.target, text)

    assert 0 <= found.score <= 100
    evidence = [
        *(e for c in found.criteria for e in c.evidence),
        *(e for p in found.key_points for e in p.evidence),
        *found.overclaims,
        *found.errors,
    ]
    assert all(text[e.start : e.end] == e.quote for e in evidence)
