"""Rubrics are read by id, and one that does not add up is named by file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.yaml_rubrics import read_rubrics
from bot.domain.target import FOLLOW_UP_RUBRIC, RUBRIC_OF_KIND
from bot.errors import RubricError

SHIPPED = Path(__file__).parents[2] / "rubrics"
TEXT = """\
id: mine
version: 2
title: 我的标准
criteria:
  - {kind: coverage, id: coverage, title: 采分点, max: 60}
  - {kind: slot, id: reason, title: 原因, max: 30, slot: reason, opening_points: 3}
  - kind: calibration
    id: calibration
    title: 校准
    max: 10
    per_overclaim: 5
    floor: -20
gates: {contradicted_core: 30, no_point_met: 5, one_error: 55, more_errors: 30}
levels: [8, 25, 50, 68, 82]
level_names: [无, 一, 二, 三, 四, 五]
"""


def write(folder: Path, text: str = TEXT, name: str = "mine") -> Path:
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_rubrics_are_found_by_id(tmp_path: Path) -> None:
    write(write(tmp_path), TEXT.replace("id: mine", "id: other"), "other")

    found = read_rubrics(tmp_path)

    assert list(found) == ["mine", "other"]
    assert found["mine"].name == "mine@2"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        pytest.param(
            "max: 60",
            "max: 50",
            r"mine\.yaml:1：criteria 的 max 加起来是 90，应当是 100",
            id="weights",
        ),
        pytest.param(
            "slot: reason",
            "slot: reasons",
            r"mine\.yaml:6：字段 criteria\[1\].*slot.*'reasons'",
            id="slot",
        ),
        pytest.param(
            "opening_points: 3",
            "opening_points: 31",
            r"mine\.yaml:6：字段 criteria\[1\].*opening_points 是 31，不能大于 max 30",
            id="opening points",
        ),
        pytest.param("kind: slot", "kind: slots", r"mine\.yaml:6：字段 criteria\[1\]", id="kind"),
        pytest.param(
            "per_overclaim",
            "per_over_claim",
            r"mine\.yaml:11：.*per_over_claim 多余的键",
            id="unknown key",
        ),
        pytest.param(
            "levels: [8, 25,",
            "levels: [25, 8,",
            "levels 的五个分数应当大于 0 且逐个升高",
            id="levels",
        ),
        pytest.param(
            "[无, 一, 二, 三, 四, 五]", "[无, 一]", r"mine\.yaml:15：字段 level_names", id="names"
        ),
        pytest.param(
            "more_errors: 30",
            "more_errors: 60",
            r"mine\.yaml:13：字段 gates more_errors 是 60，不能大于 one_error 55",
            id="gates",
        ),
        pytest.param("id: reason", "id: coverage", "id 'coverage' 重复出现", id="id twice"),
        pytest.param(
            "title: 校准\n",
            "title: 校准\n    title: 又\n",
            r"mine\.yaml:10：.*'title' 重复出现",
            id="key twice",
        ),
        pytest.param(
            "id: mine", "id: yours", r"mine\.yaml：字段 id 是 'yours'，应当与文件名一致", id="name"
        ),
    ],
)
def test_what_does_not_add_up_is_named(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with pytest.raises(RubricError, match=sentence):
        read_rubrics(write(tmp_path, TEXT.replace(old, new, 1)))


def test_a_folder_without_rubrics_says_so(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="没有评分标准文件"):
        read_rubrics(tmp_path)


def test_every_kind_of_question_has_its_rubric_in_the_shipped_ones() -> None:
    found = read_rubrics(SHIPPED)

    assert {*RUBRIC_OF_KIND.values(), FOLLOW_UP_RUBRIC} <= set(found)
