"""Answering with a drawing: the box on the page, the preview, a picture, and what is shown after."""

from __future__ import annotations

import hashlib
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.bootstrap.models import Models
from bot.domain.session import Session
from bot.ports import Filled
from bot.ui.components.diagram import SCRIPT, VENDOR
from tests.conftest import SMALL_BANK
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

ASKS = "asks: 上下文很长的时候，瓶颈会移到哪里？"
DRAWN = "```mermaid\nflowchart LR\n  A[显存] -->|带宽| B[计算]\n```"


DIGEST = "581ed7d74bd9048d0e3a91363927d72ef22942d7722546b27f7cc29e35390eb8"
"""Of dist/mermaid.min.js in the npm package mermaid 11.17.2."""


class SeeingChat:
    """Reads every picture as the same drawing."""

    name = "eye"

    def fill(self, form, messages, *, max_tokens, weighed=False):
        assert messages[-1].picture.startswith(b"\x89PNG")
        return Filled(
            value={"mermaid": "graph TD\n  A --> B", "unreadable": ["左下*角*"]},
            method="json_schema",
        )


@pytest.fixture
def product(product: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take a bank whose first follow-up asks for a drawing."""
    corpus = tmp_path / "corpus"
    shutil.copytree(SMALL_BANK["BOT_CORPUS_DIR"], corpus)
    section = corpus / "small" / "a.yaml"
    text = section.read_text(encoding="utf-8").replace(ASKS, f"{ASKS}\n        drawing: true")
    section.write_text(text, encoding="utf-8")
    monkeypatch.setenv("BOT_CORPUS_DIR", str(corpus))
    return product


@pytest.fixture
def asked(services: Services, begin: Callable[..., Session]) -> Session:
    """Return a session whose open turn is the follow-up that asks for a drawing."""
    session = services.interviews.answer(
        begin(follow_ups=1), "KV 缓存让键值不必重算，只算新 token。"
    )
    session = services.interviews.go_on(services.interviews.grade_waiting(session))
    assert session.turns[-1].follow_up_id == "f1"
    return session


def test_the_library_is_the_pinned_one_and_its_licence_lies_beside_it():
    script = (VENDOR / SCRIPT).read_bytes()

    assert hashlib.sha256(script).hexdigest() == DIGEST
    assert b"</script" not in script.lower()  # it is put into a page as text
    licence = (VENDOR / "mermaid-LICENSE.txt").read_text(encoding="utf-8")
    assert "The MIT License (MIT)" in licence
    assert "Knut Sveidqvist" in licence


def box(at: AppTest, session: Session):
    return at.text_area(key=f"draw-{session.turns[-1].id}")


def png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(file, "PNG")
    return file.getvalue()


def test_only_a_question_that_wants_a_drawing_offers_one(
    open_page: Callable[..., AppTest], begin: Callable[..., Session], asked: Session
):
    plain = open_page(session=begin().id)
    at = open_page(session=asked.id)

    assert not any("画图" in one.label for one in plain.expander)
    assert any("画图" in one.label for one in at.expander)
    assert not at.file_uploader


def test_what_was_drawn_in_the_box_is_stored_as_the_answer(
    open_page: Callable[..., AppTest], services: Services, asked: Session
):
    at = open_page(session=asked.id)
    box(at, asked).set_value(DRAWN).run()

    at.button(key=f"draw-{asked.turns[-1].id}-send").click().run()

    assert not at.exception
    turn = services.store.load(asked.id).turns[1]
    assert turn.answer is not None
    assert turn.answer.text == DRAWN
    assert turn.grade is not None
    assert turn.grade.key_points[0].verdict.value == "met"


def test_words_in_the_box_are_taken_as_words(open_page: Callable[..., AppTest], asked: Session):
    at = open_page(session=asked.id)

    box(at, asked).set_value("移到带宽上").run()

    assert "会按文字作答" in shown(at)


def test_an_empty_box_sends_nothing(open_page: Callable[..., AppTest], asked: Session):
    at = open_page(session=asked.id)

    assert at.button(key=f"draw-{asked.turns[-1].id}-send").disabled


class TestPictures:
    @pytest.fixture(autouse=True)
    def seeing(self, product: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_VISION_MODEL", "eye")
        monkeypatch.setattr(Models, "vision_chat", SeeingChat())

    def test_a_picture_is_read_into_the_box_and_not_sent(
        self, open_page: Callable[..., AppTest], services: Services, asked: Session
    ):
        at = open_page(session=asked.id)
        at.file_uploader[0].upload("a.png", png(), "image/png").run()

        at.button(key=f"draw-{asked.turns[-1].id}-read").click().run()

        assert not at.exception
        assert box(at, asked).value == "```mermaid\ngraph TD\n  A --> B\n```"
        assert "有 1 处没有看清：左下\\*角\\*" in shown(at)
        assert services.store.load(asked.id).turns[-1].answer is None

    def test_a_file_that_is_no_picture_is_one_sentence(
        self, open_page: Callable[..., AppTest], asked: Session
    ):
        at = open_page(session=asked.id)
        at.file_uploader[0].upload("a.png", b"<svg>", "image/png").run()

        at.button(key=f"draw-{asked.turns[-1].id}-read").click().run()

        assert not at.exception
        assert "PNG、JPEG 或 WebP" in at.error[0].value
        assert box(at, asked).value == ""
