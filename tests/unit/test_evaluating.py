"""How found overclaims are set against what raters marked: whole answers, and single spans."""

from __future__ import annotations

from bot.domain.claims import Claims, ErrorClaim, OverclaimClaim
from bot.services.evaluating import Evaluation, RatedAnswer, Rating, evaluate
from bot.services.grading import Grader
from tests import fakes
from tests.fakes import CannedJudge, FakeClock

ANSWER = "前者并行计算。后者受带宽限制，一定更慢。代价是显存，重算不花时间。"


def over(quote: str) -> OverclaimClaim:
    return OverclaimClaim(quote=quote, why="太满", rewrite="通常")


def rated(*ratings: tuple[tuple[str, ...], tuple[str, ...]]) -> RatedAnswer:
    return RatedAnswer(
        id="x",
        question_id="Q01",
        answer=ANSWER,
        ratings=tuple(
            Rating(level=3, overclaims=overclaims, errors=errors) for overclaims, errors in ratings
        ),
    )


def evaluated(claims: Claims, one: RatedAnswer) -> Evaluation:
    grader = Grader(
        judge=CannedJudge(claims), rubrics=fakes.rubrics(), bank_name="demo@1", clock=FakeClock()
    )
    bank = fakes.bank(fakes.question())
    return evaluate([one], bank, grader, lambda *_: 0.0)


class TestFaults:
    def test_a_span_is_right_where_any_rater_marked_a_part_of_it(self) -> None:
        claims = Claims(overclaims=(over("一定更慢"), over("并行计算")))

        found = evaluated(claims, rated((("受带宽限制，一定更慢",), ()), (("重算不花时间",), ())))

        assert found.overclaim_spans == (1, 1, 1)
        assert found.fault_spans == found.overclaim_spans
        assert found.overclaims == (1, 0, 0)

    def test_what_one_calls_an_error_and_the_other_an_overclaim_is_the_same_fault(self) -> None:
        claims = Claims(
            overclaims=(over("一定更慢"),), errors=(ErrorClaim(quote="重算不花时间", why="不对"),)
        )

        found = evaluated(claims, rated((("不花时间",), ("一定更慢",))))

        assert found.overclaim_spans == (0, 1, 1)
        assert found.fault_spans == (2, 0, 0)
        assert found.overclaims_with_errors == (1, 0, 0)

    def test_what_two_raters_marked_alike_is_missed_once(self) -> None:
        found = evaluated(Claims(), rated((("一定更慢",), ()), (("一定更慢",), ())))

        assert found.overclaim_spans == (0, 0, 1)
        assert found.overclaims == (0, 0, 1)
