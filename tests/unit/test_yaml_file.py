"""A YAML file becomes a model, or one sentence that names file, line and field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters import yaml_file
from bot.domain.bank import BankFile, SectionFile
from bot.errors import BankError, RubricError
from tests.fakes import BANK_YAML, SECTION_YAML


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "题库" / "a.yaml"


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def complaint(path: Path, text: str | bytes, model: type[BankFile | SectionFile] = BankFile) -> str:
    """Return the sentence about the file, without its folder."""
    with pytest.raises(BankError) as caught:
        yaml_file.read(write(path, text), model, BankError)
    return str(caught.value).replace(f"{path.parent}/", "")


class TestGoodFiles:
    def test_it_becomes_the_model(self, path: Path) -> None:
        found = yaml_file.read(write(path, BANK_YAML), BankFile, BankError)

        assert (found.bank, found.version, found.title) == ("demo", 1, "示例题库")
        assert [term.id for term in found.terms] == ["kv", "decode"]

    def test_a_byte_order_mark_and_windows_lines_are_no_fault(self, path: Path) -> None:
        marked = "\ufeff" + BANK_YAML.replace("\n", "\r\n")

        found = yaml_file.read(write(path, marked), BankFile, BankError)

        assert found.title == "示例题库"

    def test_words_that_look_like_numbers_stay_words_in_quotes(self, path: Path) -> None:
        text = BANK_YAML.replace("[KV, 键值]", "['1.5', 'yes', '32']")

        found = yaml_file.read(write(path, text), BankFile, BankError)

        assert found.terms[0].spellings == ("1.5", "yes", "32")


class TestSyntax:
    @pytest.mark.parametrize(
        ("text", "line", "word"),
        [
            pytest.param(BANK_YAML.replace("title: 示例题库", "title: [示例"), 5, "", id="bracket"),
            pytest.param(BANK_YAML.replace("title:", "\ttitle:"), 4, "", id="tab"),
            pytest.param(
                BANK_YAML.replace("    says: Decode", "   says: Decode"), 8, "", id="indent"
            ),
            pytest.param(BANK_YAML.replace("示例题库", "'示例题库"), 10, "", id="quote not closed"),
            pytest.param(BANK_YAML + "title: 又一个\n", 10, "键 'title' 重复出现", id="key twice"),
            pytest.param(
                BANK_YAML + "    spellings: [x]\n",
                10,
                "键 'spellings' 重复出现",
                id="inner key twice",
            ),
            pytest.param(BANK_YAML + "? [a, b]\n: c\n", 10, "键应当是文字", id="list as a key"),
            pytest.param(BANK_YAML + "{{kv}: 1}: 2\n", 10, "", id="mapping as a key"),
            pytest.param(BANK_YAML + "more: !!python/object:os.system x\n", 10, "", id="code"),
            pytest.param(BANK_YAML + "---\nbank: demo\n", 10, "", id="two documents"),
        ],
    )
    def test_it_is_named_with_its_line(self, path: Path, text: str, line: int, word: str) -> None:
        told = complaint(path, text)

        assert told.startswith(f"a.yaml:{line}：YAML 语法有误（")
        assert word in told
        assert told.endswith("；请检查缩进、引号与冒号。")

    def test_a_control_character_is_a_fault_of_syntax(self, path: Path) -> None:
        assert "YAML 语法有误" in complaint(path, BANK_YAML.replace("示例", "示\x07例"))

    def test_a_reference_to_itself_is_refused(self, path: Path) -> None:
        told = complaint(path, "bank: demo\nversion: 1\ntitle: 示例\nterms: &a [*a]\n")

        assert told == "a.yaml：嵌套太深，或引用（*）指向了自己；请展开写。"


class TestFile:
    @pytest.mark.parametrize(
        "text", [pytest.param("", id="empty"), pytest.param("# 只有注释\n", id="comment")]
    )
    def test_an_empty_file_says_so(self, path: Path, text: str) -> None:
        assert complaint(path, text) == "a.yaml：文件是空的；请按 docs/banks.md 的格式填写。"

    @pytest.mark.parametrize(
        "encoding", [pytest.param(one, id=one) for one in ("gb18030", "utf-16")]
    )
    def test_another_encoding_is_named(self, path: Path, encoding: str) -> None:
        told = complaint(path, BANK_YAML.encode(encoding))

        assert told == "a.yaml：文件不是 UTF-8 编码；请另存为 UTF-8。"

    def test_a_missing_file_says_so(self, path: Path) -> None:
        with pytest.raises(RubricError, match=r"a\.yaml：无法读取（No such file or directory）"):
            yaml_file.read(path, BankFile, RubricError)

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(BankError, match="无法读取（Is a directory）"):
            yaml_file.read(tmp_path, BankFile, BankError)


class TestFields:
    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            pytest.param(
                "title: 示例题库",
                "titel: 示例题库",
                "a.yaml:4：字段 titel 多余的键，格式里没有它；请删除或改正拼写。",
                id="misspelt key",
            ),
            pytest.param(
                "title: 示例题库\n", "", "a.yaml:2：字段 title 缺少这个必填的键。", id="missing key"
            ),
            pytest.param(
                "    says: Decode\n",
                "",
                "a.yaml:7：字段 terms[1].says 缺少这个必填的键。",
                id="missing key inside",
            ),
            pytest.param(
                "says: Decode",
                "says: ''",
                "a.yaml:8：字段 terms[1].says 不能为空。",
                id="empty text",
            ),
            pytest.param(
                "says: Decode",
                "says: 1.5",
                "a.yaml:8：字段 terms[1].says 应当是文字；数字、是/否等请加引号。",
                id="number for text",
            ),
            pytest.param(
                "spellings: [decode]",
                "spellings: [decode, yes]",
                "a.yaml:9：字段 terms[1].spellings[1] 应当是文字；数字、是/否等请加引号。",
                id="yes for text",
            ),
            pytest.param(
                "spellings: [decode]",
                "spellings: decode",
                "a.yaml:9：字段 terms[1].spellings 应当是列表。",
                id="text for list",
            ),
            pytest.param(
                "spellings: [decode]",
                "spellings: []",
                "a.yaml:9：字段 terms[1].spellings 至少要有一项。",
                id="empty list",
            ),
            pytest.param(
                "id: decode",
                "id: kv",
                "terms 里的 id 'kv' 重复出现",
                id="id twice",
            ),
            pytest.param("version: 1", "version: 0", "a.yaml:3：字段 version ", id="version"),
        ],
    )
    def test_what_is_wrong_with_a_bank_is_named(
        self, path: Path, old: str, new: str, told: str
    ) -> None:
        assert told in complaint(path, BANK_YAML.replace(old, new))

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            pytest.param(
                "slot: conclusion",
                "slot: conclusions",
                "a.yaml:12：字段 questions[0].key_points[0].slot 不是允许的值（得到 'conclusions'）。",
                id="unknown slot",
            ),
            pytest.param(
                "slot: conclusion",
                "slot: estimate",
                "key_points 的 'a' 用了槽位 slot 'estimate'",
                id="slot of another kind",
            ),
            pytest.param(
                "weight: 3",
                "weight: 9",
                "a.yaml:13：字段 questions[0].key_points[0].weight ",
                id="weight",
            ),
            pytest.param(
                "- [并行, 一起算]",
                "- 并行",
                "a.yaml:15：字段 questions[0].key_points[0].concepts[0] 应当是列表。",
                id="group that is no list",
            ),
            pytest.param(
                "[并行, 一起算]",
                "[{kv}, 一起算]",
                "a.yaml:15：字段 questions[0].key_points[0].concepts[0][0] 应当是文字",
                id="term without quotes",
            ),
            pytest.param(
                "difficulty: easy",
                "difficulty: simple",
                "a.yaml:6：字段 questions[0].difficulty 不是允许的值（得到 'simple'）。",
                id="unknown difficulty",
            ),
            pytest.param(
                "    stem: 为什么？\n",
                "",
                "a.yaml:4：字段 questions[0].stem 缺少这个必填的键。",
                id="no stem",
            ),
        ],
    )
    def test_what_is_wrong_with_a_section_is_named(
        self, path: Path, old: str, new: str, told: str
    ) -> None:
        assert told in complaint(path, SECTION_YAML.replace(old, new), SectionFile)

    def test_a_list_instead_of_keys_is_refused(self, path: Path) -> None:
        assert complaint(path, "- bank: demo\n").startswith("a.yaml:1：")


_lines = st.lists(
    st.sampled_from(BANK_YAML.splitlines())
    | st.text("abc:-[]{}'\"#&*!|> \t", max_size=12)
    | st.text(max_size=6),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_lines)
def test_any_text_is_a_bank_or_one_sentence_about_the_file(path: Path, lines: list[str]) -> None:
    text = "\n".join(lines)

    told = ""
    try:
        yaml_file.read(write(path, text.encode("utf-8", "replace")), BankFile, BankError)
    except BankError as error:
        told = str(error)

    assert not told or re.match(rf"{re.escape(str(path))}(:\d+)?：.+", told, re.DOTALL)
