"""The import page: preview, accept, undo, and the way to an interview with the new bank."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from tests.importing import spoil
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

ROOT = Path(__file__).parents[2]

TEXT = "问：什么是分页？\n答：把显存切成固定大小的块，因此碎片少；代价是多一次查表。\n\n问：没有答案的题？\n"


class SameText:
    """Finds texts alike that are the same; the real embedding takes seconds."""

    def pairs(self, texts, others, at_least, progress):
        progress(1, 1)
        return ()


@pytest.fixture(autouse=True)
def likeness(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services.imports, "_likeness", SameText())


def preview(at: AppTest, text: str = TEXT) -> AppTest:
    at.text_area(key="import.text").set_value(text).run()
    return at.button(key="import.preview.button").click().run()


def accept(at: AppTest, name: str) -> AppTest:
    next(one for one in at.text_input if one.label.startswith("导入到题库")).set_value(name)
    return next(one for one in at.button if one.label == "导入").click().run()


def test_a_preview_shows_what_was_understood_and_skipped_and_writes_nothing(
    open_page: Callable[..., AppTest], services: Services, product: Path
):
    at = preview(open_page("importing"))

    assert not at.exception
    assert "认出 1 道题" in at.success[0].value
    assert "跳过 1 处" in at.success[0].value
    assert any("没有答案" in str(one.value) for one in at.dataframe)
    assert services.banks.names() == ("small",)
    assert not (product / "banks").exists()


def test_an_accepted_import_can_be_interviewed_with_and_taken_back(
    open_page: Callable[..., AppTest], services: Services
):
    at = accept(preview(open_page("importing")), "mine")
    assert not at.exception
    assert services.banks.names() == ("small", "mine")
    assert "mine@1 · 1 道题" in shown(at)

    at.button(key="undo-mine").click().run()
    assert any(one.key == "undo.yes" for one in at.button)
    assert services.banks.names() == ("small", "mine")

    services.imports.undo("mine")
    assert "mine@1" not in shown(open_page("importing"))


def test_a_refused_document_is_one_sentence(open_page: Callable[..., AppTest]):
    at = preview(open_page("importing"), "只是一段普通的话。")

    assert not at.exception
    assert "没有可以导入的题目" in at.error[0].value
    assert not at.success


def test_the_shipped_bank_cannot_be_written(open_page: Callable[..., AppTest], services: Services):
    at = accept(preview(open_page("importing")), "small")

    assert "随附的题库" in at.error[0].value
    assert services.banks.load("small").version == 1


def test_the_form_offers_an_imported_bank_and_begins_with_it(
    open_page: Callable[..., AppTest], services: Services
):
    services.imports.accept(services.imports.preview("a.txt", TEXT.encode()), "mine")
    at = AppTest.from_file(ROOT / "app.py", default_timeout=30)
    at.query_params["bank"] = "mine"

    at.run()

    assert at.selectbox(key="setup.bank").value == "mine"
    next(one for one in at.button if one.label == "开始面试").click().run()
    assert not at.exception
    assert "什么是分页" in shown(at)


def test_a_bank_that_was_broken_by_hand_does_not_close_the_pages(
    open_page: Callable[..., AppTest], services: Services
):
    services.imports.accept(services.imports.preview("a.txt", TEXT.encode()), "mine")
    spoil(services, "mine")
    services.forget_bank("mine")

    for name in ("interview", "importing"):
        at = open_page(name)
        assert not at.exception
        assert not at.error
