"""The whole way of a document: preview, bank, grade."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.adapters.likeness import EmbeddedLikeness
from bot.bootstrap import Services
from bot.domain.grade import Grade
from bot.domain.target import target_of
from bot.errors import ImportFileError
from bot.settings import read_settings
from tests.importing import source, spoil

pytestmark = pytest.mark.contract

SMALL = Path(__file__).parents[1] / "data" / "bank" / "small"
WORDS = st.text(
    st.sampled_from("甲乙KVab12。，；！？~{}()|*#\"'、 \t但因为代价不没分页缓存") | st.characters(),
    max_size=40,
)
TEXT = st.lists(
    st.tuples(st.sampled_from(["问：", "答：", "追问：", "\n", "## ", "1. "]), WORDS), max_size=12
).map(lambda parts: "问：甲是什么？\n答：" + "\n".join(a + b for a, b in parts))


@pytest.fixture
def services(product: Path, monkeypatch: pytest.MonkeyPatch) -> Services:
    monkeypatch.setattr(EmbeddedLikeness, "pairs", lambda *_: ())
    return Services(read_settings())


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TEXT)
@example("问：甲？\n答：乙{}|~\n追问：{}\n追问：为何(？\n答：)(")
def test_whatever_can_be_previewed_makes_a_bank_that_grades(services: Services, text: str):
    with suppress(ImportFileError):
        preview = services.imports.preview("t.txt", text.encode("utf-8", "replace"))
        bank = services.imports.plan(preview, "mine").bank
        for question in bank.questions:
            targets = [target_of(question), *(target_of(question, f) for f in question.follow_ups)]
            for target in targets:
                given_ = services.grader.grade("x", target, target.reference)
                assert isinstance(given_, Grade)


def test_a_bank_of_our_own_schema_keeps_its_key_points_and_takes_its_terms_along(
    services: Services,
):
    preview = services.imports.preview("a.yaml", (SMALL / "a.yaml").read_bytes())

    done = services.imports.accept(preview, "mine")

    assert done.bank.questions == services.banks.load("small").sections[0].questions
    assert services.for_bank("mine").bank == done.bank
    services.store.close()


def test_an_unknown_term_or_a_broken_spelling_leaves_its_question_out(services: Services):
    text = (SMALL / "a.yaml").read_text(encoding="utf-8")
    unknown = text.replace("[不必重算, 不用重算, 免去重算]", "['{nothing}']")
    broken = text.replace("[不必重算, 不用重算, 免去重算]", "['(a|b']")

    for changed, reason in ((unknown, "没有的术语 'nothing'"), (broken, "括号不成对")):
        preview = services.imports.preview("a.yaml", changed.encode())
        assert [one.id for one in preview.drafts] == ["S02"]
        assert reason in preview.skipped[0].reason


def test_questions_the_banks_have_are_found_by_equal_stems(services: Services):
    stem = services.bank.questions[0].stem
    preview = services.imports.preview("t.txt", f"问：{stem}\n答：甲是乙。".encode())

    assert [(one.bank_id, one.question_id) for one in preview.duplicates] == [("small", "S01")]


def test_a_failed_import_leaves_the_bank_and_a_broken_bank_stops_nobody(services: Services):
    services.imports.accept(
        services.imports.preview("t.txt", "问：甲？\n答：乙丙丁。".encode()), "a"
    )
    spoil(services, "a")
    services.forget_bank("a")

    done = services.imports.accept(
        services.imports.preview("t.txt", "问：甲？\n答：乙丙丁。".encode()), "b"
    )

    assert done.added == 1
    assert services.imports.own_banks() == ("a", "b")
    assert services.imports.undo("a") is None
    assert services.imports.own_banks() == ("b",)


def test_the_source_document_goes_through_the_whole_product(services: Services):
    preview = services.imports.preview("vllm-60.md", source())
    done = services.imports.accept(preview, "mine")
    there = services.for_bank("mine")

    levels = []
    for question in done.bank.questions:
        given_ = there.grader.grade("x", target_of(question), question.reference.joined)
        assert isinstance(given_, Grade)
        levels.append(given_.level)
    services.store.close()

    assert levels == [5] * 60
    assert services.imports.plan(preview, "mine").unchanged == 60
