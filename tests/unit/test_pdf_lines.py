"""Lines break where a reader of Chinese and English expects it, and nothing gets lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.pdf_lines import Run, broken
from tests.strategies import answers, decorated

CLOSING = "”’）》〉」』】，。；：！？、"


def measure(text: str, style: str) -> float:
    """Return widths as in a terminal: two columns for Chinese, half of it in small type."""
    wide = sum(2.0 if sign >= "\u2e80" else 1.0 for sign in text)
    return wide / 2 if style == "label" else wide


def lines(text: str, width: float = 20) -> list[str]:
    return ["".join(run.text for run in line) for line in broken([Run(text, "")], width, measure)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("", [""], id="nothing"),
        pytest.param("a\n\nb", ["a", "", "b"], id="line breaks stay"),
        pytest.param(
            "并行计算让读取分摊到更多请求", ["并行计算让读取分摊到", "更多请求"], id="chinese"
        ),
        pytest.param("use PagedAttention in vLLM", ["use PagedAttention", "in vLLM"], id="words"),
        pytest.param(
            "一二三四五六七八九十，一", ["一二三四五六七八九", "十，一"], id="closing mark"
        ),
        pytest.param("一二三四五六七八九“十”", ["一二三四五六七八九", "“十”"], id="opening mark"),
        pytest.param("一二三四五六七八九 12.5 GB", ["一二三四五六七八九", "12.5 GB"], id="number"),
        pytest.param("a" * 45, ["a" * 20, "a" * 20, "a" * 5], id="too long a word"),
        pytest.param("，" * 15, ["，" * 10, "，" * 5], id="too many marks"),
        pytest.param("   a", ["a"], id="no space first"),
    ],
)
def test_where_lines_break(text: str, found: list[str]) -> None:
    assert lines(text) == found


def test_styles_are_kept_and_neighbours_of_one_style_are_one_run() -> None:
    runs = [Run("并行", "good"), Run("计算", "good"), Run("结论", "label"), Run("。", "")]

    assert list(broken(runs, 20, measure)) == [
        [Run("并行计算", "good"), Run("结论", "label"), Run("。", "")]
    ]


texts = st.text(max_size=80) | decorated | answers


@given(texts, st.integers(4, 40))
def test_no_line_is_too_wide(text: str, width: int) -> None:
    assert all(measure(line, "") <= width for line in lines(text, width))


@given(texts, st.integers(4, 40))
def test_nothing_but_space_gets_lost(text: str, width: int) -> None:
    assert "".join("".join(lines(text, width)).split()) == "".join(text.split())


@given(answers)
def test_no_line_of_an_answer_begins_with_a_closing_mark(text: str) -> None:
    running = "".join(text.split())

    assert not any(line[0] in CLOSING for line in lines(running, 200)[1:])
