"""A search fuses words and meaning; without the index the words decide, and the results say so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.passage import Hit, Part, Passage
from bot.domain.question import Question
from bot.errors import IndexUnavailableError
from bot.services.indexing import DEPTH, Retrieval, fuse, passages
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
        Hit(passage=passage(question_id, Part.REASON), similarity=0.9 - 0.1 * at)
        for at, question_id in enumerate(question_ids)
    )


def retrieval(index: ListIndex, *by_words: str) -> Retrieval:
    def lexical(text: str, limit: int) -> Sequence[Passage]:
        return [passage(question_id) for question_id in by_words][:limit]

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


class TestFuse:
    def test_what_both_rankings_find_comes_first(self) -> None:
        rankings = [[passage("Q01"), passage("Q02")], [passage("Q03"), passage("Q02")]]

        found = fuse(rankings, 10, by_meaning=True)

        assert [one.question_id for one in found] == ["Q02", "Q01", "Q03"]

    def test_a_question_counts_once_a_ranking_with_its_best_passage(self) -> None:
        often = [passage("Q01", part) for part in (Part.STEM, Part.REASON, Part.CONCLUSION)]

        many = fuse([[*often, passage("Q02")]], 10, by_meaning=True)
        once = fuse([[often[0], passage("Q02")]], 10, by_meaning=True)

        assert many == once

    def test_the_passage_that_stood_highest_is_shown(self) -> None:
        rankings = [
            [passage("Q02"), passage("Q01", Part.STEM)],
            [passage("Q01", Part.REASON), passage("Q02")],
        ]

        found = {one.question_id: one.passage.part for one in fuse(rankings, 10, by_meaning=True)}

        assert found["Q01"] is Part.REASON

    def test_equals_come_in_the_order_of_their_ids(self) -> None:
        found = fuse([[passage("Q02")], [passage("Q01")]], 10, by_meaning=True)

        assert [one.question_id for one in found] == ["Q01", "Q02"]

    _rankings = st.lists(
        st.lists(
            st.builds(
                passage, st.sampled_from(["Q01", "Q02", "Q03", "Q04"]), st.sampled_from(Part)
            ),
            max_size=12,
        ),
        max_size=3,
    )

    @given(rankings=_rankings, limit=st.integers(0, 6))
    def test_any_rankings_give_each_question_once_best_first(
        self, rankings: list[list[Passage]], limit: int
    ) -> None:
        found = fuse(rankings, limit, by_meaning=False)

        given_ = {one.question_id for ranking in rankings for one in ranking}
        assert len(found) == min(limit, len(given_))
        assert len({one.question_id for one in found}) == len(found)
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        assert all(one.passage.question_id == one.question_id for one in found)


class TestSearch:
    def test_words_and_meaning_are_fused(self) -> None:
        found = retrieval(ListIndex(hits("Q03", "Q02")), "Q01", "Q02").search("并行")

        assert [one.question_id for one in found] == ["Q02", "Q01", "Q03"]
        assert all(one.by_meaning for one in found)

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
        assert found[0].similarity == pytest.approx(0.8)

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
