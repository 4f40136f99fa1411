"""What candidates type finds the question they mean, though they use other words than its stem."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.bootstrap import Services
from bot.settings import Settings
from tests import paraphrases

pytestmark = pytest.mark.contract

PARAPHRASES = paraphrases.read()
SETS = {"asked": PARAPHRASES.asked, "held out": PARAPHRASES.held_out}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    """The product with its real index, which takes its vectors from the shipped file."""
    found = Services(Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("data")))
    found.retrieval.refresh()
    return found


def test_every_question_has_a_paraphrase(services: Services) -> None:
    ids = [question.id for question in services.bank.questions]

    assert list(PARAPHRASES.asked) == ids
    assert set(PARAPHRASES.held_out) < set(ids)
    assert len(PARAPHRASES.held_out) == 30


@pytest.mark.parametrize("name", SETS)
def test_a_paraphrase_shares_no_wording_with_the_stem(services: Services, name: str) -> None:
    shared = {
        question_id: common
        for question_id, text in SETS[name].items()
        if (
            common := paraphrases.runs(text, PARAPHRASES.terms)
            & paraphrases.runs(services.bank.find(question_id).stem, PARAPHRASES.terms)
        )
    }

    assert shared == {}


def test_words_and_meaning_together_find_the_question(services: Services) -> None:
    retrieval = services.retrieval
    tables = {
        name: paraphrases.found_by(wanted, services.bank.id, retrieval.lexical, retrieval.index)
        for name, wanted in SETS.items()
    }
    for name, table in tables.items():
        for way, share in table.items():
            print(f"{name:10}{way:10}{share}")  # noqa: T201 - for `pytest -s`

    both = tables["asked"]["both"]
    assert both.first >= 0.85
    assert both.top_three >= 0.97
    # What nothing was fitted to is found among the first three, if less often first.
    assert tables["held out"]["both"].top_three >= 0.97


def test_a_stem_finds_its_own_question(services: Services) -> None:
    lost = [
        question.id
        for question in services.bank.questions
        if services.retrieval.search(question.stem, 1)[0].question_id != question.id
    ]

    assert lost == []


def test_no_vector_of_the_shipped_bank_is_missing(tmp_path: Path) -> None:
    fresh = Services(Settings(_env_file=None, data_dir=tmp_path))

    assert fresh.retrieval.refresh().embedded == 0
