"""Banks that an owner imported: whole or not at all, with a way back, and for nobody else."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from bot.adapters.owner_banks import OwnerBanks
from bot.adapters.sql_banks import KEPT
from bot.adapters.sql_store import SqlStore
from bot.adapters.words import words
from bot.adapters.yaml_banks import YamlBanks
from bot.domain.bank import Bank, Figure, Topic
from bot.errors import BankError, ImportFileError, NotFoundError, StoreError
from bot.services.enriching import Enricher
from bot.services.merging import merge
from tests.contract.conftest import Opener
from tests.fakes import FakeClock
from tests.importing import understood

pytestmark = pytest.mark.contract

SMALL = Path(__file__).parents[1] / "data" / "bank"

Open = Callable[..., OwnerBanks]


def bank(answer: str = "甲是分页管理。", version: int = 1, name: str = "mine") -> Bank:
    found = understood(
        f"A. 显存\nQ1. 甲是什么？\n答：{answer}\n\nB. 调度\nQ2. 乙？\n答：乙是批。\n"
    )
    drafts = Enricher(words, {}, lambda _: ()).enrich(found.drafts)
    preview = found.model_copy(update={"drafts": drafts})
    return merge(preview, None, {}, bank_id=name, version=version).bank


@pytest.fixture
def open_banks(reopen: Opener, tmp_path: Path) -> Open:
    """Opens the banks of an owner, as another process would."""

    def opens(owner: str = "local") -> OwnerBanks:
        store: SqlStore = reopen(owner)
        return OwnerBanks(
            shipped=YamlBanks(SMALL),
            installed=YamlBanks(tmp_path / "banks"),
            stored=lambda: store.banks,
            clock=FakeClock(),
        )

    return opens


@pytest.fixture
def own(open_banks: Open) -> OwnerBanks:
    return open_banks()


def installed(tmp_path: Path) -> Path:
    """Put a bank into the data folder, as somebody does by hand."""
    folder = tmp_path / "banks" / "hand"
    folder.mkdir(parents=True)
    (folder / "bank.yaml").write_text("bank: hand\nversion: 4\ntitle: 手写\n", encoding="utf-8")
    source = (SMALL / "small" / "a.yaml").read_text(encoding="utf-8")
    (folder / "a.yaml").write_text(source.replace("bank: small", "bank: hand"), encoding="utf-8")
    return folder


def test_a_written_bank_is_read_like_any_other(own: OwnerBanks, open_banks: Open):
    own.write(bank())

    assert own.names() == ("small", "mine")
    assert open_banks().load("mine") == bank()
    assert open_banks().stored() == (bank(),)


def test_topics_and_figures_are_kept(own: OwnerBanks, open_banks: Open):
    full = bank().model_copy(
        update={
            "topics": (Topic(id="phases", title="推理阶段"),),
            "figures": (Figure(question=bank().questions[0].id, spellings=("8 倍",)),),
        }
    )

    own.write(full)

    assert open_banks().load("mine") == full


def test_a_bank_of_one_owner_is_nothing_to_another(own: OwnerBanks, open_banks: Open):
    own.write(bank())
    other = open_banks("other")

    assert other.names() == ("small",)
    assert other.version("mine", 1) is None
    assert other.former_version("mine") is None
    for act in (lambda: other.load("mine"), lambda: other.undo("mine")):
        with pytest.raises(NotFoundError, match="没有"):
            act()
    other.write(bank("另一个人的答案。"))
    other.write(bank("另一个人的第二版。", 2))
    assert own.load("mine") == bank()
    assert own.next_version("mine") == 2
    assert other.undo("mine") == 1
    assert own.load("mine") == bank()


def test_a_change_by_another_process_is_seen(own: OwnerBanks, open_banks: Open):
    own.write(bank())
    assert own.load("mine").version == 1

    open_banks().write(bank("别处的答案。", 2), over=1)

    assert own.load("mine") == bank("别处的答案。", 2)


def test_a_former_version_can_be_read_as_long_as_it_is_kept(own: OwnerBanks):
    for version in (1, 2):
        own.write(bank(f"第{version}个答案。", version))

    assert own.version("mine", 1) == bank("第1个答案。", 1)
    assert own.version("mine", 2) is None  # the present one is read like any other bank
    assert own.version("mine", 9) is None
    assert own.version("../mine", 1) is None


def test_undo_brings_back_each_former_version_and_then_removes_the_bank(own: OwnerBanks):
    for version in (1, 2, 3):
        assert own.next_version("mine") == version
        own.write(bank(f"第{version}个答案。", version))

    assert own.former_version("mine") == 2
    assert own.undo("mine") == 2
    assert own.load("mine") == bank("第2个答案。", 2)
    assert own.undo("mine") == 1
    assert own.former_version("mine") is None
    assert own.undo("mine") is None
    assert own.names() == ("small",)
    assert own.next_version("mine") == 4  # a version number is never used twice
    with pytest.raises(NotFoundError, match="没有可以撤销的导入"):
        own.undo("mine")


def test_a_version_that_was_replaced_meanwhile_is_not_written_over(own: OwnerBanks):
    own.write(bank())
    own.write(bank("别人的答案。", 2), over=1)

    with pytest.raises(StoreError, match="题库 mine 已在别处改为第 2 版，这次没有保存"):
        own.write(bank("我的答案。", 3), over=1)

    assert own.load("mine") == bank("别人的答案。", 2)
    assert own.former_version("mine") == 1


def test_of_two_who_write_the_same_version_one_is_told(own: OwnerBanks, open_banks: Open):
    own.write(bank())
    writers = [open_banks() for _ in range(4)]

    def write(one: OwnerBanks) -> bool:
        try:
            one.write(bank("改过的答案。", 2), over=1)
        except StoreError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(write, writers))

    assert done.count(True) == 1


def test_a_bank_in_the_data_folder_is_everybodys_until_one_changes_it_for_themselves(
    open_banks: Open, tmp_path: Path
):
    folder = installed(tmp_path)
    mine, other = open_banks("me"), open_banks("other")
    assert mine.load("hand") == other.load("hand")
    assert not mine.is_stored("hand")

    mine.write(bank("我的答案。", mine.next_version("hand"), "hand"), over=4)

    assert mine.load("hand").version == 5
    assert mine.is_stored("hand")
    assert other.load("hand").version == 4
    assert mine.former_version("hand") == 4
    assert mine.undo("hand") == 4
    assert mine.load("hand") == other.load("hand")
    assert folder.is_dir()


@pytest.mark.parametrize("name", ["small", "SMALL", "Small"])
def test_a_shipped_bank_is_neither_written_nor_undone(own: OwnerBanks, name: str):
    for act in (lambda: own.write(bank(name=name)), lambda: own.undo(name)):
        with pytest.raises(ImportFileError, match="随附的题库"):
            act()
    assert own.names() == ("small",)


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "a\\b", ".history", "-a", "题库", "con", "a" * 65, "a\n"]
)
def test_a_name_that_is_no_identifier_is_refused(own: OwnerBanks, name: str):
    with pytest.raises(ImportFileError, match="不能用"):
        own.require_own(name)


def test_old_versions_are_let_go(own: OwnerBanks, reopen: Opener):
    for version in range(1, KEPT + 4):
        own.write(bank(f"第{version}个答案。", version))

    assert len(reopen().banks.versions("mine")) == KEPT + 1


def test_a_record_that_is_no_bank_can_be_undone(own: OwnerBanks, open_banks: Open, reopen: Opener):
    own.write(bank())
    own.write(bank(version=2))
    with reopen()._engine.begin() as connection:
        connection.execute(text("UPDATE banks SET bank = '{}' WHERE version = 2"))
    fresh = open_banks()

    with pytest.raises(BankError, match="题库 mine 第 2 版的记录不完整"):
        fresh.load("mine")
    assert fresh.undo("mine") == 1
    assert fresh.load("mine") == bank()


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(
        st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n\t :#'\"{}[]&*!|>%@`-?\x00\x85\u2028\ufeff"),
        min_size=1,
        max_size=60,
    )
)  # fmt: skip
def test_any_answer_is_written_and_read_back_unchanged(open_banks: Open, answer: str):
    first = bank()
    question = first.questions[0]
    reference = question.reference.model_copy(update={"reason": answer})
    part = first.sections[0].model_copy(
        update={"questions": (question.model_copy(update={"reference": reference}),)}
    )
    own = open_banks()
    version = own.next_version("mine")
    changed = first.model_copy(update={"sections": (part,), "version": version})

    own.write(changed)

    own.forget("mine")
    assert own.load("mine") == changed
