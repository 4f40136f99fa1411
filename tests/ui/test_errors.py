"""What is wrong is said in one sentence; a traceback goes to the log and nowhere else."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.services.interviewing import Interviews
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]

BANK = Path(__file__).parents[1] / "data" / "bank" / "small"


@pytest.fixture
def own_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the bank that a test may break. Ask for it before `open_page`."""
    folder = tmp_path / "corpus" / "small"
    shutil.copytree(BANK, folder)
    monkeypatch.setenv("BOT_CORPUS_DIR", str(folder.parent))
    return folder


def only_error(at: AppTest) -> str:
    """Return the one sentence the page shows, having seen that it is nothing more."""
    assert len(at.error) == 1
    sentence = at.error[0].value
    assert not at.exception
    assert "Traceback" not in shown(at)
    assert "\n" not in sentence
    assert sentence.endswith("。")
    return sentence.replace("\\", "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(
            "bank: small\nsection: {id: A", r"a\.yaml:\d+：YAML 语法有误", id="broken YAML"
        ),
        pytest.param("", r"a\.yaml：文件是空的", id="empty file"),
        pytest.param(
            "bank: small\nbonk: 1\n", r"a\.yaml:\d+：字段 .*", id="missing and unknown keys"
        ),
    ],
)
def test_a_broken_bank_is_named_with_file_and_line(
    text: str, says: str, product: Path, own_bank: Path, open_page: OpenPage
):
    (own_bank / "a.yaml").write_text(text, encoding="utf-8")

    at = open_page()

    assert re.search(says, only_error(at))
    assert [one.key for one in at.button] == ["language.switch"]


def test_a_question_id_used_twice_is_named(product: Path, own_bank: Path, open_page: OpenPage):
    text = (own_bank / "b.yaml").read_text(encoding="utf-8")
    (own_bank / "b.yaml").write_text(text.replace("id: S03", "id: S01"), encoding="utf-8")

    assert "'S01' 在题库里出现了不止一次" in only_error(open_page())


def test_a_bank_without_questions_is_named(product: Path, own_bank: Path, open_page: OpenPage):
    (own_bank / "a.yaml").unlink()
    (own_bank / "b.yaml").unlink()

    assert "题库里没有题目" in only_error(open_page("bank"))


def test_an_unknown_bank_is_named(
    product: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BOT_BANK", "nowhere")

    assert "没有题库 'nowhere'；现有：small。" in only_error(_fresh(open_page))


def test_a_wrong_setting_is_named(
    product: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BOT_LOG_LEVEL", "LOUD")

    assert "BOT_LOG_LEVEL" in only_error(_fresh(open_page))


@pytest.mark.parametrize("page", ["interview", "report", "sessions"])
def test_a_data_folder_that_cannot_be_written_is_one_sentence(
    page: str, product: Path, open_page: OpenPage
):
    product.write_text("a file where the folder should be", encoding="utf-8")

    at = open_page(page)

    assert str(product) in only_error(at)


@pytest.mark.parametrize("page", ["bank", "scoring"])
def test_what_needs_no_data_folder_works_without_one(page: str, product: Path, open_page: OpenPage):
    product.write_text("a file where the folder should be", encoding="utf-8")

    at = open_page(page)

    assert not at.error
    assert at.expander


def test_a_bug_becomes_a_number_and_a_log_entry(
    open_page: OpenPage,
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    session = services.interviews.begin_with(("S01", "S02"))
    at = open_page(session=session.id)
    monkeypatch.setattr(Interviews, "grade_waiting", broken)

    at.chat_input[0].set_value("不必重算。").run()

    sentence = only_error(at)
    number = re.search(r"编号 ([0-9a-f]{8})", sentence)
    assert number is not None
    assert "secret detail" not in shown(at)
    logged = [one for one in caplog.records if number[1] in one.getMessage()]
    assert len(logged) == 1
    assert logged[0].exc_info is not None
    assert "secret detail" in str(logged[0].exc_info[1])
    answer = services.store.load(session.id).turns[0].answer
    assert answer is not None
    assert answer.text == "不必重算。"


def _fresh(open_page: OpenPage) -> AppTest:
    """Open the page with settings read anew."""
    st.cache_resource.clear()
    return open_page()
