"""A picture of a drawing: taken apart by a real decoder, and read over a real endpoint."""

from __future__ import annotations

import base64
import gc
import io
import random
import zlib
from collections.abc import Iterator

import pytest
from PIL import Image, PngImagePlugin
from pydantic import SecretStr

from bot.adapters.chat_models import open_chat_model
from bot.adapters.endpoint import Endpoint
from bot.adapters.pictures import LARGEST, LONGEST_SIDE, as_png
from bot.errors import JudgeUnavailableError, PictureError
from bot.services.picturing import read_picture
from tests.contract.quirk_server import QuirkServer

pytestmark = pytest.mark.contract


class Open:
    """A gate that is open."""

    def closed_because(self) -> str | None:
        return None


@pytest.fixture(scope="module")
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()
    gc.collect()  # an open connection would warn


@pytest.fixture
def chat(server: QuirkServer, request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    server.seen.clear()
    opened = open_chat_model(
        request.param, base_url=server.url, key=SecretStr("sk-x"), sleep=lambda _: None
    )
    assert isinstance(opened, Endpoint)
    yield opened
    opened.close()


def written(
    format_: str = "PNG", size: tuple[int, int] = (64, 32), mode: str = "RGB", **options: object
) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size, "red" if mode == "RGB" else None).save(file, format_, **options)
    return file.getvalue()


def read_back(png: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(png))
    picture.load()
    assert picture.format == "PNG"
    return picture


class TestTakingAPicture:
    @pytest.mark.parametrize("format_", ["PNG", "JPEG", "WEBP"])
    def test_pictures_become_png(self, format_: str):
        assert read_back(as_png(written(format_))).size == (64, 32)

    def test_nothing_but_pixels_is_kept(self):
        told = PngImagePlugin.PngInfo()
        told.add_text("Author", "canary")
        exif = Image.Exif()
        exif[0x010E] = "canary"

        clean = as_png(written(pnginfo=told, exif=exif))

        assert b"canary" not in clean
        assert not read_back(clean).info

    def test_a_picture_that_was_taken_sideways_is_turned_upright(self):
        exif = Image.Exif()
        exif[0x0112] = 6

        assert read_back(as_png(written("JPEG", exif=exif))).size == (32, 64)

    def test_what_can_be_seen_through_stands_on_white(self):
        assert read_back(as_png(written(mode="RGBA"))).getpixel((0, 0)) == (255, 255, 255)

    def test_a_large_picture_is_made_smaller(self):
        assert max(read_back(as_png(written(size=(5000, 100)))).size) == LONGEST_SIDE

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            pytest.param(b"", "PNG", id="empty"),
            pytest.param(b"<svg onload=alert(1)>", "PNG", id="svg"),
            pytest.param(written("GIF"), "PNG", id="gif"),
            pytest.param(written("BMP"), "PNG", id="bmp"),
            pytest.param(written()[:60], "损坏", id="cut off"),
            pytest.param(b"x" * (LARGEST + 1), "MiB", id="too large"),
        ],
    )
    def test_anything_else_is_refused_in_a_sentence(self, content: bytes, why: str):
        with pytest.raises(PictureError, match=why):
            as_png(content)

    def test_a_small_file_of_endless_pixels_is_refused_before_it_is_unpacked(self):
        def chunk(name: bytes, data: bytes) -> bytes:
            crc = zlib.crc32(name + data)
            return len(data).to_bytes(4) + name + data + crc.to_bytes(4)

        side = (30_000).to_bytes(4)
        bomb = (
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", side + side + b"\x08\x02\x00\x00\x00")
            + chunk(b"IDAT", zlib.compress(b"\0" * 100))
            + chunk(b"IEND", b"")
        )

        with pytest.raises(PictureError):
            as_png(bomb)

    def test_a_damaged_file_never_raises_anything_else(self):
        rng = random.Random(7)
        for format_ in ("PNG", "JPEG", "WEBP"):
            for _ in range(60):
                content = bytearray(written(format_))
                for _ in range(4):
                    content[rng.randrange(len(content))] = rng.randrange(256)
                try:
                    as_png(bytes(content))
                except PictureError:
                    continue


class TestReadingADrawing:
    @pytest.mark.parametrize("chat", ["sees"], indirect=True)
    def test_the_picture_arrives_and_comes_back_as_mermaid(
        self, server: QuirkServer, chat: Endpoint
    ):
        png = as_png(written())

        read = read_picture(chat, png, gate=Open())

        assert read.mermaid == "flowchart LR\n  A[甲] -->|调用| B[乙]"
        assert read.unreadable == ("右下角的字",)
        (seen,) = server.of("sees")
        (address,) = seen.pictures
        kind, _, data = address.partition(",")
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data) == png

    @pytest.mark.parametrize(
        "chat", ["blind", "blind-serde", "blind-500", "blind-zh"], indirect=True
    )
    def test_a_model_that_cannot_see_is_one_clear_sentence(
        self, server: QuirkServer, chat: Endpoint
    ):
        with pytest.raises(JudgeUnavailableError, match=r"不能看图.*BOT_VISION_MODEL"):
            read_picture(chat, as_png(written()), gate=Open())

        assert len(server.of(chat.name)) == 1
