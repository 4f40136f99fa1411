"""What is typed about a question becomes a new version of the bank, or sentences that say why not."""

from __future__ import annotations

import re

import pytest

from bot.domain.bank import Bank, Topic
from bot.domain.question import Misconception, Question, Slot
from bot.domain.question_edit import PointEdit, QuestionEdit, edit_of, edited
from bot.errors import BankError, ImportFileError, NotFoundError
from bot.ports import JudgeIdentity, Judgement
from bot.services.editing import Editing, NotSaved, Saved
from bot.services.grading import Grader
from tests import fakes
from tests.fakes import FakeClock, MemoryBanks
from tests.unit.test_checking import full_marks

WRONG = Misconception(says="反的", why="不对。", contradicts="c", patterns=(("反",),))
QUESTION = fakes.question(misconceptions=(WRONG,), follow_ups=(fakes.follow_up("f1", Slot.REASON),))
GENERATED = QUESTION.model_copy(
    update={
        "key_points": tuple(
            one.model_copy(update={"generated": True}) for one in QUESTION.key_points
        )
    }
)


def own(*questions: Question, version: int = 1) -> Bank:
    bank = fakes.bank(*(questions or (QUESTION, fakes.question("Q02", stem="另一题？"))))
    parts = tuple(one.model_copy(update={"bank": "mine"}) for one in bank.sections)
    return bank.model_copy(update={"id": "mine", "version": version, "sections": parts})


def typed(question: Question = QUESTION, **changes: object) -> QuestionEdit:
    """Return an edit of the question with these fields changed."""
    return edit_of(question).model_copy(update=changes)


def point(at: int, question: Question = QUESTION, **changes: object) -> QuestionEdit:
    """Return an edit that changes one key point."""
    points = list(edit_of(question).points)
    points[at] = points[at].model_copy(update=changes)
    return typed(question, points=tuple(points))


class Judge:
    """Gives references full marks, and cannot read a spelling with a stray bracket."""

    identity = JudgeIdentity(kind="offline")

    def __init__(self, *misses: str) -> None:
        self._misses = misses

    def judge(self, target, answer):
        for one in target.key_points:
            for group in one.concepts:
                if any("(" in spelling for spelling in group):
                    raise BankError(f"写法 {group[0]!r} 里的括号不成对。")
        claims = full_marks(target, answer)
        kept = tuple(one for one in claims.points if one.key_point_id not in self._misses)
        return Judgement(by=self.identity, claims=claims.model_copy(update={"points": kept}))


class Desk:
    """The editing of a bank, with everything around it in reach."""

    def __init__(self, *misses: str, bank: Bank | None = None) -> None:
        self.banks = MemoryBanks(fakes.bank(QUESTION), bank or own())
        self.forgotten: list[str] = []
        self.editing = Editing(
            banks=self.banks,
            own=self.banks,
            grader=lambda _: Grader(
                judge=Judge(*misses), rubrics=fakes.rubrics(), bank_name="mine@1", clock=FakeClock()
            ),
            forget=self.forgotten.append,
        )

    def now(self) -> Bank:
        return self.banks.load("mine")

    def question(self) -> Question:
        return self.now().find("Q01")


class TestTyping:
    def test_an_edit_that_changes_nothing_makes_the_same_question(self) -> None:
        assert edited(QUESTION, edit_of(QUESTION), 2) == QUESTION
        assert edited(GENERATED, edit_of(GENERATED), 2) == GENERATED

    def test_reference_and_key_point_are_changed(self) -> None:
        edit = point(1, says="分摊读取", slot=Slot.PREMISE_COST, weight=5, core=True,
                     concepts="读权重 / 读取\n分摊").model_copy(
            update={"reason": " 新的原因。 "}
        )  # fmt: skip
        edit = edit.model_copy(
            update={"points": (*edit.points, PointEdit(slot=Slot.REASON, says="丁", concepts="丁"))}
        )

        made = edited(QUESTION, edit, 2)

        assert isinstance(made, Question)
        assert made.reference.reason == "新的原因。"
        changed = made.key_points[1]
        assert (changed.id, changed.says, changed.slot) == ("b", "分摊读取", Slot.PREMISE_COST)
        assert (changed.weight, changed.core) == (5, True)
        assert changed.concepts == (("读权重", "读取"), ("分摊",))
        assert made.key_points[0] == QUESTION.key_points[0]

    def test_a_new_key_point_never_gets_the_id_of_one_that_was_removed(self) -> None:
        fresh = PointEdit(slot=Slot.REASON, says="新", concepts="新")
        edit = point(2, removed=True)
        edit = edit.model_copy(update={"points": (*edit.points, fresh)})

        made = edited(QUESTION, edit, 7)

        assert isinstance(made, Question)
        assert [one.id for one in made.key_points] == ["a", "b", "v7-4"]
        assert made.misconceptions[0].contradicts is None

    def test_a_changed_key_point_counts_as_accepted_and_the_others_do_not(self) -> None:
        made = edited(GENERATED, point(0, GENERATED, weight=2), 2)

        assert isinstance(made, Question)
        assert [one.generated for one in made.key_points] == [False, True, True]

    def test_concepts_that_lines_cannot_show_stay_as_long_as_nobody_touches_them(self) -> None:
        strange = fakes.key_point("a", concepts=(("首\ntoken", "甲 / 乙"),))
        question = fakes.question(points=(strange,))

        made = edited(question, point(0, question, weight=2), 2)

        assert isinstance(made, Question)
        assert made.key_points[0].concepts == strange.concepts

    @pytest.mark.parametrize(
        ("edit", "says"),
        [
            pytest.param(typed(conclusion=" "), "“结论”不能为空", id="no conclusion"),
            pytest.param(point(0, says="  "), "第 1 个采分点没有写“说什么”", id="no statement"),
            pytest.param(point(2, concepts=" / \n"), "第 3 个采分点没有概念组", id="no concepts"),
            pytest.param(typed(points=()), "至少要留一个采分点", id="no key points"),
            pytest.param(point(1, removed=True), "追问.*原因.*至少留一个", id="orphaned follow-up"),
            pytest.param(point(0, weight=9), "不合题库的格式", id="what the form would not let by"),
        ],
    )
    def test_each_problem_is_a_sentence(self, edit: QuestionEdit, says: str) -> None:
        problems = edited(QUESTION, edit, 2)

        assert isinstance(problems, tuple)
        (sentence,) = problems
        assert sentence.endswith("。")
        assert re.search(says, sentence)

    def test_all_problems_are_told_at_once(self) -> None:
        problems = edited(QUESTION, point(0, says="").model_copy(update={"conclusion": ""}), 2)

        assert isinstance(problems, tuple)
        assert len(problems) == 2


class TestSaving:
    def test_an_edit_is_a_new_version_and_the_former_one_is_kept(self) -> None:
        desk = Desk()

        done = desk.editing.save("mine", QUESTION, typed(reason="新的原因。"))

        assert done == Saved(bank="mine@2")
        assert desk.question().reference.reason == "新的原因。"
        assert desk.now().find("Q02") == own().find("Q02")
        assert desk.editing.former_version("mine") == 1
        assert desk.forgotten[-1] == "mine"
        assert desk.editing.undo("mine") == "mine@1"
        assert desk.question() == QUESTION

    def test_undo_never_removes_a_bank(self) -> None:
        desk = Desk()

        with pytest.raises(NotFoundError, match="没有更早的版本"):
            desk.editing.undo("mine")

        assert desk.now() == own()

    def test_an_edit_that_changes_nothing_makes_no_version(self) -> None:
        desk = Desk()

        assert desk.editing.save("mine", QUESTION, typed()) == Saved(bank="mine@1")
        assert desk.editing.former_version("mine") is None

    def test_a_shipped_bank_is_not_written(self) -> None:
        desk = Desk()

        with pytest.raises(ImportFileError, match="随附的题库"):
            desk.editing.save("demo", QUESTION, typed(reason="新"))

        assert not desk.editing.is_own("demo")
        assert desk.editing.is_own("mine")

    def test_a_spelling_that_cannot_be_read_is_a_problem(self) -> None:
        desk = Desk()

        done = desk.editing.save("mine", QUESTION, point(0, concepts="(并行"), despite_remarks=True)

        assert done == NotSaved(problems=("写法 '(并行' 里的括号不成对。",))
        assert desk.now() == own()

    def test_new_remarks_are_shown_before_anything_is_stored(self) -> None:
        desk = Desk()
        edit = typed(premise_cost="")

        shown = desk.editing.save("mine", QUESTION, edit)

        assert shown == NotSaved(remarks=("Q01：参考答案没有分成结论、原因、前提/代价三部分。",))
        assert desk.now() == own()
        done = desk.editing.save("mine", QUESTION, edit, despite_remarks=True)
        assert done == Saved(bank="mine@2", remarks=shown.remarks)

    def test_old_remarks_do_not_stand_in_the_way(self) -> None:
        desk = Desk("b")

        done = desk.editing.save("mine", QUESTION, typed(conclusion="并行。"))

        assert isinstance(done, Saved)
        assert any("没有命中这个采分点" in one for one in done.remarks)

    def test_a_slash_that_was_perhaps_meant_to_part_two_spellings_is_a_remark(self) -> None:
        done = Desk().editing.save("mine", QUESTION, point(0, concepts="并行/同时"))

        assert isinstance(done, NotSaved)
        assert done.remarks == ("写法“并行/同时”会当成一种说法；如果是两种，请在“/”两边各空一格。",)

    def test_what_somebody_else_changed_is_not_overwritten(self) -> None:
        desk = Desk()
        desk.editing.save("mine", QUESTION, typed(reason="别人的原因。"))

        done = desk.editing.save("mine", QUESTION, typed(reason="我的原因。"))

        assert isinstance(done, NotSaved)
        assert "已在别处改过（题库现在是 mine@2）" in done.problems[0]
        assert desk.question().reference.reason == "别人的原因。"

    def test_a_change_of_another_question_does_not_stand_in_the_way(self) -> None:
        desk = Desk()
        desk.editing.save("mine", own().find("Q02"), typed(own().find("Q02"), reason="别的。"))

        done = desk.editing.save("mine", QUESTION, typed(reason="我的原因。"))

        assert done == Saved(bank="mine@3")
        assert desk.now().find("Q02").reference.reason == "别的。"


class TestCopying:
    def test_a_shipped_question_is_copied_whole_into_a_new_bank(self) -> None:
        desk = Desk()
        shipped = desk.banks.load("demo")

        there = desk.editing.copy(QUESTION, shipped.sections[0].section, shipped, "fresh")

        assert there == "Q01"
        assert desk.banks.load("fresh").find("Q01") == QUESTION
        assert desk.banks.load("fresh").name == "fresh@1"

    def test_the_names_of_its_topics_are_copied_too(self) -> None:
        desk = Desk()
        topics = (Topic(id="phases", title="推理阶段"), Topic(id="other", title="别的"))
        shipped = desk.banks.load("demo").model_copy(update={"topics": topics})

        desk.editing.copy(QUESTION, shipped.sections[0].section, shipped, "fresh")

        assert desk.banks.load("fresh").topics == topics[:1]

    def test_it_is_added_to_a_bank_under_a_free_id(self) -> None:
        desk = Desk(bank=own(fakes.question("Q01", stem="另一题？")))
        shipped = desk.banks.load("demo")

        there = desk.editing.copy(QUESTION, shipped.sections[0].section, shipped, "mine")

        assert there != "Q01"
        assert desk.now().name == "mine@2"
        assert desk.now().find(there) == QUESTION.model_copy(update={"id": there})

    def test_a_copy_never_takes_the_place_of_an_edited_one(self) -> None:
        desk = Desk()
        desk.editing.save("mine", QUESTION, typed(reason="改过的原因。"))
        shipped = desk.banks.load("demo")

        with pytest.raises(ImportFileError, match="已经有这道题（Q01）"):
            desk.editing.copy(QUESTION, shipped.sections[0].section, shipped, "mine")

        assert desk.question().reference.reason == "改过的原因。"

    def test_it_does_not_go_into_a_shipped_bank(self) -> None:
        desk = Desk()
        shipped = desk.banks.load("demo")

        with pytest.raises(ImportFileError, match="随附"):
            desk.editing.copy(QUESTION, shipped.sections[0].section, shipped, "demo")
