"""Every command that a document shows is run, in the order of the document, as a reader would."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.bootstrap import Services
from bot.bootstrap.services import LOCAL
from bot.settings import read_settings
from tests.contract.quirk_server import QuirkServer
from tests.documents import DOCUMENTS, ROOT, commands_of
from tests.serving import served

pytestmark = pytest.mark.contract

MOCKBOT = Path(sys.executable).with_name("mockbot")
ANSWER = "TPOT 是平均值，ITL 是相邻 token 的间隔，平均好看不代表没有尖峰。"
STORED = "TPOT 好不代表 ITL 没有尖峰，因为前者是平均值。"
TYPED = {
    "interview": "/不知道\n" * 8,
    "drill": "/不知道\n\n" * 10,
}
"""What somebody types who knows nothing, until the command is content."""


def _telling() -> Iterator[str]:
    """Give the documents whose commands another one does not show as well."""
    shown = {one: {tuple(words) for words in commands_of(one)} for one in DOCUMENTS}
    for document, commands in shown.items():
        if not any(commands <= others for one, others in shown.items() if one != document):
            yield document


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the documents speak of."""
    monkeypatch.setenv("BOT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.txt").write_text(ANSWER, encoding="utf-8")
    (tmp_path / "questions.md").write_text(f"## 什么是 ITL？\n\n{ANSWER}\n", encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text(
        json.dumps({"id": "a", "question_id": "Q07", "answer": ANSWER}, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    gold = tmp_path / "tests" / "gold"
    gold.mkdir(parents=True)
    lines = (ROOT / "tests" / "gold" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    (gold / "dev.jsonl").write_text("\n".join(lines[:14]) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def session_id(folder: Path) -> str:
    """An interview that is over, in the data folder."""
    services = Services(read_settings())
    session = services.interviews.begin_with(("Q07",), follow_ups=0)
    session = services.interviews.answer(session, STORED)
    services.interviews.finish(services.interviews.grade_waiting(session))
    services.store.close()
    return session.id


@pytest.mark.parametrize("document", list(_telling()))
def test_the_commands_of_a_document_do_what_they_say(
    document: str, folder: Path, session_id: str, obliging: QuirkServer
) -> None:
    """The interview was held before there was a model."""
    stands_for = {"场次id": session_id, "0123abcd": LOCAL}
    for words in commands_of(document):
        command = [stands_for.get(word, word) for word in words]
        if command == ["serve"]:
            with served([MOCKBOT, "serve"]):
                continue
        found = subprocess.run(
            [MOCKBOT, *command],
            input=TYPED.get(command[0], "").encode(),
            capture_output=True,
            check=False,
        )

        shown = f"mockbot {' '.join(command)}\n{found.stdout.decode()}{found.stderr.decode()}"
        assert found.returncode == 0, shown
        for flag in {"-o", "--output"} & set(command):
            assert (folder / command[command.index(flag) + 1]).stat().st_size, shown
