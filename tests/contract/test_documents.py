"""Documents as people have them, made here by the libraries that people's programs use."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import docx
import openpyxl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.adapters.documents import FileDocuments, limits
from bot.errors import ImportFileError
from bot.services.importing import understand
from tests.importing import pairs, read, source
from tests.pdf import pdf

pytestmark = pytest.mark.contract

EXPECTED = [("甲是什么？", "甲，是一。\n第二行。"), ("乙是什么？", "乙。")]
ROWS = [
    ("章节", "题目", "参考答案", "追问"),
    ("显存", "甲是什么？", "甲，是一。\n第二行。", "为什么？"),
    ("显存", "乙是什么？", "乙。", ""),
]
TEXT = "问：甲是什么？\n答：甲，是一。\n第二行。\n\n问：乙是什么？\n答：乙。\n"


def xlsx(change: Callable[[openpyxl.Workbook], None] = lambda _: None) -> bytes:
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)  # type: ignore[union-attr]
    change(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def word(change: Callable[[object], None]) -> bytes:
    document = docx.Document()
    change(document)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def zipped(**members: bytes | str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return file.getvalue()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-be", "utf-32"]
)
def test_text_is_read_in_the_encodings_people_save_it_in(encoding: str):
    bom = b"\xfe\xff" if encoding == "utf-16-be" else b""

    assert pairs(read("t.txt", bom + TEXT.encode(encoding))) == EXPECTED


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("encoding", ["gbk", "utf-8-sig"])
def test_a_csv_is_read_in_its_dialects(delimiter: str, encoding: str):
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in ROWS]

    found = read("t.csv", "\r\n".join(lines).encode(encoding))

    assert pairs(found) == EXPECTED
    assert [one.place for one in found.drafts] == ["第 2 行", "第 4 行"]
    assert found.drafts[0].follow_ups[0].text == "为什么？"


def test_an_xlsx_is_read_sheet_by_sheet():
    def change(book: openpyxl.Workbook) -> None:
        book.create_sheet("空")
        book.create_sheet("说明").append(["只是说明"])
        book.active["A9"].font = openpyxl.styles.Font(bold=True)  # type: ignore[index, union-attr]

    found = read("t.xlsx", xlsx(change))

    assert pairs(found) == EXPECTED
    assert found.drafts[0].section.title == "显存"
    assert found.drafts[0].place == "Sheet 第 2 行"
    assert "没有找到题目列" in found.skipped[0].reason


def test_a_docx_is_read_with_headings_and_tables():
    def headings(document):
        document.add_heading("显存", 1)
        document.add_heading("甲是什么？", 2)
        document.add_paragraph("甲，是一。\n第二行。")
        document.add_heading("乙是什么？", 2)
        document.add_paragraph("乙。")

    def tables(document):
        document.add_paragraph("题库如下")
        table = document.add_table(0, 4)
        for row in ROWS:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text

    def marks(document):
        for line in TEXT.splitlines():
            document.add_paragraph(line)

    found = read("t.docx", word(headings))
    assert pairs(found) == EXPECTED
    assert found.sections[0].title == "显存"
    assert pairs(read("t.docx", word(tables))) == EXPECTED
    assert pairs(read("t.docx", word(marks))) == EXPECTED


def test_a_text_pdf_is_read_and_its_lines_are_joined():
    answer = "同构全注意力模型的逻辑 KV 约为层数乘以 KV heads 乘以维度，还要考虑并行复制与块取整。"
    pages = (
        f"Q1. 怎么估算？\n参考回答：{answer}\n追问：为什么？\n1",
        f"Q2. 第二题是什么？\n参考回答：{answer}\n2",
    )

    found = read("t.pdf", pdf(*pages))

    assert [one.id for one in found.drafts] == ["Q1", "Q2"]
    assert found.drafts[1].stem == "第二题是什么？"
    assert [one.answer.replace(" ", "") for one in found.drafts] == [answer.replace(" ", "")] * 2
    assert found.drafts[0].follow_ups[0].text == "为什么？"
    assert found.drafts[1].place == "第 2 页"


def test_the_source_document_as_a_pdf_loses_no_question():
    whole = read("s.md", source())
    text = source().decode()
    lines = [line for line in text.splitlines() if line]
    pages = ["\n".join(lines[start : start + 12]) for start in range(0, len(lines), 12)]

    found = read("s.pdf", pdf(*pages))

    # A line that ends beside an English word may lose or gain the space there.
    assert [packed(one.stem) for one in found.drafts] == [packed(one.stem) for one in whole.drafts]
    assert [packed(one.answer) for one in found.drafts[:-1]] == [
        packed(one.answer) for one in whole.drafts[:-1]
    ]
    assert len(found.sections) == 6
    assert sum(len(one.follow_ups) for one in found.drafts) == 3


def packed(text: str) -> str:
    return text.replace(" ", "")


def test_what_pdf_programs_do_to_chinese_text_is_undone():
    page = "Q1. 怎么估算  KV ⼤⼩ ？\nA: ⻓上下⽂ “ KV ” 占 1 GiB ， 还要看 block 。"

    found = read("t.pdf", pdf(page, width=80))

    assert pairs(found) == [("怎么估算 KV 大小？", "长上下文“KV”占 1 GiB，还要看 block。")]


def test_headers_and_footers_of_a_pdf_are_left_out():
    pages = [f"My bank\nQ{n}. what is {n}?\nA: it is {n}\n我的文档 {n}/5" for n in range(1, 6)]

    found = read("t.pdf", pdf(*pages))

    assert pairs(found)[2] == ("what is 3?", "it is 3")
    assert [(one.reason, one.text) for one in found.skipped] == [
        ("每页都有的页眉或页脚", "My bank"), ("每页都有的页眉或页脚", "我的文档 1/5"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("t.json", json.dumps([{"题目": "甲？", "答案": "甲"}]), id="json"),
        pytest.param("t.jsonl", '{"题目":"甲？","答案":"甲"}\n', id="jsonl"),
        pytest.param("t.yaml", "- 题目: 甲？\n  答案: 甲\n", id="yaml"),
        pytest.param("t.md", "| 题目 | 答案 |\n|---|---|\n| 甲？ | 甲 |\n", id="pipe table"),
        pytest.param("t", '[{"题目":"甲？","答案":"甲"}]', id="json without a suffix"),
        pytest.param("t.txt", '{"题目":"甲？","答案":"甲"}\n{"题目":""}', id="json lines as text"),
        pytest.param("t.txt", "题目\t答案\n甲？\t甲\n", id="cells pasted as text"),
        pytest.param("t.pdf", "问：甲？\n答：甲", id="text under a wrong suffix"),
        pytest.param("t.csv", "问：甲？\n答：甲", id="text under the suffix of a table"),
    ],
)
def test_the_kind_is_told_by_content_as_well_as_by_suffix(name: str, content: str):
    assert pairs(read(name, content)) == [("甲？", "甲")]


def test_office_files_are_known_under_any_name():
    assert pairs(read("t.csv", xlsx())) == EXPECTED


def test_lines_that_are_no_json_are_listed():
    found = read("t.jsonl", '{"题目":"甲？","答案":"甲"}\n{oops\n')

    assert [(one.place, one.reason) for one in found.skipped] == [("第 2 行", "不是完整的 JSON")]


def test_a_section_file_of_our_own_passes_through_whole():
    path = Path(__file__).parents[1] / "data" / "bank" / "small" / "a.yaml"

    found = read("a.yaml", path.read_bytes())

    assert [one.id for one in found.drafts] == ["S01", "S02"]
    assert all(one.question and one.question.misconceptions for one in found.drafts)
    assert found.skipped == ()


def test_half_a_surrogate_pair_is_replaced():
    assert pairs(read("t.json", '[{"题目":"甲\\ud800？","答案":"乙"}]')) == [("甲\ufffd？", "乙")]


def bomb() -> bytes:
    return zipped(**{"xl__workbook.xml": b"0" * (60 << 20), "[Content_Types].xml": "<Types/>"})


def entity() -> bytes:
    text = '<!DOCTYPE x [<!ENTITY a "aaaa">]><w:document/>'
    return zipped(**{"word__document.xml": text, "[Content_Types].xml": "<Types/>"})


def far_row() -> bytes:
    def change(book: openpyxl.Workbook) -> None:
        for row in range(1, limits.MOST_ROWS + 3):
            book.active.cell(row, 1, "x")  # type: ignore[union-attr]

    return xlsx(change)


REFUSED = {
    "empty": ("t.txt", b"", "文件是空的"),
    "blank": ("t.md", b" \n\t\n", "文件是空的"),
    "bom alone": ("t.txt", b"\xef\xbb\xbf", "文件是空的"),
    "50 MB of text": ("t.txt", b"a" * (50 << 20), "50.0 MiB，上限是 10 MiB"),
    "too many lines": ("t.txt", b"a\n" * 200_001, "上限是 200000 行"),
    "zip bomb": ("t.xlsx", bomb, "压缩炸弹"),
    "too many members": (
        "t.docx",
        lambda: zipped(**{f"m{n}": b"" for n in range(limits.MOST_MEMBERS + 1)}),
        "压缩炸弹",
    ),
    "xlsm": ("t.xlsm", xlsx, "带宏的 Office 文件"),
    "docm": ("t.DOCM", b"PK", "带宏的 Office 文件"),
    "macro in disguise": (
        "t.xlsx",
        lambda: zipped(**{"xl__workbook.xml": "<a/>", "xl__vbaProject.bin": b"x"}),
        "带宏的 Office 文件",
    ),
    "macro by content type": (
        "t.xlsx",
        lambda: zipped(**{"[Content_Types].xml": "<x>sheet.macroEnabled.main</x>"}),
        "带宏的 Office 文件",
    ),
    "xml entities": ("t.docx", entity, "实体声明"),
    "plain zip": ("t.zip", lambda: zipped(a="b"), "压缩包"),
    "broken zip": ("t.docx", b"PK\x03\x04nonsense", "已损坏"),
    "broken xlsx": ("t.xlsx", lambda: zipped(**{"xl__workbook.xml": "<a/>"}), "已损坏"),
    "broken docx": ("t.docx", lambda: zipped(**{"word__document.xml": "<a/>"}), "已损坏"),
    "too many rows": ("t.xlsx", far_row, "超过 20000 行"),
    "old office": ("t.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 100, "旧版或有密码"),
    "scanned pdf": ("t.pdf", lambda: pdf("", ""), "可能是扫描件"),
    "encrypted pdf": ("t.pdf", lambda: pdf("Q1. a?\nA: b", password="x"), "有密码"),
    "too many pages": ("t.pdf", lambda: pdf(*["a"] * 501), "501 页，上限是 500 页"),
    "unreadable pdf": ("t.pdf", lambda: pdf("Q1. \x00\x00\x00?\nA: \x00\x00"), "文字编码读不出来"),
    "broken pdf": ("t.pdf", b"%PDF-1.7 nonsense", "PDF 已损坏"),
    "binary": ("t.txt", bytes(range(256)) * 50, "看起来是二进制|认不出文字编码"),
    "png": ("t.md", b"\x89PNG\r\n\x1a\n\x00\x00" + b"x" * 50, "看起来是二进制|认不出文字编码"),
    "rtf": ("t.txt", b"{\\rtf1 hello}", "RTF"),
    "html": ("t.md", b"<!DOCTYPE html><p>x", "网页"),
    "broken json": ("t.json", b'{"a": ', "第 1 行的 JSON 语法有误"),
    "deep json": ("t.json", b"[" * 100_000, "嵌套太深"),
    "much json": ("t.json", b"[" + b"1," * 500_001 + b"1]", "内容太多"),
    "broken yaml": ("t.yaml", b"a: [\nb", "行的 YAML 语法有误"),
    "yaml aliases": ("t.yaml", b"a: &a [x]\nb: [*a, *a]", "别名"),
    "yaml objects": ("t.yaml", b"!!python/object/apply:os.system [ls]", "YAML 语法有误"),
    "deep yaml": ("t.yaml", b"- " * 50, "嵌套太深"),
    "odd yaml date": ("t.yaml", b"a: 2026-99-99", "无法读取的值"),
    "prose": ("t.txt", "普通的文字。".encode(), "没有可以导入的题目"),
    "csv without answers": ("t.csv", "题目,难度\n甲,易".encode(), "没有找到题目列和答案列"),
}


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [pytest.param(*value, id=name) for name, value in REFUSED.items()],
)
def test_what_cannot_be_imported_is_refused_with_a_sentence(
    name: str, content: bytes | Callable[[], bytes], sentence: str
):
    data = content if isinstance(content, bytes) else content()

    with pytest.raises(ImportFileError, match=sentence) as caught:
        understand(FileDocuments().read(name, data))

    assert str(caught.value).startswith(name)
    assert str(caught.value).endswith("。")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\x\\t.txt", "", "..", "a" * 500])
def test_a_name_with_a_path_is_only_shown(name: str):
    found = understand(FileDocuments().read(name, TEXT.encode()))

    assert "/" not in found.name
    assert "\\" not in found.name
    assert len(found.name) <= 120


def test_a_formula_is_never_computed():
    def change(book: openpyxl.Workbook) -> None:
        book.active.append(["", "丙？", "=1+1", ""])  # type: ignore[union-attr]

    found = read("t.xlsx", xlsx(change))

    assert pairs(found) == EXPECTED
    assert found.skipped[0].reason == "没有答案"


SUFFIXES = ["", ".txt", ".md", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".xlsx", ".docx", ".pdf"]
PIECES = [
    "问：", "答：", "Q1. ", "A: ", "参考回答：", "追问：", "# ", "## ", "1. ", "- ", "**", "A. ", "|", ",",
    "题目", "答案", "question", "answer", "\t", "\n", "\n\n", "{", "}", "[", "]", '"', ":", ": ", "key_points",
    "stem", "reference", "terms", "questions", "&a", "*a", "!!set", "---", "```", "？", "。", "甲", "\x00", "\u2028",
    "%PDF-1.4\n", "PK\x03\x04", "obj", "stream", "null", "1e999", "9" * 50, "\ud800", "\ufeff",
]  # fmt: skip
SHAPED = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=40).map(
    lambda parts: "".join(parts).encode("utf-8", "surrogatepass")
)
ENCODED = st.tuples(st.text(max_size=200), st.sampled_from(["gb18030", "utf-16", "utf-32"])).map(
    lambda one: one[0].encode(one[1], "ignore")
)
ANYTHING = SHAPED | ENCODED | st.binary(max_size=400)


def survives(suffix: str, content: bytes) -> None:
    """Read and understand; only our own error may come out."""
    with suppress(ImportFileError):
        understand(FileDocuments().read(f"t{suffix}", content))


def examples(count: int) -> settings:
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))


@examples(300)
@given(suffix=st.sampled_from(SUFFIXES), content=ANYTHING)
@example(suffix=".yaml", content=b"? [a, b]\n: c")
@example(suffix=".yaml", content=b"? {a: b}\n: c")
@example(suffix=".yaml", content=b"a: !!binary 'x'")
@example(suffix=".yaml", content=b"a: 0x" + b"f" * 6_000 + b"\n0x" + b"f" * 6_000 + b": b")
@example(suffix=".json", content=b'{"a": ' + b"9" * 5_000 + b"}")
@example(suffix=".json", content=b'{"a": NaN, "b": 1e999}')
@example(suffix=".csv", content=b'"' * 200_001)
def test_no_input_raises_anything_but_our_own_error(suffix: str, content: bytes):
    survives(suffix, content)


@pytest.mark.slow
@examples(10_000)
@given(suffix=st.sampled_from(SUFFIXES), content=ANYTHING)
def test_no_input_of_many_raises_anything_but_our_own_error(suffix: str, content: bytes):
    survives(suffix, content)


def damaged(content: bytes, seed: int) -> bytes:
    """Return the file with a few bytes changed, cut out or doubled."""
    rng = random.Random(seed)
    data = bytearray(content)
    for _ in range(rng.randint(1, 20)):
        at = rng.randrange(len(data))
        match rng.randrange(3):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randint(1, 50)]
            case _:
                data[at:at] = data[at : at + rng.randint(1, 50)]
        if not data:
            return b"PK"
    return bytes(data)


def rezipped(content: bytes, seed: int) -> bytes:
    """Return the archive with damage inside its members, so that it still opens."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for member in old.infolist():
            new.writestr(member.filename, damaged(old.read(member) or b" ", seed))
    return file.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    ".xlsx": xlsx,
    ".docx": lambda: word(lambda document: document.add_paragraph(TEXT)),
    ".pdf": lambda: pdf("Q1. a?\nA: b"),
}


@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize(
    "count", [pytest.param(60, id="few"), pytest.param(1_500, id="many", marks=pytest.mark.slow)]
)
def test_damaged_files_raise_nothing_but_our_own_error(suffix: str, count: int):
    content = FILES[suffix]()
    for seed in range(count):
        survives(suffix, damaged(content, seed))
        if suffix != ".pdf":
            survives(suffix, rezipped(content, seed))
