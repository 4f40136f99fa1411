"""A bank is a folder of files that belong together; what does not is named by its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.yaml_banks import YamlBanks, read_bank
from bot.domain.bank import Figure, Topic
from bot.errors import BankError, NotFoundError
from tests.fakes import BANK_YAML, SECTION_YAML


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one bank of one section."""
    write(tmp_path / "demo", bank=BANK_YAML, a=SECTION_YAML)
    return tmp_path


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


class TestBanks:
    def test_a_bank_is_read_with_all_its_sections_in_order(self, folder: Path) -> None:
        second = SECTION_YAML.replace("Q01", "Q02").replace("{id: A,", "{id: B,")
        write(folder / "demo", b=second)

        bank = YamlBanks(folder).load("demo")

        assert bank.name == "demo@1"
        assert [question.id for question in bank.questions] == ["Q01", "Q02"]
        assert [part.section.id for part in bank.sections] == ["A", "B"]
        assert [term.id for term in bank.terms] == ["kv", "decode"]

    def test_a_bank_may_have_topics_and_figures(self, folder: Path) -> None:
        figures = "bank: demo\nfigures: [{question: Q01, spellings: [8 倍], key_point: a}]\n"
        topics = f"{BANK_YAML}topics: [{{id: phases, title: 推理阶段}}]\n"
        write(folder / "demo", bank=topics, figures=figures)

        bank = YamlBanks(folder).load("demo")

        assert [one.id for one in bank.questions] == ["Q01"]
        assert bank.figures == (Figure(question="Q01", spellings=("8 倍",), key_point="a"),)
        assert bank.topics == (Topic(id="phases", title="推理阶段"),)

    def test_banks_of_all_folders_are_listed_the_first_folder_first(self, folder: Path) -> None:
        own = folder / "own"
        for name in ("zeta", "alpha", "demo"):
            write(
                own / name,
                bank=BANK_YAML.replace("demo", name),
                a=SECTION_YAML.replace("demo", name),
            )

        assert YamlBanks(folder, own).names() == ("demo", "alpha", "zeta")

    def test_of_two_banks_of_one_name_the_first_folder_wins(self, folder: Path) -> None:
        own = folder / "own"
        write(own / "demo", bank=BANK_YAML.replace("示例题库", "另一个"), a=SECTION_YAML)

        assert YamlBanks(folder, own).load("demo").title == "示例题库"

    def test_a_bank_is_read_once_until_it_is_forgotten(self, folder: Path) -> None:
        banks = YamlBanks(folder)
        first = banks.load("demo")
        write(folder / "demo", bank=BANK_YAML.replace("version: 1", "version: 2"))

        kept = banks.load("demo")
        banks.forget("demo")

        assert kept is first
        assert banks.load("demo").version == 2

    @pytest.mark.parametrize(
        "name",
        [
            pytest.param("other", id="unknown"),
            pytest.param("", id="empty"),
            pytest.param("../demo", id="a way out of the folder"),
        ],
    )
    def test_an_unknown_bank_is_answered_with_those_there_are(
        self, folder: Path, name: str
    ) -> None:
        with pytest.raises(NotFoundError, match=r"没有题库 .*现有：demo"):
            YamlBanks(folder).load(name)

    def test_a_folder_that_is_not_there_holds_no_bank(self, tmp_path: Path) -> None:
        assert YamlBanks(tmp_path / "missing").names() == ()


class TestWhatDoesNotBelong:
    def test_a_bank_without_a_section_file(self, folder: Path) -> None:
        (folder / "demo" / "a.yaml").unlink()

        with pytest.raises(BankError, match=r"demo：题库里没有题目；请放入至少一个章节文件"):
            read_bank(folder / "demo")

    def test_a_section_without_questions(self, folder: Path) -> None:
        write(folder / "demo", a="bank: demo\nsection: {id: A, title: 基础}\nquestions: []\n")

        with pytest.raises(BankError, match=r"a\.yaml:3：字段 questions 至少要有一项"):
            read_bank(folder / "demo")

    def test_a_section_of_another_bank(self, folder: Path) -> None:
        write(folder / "demo", b=SECTION_YAML.replace("bank: demo", "bank: other"))

        with pytest.raises(BankError, match=r"b\.yaml：字段 bank 是 'other'.* 'demo' 一致"):
            read_bank(folder / "demo")

    def test_figures_of_another_bank(self, folder: Path) -> None:
        write(
            folder / "demo", figures="bank: other\nfigures: [{question: Q01, spellings: [8 倍]}]\n"
        )

        with pytest.raises(BankError, match=r"figures\.yaml：字段 bank 是 'other'.* 'demo' 一致"):
            read_bank(folder / "demo")

    def test_a_topic_that_is_named_twice(self, folder: Path) -> None:
        twice = "topics: [{id: a, title: 甲}, {id: a, title: 乙}]\n"
        write(folder / "demo", bank=f"{BANK_YAML}{twice}")

        with pytest.raises(BankError, match=r"topics 里的 id 'a' 重复出现"):
            read_bank(folder / "demo")

    def test_a_question_id_in_two_files(self, folder: Path) -> None:
        write(folder / "demo", b=SECTION_YAML)

        with pytest.raises(BankError, match=r"a\.yaml：题目 id 'Q01' 在题库里出现了不止一次"):
            read_bank(folder / "demo")

    def test_a_question_id_twice_in_one_file(self, folder: Path) -> None:
        twice = SECTION_YAML + SECTION_YAML[SECTION_YAML.index("  - id: Q01") :]
        write(folder / "demo", a=twice)

        with pytest.raises(BankError, match="'Q01' 在题库里出现了不止一次"):
            read_bank(folder / "demo")

    def test_a_folder_named_otherwise_than_its_bank(self, folder: Path) -> None:
        """Its sessions could not be taken up again: they were looked for under the other name."""
        (folder / "demo").rename(folder / "renamed")

        with pytest.raises(BankError, match=r"bank\.yaml：字段 bank 是 'demo'.*文件夹名 'renamed'"):
            YamlBanks(folder).load("renamed")

    def test_a_broken_section_is_named_by_its_own_file(self, folder: Path) -> None:
        write(
            folder / "demo", b=SECTION_YAML.replace("weight: 3", "wieght: 3").replace("Q01", "Q02")
        )

        with pytest.raises(
            BankError, match=r"b\.yaml:13：字段 questions\[0\]\.key_points\[0\]\.wieght"
        ):
            read_bank(folder / "demo")

    def test_a_bank_without_its_head(self, folder: Path) -> None:
        (folder / "demo" / "bank.yaml").unlink()

        with pytest.raises(BankError, match=r"bank\.yaml：无法读取"):
            read_bank(folder / "demo")
