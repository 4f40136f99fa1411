"""No figure of the shipped bank gets lost: each stands where its table says it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.yaml_banks import read_bank
from bot.domain.bank import Bank, Figure
from bot.domain.question import Question
from bot.services.figures import missing_figures, tells
from tests import fakes

BANK = read_bank(Path(__file__).resolve().parents[2] / "corpus" / "vllm")
ROWS = [
    pytest.param(figure, id=f"{figure.question}-{figure.key_point or 'reference'}-{number}")
    for number, figure in enumerate(BANK.figures)
]


def with_question(bank: Bank, question: Question) -> Bank:
    """Return the bank with a question in the place of the one of its id."""
    return bank.model_copy(
        update={
            "sections": tuple(
                part.model_copy(
                    update={
                        "questions": tuple(
                            question if one.id == question.id else one for one in part.questions
                        )
                    }
                )
                for part in bank.sections
            )
        }
    )


def without(question: Question, figure: Figure) -> Question:
    """Return the question with a text that does not tell the figure in its place."""
    if figure.key_point is None:
        reference = question.reference.model_copy(
            update={"conclusion": "略。", "reason": "略。", "premise_cost": "略。"}
        )
        return question.model_copy(update={"reference": reference})
    points = tuple(
        one.model_copy(update={"says": "略"}) if one.id == figure.key_point else one
        for one in question.key_points
    )
    return question.model_copy(update={"key_points": points})


class TestShippedBank:
    def test_it_has_a_table_of_figures(self) -> None:
        told = {(one.question, one.spellings[0]) for one in BANK.figures}

        assert len(told) >= 25
        assert len({question for question, _ in told}) >= 10

    def test_every_figure_is_there(self) -> None:
        assert list(missing_figures(BANK)) == []

    @pytest.mark.parametrize("figure", ROWS)
    def test_a_figure_that_goes_is_missed(self, figure: Figure) -> None:
        poorer = without(BANK.find(figure.question), figure)

        sentences = list(missing_figures(with_question(BANK, poorer)))

        (mine,) = [one for one in sentences if f"“{figure.spellings[0]}”" in one]
        assert mine.startswith(figure.question)
        assert "\n" not in mine

    def test_one_number_less_is_one_sentence(self) -> None:
        question = BANK.find("Q43")
        reason = question.reference.reason.replace("21.5 ms", "二十多毫秒")
        reference = question.reference.model_copy(update={"reason": reason})
        poorer = question.model_copy(update={"reference": reference})

        assert list(missing_figures(with_question(BANK, poorer))) == [
            "Q43：参考答案里没有数据“21.5 ms”；请写回去，或在 figures.yaml 里给出新写法。"
        ]


class TestTable:
    def test_a_question_that_is_not_there_is_named(self) -> None:
        bank = fakes.bank().model_copy(
            update={"figures": (Figure(question="Q404", spellings=("8",)),)}
        )

        (sentence,) = missing_figures(bank)

        assert "Q404" in sentence

    def test_a_key_point_that_is_not_there_is_named(self) -> None:
        bank = fakes.bank().model_copy(
            update={"figures": (Figure(question="Q01", spellings=("8",), key_point="z"),)}
        )

        (sentence,) = missing_figures(bank)

        assert "Q01.z" in sentence


@pytest.mark.parametrize(
    ("text", "spelling", "told"),
    [
        pytest.param("约 128 KiB。", "128KiB", True, id="spaces"),
        pytest.param("约１２８ＫｉＢ", "128 KiB", True, id="width"),
        pytest.param("128 kib", "128 KiB", True, id="case"),
        pytest.param("1128 KiB", "128 KiB", False, id="part-of-a-number"),
        pytest.param("0.128 KiB", "128 KiB", False, id="behind-a-point"),
        pytest.param("P999", "P99", False, id="goes-on"),
        pytest.param("P99.9", "P99", False, id="goes-on-behind-a-point"),
        pytest.param("P99。", "P99", True, id="end-of-a-sentence"),
        pytest.param("L = λW", "L=λW", True, id="formula"),
        pytest.param("min(1, p(x)/q(x))", "min(1,p(x)/q(x))", True, id="signs-are-no-pattern"),
        pytest.param("", "8", False, id="empty"),
    ],
)
def test_a_text_tells_a_figure_however_it_is_set(text: str, spelling: str, told: bool) -> None:
    assert tells(text, Figure(question="Q01", spellings=("没有", spelling))) is told
