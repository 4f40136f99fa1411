"""Parts of a grade, shown alone."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.reading import shown

BELOW_ZERO = "各项合计为负，总分按 0 分计。"


def page(count: int) -> None:
    """Show the bars of an answer with hardly any content and so many overclaims."""
    from bot.domain.claims import Verdict
    from bot.domain.grade import Overclaim
    from bot.ui.components.grade_parts import criteria_bars
    from tests import fakes

    overclaims = tuple(
        Overclaim(start=at, end=at + 1, quote="证", why="说过头了", rewrite="有条件地说")
        for at in range(count)
    )
    verdicts = {"a": Verdict.PARTLY_MET, "b": Verdict.NOT_MET, "c": Verdict.NOT_MET}
    given = fakes.graded(fakes.question(), verdicts, levels=0, overclaims=overclaims)
    criteria_bars(given, fakes.rubric())


@pytest.mark.parametrize(("count", "is_told"), [(0, False), (9, True)])
def test_a_total_that_stops_at_zero_is_told(count: int, *, is_told: bool):
    at = AppTest.from_function(page, args=(count,)).run()

    assert not at.exception
    assert (BELOW_ZERO in shown(at)) is is_told
