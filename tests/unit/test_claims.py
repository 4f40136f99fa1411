"""A judge's claims are looked up in the answer; what does not stand there is dropped, not raised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.claims import (
    Claims,
    ErrorClaim,
    Findings,
    Flag,
    OverclaimClaim,
    PointClaim,
    Ruled,
    SlotClaim,
    Verdict,
    backed,
    check,
)
from bot.domain.evidence import Match
from bot.domain.question import Slot
from bot.domain.sentence import split
from bot.domain.target import target_of
from tests import fakes
from tests.strategies import answers, any_text

ANSWER = "前者并行计算。后者受带宽限制，一定更慢。代价是显存占用。"
TARGET = target_of(fakes.question())


def over(quote: str) -> OverclaimClaim:
    return OverclaimClaim(quote=quote, why="太满", rewrite="通常更慢")


def error(quote: str) -> ErrorClaim:
    return ErrorClaim(quote=quote, why="不对")


def checked(answer: str = ANSWER, **claims: object) -> Findings:
    return check(Claims.model_validate(claims), TARGET, answer)


class TestPoints:
    def test_each_key_point_gets_one_finding_in_the_order_of_the_target(self) -> None:
        claims = (
            PointClaim(key_point_id="c", verdict=Verdict.MET, sentences=(3,)),
            PointClaim(key_point_id="a", verdict=Verdict.PARTLY_MET, sentences=(1,)),
        )

        found = checked(points=claims)

        assert [(one.id, one.verdict) for one in found.points] == [
            ("Q01.a", Verdict.PARTLY_MET),
            ("Q01.b", Verdict.NOT_MET),
            ("Q01.c", Verdict.MET),
        ]
        assert [[one.quote for one in point.evidence] for point in found.points] == [
            ["前者并行计算。"],
            [],
            ["代价是显存占用。"],
        ]

    def test_a_key_point_that_the_target_does_not_have_is_dropped(self) -> None:
        found = checked(points=(PointClaim(key_point_id="z", verdict=Verdict.MET),))

        assert [one.verdict for one in found.points] == [Verdict.NOT_MET] * 3
        assert found.flags == ()

    def test_met_without_a_sentence_is_flagged(self) -> None:
        found = checked(points=(PointClaim(key_point_id="a", verdict=Verdict.MET),))

        assert found.points[0].evidence == ()
        assert found.flags == (Flag.EVIDENCE_MISSING,)

    def test_sentences_that_do_not_exist_are_no_evidence(self) -> None:
        claim = PointClaim(key_point_id="a", verdict=Verdict.PARTLY_MET, sentences=(0, 4, -1))

        found = checked(points=(claim,))

        assert found.points[0].evidence == ()
        assert found.flags == (Flag.EVIDENCE_MISSING,)

    def test_a_contradiction_needs_no_sentence(self) -> None:
        found = checked(points=(PointClaim(key_point_id="a", verdict=Verdict.CONTRADICTED),))

        assert found.points[0].verdict is Verdict.CONTRADICTED
        assert found.flags == ()


class TestQuotes:
    def test_an_overclaim_is_shown_where_it_stands(self) -> None:
        found = checked(overclaims=(over("一定更慢"),))

        (one,) = found.overclaims
        assert ANSWER[one.start : one.end] == one.quote == "一定更慢"
        assert (one.why, one.rewrite, one.match) == ("太满", "通常更慢", Match.VERIFIED)

    def test_an_edited_quote_is_kept_as_close(self) -> None:
        found = checked(errors=(error("后者会受带宽限制，一定更慢"),))

        (one,) = found.errors
        assert one.match is Match.CLOSE
        assert ANSWER[one.start : one.end] == one.quote

    def test_a_quote_never_said_is_dropped_and_counted(self) -> None:
        found = checked(
            overclaims=(over("一定更慢"), over("永远不会显存溢出")), errors=(error("没有代价"),)
        )

        assert [one.quote for one in found.overclaims] == ["一定更慢"]
        assert found.errors == ()
        assert found.flags == (Flag.QUOTE_NOT_FOUND,)

    def test_words_that_overlap_are_one_overclaim(self) -> None:
        found = checked(
            overclaims=(over("受带宽限制，一定更慢"), over("一定更慢"), over("显存占用"))
        )

        assert [one.quote for one in found.overclaims] == ["受带宽限制，一定更慢", "显存占用"]
        assert found.flags == ()

    def test_words_that_a_judge_calls_wrong_twice_are_one_error(self) -> None:
        """A second error lowers the cap; a model that repeats itself must not."""
        found = checked(
            errors=(error("一定更慢"), error("后者受带宽限制，一定更慢"), error("显存"))
        )

        assert [one.quote for one in found.errors] == ["一定更慢", "显存"]
        assert found.flags == ()


class TestSlots:
    def test_a_slot_keeps_its_level_and_gets_its_sentences(self) -> None:
        found = checked(slots=(SlotClaim(slot=Slot.REASON, level=2, sentences=(2, 9)),))

        (one,) = found.slots
        assert (one.slot, one.level) == (Slot.REASON, 2)
        assert [evidence.quote for evidence in one.evidence] == ["后者受带宽限制，一定更慢。"]


class TestOpening:
    def test_the_opening_is_two_sentences(self) -> None:
        found = checked()

        assert ANSWER[: found.opening_ends] == "前者并行计算。后者受带宽限制，一定更慢。"

    def test_a_short_answer_is_all_opening(self) -> None:
        assert checked("并行").opening_ends == 2
        assert checked("").opening_ends == 0


_points = st.builds(
    PointClaim,
    key_point_id=st.sampled_from("abcz"),
    verdict=st.sampled_from(Verdict),
    sentences=st.lists(st.integers(-1, 9), max_size=4).map(tuple),
)
_slots = st.builds(
    SlotClaim,
    slot=st.sampled_from(Slot),
    level=st.integers(0, 2),
    sentences=st.lists(st.integers(-1, 9), max_size=4).map(tuple),
)
_quotes = answers | any_text


@given(data=st.data(), answer=answers | any_text)
def test_whatever_a_judge_claims_findings_stand_in_the_answer(
    data: st.DataObject, answer: str
) -> None:
    claims = Claims(
        points=tuple(data.draw(st.lists(_points, max_size=6))),
        slots=tuple(data.draw(st.lists(_slots, max_size=4))),
        overclaims=tuple(over(data.draw(_quotes)) for _ in range(data.draw(st.integers(0, 3)))),
        errors=tuple(error(data.draw(_quotes)) for _ in range(data.draw(st.integers(0, 3)))),
    )

    found = check(claims, TARGET, answer)

    assert [one.id for one in found.points] == ["Q01.a", "Q01.b", "Q01.c"]
    cited = [one for finding in (*found.points, *found.slots) for one in finding.evidence]
    for one in (*cited, *found.overclaims, *found.errors):
        assert answer[one.start : one.end] == one.quote
    assert {one.quote for one in cited} <= {one.text for one in split(answer)}
    assert len(found.flags) == len(set(found.flags))


class TestBacked:
    """A model's claims with what rules find: it may find more than they, and never less."""

    def test_what_the_rules_find_is_added_once(self) -> None:
        ruled = Ruled(overclaims=(over("一定更慢"), over("前者并行")))
        claims = Claims(overclaims=(over("受带宽限制，一定更慢"),))

        found = backed(claims, ruled, TARGET, ANSWER)

        assert [one.quote for one in found.overclaims] == ["受带宽限制，一定更慢", "前者并行"]

    def test_what_the_model_calls_wrong_is_no_overclaim_too(self) -> None:
        claims = Claims(errors=(error("后者受带宽限制，一定更慢"),))

        assert (
            backed(claims, Ruled(overclaims=(over("一定更慢"),)), TARGET, ANSWER).overclaims == ()
        )

    def test_a_quote_of_the_model_that_is_not_there_takes_no_place(self) -> None:
        claims = Claims(overclaims=(over("永远不会慢"),))

        found = backed(claims, Ruled(overclaims=(over("一定更慢"),)), TARGET, ANSWER)

        assert [one.quote for one in found.overclaims] == ["永远不会慢", "一定更慢"]

    def test_no_point_is_met_where_nothing_of_the_question_is_named(self) -> None:
        points = tuple(
            PointClaim(key_point_id=id, verdict=verdict, sentences=(1,))
            for id, verdict in zip(
                "abc", (Verdict.MET, Verdict.PARTLY_MET, Verdict.CONTRADICTED), strict=True
            )
        )

        found = backed(Claims(points=points), Ruled(names_something=False), TARGET, ANSWER)

        assert [one.verdict for one in found.points] == [
            Verdict.NOT_MET,
            Verdict.NOT_MET,
            Verdict.CONTRADICTED,
        ]
        assert [one.sentences for one in found.points] == [(), (), (1,)]
        assert found.flags == (Flag.UNFOUNDED,)

    @pytest.mark.parametrize(
        ("verdict", "promised", "left"),
        [
            pytest.param(Verdict.MET, (), [], id="stated and met"),
            pytest.param(Verdict.PARTLY_MET, (), ["前者并行计算"], id="not quite met"),
            pytest.param(
                Verdict.MET, (over("并行计算"),), ["前者并行计算"], id="a promise by rule"
            ),
        ],
    )
    def test_what_states_a_met_key_point_is_no_overclaim(
        self, verdict: Verdict, promised: tuple[OverclaimClaim, ...], left: list[str]
    ) -> None:
        claims = Claims(
            points=(PointClaim(key_point_id="a", verdict=verdict, sentences=(1,)),),
            overclaims=(over("前者并行计算"),),
        )
        ruled = Ruled(overclaims=promised, stated={"前者并行计算": frozenset("ab")})

        assert [one.quote for one in backed(claims, ruled, TARGET, ANSWER).overclaims] == left

    @pytest.mark.parametrize(
        ("others", "is_wrong"), [(Verdict.NOT_MET, True), (Verdict.PARTLY_MET, False)]
    )
    def test_in_an_answer_that_is_wrong_nothing_is_merely_over_scoped(
        self, others: Verdict, is_wrong: bool
    ) -> None:
        core = next(one.id for one in TARGET.key_points if one.core)
        points = tuple(
            PointClaim(
                key_point_id=one.id,
                verdict=Verdict.CONTRADICTED if one.id == core else others,
                sentences=(1,),
            )
            for one in TARGET.key_points
        )
        claims = Claims(points=points, overclaims=(over("一定更慢"),), errors=(error("前者"),))

        found = backed(claims, Ruled(), TARGET, ANSWER)

        assert ([one.quote for one in found.overclaims] == []) == is_wrong
        assert ([one.quote for one in found.errors] == ["前者", "一定更慢"]) == is_wrong

    def test_a_model_that_finds_nothing_either_is_not_corrected(self) -> None:
        claims = Claims(points=(PointClaim(key_point_id="a", verdict=Verdict.NOT_MET),))

        assert backed(claims, Ruled(names_something=False), TARGET, ANSWER) == claims

    def test_claims_stand_as_they_are_where_the_rules_find_nothing(self) -> None:
        claims = Claims(points=(PointClaim(key_point_id="a", verdict=Verdict.MET, sentences=(1,)),))

        assert backed(claims, Ruled(), TARGET, ANSWER) == claims
