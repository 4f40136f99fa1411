"""A search fuses words and meaning; without the index the words decide, and the results say so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bank import Topic
from bot.domain.passage import Hit, Near, Part, Passage, WordHit
from bot.domain.question import Misconception, Question
from bot.errors import IndexUnavailableError
from bot.services.indexing import DEPTH, FALL, Retrieval, entries, fuse, passages
from tests import fakes
from tests.fakes import ListIndex

FIRST = fakes.question("Q01", follow_ups=(fakes.follow_up("f1"), fakes.follow_up("f2")))
BANK = fakes.bank(FIRST, fakes.question("Q02"), fakes.question("Q03"))


def passage(question_id: str, part: Part = Part.STEM) -> Passage:
    return Passage(
        id=f"demo/{question_id}/{part.value}",
        bank_id="demo",
        question_id=question_id,
        part=part,
        text="文字",
    )


def hits(*question_ids: str) -> tuple[Hit, ...]:
    return tuple(
        Hit(passage=passage(question_id, Part.REASON), similarity=0.9 - 0.01 * at)
        for at, question_id in enumerate(question_ids)
    )


def word_hits(*question_ids: str) -> list[WordHit]:
    """Return hits of falling scores, the first of which is 1."""
    return [
        WordHit(question_id=question_id, score=1 - 0.3 * at, passage=passage(question_id))
        for at, question_id in enumerate(question_ids)
    ]


def retrieval(index: ListIndex, *by_words: str) -> Retrieval:
    def lexical(text: str, limit: int) -> Sequence[WordHit]:
        return word_hits(*by_words)[:limit]

    return Retrieval(bank=BANK, index=index, lexical=lexical)


class TestPassages:
    def test_every_text_of_a_question_is_a_passage_with_an_id_of_its_own(self) -> None:
        found = passages(BANK)

        mine = [one for one in found if one.question_id == "Q01"]
        assert [one.id for one in mine] == [
            "demo/Q01/stem",
            "demo/Q01/conclusion",
            "demo/Q01/reason",
            "demo/Q01/premise_cost",
            "demo/Q01/f1",
            "demo/Q01/f2",
        ]
        assert mine[0].text == FIRST.stem
        assert mine[4].text == FIRST.follow_ups[0].asks + FIRST.follow_ups[0].reference
        assert len({one.id for one in found}) == len(found) == 14

    def test_a_reference_that_was_not_told_apart_has_no_empty_passages(self) -> None:
        whole = FIRST.reference.model_copy(update={"reason": "", "premise_cost": ""})
        question: Question = FIRST.model_copy(update={"reference": whole, "follow_ups": ()})

        found = passages(fakes.bank(question))

        assert [one.part for one in found] == [Part.STEM, Part.CONCLUSION]


class TestEntries:
    def test_an_entry_holds_the_passages_of_its_question(self) -> None:
        found = list(entries(BANK))

        assert [one.question_id for one in found] == ["Q01", "Q02", "Q03"]
        assert [one for entry in found for one in entry.passages] == list(passages(BANK))

    def test_words_are_looked_for_in_key_points_misconceptions_and_spellings(self) -> None:
        point = fakes.key_point(
            says="分摊权重", concepts=(("(爆|超)显存~{oom}", "溢出"), ("溢出",))
        )
        wrong = Misconception(says="越大越好", why="受限于带宽", patterns=(("越大",),))
        question = fakes.question(points=[point], misconceptions=[wrong])

        (entry,) = entries(fakes.bank(question))

        assert "分摊权重" in entry.more
        assert "越大越好" in entry.more
        assert "受限于带宽" in entry.more
        assert entry.more.count("溢出") == 1
        assert "爆。超。显存" in entry.more
        assert not set("~(|){}") & set(entry.more)
        assert "oom" not in entry.more

    def test_topics_have_the_names_that_people_read(self) -> None:
        question = FIRST.model_copy(update={"topics": ("routing", "phases")})
        named = fakes.bank(question).model_copy(
            update={"topics": (Topic(id="routing", title="请求路由"),)}
        )

        (entry,) = entries(named)

        assert entry.topics == "请求路由、phases"


def near(*similarities: tuple[str, float]) -> list[Near]:
    return [Near(question_id=name, similarity=one) for name, one in similarities]


class TestFuse:
    def test_what_words_and_meaning_both_find_comes_first(self) -> None:
        found = fuse(word_hits("Q01", "Q02"), near(("Q03", 0.9), ("Q02", 0.9 - FALL / 4)))

        assert [name for name, _ in found] == ["Q02", "Q01", "Q03"]

    def test_the_nearest_counts_as_much_as_the_best_by_words(self) -> None:
        assert fuse(word_hits("Q02"), near(("Q01", 0.3))) == [("Q01", 1), ("Q02", 1)]

    def test_meaning_counts_by_how_far_a_question_falls_behind(self) -> None:
        found = dict(fuse((), near(("Q01", 0.9), ("Q02", 0.9 - FALL / 4))))

        assert found["Q02"] == pytest.approx(0.75)

    def test_what_falls_too_far_behind_is_not_found(self) -> None:
        found = fuse((), near(("Q01", 0.9), ("Q02", 0.9 - 1.01 * FALL)))

        assert [name for name, _ in found] == ["Q01"]

    def test_nothing_found_is_nothing(self) -> None:
        assert fuse((), ()) == []

    _ids = st.lists(st.sampled_from(["Q01", "Q02", "Q03", "Q04"]), unique=True)

    @given(
        by_words=_ids, by_meaning=_ids, falls=st.lists(st.floats(0, 0.2), min_size=4, max_size=4)
    )
    def test_each_question_comes_once_best_first(
        self, by_words: list[str], by_meaning: list[str], falls: list[float]
    ) -> None:
        similarities = sorted((0.9 - fall for fall in falls), reverse=True)
        nearest = near(*zip(by_meaning, similarities, strict=False))

        found = fuse(word_hits(*by_words), nearest)

        names = [name for name, _ in found]
        scores = [score for _, score in found]
        assert len(set(names)) == len(names)
        assert set(by_words) <= set(names) <= {*by_words, *by_meaning}
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 2 for score in scores)


class TestSearch:
    def test_words_and_meaning_are_fused(self) -> None:
        found = retrieval(ListIndex(hits("Q03", "Q02")), "Q01", "Q02").search("并行")

        assert [one.question_id for one in found] == ["Q02", "Q01", "Q03"]
        assert all(one.by_meaning for one in found)

    def test_the_passage_that_shares_words_is_shown_or_else_the_conclusion(self) -> None:
        found = retrieval(ListIndex(hits("Q03")), "Q01").search("并行")

        shown = {one.question_id: one.passage.part for one in found}
        assert shown == {"Q01": Part.STEM, "Q03": Part.CONCLUSION}

    def test_a_question_that_the_bank_has_lost_is_not_found(self) -> None:
        found = retrieval(ListIndex(hits("Q99", "Q03"))).search("并行", limit=1)

        assert [one.question_id for one in found] == ["Q03"]

    def test_without_the_index_the_words_decide_and_the_results_say_so(self) -> None:
        broken = ListIndex(hits("Q03"), is_available=False)

        found = retrieval(broken, "Q02", "Q01").search("并行")

        assert [one.question_id for one in found] == ["Q02", "Q01"]
        assert not any(one.by_meaning for one in found)

    def test_by_words_only_the_index_is_not_asked(self) -> None:
        index = ListIndex(hits("Q03"))

        found = retrieval(index, "Q01").search("并行", by_words_only=True)

        assert [one.question_id for one in found] == ["Q01"]
        assert index.searched == 0
        assert not found[0].by_meaning

    def test_meaning_finds_what_no_word_does(self) -> None:
        found = retrieval(ListIndex(hits("Q03"))).search("同时算")

        assert [(one.question_id, one.by_meaning) for one in found] == [("Q03", True)]

    @pytest.mark.parametrize(
        "text", [pytest.param("", id="empty"), pytest.param(" \n", id="space")]
    )
    def test_nothing_is_looked_for_when_nothing_is_asked(self, text: str) -> None:
        index = ListIndex(hits("Q03"))

        assert retrieval(index, "Q01").search(text) == ()
        assert index.searched == 0

    def test_the_limit_holds(self) -> None:
        found = retrieval(ListIndex(hits("Q03")), "Q01", "Q02").search("并行", limit=2)

        assert len(found) == 2


class TestRelated:
    def test_each_other_question_comes_once_nearest_first(self) -> None:
        index = ListIndex(hits("Q01", "Q03", "Q02", "Q03"))

        found = retrieval(index).related("Q01", "并行")

        assert [one.passage.question_id for one in found] == ["Q03", "Q02"]
        assert found[0].similarity == pytest.approx(0.89)

    def test_without_the_index_it_says_so(self) -> None:
        with pytest.raises(IndexUnavailableError, match="打不开"):
            retrieval(ListIndex(is_available=False)).related("Q01", "并行")

    def test_the_index_is_asked_deep_enough(self) -> None:
        index = ListIndex(hits(*["Q01"] * (DEPTH - 1), "Q02"))

        assert len(retrieval(index).related("Q01", "并行")) == 1


class TestRefresh:
    def test_the_index_then_holds_the_bank_as_it_is(self) -> None:
        index = ListIndex()
        found = retrieval(index)
        told: list[tuple[int, int]] = []

        before = found.is_current()
        report = found.refresh(lambda done, total: told.append((done, total)))

        assert (before, found.is_current()) == (False, True)
        assert (report.embedded, report.unchanged) == (14, 0)
        assert found.refresh().unchanged == 14
        assert told == [(14, 14)]

    def test_quietly_it_says_whether_the_index_can_be_used(self) -> None:
        assert retrieval(ListIndex()).refresh_quietly()
        assert not retrieval(ListIndex(is_available=False)).refresh_quietly()

    def test_the_reference_of_a_question_is_its_three_parts_in_order(self) -> None:
        found = retrieval(ListIndex())
        found.refresh()

        parts = [one.part for one in found.reference_of("Q01")]

        assert parts == [Part.CONCLUSION, Part.REASON, Part.PREMISE_COST]
        assert found.reference_of("Q99") == ()
