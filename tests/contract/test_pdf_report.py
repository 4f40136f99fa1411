"""The PDF says what the document says, in any font with Chinese; without one it says so."""

from __future__ import annotations

import io
import re
from datetime import UTC, timedelta
from functools import cache
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pypdf import PdfReader

from bot.adapters.cjk_fonts import FOLDERS, usable_fonts
from bot.adapters.pdf_printer import PdfPrinter
from bot.domain.report import report_of
from bot.domain.report_document import (
    Cell,
    Facts,
    Paragraph,
    Piece,
    Quote,
    ReportDocument,
    Section,
    Table,
)
from bot.domain.session import Session
from bot.errors import ConfigError, FontMissingError
from bot.services.reporting import document_of
from tests import answers
from tests.fakes import NOON
from tests.long_session import MARKUP, long_session

pytestmark = pytest.mark.contract


def texts_of(value: object) -> set[str]:
    if isinstance(value, str):
        return set(value)
    return set().union(*map(texts_of, value)) if isinstance(value, tuple) else set()


@cache
def document() -> ReportDocument:
    """Return the document of the session of twenty questions."""
    session: Session = long_session()
    services = answers.services()
    report = report_of(session, services.bank, services.rubrics)
    return document_of(report, services.bank, services.rubrics, UTC)


def small(*blocks: object, label: str = "标签") -> ReportDocument:
    """Return a document of one section."""
    section = Section("题目", "one", tuple(blocks))  # type: ignore[arg-type]
    return ReportDocument("报告", label, NOON, Facts((("名", "值"),)), (section,))


def font_with(characters: set[str], file: Path, *, is_cff: bool = False) -> Path:
    """Write a font with these characters, each an empty box, so that no system font is needed."""
    # In a CID-keyed font glyphs are called by number; these are plain outlines under plain names.
    names = {ord(sign): f"u{ord(sign):05X}" for sign in sorted(characters)}
    glyphs = [".notdef", *names.values()]
    builder = FontBuilder(1000, isTTF=not is_cff)
    builder.setupGlyphOrder(glyphs)
    builder.setupCharacterMap(names)
    if is_cff:
        pen = T2CharStringPen(1000, None)
        _box(pen)
        outline = pen.getCharString()
        builder.setupCFF("Test", {"FullName": "Test SC"}, dict.fromkeys(glyphs, outline), {})
    else:
        drawn = TTGlyphPen(None)
        _box(drawn)
        builder.setupGlyf(dict.fromkeys(glyphs, drawn.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys(glyphs, (1000, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Test SC", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=800, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    builder.save(file)
    return file


def _box(pen: TTGlyphPen | T2CharStringPen) -> None:
    pen.moveTo((100, 0))
    pen.lineTo((900, 0))
    pen.lineTo((900, 700))
    pen.lineTo((100, 700))
    pen.closePath()


@pytest.fixture(scope="module")
def font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small font with all signs of the documents here, but without emoji."""
    known = texts_of(document()) | set("报告标签题目名值的分说评第页0123456789[]U+ABCDEF·长 ")
    return font_with(
        {sign for sign in known if sign.isprintable() and ord(sign) < 0x10000},
        tmp_path_factory.mktemp("fonts") / "small.ttf",
    )


@pytest.fixture(scope="module")
def twenty(font: Path) -> bytes:
    """Twenty questions in the small font."""
    return printed(document(), font)


def printed(found: ReportDocument, font: Path | None, folders: tuple[Path, ...] = ()) -> bytes:
    return PdfPrinter(font, folders).pdf(found)


def pages(content: bytes) -> list[str]:
    return [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]


def squeezed(text: str) -> str:
    return "".join(text.split())


class TestContent:
    def test_every_text_of_twenty_questions_can_be_read_again(self, twenty: bytes) -> None:
        said = squeezed("".join(pages(twenty)))

        for section in document().sections:
            assert squeezed(section.title) in said
        for turn in long_session().turns:
            if turn.answer is not None and MARKUP not in turn.answer.text:
                assert squeezed(turn.answer.text)[:8] in said

    def test_hostile_words_are_words(self, font: Path) -> None:
        said = squeezed("".join(pages(printed(small(Quote("作答", (Piece(MARKUP),))), font))))

        assert "<script>alert(1)</script>" in said
        assert '=HYPERLINK("http://a.invalid","点")' in said

    def test_a_sign_without_a_glyph_is_told_by_its_number_and_an_unseen_one_left_out(
        self, font: Path
    ) -> None:
        said = "".join(pages(printed(small(Paragraph("", "长\u200b长\U0001f642长\ufe0f")), font)))

        assert "长长[U+1F642]长" in said

    def test_every_page_has_its_number_and_says_who_graded(self, twenty: bytes) -> None:
        found = pages(twenty)

        for number, page in enumerate(found, start=1):
            assert f"第{number}页" in squeezed(page)
            assert "离线评分·不判断事实对错" in squeezed(page)

    def test_the_file_has_a_language_a_title_and_bookmarks(self, twenty: bytes) -> None:
        reader = PdfReader(io.BytesIO(twenty))

        assert reader.trailer["/Root"]["/Lang"] == "zh-CN"
        assert reader.metadata is not None
        assert reader.metadata.title == "模拟面试复盘报告"
        tops = [one.title for one in reader.outline if not isinstance(one, list)]
        assert tops[:3] == [one.title for one in document().sections[:3]]

    def test_the_same_document_makes_the_same_file(self, font: Path) -> None:
        assert printed(small(), font) == printed(small(), font)


class TestLayout:
    def test_a_long_answer_goes_on_over_pages(self, font: Path) -> None:
        content = printed(small(Quote("作答", (Piece("长" * 20_000, "good", ("分",)),))), font)

        found = pages(content)
        assert len(found) > 5
        assert squeezed("".join(found)).count("长") == 20_000

    def test_a_table_repeats_its_head_and_keeps_its_rows_whole(self, font: Path) -> None:
        rows = tuple((Cell(f"{n:03d}"), Cell("长" * 200, share=0.5)) for n in range(60))
        content = printed(small(Table(("名", "值"), (1, 3), rows)), font)

        found = pages(content)
        assert len(found) > 3
        for page in found[1:]:
            assert squeezed(page).startswith("名值")
        for number in range(60):
            (page,) = (one for one in map(squeezed, found) if f"{number:03d}" in one)
            assert page.split(f"{number:03d}")[1].startswith("长" * 40)

    def test_a_row_higher_than_a_page_goes_on_over_pages(self, font: Path) -> None:
        table = Table(
            ("名", "值"), (1, 1), ((Cell("0"), Cell("长" * 6000)), (Cell("1"), Cell("说")))
        )

        found = pages(printed(small(table), font))

        assert squeezed("".join(found)).count("长") == 6000
        assert "说" in found[-1]

    def test_an_empty_table_and_empty_texts_are_no_problem(self, font: Path) -> None:
        content = printed(
            small(Table(("名",), (1,), ()), Quote("", ()), Paragraph(""), Facts(())), font
        )

        assert len(pages(content)) == 1

    def test_a_label_wider_than_a_page_is_cut(self, font: Path) -> None:
        assert "第 1 页" in pages(printed(small(label="长" * 500), font))[0]


class TestFonts:
    def test_a_font_of_postscript_outlines_will_do(self, font: Path, tmp_path: Path) -> None:
        characters = set("报告标签题目名值的分说评第页0123456789长 ")
        outlines = font_with(characters, tmp_path / "outlines.otf", is_cff=True)

        assert "长说" in pages(printed(small(Paragraph("", "长说")), outlines))[0]

    def test_a_font_of_the_system_is_found_by_its_name(self, font: Path, tmp_path: Path) -> None:
        folder = tmp_path / "deep" / "er"
        folder.mkdir(parents=True)
        (folder / "SimHei.TTF").write_bytes(font.read_bytes())
        (folder / "NotoSansSC-Regular.otf").write_bytes(b"broken")

        printer = PdfPrinter(None, [tmp_path])

        assert printer.problem is None
        assert "题目" in pages(printer.pdf(small()))[0]

    def test_signs_that_it_lacks_come_from_another_font(self, font: Path, tmp_path: Path) -> None:
        font_with(set("✗☃"), tmp_path / "DejaVuSans.ttf")

        found = pages(printed(small(Paragraph("", "长✗长☃1")), font, (tmp_path,)))[0]

        assert "长✗长☃1" in squeezed(found)

    def test_without_a_font_it_says_what_to_do(self, tmp_path: Path) -> None:
        printer = PdfPrinter(None, [tmp_path, tmp_path / "nothing"])

        assert printer.problem is not None
        assert "BOT_PDF_FONT" in printer.problem
        with pytest.raises(FontMissingError, match="HTML"):
            printer.pdf(small())

    @pytest.mark.parametrize("content", [b"", b"no font", b"\x00\x01\x00\x00" + b"\xff" * 60, None])
    @pytest.mark.parametrize("name", ["a.ttf", "a.ttc", "a.txt"])
    def test_a_chosen_file_that_is_no_font_is_named(
        self, content: bytes | None, name: str, tmp_path: Path
    ) -> None:
        file = tmp_path / name
        if content is not None:
            file.write_bytes(content)
        printer = PdfPrinter(file)

        assert printer.problem is not None
        with pytest.raises(ConfigError, match=re.escape(f"BOT_PDF_FONT：{file}")):
            printer.pdf(small())

    def test_so_is_a_font_without_chinese(self, tmp_path: Path) -> None:
        latin = font_with(set("abc "), tmp_path / "latin.ttf")

        with pytest.raises(ConfigError, match="不是带中文的字体"):
            PdfPrinter(latin).pdf(small())


@pytest.fixture(scope="module")
def in_system_font() -> bytes:
    """Twenty questions in the best font of this machine."""
    return PdfPrinter(None).pdf(document())


@pytest.mark.skipif(
    next(usable_fonts(None, FOLDERS), None) is None, reason="no Chinese font on this machine"
)
class TestFontOfThisMachine:
    def test_twenty_questions_stay_below_a_megabyte(self, in_system_font: bytes) -> None:
        assert len(in_system_font) < 1_000_000

    def test_the_text_can_be_searched_and_copied(self, in_system_font: bytes) -> None:
        said = squeezed("".join(pages(in_system_font)))

        assert "\x00" not in said
        for section in document().sections:
            assert squeezed(section.title) in said

    def test_no_glyph_is_a_box(self, caplog: pytest.LogCaptureFixture) -> None:
        every_sign = "".join(sorted(texts_of(document()) - {"\n"}))

        PdfPrinter(None).pdf(small(Paragraph("", every_sign)))

        # fpdf2 warns of every sign that a font lacks.
        assert [one for one in caplog.messages if "missing" in one] == []

    def test_everything_is_embedded(self, in_system_font: bytes) -> None:
        fonts = {
            str(font["/DescendantFonts"][0]["/FontDescriptor"]["/FontName"]): font
            for page in PdfReader(io.BytesIO(in_system_font)).pages
            for font in (one.get_object() for one in page["/Resources"]["/Font"].values())
        }

        assert fonts
        for font in fonts.values():
            assert font["/Encoding"] == "/Identity-H"
            descriptor = font["/DescendantFonts"][0]["/FontDescriptor"]
            assert {"/FontFile2", "/FontFile3"} & set(descriptor)


def test_the_time_of_the_file_is_that_of_the_session(font: Path) -> None:
    reader = PdfReader(io.BytesIO(printed(small(), font)))

    assert reader.metadata is not None
    assert reader.metadata.creation_date is not None
    assert abs(reader.metadata.creation_date - NOON) < timedelta(seconds=1)
