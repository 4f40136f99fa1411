"""A question and a bank refuse what does not fit together, and say what it is."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.domain.question import Kind, Misconception, Question, Slot
from bot.errors import NotFoundError
from tests import fakes


def misconception(contradicts: str | None) -> Misconception:
    return Misconception(
        says="解码可以并行",
        why="后一个依赖前一个。",
        contradicts=contradicts,
        patterns=(("并行",),),
    )


class TestQuestion:
    def test_its_reference_reads_as_one_answer(self) -> None:
        joined = fakes.question().reference.joined

        assert joined == "前者并行计算。批次让读取权重的开销分摊。代价是显存占用。"

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            pytest.param(
                {"points": (fakes.key_point("a"), fakes.key_point("a"))},
                r"key_points 里的 id 'a' 重复出现",
                id="key point twice",
            ),
            pytest.param(
                {"follow_ups": (fakes.follow_up("f1"), fakes.follow_up("f1"))},
                r"follow_ups 里的 id 'f1' 重复出现",
                id="follow-up twice",
            ),
            pytest.param(
                {
                    "follow_ups": (
                        fakes.follow_up(points=(fakes.key_point("a"), fakes.key_point("a"))),
                    )
                },
                r"follow_ups\.f1\.key_points 里的 id 'a' 重复出现",
                id="key point of a follow-up twice",
            ),
            pytest.param(
                {"points": (fakes.key_point("a", Slot.ESTIMATE),)},
                r"key_points 的 'a' 用了槽位 slot 'estimate'.*conclusion、reason、premise_cost",
                id="slot of another kind",
            ),
            pytest.param(
                {"kind": Kind.DESIGN},
                r"key_points 的 'a' 用了槽位 slot 'conclusion'.*requirements、estimate",
                id="kind of other slots",
            ),
            pytest.param(
                {"points": (fakes.key_point("a"),), "follow_ups": (fakes.follow_up(),)},
                r"follow_ups 的 'f1' 的 aims_at 是 'reason'",
                id="aim at a slot that is not there",
            ),
            pytest.param(
                {"misconceptions": (misconception("z"),)},
                r"misconceptions 的 '解码可以并行' 的 contradicts 是 'z'",
                id="contradicts nothing",
            ),
        ],
    )
    def test_what_does_not_fit_is_named(self, changes: dict[str, object], sentence: str) -> None:
        with pytest.raises(ValidationError, match=sentence):
            fakes.question(**changes)

    def test_a_misconception_may_contradict_a_key_point_or_none(self) -> None:
        made = fakes.question(misconceptions=(misconception("a"), misconception(None)))

        assert [one.contradicts for one in made.misconceptions] == ["a", None]

    @pytest.mark.parametrize(
        "field", [pytest.param("id", id="id"), pytest.param("stem", id="stem")]
    )
    def test_a_question_without_words_is_refused(self, field: str) -> None:
        with pytest.raises(ValidationError, match=field):
            Question.model_validate({**fakes.question().model_dump(), field: "  "})

    def test_a_question_never_changes(self) -> None:
        with pytest.raises(ValidationError, match="frozen"):
            fakes.question().stem = "另一个"


class TestBank:
    def test_a_question_is_found_with_its_section(self) -> None:
        first, second = fakes.question("Q01"), fakes.question("Q02")
        bank = fakes.bank(sections={"A": [first], "B": [second]})

        assert bank.questions == (first, second)
        assert bank.find("Q02") == second
        assert bank.section_of("Q02").title == "章节 B"

    def test_a_question_that_is_not_there_is_named(self) -> None:
        bank = fakes.bank()

        with pytest.raises(NotFoundError, match="'demo' 里没有题目 'Q99'"):
            bank.find("Q99")
        with pytest.raises(NotFoundError, match="'demo' 里没有题目 'Q99'"):
            bank.section_of("Q99")

    def test_its_name_carries_its_version(self) -> None:
        assert fakes.bank().name == "demo@1"
