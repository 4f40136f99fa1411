"""Banks that a user imported: written whole or not at all, with a way back."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.user_banks import KEPT, STALE_SECONDS, UserBanks
from bot.adapters.words import words
from bot.adapters.yaml_banks import YamlBanks, read_bank
from bot.domain.bank import Bank, Figure, Topic
from bot.errors import ImportFileError, NotFoundError, StoreError
from bot.services.enriching import Enricher
from bot.services.merging import merge
from tests.importing import understood

pytestmark = pytest.mark.contract


def bank(answer: str = "甲是分页管理。", version: int = 1, name: str = "mine") -> Bank:
    found = understood(
        f"A. 显存\nQ1. 甲是什么？\n答：{answer}\n\nB. 调度\nQ2. 乙？\n答：乙是批。\n"
    )
    drafts = Enricher(words, {}, lambda _: ()).enrich(found.drafts)
    preview = found.model_copy(update={"drafts": drafts})
    return merge(preview, None, {}, bank_id=name, version=version).bank


@pytest.fixture
def own(tmp_path: Path) -> UserBanks:
    return UserBanks(tmp_path / "banks", ["vllm"])


def test_a_written_bank_is_read_like_any_other(own: UserBanks, tmp_path: Path):
    own.write(bank())

    banks = YamlBanks(tmp_path / "banks")
    assert banks.names() == ("mine",)
    assert banks.load("mine") == bank()
    assert sorted(path.name for path in (tmp_path / "banks" / "mine").iterdir()) == [
        "0001.yaml", "0002.yaml", "bank.yaml",
    ]  # fmt: skip


def test_topics_and_figures_are_kept(own: UserBanks, tmp_path: Path):
    full = bank().model_copy(
        update={
            "topics": (Topic(id="phases", title="推理阶段"),),
            "figures": (Figure(question=bank().questions[0].id, spellings=("8 倍",)),),
        }
    )

    own.write(full)

    assert read_bank(tmp_path / "banks" / "mine") == full


def test_a_former_version_can_be_read_as_long_as_it_is_kept(own: UserBanks):
    for version in (1, 2):
        own.write(bank(f"第{version}个答案。", version))

    assert own.version("mine", 1) == bank("第1个答案。", 1)
    assert own.version("mine", 2) is None  # the present one is read like any other bank
    assert own.version("mine", 9) is None
    assert own.version("../mine", 1) is None


def test_undo_brings_back_each_former_version_and_then_removes_the_bank(
    own: UserBanks, tmp_path: Path
):
    for version in (1, 2, 3):
        assert own.next_version("mine") == version
        own.write(bank(f"第{version}个答案。", version))

    assert own.undo("mine") == 2
    assert read_bank(tmp_path / "banks" / "mine") == bank("第2个答案。", 2)
    assert own.undo("mine") == 1
    assert own.undo("mine") is None
    assert YamlBanks(tmp_path / "banks").names() == ()
    with pytest.raises(NotFoundError, match="没有可以撤销的导入"):
        own.undo("mine")


def test_a_version_that_was_replaced_meanwhile_is_not_written_over(own: UserBanks, tmp_path: Path):
    own.write(bank())
    own.write(bank("别人的答案。", 2), over=1)

    with pytest.raises(StoreError, match="题库 mine 已在别处改为第 2 版，这次没有保存"):
        own.write(bank("我的答案。", 3), over=1)

    assert read_bank(tmp_path / "banks" / "mine") == bank("别人的答案。", 2)
    assert own.former_version("mine") == 1


def test_a_bank_without_former_versions_says_so(own: UserBanks):
    assert own.former_version("mine") is None
    own.write(bank())
    assert own.former_version("mine") is None


def test_a_version_number_is_never_used_twice(own: UserBanks):
    own.write(bank())
    own.write(bank("改过的答案。", 2))
    own.undo("mine")

    assert own.next_version("mine") == 3


@pytest.mark.parametrize("name", ["vllm", "VLLM", "Vllm"])
def test_a_shipped_bank_is_neither_written_nor_undone(own: UserBanks, name: str, tmp_path: Path):
    for act in (lambda: own.write(bank(name=name)), lambda: own.undo(name)):
        with pytest.raises(ImportFileError, match="随附的题库"):
            act()
    assert not (tmp_path / "banks").exists()


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "a\\b", ".history", "-a", "题库", "con", "a" * 65, "a\n"]
)
def test_a_name_that_is_no_identifier_is_refused(own: UserBanks, name: str):
    with pytest.raises(ImportFileError, match="不能用"):
        own.require_own(name)


def test_a_failure_between_the_renames_puts_the_old_bank_back(
    own: UserBanks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own.write(bank())
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.parent.name == ".writing" and target.name == "mine":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)

    with pytest.raises(StoreError, match="没有改动"):
        own.write(bank("新答案。", 2))

    assert read_bank(tmp_path / "banks" / "mine") == bank()
    assert not any((tmp_path / "banks" / ".writing").iterdir())


@pytest.mark.parametrize(
    "at", [pytest.param(1, id="before the swap"), pytest.param(2, id="in the swap")]
)
def test_a_process_killed_between_write_and_rename_leaves_the_old_bank(tmp_path: Path, at: int):
    folder = tmp_path / "banks"
    UserBanks(folder, []).write(bank())
    script = f"""
        import os, pathlib, signal
        from tests.contract.test_user_banks import bank
        from bot.adapters.user_banks import UserBanks
        rename, left = pathlib.Path.rename, [{at}]
        def killing(self, target):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return rename(self, target)
        pathlib.Path.rename = killing
        UserBanks(pathlib.Path({str(folder)!r}), []).write(bank("新答案。", 2))
    """
    root = Path(__file__).parents[2]
    died = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
        capture_output=True,
    )
    assert died.returncode == -9, died.stderr.decode()

    again = UserBanks(folder, [])
    again.recover()

    assert read_bank(folder / "mine") == bank()
    again.write(bank("新答案。", again.next_version("mine")))
    assert read_bank(folder / "mine").questions[0].reference.joined == "新答案。"
    assert again.undo("mine") == 1


def test_what_a_killed_process_left_is_cleared_after_a_day_and_old_versions_are_let_go(
    own: UserBanks, tmp_path: Path
):
    for version in range(1, KEPT + 4):
        own.write(bank(f"第{version}个答案。", version))
    left = tmp_path / "banks" / ".writing" / "left"
    left.mkdir()
    os.utime(left, (0, time.time() - STALE_SECONDS - 60))

    own.recover()

    assert not left.exists()
    assert (
        len([one for one in (tmp_path / "banks/.history/mine").iterdir() if one.is_dir()]) == KEPT
    )


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path):
    (tmp_path / "banks").write_text("a file in the way")

    with pytest.raises(StoreError, match="无法写入"):
        UserBanks(tmp_path / "banks", []).write(bank())


@settings(max_examples=60, deadline=None)
@given(
    st.text(
        st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n\t :#'\"{}[]&*!|>%@`-?\x85\u2028\ufeff"),
        min_size=1,
        max_size=60,
    )
)  # fmt: skip
def test_any_answer_is_written_and_read_back_unchanged(
    tmp_path_factory: pytest.TempPathFactory, answer: str
):
    folder = tmp_path_factory.mktemp("own") / "banks"
    first = bank()
    question = first.questions[0]
    reference = question.reference.model_copy(update={"reason": answer})
    part = first.sections[0].model_copy(
        update={"questions": (question.model_copy(update={"reference": reference}),)}
    )
    changed = first.model_copy(update={"sections": (part,)})

    UserBanks(folder, []).write(changed)

    assert read_bank(folder / "mine") == changed
