"""What hypothesis draws: texts as candidates type and say them, grades in the making, sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from hypothesis import strategies as st

from bot.domain.claims import (
    AnswerError,
    Findings,
    Overclaim,
    PointFinding,
    SlotFinding,
    Verdict,
)
from bot.domain.grade import BetterAnswer, Grade, Outcome, Ungraded, UngradedReason
from bot.domain.question import SLOTS_OF_KIND, Kind, Slot
from bot.domain.rubric import (
    CalibrationCriterion,
    CoverageCriterion,
    Criterion,
    Gates,
    Rubric,
    SlotCriterion,
)
from bot.domain.session import AnswerKind, FeedbackMode, Persona, Session, SessionPlan, begin
from bot.domain.target import Target
from tests.fakes import LEVEL_NAMES, NOON, key_point, provenance, span

_HAN = "显存带宽权重并行计算调度请求分块缓存前缀命中抢占延迟吞吐模型推理批次长度增长读取每步位置"
_ODD = "\u200b\ufeff \u3000\t\n，。；：！？、（）【】“”‘’「」'\"*`#>~-+•·=<%./()[]{}|_—…①⒈⑴１２ＡｂＣ～＊＞．－"

chinese = st.text(alphabet=_HAN, min_size=4, max_size=40)
"""Running Chinese without a mark, as speech recognition gives it."""

words = st.text(
    alphabet="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=8
)
"""One ASCII word."""

decimals = st.decimals(min_value="0.1", max_value="999.9", places=1).map(str)
"""A number with a point, such as 21.5."""

any_text = st.text(max_size=120)
"""Any text that Python can hold without lone surrogates; most of it is no language."""

decorated = st.text(alphabet=_HAN + _ODD + "體臺灣計算0123456789abcXYZ", max_size=80)
"""Text full of what folding has to deal with: widths, marks, bullets, quotes, spaces."""

_piece = st.one_of(chinese, words, decimals, words.map(lambda word: f" {word} "))
_mark = st.sampled_from(
    ["，", "。", "；", "？", "！", ", ", ". ", "\n", "\n- ", "\n1. ", " ", "：", ""]
)

answers = st.lists(st.tuples(_piece, _mark), min_size=1, max_size=12).map(
    lambda parts: "".join(piece + mark for piece, mark in parts)
)
"""An answer of mixed Chinese and English, punctuated or not, with numbers and bullets."""


class Situation(NamedTuple):
    """Everything that `grade` weighs."""

    target: Target
    rubric: Rubric
    findings: Findings


_spans = st.integers(0, 6).map(lambda at: span(10 * at, 10 * at + 12))
"""Evidence from a few places that overlap with their neighbours."""

_evidence = st.lists(_spans, max_size=3, unique=True).map(tuple)


def _parts(total: int, count: int) -> st.SearchStrategy[list[int]]:
    """Return `count` whole numbers from 0 that add up to `total`."""
    cuts = st.lists(st.integers(0, total), min_size=count - 1, max_size=count - 1).map(sorted)
    return cuts.map(
        lambda places: [
            end - start for start, end in zip([0, *places], [*places, total], strict=True)
        ]
    )


@st.composite
def rubrics(draw: st.DrawFn, slots: Sequence[Slot] = SLOTS_OF_KIND[Kind.EXPLAIN]) -> Rubric:
    """Draw any rubric that is valid: coverage, these slots, calibration, gates and levels."""
    share = st.floats(0, 1)
    coverage, calibration, *rest = draw(_parts(100, len(slots) + 2))
    criteria: list[Criterion] = [
        CoverageCriterion(
            kind="coverage",
            id="coverage",
            title="采分点",
            max=coverage,
            partly=draw(share),
            full_at=draw(st.floats(0.05, 1)),
        )
    ]
    for slot, points in zip(slots, rest, strict=True):
        criteria.append(
            SlotCriterion(
                kind="slot",
                id=slot.value,
                title=slot.value,
                max=points,
                slot=slot,
                partial=draw(share),
                opening_points=draw(st.integers(0, points)),
            )
        )
    criteria.append(
        CalibrationCriterion(
            kind="calibration",
            id="calibration",
            title="校准",
            max=calibration,
            per_overclaim=draw(st.integers(0, 30)),
            floor=draw(st.integers(-100, 0)),
            content_at=draw(st.floats(0.05, 1)),
        )
    )
    more, one = sorted(draw(st.tuples(st.integers(0, 100), st.integers(0, 100))))
    levels = draw(
        st.lists(st.integers(1, 100), min_size=5, max_size=5, unique=True).map(sorted).map(tuple)
    )
    return Rubric(
        id="any",
        version=1,
        title="任意",
        criteria=tuple(criteria),
        gates=Gates(
            contradicted_core=draw(st.integers(0, 100)),
            no_point_met=draw(st.integers(0, 100)),
            one_error=one,
            more_errors=more,
        ),
        levels=levels,
        level_names=LEVEL_NAMES,
    )


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Draw a target, a rubric and findings, which need not make sense together."""
    slots = SLOTS_OF_KIND[Kind.EXPLAIN]
    points = tuple(
        key_point(
            f"k{number}",
            draw(st.sampled_from(slots)),
            weight=draw(st.integers(1, 5)),
            core=draw(st.booleans()),
        )
        for number in range(draw(st.integers(1, 5)))
    )
    target = Target(
        id="Q01",
        question_id="Q01",
        stem="题干",
        reference="参考",
        key_points=points,
        misconceptions=(),
        rubric_id="any",
    )
    findings = Findings(
        points=tuple(
            PointFinding(
                id=target.point_id(point),
                verdict=draw(st.sampled_from(Verdict)),
                evidence=draw(_evidence),
            )
            for point in points
        ),
        slots=tuple(
            SlotFinding(slot=slot, level=draw(st.integers(0, 2)), evidence=draw(_evidence))
            for slot in draw(st.sets(st.sampled_from(slots)))
        ),
        overclaims=tuple(overclaim(at) for at in range(draw(st.integers(0, 4)))),
        errors=tuple(error(at) for at in range(draw(st.integers(0, 3)))),
        opening_ends=draw(st.integers(0, 40)),
    )
    return Situation(target, draw(rubrics()), findings)


def overclaim(at: int = 0) -> Overclaim:
    """Return an overclaim at a place of its own."""
    return Overclaim(start=at, end=at + 1, quote="必", why="太满", rewrite="通常")


def error(at: int = 0) -> AnswerError:
    """Return an error at a place of its own."""
    return AnswerError(start=at, end=at + 1, quote="错", why="不对")


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Draw a grade or the reason why there is none."""
    if draw(st.booleans()):
        return Ungraded(
            id="a",
            question_id="Q01",
            reason=draw(st.sampled_from(UngradedReason)),
            message=draw(st.text(max_size=20)),
        )
    return Grade(
        id="a",
        question_id="Q01",
        score=draw(st.floats(0, 100)),
        level=draw(st.integers(0, 5)),
        criteria=(),
        key_points=(
            PointFinding(id="Q01.a", verdict=draw(st.sampled_from(Verdict)), evidence=(span(),)),
        ),
        overclaims=tuple(overclaim(at) for at in range(draw(st.integers(0, 2)))),
        errors=tuple(error(at) for at in range(draw(st.integers(0, 1)))),
        flags=(),
        provenance=provenance(draw(st.sampled_from(["offline", "llm"]))),
    )


BETTER = BetterAnswer(
    conclusion="并行计算",
    reason="分摊读取",
    premise_cost="【显存占用】",
    model="m",
    prompt_version="1",
)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """Draw a session at any point of a legal interview: every step was allowed when it was made."""
    plan = SessionPlan(
        bank_id="demo",
        question_ids=tuple(f"Q{number:02}" for number in range(1, draw(st.integers(2, 5)))),
        mode=draw(st.sampled_from(FeedbackMode)),
        follow_ups=draw(st.integers(0, 3)),
        persona=draw(st.sampled_from(Persona)),
        self_score=draw(st.booleans()),
    )
    session, now = begin("s", plan, NOON), NOON
    for _ in range(draw(st.integers(0, 12))):
        now += timedelta(seconds=draw(st.integers(0, 200)))
        if session.current is not None:
            kind = draw(st.sampled_from(AnswerKind))
            session = session.answer(draw(st.text(max_size=30)), now=now, kind=kind)
        elif session.to_guess is not None and draw(st.booleans()):
            session = session.guess(session.to_guess.id, draw(st.integers(0, 5)))
        elif session.waiting and draw(st.booleans()):
            turn = session.waiting[0]
            session = session.record(turn.id, draw(outcomes()))
            if session.answered(turn.id).grade is not None and draw(st.booleans()):
                session = session.improve(turn.id, BETTER)
        elif session.next_question_id is not None:
            is_probe = bool(session.asked) and draw(st.booleans())
            session = session.ask(
                question_id=session.asked[-1] if is_probe else session.next_question_id,
                says=draw(st.text(max_size=20)),
                now=now,
                follow_up_id=f"f{len(session.turns)}" if is_probe else None,
            )
    return session.finish(now) if draw(st.booleans()) else session
