"""`mockbot import`: the preview, what is written, and the exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.adapters.likeness import EmbeddedLikeness
from bot.bootstrap import Services
from bot.cli.main import app
from bot.settings import read_settings
from tests.importing import source

pytestmark = pytest.mark.contract

TEXT = "问：什么是分页？\n答：把显存切成块，因此碎片少；代价是多一次查表。\n追问：块多大？\n\n问：没有答案？\n"


@pytest.fixture(autouse=True)
def alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find no texts alike: the embedding has a test of its own, and takes seconds."""
    monkeypatch.setattr(EmbeddedLikeness, "pairs", lambda *_: ())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*words: object) -> Result:
    found = CliRunner().invoke(app, ["import", *map(str, words)])
    assert found.exception is None or isinstance(found.exception, SystemExit)
    return found


def stored() -> tuple[str, ...]:
    """Return the banks that are not shipped."""
    services = Services(read_settings())
    names = services.banks.names()
    services.store.close()
    return tuple(name for name in names if name != "small")


def test_a_dry_run_shows_everything_and_writes_nothing(product: Path, file: Path):
    found = run(file, "--dry-run")

    assert found.exit_code == 0
    assert "认出 1 个章节、1 道题、1 个追问；跳过 1 处，近似重复 0 处" in found.stdout
    assert "没有答案" in found.stdout
    assert "（试运行，没有写入）将导入 notes@1：新增 1 道" in found.stdout
    assert stored() == ()


def test_an_import_is_a_bank_that_can_be_used_and_undone(product: Path, file: Path):
    found = run(file, "--bank", "mine")

    assert found.exit_code == 0
    assert "已导入 mine@1：新增 1 道" in found.stdout
    services = Services(read_settings())
    assert services.for_bank("mine").bank.questions[0].follow_ups[0].asks == "块多大？"
    services.store.close()

    again = run(file, "--bank", "mine")
    assert "没有新内容，题库没有改动" in again.stdout

    undone = run("--undo", "--bank", "mine")
    assert undone.exit_code == 0
    assert "已移除" in undone.stdout
    assert Services(read_settings()).banks.names() == ("small",)
    assert product.exists()


def test_the_source_document_is_imported_whole(product: Path, tmp_path: Path):
    path = tmp_path / "vllm-60.md"
    path.write_bytes(source())

    found = run(path)

    assert found.exit_code == 0
    assert "认出 6 个章节、60 道题、3 个追问；跳过 4 处" in found.stdout
    bank = Services(read_settings()).banks.load("vllm-60")
    assert len(bank.questions) == 60
    assert len(bank.sections) == 6


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "请给出要导入的文件"),
        (("--undo",), "请给出要导入的文件"),
        (("nothing.md",), "nothing.md：无法读取"),
        (("FILE", "--bank", "small"), "是随附的题库"),
        (("FILE", "--bank", "../x"), "不能用"),
        (("--undo", "--bank", "none"), "没有可以撤销的导入"),
        (("BINARY",), "看起来是二进制|认不出文字编码"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(
    product: Path, file: Path, tmp_path: Path, words: Sequence[str], sentence: str
):
    binary = tmp_path / "x.bin"
    binary.write_bytes(bytes(range(256)))
    given = {"FILE": str(file), "BINARY": str(binary)}

    found = run(*(given.get(word, word) for word in words))

    assert found.exit_code == 2
    assert pytest.importorskip("re").search(sentence, found.stderr)
    assert "Traceback" not in found.stderr
    assert stored() == ()


def test_names_of_banks_come_from_names_of_files(product: Path):
    imports = Services(read_settings()).imports

    assert imports.name_for("dir/My Notes.v2.md") == "my-notes-v2"
    assert imports.name_for("面试题.md") == "my-bank"
    assert imports.name_for("small.md") == "my-bank"
