"""The page that explains the scores."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from tests.ui.reading import shown

pytestmark = pytest.mark.ui


def test_every_rubric_is_told_from_its_file(open_page: Callable[..., AppTest], services: Services):
    at = open_page("scoring")

    assert at.expander[0].label.endswith("（structured-answer@2）")
    assert len(at.table) == len(services.rubrics)
    main = services.rubrics["structured-answer"]
    assert list(at.table[0].value["维度"]) == [one.title for one in main.criteria]
    assert list(at.table[0].value["分值"]) == [f"{one.max:g}" for one in main.criteria]
    assert "达到 30%（不足按比例给分）" in list(at.table[0].value["怎样得分"])[-1]
    text = shown(at)
    assert all(name in text for name in main.level_names)
    assert "不判断事实对错" in text
    assert "The rubric" not in text
    assert not at.error
