"""Plans for real postings, by the shipped bank, its shipped vectors and the real embeddings.

The postings in `tests/data/postings` and the sections expected of them were written from what such
jobs are about, before any search was run.
"""

from __future__ import annotations

import io
from functools import cache, partial
from pathlib import Path

import pytest

from bot.bootstrap import Services
from bot.services.planning import Search
from bot.settings import Settings
from tests.pdf import pdf

pytestmark = pytest.mark.contract

POSTINGS = Path(__file__).parents[1] / "data" / "postings"

EXPECTED = {
    "kernel": ("A", "C"),  # models and memory; GPU and kernels
    "serving": ("A", "B", "F"),  # metrics; the engine and its settings; diagnosis, capacity
    "scheduler": ("A", "B"),  # phases and memory; engine and scheduling
    "storage": ("D", "E"),  # KV transfer between P and D; KV cache and its stores
    "moe": ("C", "D"),  # kernels and overlap; parallelism and collectives
    "benchmark": ("A", "F"),  # metrics; methods of measuring
}
"""The sections that a posting is about; at most 28 of the 60 questions lie in them."""


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder = tmp_path_factory.mktemp("planning")
    made = Services(
        Settings(_env_file=None, data_dir=folder, bank="vllm", corpus_dir=None, rubrics_dir=None)
    )
    made.retrieval.refresh()
    return made


@pytest.fixture(scope="module")
def search(services: Services) -> Search:
    """Search as the product does; the same words are not searched for twice."""
    return cache(services.retrieval.search)


def posting(name: str) -> str:
    """Return the text of a posting."""
    return (POSTINGS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("by_words_only", [False, True], ids=["by meaning", "by words"])
@pytest.mark.parametrize("name", EXPECTED)
def test_the_first_picks_are_of_the_sections_that_the_posting_is_about(
    services: Services, search: Search, name: str, by_words_only: bool
):
    by_words = partial(services.retrieval.search, by_words_only=True)

    plan = services.planner.plan(
        posting(name), count=10, search=by_words if by_words_only else search
    ).plan

    sections = [services.bank.section_of(one).id for one in plan.question_ids]
    as_expected = sum(one in EXPECTED[name] for one in sections)
    assert plan.by_meaning is not by_words_only
    assert len(sections) == 10
    # Words alone are the way out while the index is being built, and do nearly as well.
    assert as_expected >= (7 if by_words_only else 8), dict(
        zip(plan.question_ids, sections, strict=True)
    )


def test_every_pick_quotes_words_of_the_posting(services: Services, search: Search):
    text = posting("storage")

    plan = services.planner.plan(text, count=20, search=search).plan

    assert len(plan.picks) == 20
    for pick in plan.picks:
        quoted = pick.reasons[0].says.removeprefix("材料写到“").removesuffix("”").rstrip("…")
        assert quoted in text


def test_neither_benefits_nor_contact_data_reach_a_reason(services: Services, search: Search):
    text = posting("kernel") + "\n联系人：王小明 13812345678，wang@example.com，熟悉 CUDA 优化"

    plan = services.planner.plan(text, count=20, search=search).plan

    said = " ".join(reason.says for pick in plan.picks for reason in pick.reasons)
    for private in ("13812345678", "wang@", "六险一金", "免费三餐", "简历"):
        assert private not in said


@pytest.mark.parametrize("kind", ["txt", "docx", "pdf"])
def test_an_uploaded_posting_gives_the_picks_of_the_pasted_one(
    services: Services, search: Search, kind: str
):
    text = posting("moe")
    content = {"txt": text.encode("gb18030"), "docx": _docx(text), "pdf": pdf(text)}

    read = services.planner.read(f"职位.{kind}", content[kind])

    plans = [services.planner.plan(one, count=10, search=search).plan for one in (text, read)]
    shared = set(plans[0].question_ids) & set(plans[1].question_ids)
    assert len(shared) >= (8 if kind == "pdf" else 10)


def _docx(text: str) -> bytes:
    import docx

    document = docx.Document()
    for line in text.splitlines():
        document.add_paragraph(line)
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()
