"""Answers in a terminal: the time stands beside them, and Ctrl-C loses no typed line by accident."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from bot.cli.terminal import pace, print_grade, read_answer
from bot.domain.claims import Claims, ErrorClaim, Flag, PointClaim, Verdict, check
from bot.domain.grade import grade
from bot.domain.target import target_of
from bot.services.reporting import NO_POINT_SAID
from tests import fakes


class Typed(Console):
    """A console where somebody types; an exception is a key such as Ctrl-C."""

    def __init__(self, *lines: str | type[BaseException]) -> None:
        super().__init__(file=io.StringIO(), width=200)
        self.prompts: list[str] = []
        self._lines: Iterator[str | type[BaseException]] = iter(lines)

    def input(self, prompt: str = "", **_: object) -> str:  # type: ignore[override]
        self.prompts.append(prompt)
        line = next(self._lines)
        if not isinstance(line, str):
            raise line
        return line

    @property
    def said(self) -> str:
        file = self.file
        assert isinstance(file, io.StringIO)
        return file.getvalue()


def test_each_line_begins_with_the_time_since_the_question() -> None:
    seconds = iter((0.4, 65.0, 130.9))
    console = Typed("先说结论", "再说原因", "")

    assert read_answer(console, lambda: next(seconds)) == "先说结论\n再说原因"
    assert console.prompts == ["[0:00] > ", "[1:05]   ", "[2:10]   "]


def test_without_a_clock_there_is_none() -> None:
    console = Typed("/跳过")

    assert read_answer(console) == "/跳过"
    assert console.prompts == ["> "]


def test_ctrl_c_with_unsent_lines_asks_first() -> None:
    console = Typed("先说结论", KeyboardInterrupt, "再说原因", "")

    assert read_answer(console) == "先说结论\n再说原因"
    assert "1 行还没有发出" in console.said


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((KeyboardInterrupt,), id="nothing typed"),
        pytest.param(("一", KeyboardInterrupt, KeyboardInterrupt), id="twice"),
    ],
)
def test_ctrl_c_leaves_when_nothing_is_lost_or_when_it_comes_twice(
    lines: tuple[str | type[BaseException], ...],
) -> None:
    with pytest.raises(KeyboardInterrupt):
        read_answer(Typed(*lines))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (59, "用时 59 秒（建议 60–90 秒；偏短，可以补上原因和代价）"),
        (60, "用时 60 秒（建议 60–90 秒）"),
        (90, "用时 90 秒（建议 60–90 秒）"),
        (91, "用时 91 秒（建议 60–90 秒；偏长，先说结论）"),
    ],
)
def test_the_time_is_held_against_what_an_answer_should_take(seconds: float, said: str) -> None:
    assert pace(seconds) == said


@pytest.mark.parametrize(
    ("claims", "is_said"),
    [
        pytest.param(Claims(), True, id="hollow"),
        pytest.param(
            Claims(
                points=(PointClaim(key_point_id="a", verdict=Verdict.PARTLY_MET, sentences=(1,)),)
            ),
            False,
            id="a point in part",
        ),
        pytest.param(
            Claims(errors=(ErrorClaim(quote="结论", why="反了"),)), False, id="something wrong"
        ),
        pytest.param(Claims(flags=(Flag.NO_CONTENT,)), False, id="no content"),
    ],
)
def test_a_hollow_answer_is_told_why_it_earns_nothing(claims: Claims, is_said: bool) -> None:
    target = target_of(fakes.question())
    rubric = fakes.rubric()
    findings = check(claims, target, "结论：好。原因：好。代价：有。")
    console = Typed()

    print_grade(console, grade("a", target, rubric, findings, fakes.provenance()), target, rubric)

    assert (NO_POINT_SAID in console.said) is is_said
