"""What the documents say is so: settings, commands, links, numbers, and what must not be in them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer
from pydantic import AliasChoices, AliasPath
from typer.testing import CliRunner

from bot.adapters.yaml_rubrics import read_rubrics
from bot.cli.main import app
from bot.domain.agreement import half_up, held_out_levels, weighted_kappa
from bot.domain.claims import Flag
from bot.settings import PREFIX, Settings
from tests.documents import DOCUMENTS, ROOT, commands_of, text_of

READMES = ("README.md", "README.en.md")
COMMAND = typer.main.get_command(app)
UNWANTED = re.compile(
    "|".join(  # put together here, so that this file does not contain what it looks for
        ("/wor" + "k/", r"/tm" + r"p/w\b", "files[.]python" + "hosted", "py" + "pi[.]org")
    )
)
LONGEST_ENTRY = 25
NEAR = 0.015
"""So far a quoted agreement may be off; figures are rounded, and one answer moves them a little."""


@pytest.mark.parametrize("document", READMES)
def test_the_table_of_settings_names_every_setting_and_no_other(document: str) -> None:
    table = _block(document, "settings")

    named = re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE)

    assert sorted(named) == sorted(_setting_names())


@pytest.mark.parametrize(
    ("document", "arguments"),
    [
        pytest.param(document, words, id=f"{document}: {' '.join(words)[:40]}")
        for document in DOCUMENTS
        for words in commands_of(document)
    ],
)
def test_a_command_that_a_document_shows_is_understood(document: str, arguments: list[str]) -> None:
    assert isinstance(COMMAND, typer.core.TyperGroup)

    command = COMMAND.commands[arguments[0]]

    # Parsing raises for an unknown option, a missing argument or a value out of range.
    command.make_context(arguments[0], arguments[1:])


def test_every_command_has_a_help_text_and_stands_in_the_readme() -> None:
    assert isinstance(COMMAND, typer.core.TyperGroup)
    readme = text_of("README.md")
    for name in COMMAND.commands:
        shown = CliRunner().invoke(app, [name, "--help"])

        assert shown.exit_code == 0, name
        assert f"`{name}`" in readme, name


@pytest.mark.parametrize("document", READMES)
def test_the_worked_example_is_what_the_product_says(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = _block(document, "example")
    line = re.search(r"```bash\nmockbot (.*?)\n```", example, re.DOTALL)
    assert line is not None
    monkeypatch.setenv("BOT_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    shown = CliRunner().invoke(app, [*shlex.split(line[1]), "--judge", "offline", "--json"])

    assert shown.exit_code == 0, shown.output
    given = json.loads(shown.stdout)
    scores = [f"{one['points']:g}/{one['max']:g}" for one in given["criteria"]]
    assert re.findall(r"\| ([-0-9.]+/[0-9]+) \|", example) == scores
    assert re.search(rf"(?<![0-9.]){given['score']:g} (分|points)", example)
    assert re.search(rf"(\b|，){given['level']} 级|level {given['level']}\b", example)


@pytest.mark.parametrize("document", READMES)
def test_the_bank_of_the_example_passes_its_own_check(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "banks" / "mybank"
    folder.mkdir(parents=True)
    files = re.findall(r"```yaml\n# (\S+)\n(.*?)```", _block(document, "bank"), re.DOTALL)
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("BOT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BOT_BANK", "mybank")
    monkeypatch.chdir(tmp_path)

    shown = CliRunner().invoke(app, ["check"])

    assert [name for name, _ in files] == ["bank.yaml", "a.yaml"]
    assert shown.exit_code == 0, shown.output


def test_the_documents_quote_the_same_agreement() -> None:
    figures = {
        document: re.findall(r"[01]\.[0-9]{2}", _block(document, "agreement"))
        for document in (*READMES, "docs/grading.md")
    }

    assert len({tuple(found) for found in figures.values()}) == 1, figures
    assert figures["README.md"]


def test_the_agreement_that_is_quoted_is_the_one_that_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    gold = str(ROOT / "tests" / "gold" / "dev.jsonl")

    shown = CliRunner().invoke(app, ["evaluate", "--gold", gold, "--judge", "offline", "--json"])

    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.stdout)
    rated = [half_up(case["rated"]) for case in found["cases"]]
    held_out = held_out_levels(
        [case["outcome"]["score"] for case in found["cases"]],
        rated,
        [case["question_id"] for case in found["cases"]],
    )
    block = _block("README.md", "agreement")
    assert _figure(block, "现行阈值") == pytest.approx(found["qwk"], abs=NEAR)
    assert _figure(block, "等级分界改在") == pytest.approx(
        weighted_kappa(held_out, rated), abs=NEAR
    )


def test_the_page_on_grading_quotes_the_rubric() -> None:
    rubric = read_rubrics(ROOT / "rubrics")["structured-answer"]
    text = text_of("docs/grading.md")

    criteria = re.findall(r"^\| (\S+) \| (\d+) \|", _after(text, "rubric"), re.MULTILINE)
    levels = re.findall(r"^\| \d \| (\S+) \| (\d+) 起 \|", _after(text, "levels"), re.MULTILINE)
    gates = [int(one) for one in re.findall(r"^\| [^|]+ \| (\d+) \|$", text, re.MULTILINE)]

    assert criteria == [(one.title, f"{one.max:g}") for one in rubric.criteria]
    assert levels == [
        (name, f"{score:g}")
        for name, score in zip(rubric.level_names, (0, *rubric.levels), strict=True)
    ]
    assert gates == [
        rubric.gates.contradicted_core,
        rubric.gates.no_point_met,
        rubric.gates.one_error,
        rubric.gates.more_errors,
        rubric.gates.more_overclaims,
    ]
    assert all(f"| `{flag.value}` |" in text for flag in Flag)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_images_lead_to_files(document: str) -> None:
    text = re.sub(r"```.*?```", "", text_of(document), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)

    missing = [
        target
        for target in targets
        if not re.match(r"[a-z]+:", target) and not _exists(document, unquote(target))
    ]

    assert missing == []


def test_every_decision_is_listed_and_has_its_four_parts() -> None:
    listed = text_of("docs/adr/README.md")
    for path in sorted((ROOT / "docs" / "adr").glob("0*.md")):
        text = path.read_text(encoding="utf-8")
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)

        assert headings == ["Status", "Context", "Decision", "Consequences"], path.name
        assert text.startswith(f"# {int(path.name[:4])}. "), path.name
        assert f"]({path.name})" in listed, path.name


def test_an_entry_of_the_changelog_is_short() -> None:
    entries = re.findall(r"^- (.+(?:\n  .+)*)", text_of("CHANGELOG.md"), re.MULTILINE)

    assert entries
    assert [one for one in entries if len(one.split()) > LONGEST_ENTRY] == []


def test_no_file_names_a_machine_or_an_index() -> None:
    found = []
    for name in _files():
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # a picture, or a file that was moved away just now
        found += [
            f"{name}:{number}"
            for number, line in enumerate(text.splitlines(), start=1)
            if UNWANTED.search(line)
        ]

    assert found == []


def _block(document: str, name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text_of(document), re.DOTALL)
    assert found is not None, f"{document} has no block {name!r}"
    return found[1]


def _figure(block: str, row: str) -> float:
    found = re.search(rf"^\| {row}.*\| ([01]\.[0-9]+) \|$", block, re.MULTILINE)
    assert found is not None, row
    return float(found[1])


def _after(text: str, mark: str) -> str:
    """Return the table after a mark, up to the next empty line."""
    return text.partition(f"<!-- {mark}: structured-answer -->\n")[2].partition("\n\n")[0]


def _setting_names() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        match field.validation_alias:
            case str() as alias:
                yield alias.upper()
            case AliasChoices(choices=[str() as alias, *_]):
                yield alias.upper()
            case AliasChoices() | AliasPath():
                raise AssertionError(f"{name}: no plain name")
            case None:
                yield PREFIX + name.upper()


def _exists(document: str, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = (ROOT / document).parent / path if path else ROOT / document
    if not anchor:
        return file.exists()
    return file.is_file() and anchor in _anchors(file.read_text(encoding="utf-8"))


def _anchors(text: str) -> list[str]:
    """Return the anchors of the headings, as GitHub makes them."""
    return [
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    ]


def _files() -> list[str]:
    """Return the files of the repository, also those not committed yet; all of them elsewhere."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        skipped = {".venv", ".git", "build", "dist", "__pycache__"}
        return [
            path.relative_to(ROOT).as_posix()
            for path in ROOT.rglob("*")
            if path.is_file() and not skipped & set(path.relative_to(ROOT).parts)
        ]
    return [name for name in done.stdout.decode().split("\0") if name]
