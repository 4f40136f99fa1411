"""Delivery figures come from text and time alone, and never touch a grade."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.claims import Verdict
from bot.domain.delivery import (
    FASTEST,
    SPEAKING_PACE,
    Length,
    conclusion_at,
    count_units,
    delivery_of,
    means_of,
    measure,
)
from bot.domain.grade import Grade
from bot.domain.question import Kind, Slot
from bot.domain.session import AnswerKind, Session, SessionPlan, Turn, begin
from bot.domain.speech import Sound, Speech
from bot.domain.target import target_of
from tests import fakes
from tests.fakes import NOON
from tests.strategies import answers, any_text

QUESTION = fakes.question("Q01", follow_ups=(fakes.follow_up("f1"),))
BANK = fakes.bank(QUESTION, fakes.question("Q02"))
TARGET = target_of(QUESTION)
NONE = {"a": Verdict.NOT_MET, "b": Verdict.MET, "c": Verdict.MET}


def answered(
    text: str = "前者并行计算。",
    seconds: float = 60,
    *,
    given: Grade | None = None,
    kind: AnswerKind = AnswerKind.ANSWERED,
    follow_up_id: str | None = None,
) -> Session:
    """Return a session of one turn that was answered after `seconds`."""
    plan = SessionPlan(bank_id="demo", question_ids=("Q01", "Q02"))
    asked = begin("s", plan, NOON).ask(
        question_id="Q01", says="说", now=NOON, follow_up_id=follow_up_id
    )
    closed = asked.answer(text, now=NOON + timedelta(seconds=seconds), kind=kind)
    return closed if given is None else closed.record("s-1", given)


def only_turn(session: Session) -> Turn:
    return session.turns[0]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", 0),
        ("，。……", 0),
        ("权重", 2),
        ("KV cache 会涨", 4),
        ("用 80 GB 的 H100", 5),
        ("1.5 倍", 2),
        ("KV-cache 与 max_num_seqs", 3),
        ("PagedAttention", 1),
        ("先算 QK，再做 softmax。", 6),
    ],
)
def test_a_character_is_one_unit_and_so_is_a_word_of_another_script(text: str, units: int):
    assert count_units(text) == units


def test_the_pace_is_units_a_minute_and_includes_thinking_unless_speech_was_heard():
    typed = measure("字" * 90, 60)
    spoken = measure("字" * 90, 60, spoken_seconds=30)

    assert (typed.pace, typed.is_speech) == (90, False)
    assert (spoken.pace, spoken.is_speech) == (180, True)


@pytest.mark.parametrize(
    ("text", "seconds"), [("", 60), ("。。", 60), ("字" * 100, 0), ("字" * 100, 1)]
)
def test_no_text_no_time_and_a_pasted_text_have_no_pace(text: str, seconds: float):
    assert measure(text, seconds, conclusion_at=0).pace is None
    assert measure(text, seconds, conclusion_at=0).conclusion_seconds is None


@pytest.mark.parametrize(
    ("seconds", "length"),
    [
        (59.9, Length.SHORT),
        (60, Length.RIGHT),
        (90, Length.RIGHT),
        (90.1, Length.LONG),
    ],
)
def test_the_length_is_the_time_of_speaking_against_the_target(seconds: float, length: Length):
    assert measure("字", 500, spoken_seconds=seconds).length is length


def test_a_typed_answer_is_as_long_as_it_takes_to_say_however_long_it_took_to_type():
    found = measure("字" * 300, 400)

    assert found.spoken == 300 / SPEAKING_PACE * 60
    assert found.length is Length.RIGHT
    assert measure("字" * 300, 40).length is Length.RIGHT


def test_a_follow_up_has_no_target():
    turn = only_turn(answered(follow_up_id="f1"))

    found = delivery_of(turn, target_of(QUESTION, QUESTION.follow_ups[0]))

    assert found is not None
    assert found.length is None
    assert found.conclusion_after is None


def test_the_conclusion_stands_after_so_many_units_and_seconds():
    found = measure("先说背景，先说背景。结论是带宽。", 60, conclusion_at=10)

    assert found.conclusion_after == 8
    assert found.conclusion_seconds == pytest.approx(60 * 8 / found.units)


def test_the_first_proved_conclusion_counts():
    graded = fakes.graded(QUESTION)
    first = graded.key_points[0].evidence[0].start

    assert conclusion_at(only_turn(answered(given=graded)), TARGET) == first


def test_without_a_proved_conclusion_there_is_none():
    assert conclusion_at(only_turn(answered(given=fakes.graded(QUESTION, NONE))), TARGET) is None
    assert conclusion_at(only_turn(answered()), TARGET) is None


def test_the_result_is_the_conclusion_of_a_calculation_and_a_design_has_none():
    result = fakes.question(
        kind=Kind.CALCULATE, points=[fakes.key_point("a", Slot.RESULT, core=True)]
    )
    design = fakes.question(kind=Kind.DESIGN, points=[fakes.key_point("a", Slot.APPROACH)])

    for asked, has_one in ((result, True), (design, False)):
        turn = only_turn(answered(given=fakes.graded(asked)))
        assert (conclusion_at(turn, target_of(asked)) is not None) == has_one


@pytest.mark.parametrize("kind", [AnswerKind.SKIPPED, AnswerKind.DONT_KNOW])
def test_a_turn_without_words_of_its_own_has_no_figures(kind: AnswerKind):
    session = answered("不知道", kind=kind)

    assert delivery_of(only_turn(session), TARGET) is None
    assert means_of(session, BANK) is None


def test_a_spoken_answer_is_measured_by_its_clip():
    turn = only_turn(answered("字" * 120, 200))
    assert turn.answer is not None
    sound = Sound(seconds=70, speaking=55, pauses=(2.0, 3.0), loudness=-20, swing=20)
    speech = Speech(raw="字" * 120, engine="whisper", sound=sound)
    heard = turn.model_copy(update={"answer": turn.answer.model_copy(update={"speech": speech})})

    found = delivery_of(heard, TARGET)

    assert found is not None
    assert (found.seconds, found.pace, found.is_speech) == (60, 120, True)
    assert found.length is Length.RIGHT
    assert found.pauses == (2.0, 3.0)


def test_fillers_and_corrections_are_found_in_the_text():
    found = measure("嗯，显存是 80 GB，不对，应该是 40 GB。", 30)

    assert [one.quote for one in found.fillers] == ["嗯"]
    assert [one.quote for one in found.corrections] == ["不对"]


class TestMeans:
    def test_they_are_of_main_answers_with_words(self) -> None:
        session = answered("嗯，" + "字" * 99, 60, given=fakes.graded(QUESTION))
        session = session.ask(question_id="Q01", says="说", now=NOON, follow_up_id="f1")
        session = session.answer("呃" * 9, now=NOON)
        session = session.ask(question_id="Q02", says="说", now=NOON)
        session = session.answer("字" * 300, now=NOON + timedelta(seconds=150))

        means = means_of(session, BANK)

        assert means is not None
        assert means.answers == 2
        assert means.pace == pytest.approx((100 + 120) / 2)
        assert means.right_length == 1
        assert (means.fillers, means.corrections) == (1, 0)
        assert means.fillers_per_100 == pytest.approx(0.25)
        assert means.conclusion_after == 0
        assert not means.is_speech

    def test_a_figure_that_no_answer_has_is_left_out(self) -> None:
        means = means_of(answered("字" * 100, 1), BANK)

        assert means is not None
        assert means.pace is means.conclusion_after is means.conclusion_seconds is None

    def test_a_session_without_a_turn_has_none(self) -> None:
        assert (
            means_of(begin("s", SessionPlan(bank_id="demo", question_ids=("Q01",)), NOON), BANK)
            is None
        )


@given(st.one_of(any_text, answers), st.floats(0, 1e6), st.none() | st.floats(0, 1e4))
def test_figures_are_never_negative_and_fit_together(
    text: str, seconds: float, spoken: float | None
):
    found = measure(text, seconds, spoken_seconds=spoken, conclusion_at=len(text) // 2)

    assert found.units == count_units(text) >= 0
    assert found.pace is None or 0 < found.pace <= FASTEST
    assert found.spoken >= 0
    assert found.conclusion_after is not None
    assert 0 <= found.conclusion_after <= found.units + 1  # a word may be cut in two
    assert found.conclusion_seconds is None or found.conclusion_seconds >= 0
