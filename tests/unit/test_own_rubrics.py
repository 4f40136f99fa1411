"""A user's own rubric: what is wrong is said with its line; a sample shows the change at once."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from bot.adapters.yaml_rubrics import LONGEST_TEXT, RubricTexts, read_rubrics, read_texts
from bot.bootstrap import Services
from bot.bootstrap.choices import Choices
from bot.domain.grade import Grade, Provenance
from bot.domain.rubric import OwnRubric, Rubric
from bot.errors import RubricError
from bot.services.grading import Grader
from bot.services.own_rubrics import MOST_RUBRICS, OwnRubrics, Weighed, sample_for, weighed
from bot.settings import Settings
from tests.conftest import SMALL_BANK
from tests.fakes import FakeClock

RUBRICS = Path(__file__).parents[2] / "rubrics"
SHIPPED = read_rubrics(RUBRICS)
MAIN = "structured-answer"


class Kept:
    """Keeps rubrics in memory."""

    def __init__(self) -> None:
        self.versions: list[OwnRubric] = []

    def latest(self) -> tuple[OwnRubric, ...]:
        return tuple({one.rubric.id: one for one in self.versions}.values())

    def add(self, own: OwnRubric, at: datetime) -> None:
        self.versions.append(own)

    def delete(self, rubric_id: str) -> None:
        self.versions = [one for one in self.versions if one.rubric.id != rubric_id]


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def rubrics(kept: Kept) -> OwnRubrics:
    return OwnRubrics(
        store=kept,
        reader=RubricTexts(),
        shipped=SHIPPED,
        texts=lambda: read_texts(RUBRICS),
        clock=FakeClock(),
    )


@pytest.fixture
def services(tmp_path: Path) -> Services:
    bank = {"corpus_dir": Path(SMALL_BANK["BOT_CORPUS_DIR"]), "bank": SMALL_BANK["BOT_BANK"]}
    return Services(Settings(_env_file=None, data_dir=tmp_path, **bank))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_copy_of_a_shipped_rubric_is_right_as_it_is(rubrics: OwnRubrics, name: str) -> None:
    found = rubrics.checked(rubrics.copy_of(name))

    assert (found.id, found.based_on, found.version) == (f"my-{name}", name, 1)
    assert found.criteria == SHIPPED[name].criteria


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        pytest.param("max: 35", "max: 30", "加起来是 95，应当是 100", id="weights"),
        pytest.param("max: 35", "max: x", r"^第 6 行：字段 criteria\[0\]", id="number"),
        pytest.param("gates:", "gats:", r"^第 \d+ 行：字段 gats 多余的键", id="key"),
        pytest.param("criteria:", "criteria", r"^第 \d+ 行：YAML 语法有误", id="syntax"),
        pytest.param("id: my-structured-answer", "id: follow-up", "与随附的评分标准同名", id="id"),
        pytest.param("based_on: structured-answer\n", "", "缺少字段 based_on", id="no base"),
        pytest.param("based_on: structured-answer", "based_on: x", "没有这份随附", id="base"),
        pytest.param("title:", "title: &a", "不能用 YAML 的锚点", id="anchor"),
        pytest.param("title: ", "title: \ud800", "不完整的字符", id="surrogate"),
        pytest.param("title: ", f"title: {'长' * LONGEST_TEXT}", "上限是", id="length"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    rubrics: OwnRubrics, old: str, new: str, sentence: str
) -> None:
    text = rubrics.copy_of(MAIN).replace(old, new, 1)

    with pytest.raises(RubricError, match=sentence):
        rubrics.checked(text)


def test_an_empty_text_says_so(rubrics: OwnRubrics) -> None:
    with pytest.raises(RubricError, match="空的"):
        rubrics.checked("")


def test_versions_count_up_with_each_change_and_comments_stay(
    rubrics: OwnRubrics, kept: Kept
) -> None:
    text = "# 我的想法\n" + rubrics.copy_of(MAIN)

    first = rubrics.save(text)
    again = rubrics.save(text)
    second = rubrics.save(text.replace("max: 35", "max: 25").replace("max: 15", "max: 25"))

    assert [first.name, again.name, second.name] == [
        "my-structured-answer@1",
        "my-structured-answer@1",
        "my-structured-answer@2",
    ]
    assert kept.versions[-1].text.startswith("# 我的想法\n")
    assert "version: 2" in kept.versions[-1].text
    assert rubrics.checked(kept.versions[-1].text) == second


def test_there_is_a_limit_to_how_many(rubrics: OwnRubrics) -> None:
    text = rubrics.copy_of(MAIN)
    for number in range(MOST_RUBRICS):
        rubrics.save(text.replace("id: my-structured-answer", f"id: r{number}"))

    with pytest.raises(RubricError, match="最多保存"):
        rubrics.save(text)
    assert rubrics.save(text.replace("id: my-structured-answer", "id: r3")).version == 1


def test_a_sample_shows_criterion_by_criterion_what_changes(services: Services) -> None:
    own = with_points(SHIPPED[MAIN], coverage=25, conclusion=25)
    sample = sample_for(services.bank, MAIN)
    assert sample is not None

    found = weighed(sample, own, SHIPPED[MAIN], lambda one: grader(services, one))

    assert isinstance(found, Weighed)
    rows = {row.title: row for row in found.rows}
    assert (rows["采分点"].before_max, rows["采分点"].after_max) == (35, 25)
    assert (rows["结论"].before_max, rows["结论"].after_max) == (15, 25)
    assert rows["原因"].before == rows["原因"].after
    assert rows["采分点"].before != rows["采分点"].after


@pytest.mark.parametrize("name", [MAIN, "follow-up"])
def test_the_bank_has_a_sample_for_the_usual_rubrics(services: Services, name: str) -> None:
    sample = sample_for(services.bank, name)

    assert sample is not None
    assert sample.target.rubric_id == name


def test_new_grades_name_the_own_rubric_and_are_not_compared_with_the_shipped_one(
    services: Services,
) -> None:
    own = with_points(SHIPPED[MAIN], coverage=25, conclusion=25)
    mine = services.with_choices(Choices(own={own.id: own}, stands_in={MAIN: own.id}))
    sample = sample_for(services.bank, MAIN)
    assert sample is not None

    shipped, changed = (
        one.offline_grader.grade("a", sample.target, sample.answer) for one in (services, mine)
    )

    assert isinstance(shipped, Grade)
    assert isinstance(changed, Grade)
    assert changed.provenance.rubric == "mine@1"
    assert changed.provenance.based_on == MAIN
    assert not changed.provenance.comparable(shipped.provenance)
    assert not shipped.provenance.comparable(changed.provenance)
    assert mine.rubrics["mine"] == own
    assert mine.rubrics[MAIN] == SHIPPED[MAIN]


def test_an_own_rubric_goes_with_the_shipped_ones_for_other_kinds() -> None:
    mine = Provenance(judge="offline", rubric="mine@1", based_on=MAIN, bank="b@1")
    probe = Provenance(judge="offline", rubric="follow-up@1", bank="b@1")

    assert mine.comparable(probe)
    assert probe.comparable(mine)
    assert not mine.comparable(mine.model_copy(update={"rubric": "mine@2"}))
    assert not mine.comparable(mine.model_copy(update={"rubric": "other@1"}))


def test_a_rubric_that_was_deleted_or_stands_for_another_does_not_grade(
    services: Services,
) -> None:
    own = with_points(SHIPPED[MAIN], coverage=25, conclusion=25)
    gone = Choices(own={}, stands_in={MAIN: "mine"})
    wrong = Choices(own={own.id: own}, stands_in={"follow-up": own.id})

    assert services.with_choices(gone).weights == SHIPPED
    assert services.with_choices(wrong).weights == SHIPPED


def with_points(rubric: Rubric, **points: float) -> Rubric:
    criteria = tuple(
        one.model_copy(update={"max": points.get(one.id, one.max)}) for one in rubric.criteria
    )
    own = {"id": "mine", "based_on": rubric.id, "version": 1, "criteria": criteria}
    return Rubric.model_validate(rubric.model_copy(update=own).model_dump())


def grader(services: Services, rubric: Rubric) -> Grader:
    return services.commons.grader_with(
        services.offline_judge, services.bank, rubrics={**SHIPPED, str(rubric.based_on): rubric}
    )
