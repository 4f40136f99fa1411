"""Plans say why each question was picked, follow the whole text, and mind one's weak spots."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bot.domain.document import Document, Line
from bot.domain.passage import Part, Passage
from bot.domain.plan import LONGEST_TEXT, ReasonKind
from bot.domain.question import Slot
from bot.domain.weakness import Weakness, WeakSlot
from bot.errors import ImportFileError
from bot.services.indexing import Result
from bot.services.planning import WEAK_EVERY, Planner
from tests.fakes import FakeClock, bank, key_point, question

QUESTIONS = {
    "K": [question(f"K{n}", stem=f"kernel 问题 {n}") for n in range(6)],
    "S": [question(f"S{n}", stem=f"storage 问题 {n}") for n in range(6)],
}
BANK = bank(sections=QUESTIONS)
TEXT = """\
负责 kernel 算子的开发与性能优化工作
负责 storage 系统的研发与性能优化工作
负责 kernel 算子的剖析与瓶颈定位工作
"""


class LineReader:
    """Reads a document whose text was given."""

    def __init__(self, *lines: str) -> None:
        self._lines = tuple(Line("1", line) for line in lines)

    def read(self, name: str, content: bytes) -> Document:
        return Document(name, self._lines)


def planner(*lines: str) -> Planner:
    """Return a planner over two sections; words are cut at spaces."""
    return Planner(bank=BANK, words=str.split, reader=LineReader(*lines), clock=FakeClock())


def finds(
    by_word: dict[str, Sequence[str]], *, by_meaning: bool = True
) -> Callable[[str, int], list[Result]]:
    """Return a search that finds questions by a word of the text."""

    def search(text: str, limit: int) -> list[Result]:
        ids = next((found for word, found in by_word.items() if word in text), ())
        return [
            Result(
                question_id=one,
                passage=Passage(
                    id=one, bank_id="demo", question_id=one, part=Part.STEM, text="题干"
                ),
                score=1 / rank,
                by_meaning=by_meaning,
            )
            for rank, one in enumerate(ids[:limit], start=1)
        ]

    return search


KERNEL = [f"K{n}" for n in range(6)]
STORAGE = [f"S{n}" for n in range(6)]
SEARCH = finds({"kernel": KERNEL, "storage": STORAGE})


def test_each_question_is_picked_for_words_of_the_text():
    plan = planner().plan(TEXT, count=5, search=SEARCH).plan

    assert len(plan.picks) == 5
    for pick in plan.picks:
        assert pick.reasons[0].kind is ReasonKind.TEXT
        about = "kernel" if pick.question_id in KERNEL else "storage"
        assert f"负责 {about}" in pick.reasons[0].says


def test_what_most_of_the_text_is_about_comes_first_and_most():
    plan = planner().plan(TEXT, count=6, search=SEARCH).plan

    picked = [one[0] for one in plan.question_ids]
    assert picked[0] == "K"
    assert picked.count("K") > picked.count("S") > 0


def test_a_question_near_to_everything_does_not_come_before_those_of_the_subject():
    hub = {"kernel": ["S0", *KERNEL], "storage": ["K0"]}

    plan = planner().plan("负责 kernel 算子的开发与优化", count=5, search=finds(hub)).plan

    assert plan.question_ids[0] in KERNEL


def test_a_plan_has_no_more_questions_than_were_found():
    plan = planner().plan(TEXT, count=20, search=finds({"kernel": ["K1", "K2"]})).plan

    assert sorted(plan.question_ids) == ["K1", "K2"]


def test_the_plan_says_whether_meaning_took_part():
    by_words = finds({"kernel": KERNEL}, by_meaning=False)

    assert planner().plan(TEXT, count=5, search=SEARCH).plan.by_meaning
    assert not planner().plan(TEXT, count=5, search=by_words).plan.by_meaning


def test_some_picks_are_kept_for_what_was_answered_weakly():
    weakness = Weakness(levels={"K5": 1, "S5": 5})

    plan = planner().plan(TEXT, count=WEAK_EVERY, search=SEARCH, weakness=weakness).plan

    assert plan.question_ids[-1] == "K5"
    assert plan.picks[-1].reasons[-1].kind is ReasonKind.WEAK_ANSWER
    assert plan.picks[-1].reasons[-1].says == "你上次只答到 1 级"
    assert "K5" not in planner().plan(TEXT, count=WEAK_EVERY, search=SEARCH).plan.question_ids


def test_some_picks_are_kept_for_a_weak_slot():
    heavy = question("S4", points=(key_point("a", Slot.PREMISE_COST, weight=5),))
    changed = bank(sections={**QUESTIONS, "S": [*QUESTIONS["S"][:4], heavy]})
    weakness = Weakness(slots=(WeakSlot(Slot.PREMISE_COST, 0.31, 12),))
    mine = Planner(bank=changed, words=str.split, reader=LineReader(), clock=FakeClock())
    search = finds({"storage": STORAGE[:5]})

    plan = mine.plan("负责 storage 系统的研发工作", count=5, search=search, weakness=weakness).plan

    assert plan.question_ids[-1] == "S4"
    assert plan.picks[-1].reasons[-1].says == "你在“前提/代价”上偏弱（最近 12 次平均 31%）"


def test_what_was_answered_well_is_not_picked_as_weak():
    weakness = Weakness(
        slots=(WeakSlot(Slot.REASON, 0.1, 9),), levels=dict.fromkeys([*KERNEL, *STORAGE], 5)
    )

    plan = planner().plan(TEXT, count=10, search=SEARCH, weakness=weakness).plan

    kinds = {reason.kind for pick in plan.picks for reason in pick.reasons}
    assert kinds == {ReasonKind.TEXT}


def test_the_same_text_gives_the_same_picks():
    first, second = (planner().plan(TEXT, count=8, search=SEARCH).plan for _ in range(2))

    assert first.picks == second.picks
    assert first.id != second.id


def test_progress_is_told_statement_by_statement():
    told: list[tuple[int, int]] = []

    planner().plan(TEXT, count=5, search=SEARCH, advance=lambda done, of: told.append((done, of)))

    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("福利待遇\n免费三餐", "没有能用来选题的内容", id="nothing to search"),
        pytest.param("完全无关的一句话写在这里而已", "没有能用来选题的内容", id="nothing found"),
        pytest.param("长" * (LONGEST_TEXT + 1), "上限是 50000", id="too long"),
    ],
)
def test_a_text_that_gives_no_plan_says_what_to_do(text, says):
    with pytest.raises(ImportFileError, match=says):
        planner().plan(text, count=5, search=SEARCH)


def test_a_document_becomes_its_text():
    assert (
        planner("岗位职责", "负责 kernel 开发").read("a.txt", b"") == "岗位职责\n负责 kernel 开发"
    )


def test_a_document_without_text_says_what_to_do():
    with pytest.raises(ImportFileError, match=r"扫描\.docx：没有读到文字"):
        planner(" ").read("扫描.docx", b"")
