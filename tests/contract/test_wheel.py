"""The built wheel works outside the checkout: it carries the bank, the rubrics, the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.serving import served

pytestmark = pytest.mark.contract

UV = Path(sys.executable).with_name("uv")
MOCKBOT = "import sys; from bot.cli.main import app; sys.argv[0] = 'mockbot'; app()"
ANSWER = "TPOT 是平均值，ITL 是相邻 token 的间隔；平均好看不代表没有尖峰。"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of the wheel, in a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "content")
    return folder / "content"


@pytest.fixture
def environment(unpacked: Path, tmp_path: Path) -> dict[str, str]:
    """The variables with which Python finds the wheel's modules before those of the checkout."""
    kept = {name: value for name, value in os.environ.items() if name[:4] != "BOT_"}
    return kept | {"PYTHONPATH": str(unpacked), "BOT_DATA_DIR": str(tmp_path / "data")}


def run(
    *words: str, environment: dict[str, str], folder: Path, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `mockbot` of the wheel in a folder that is no checkout."""
    return subprocess.run(
        [sys.executable, "-c", MOCKBOT, *words],
        env=environment,
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_an_answer_is_graded_and_the_bank_is_whole(
    environment: dict[str, str], unpacked: Path, tmp_path: Path
) -> None:
    where = [sys.executable, "-c", "import bot; print(bot.__file__)"]
    found = subprocess.run(where, env=environment, cwd=tmp_path, capture_output=True, check=True)
    assert found.stdout.decode().startswith(str(unpacked))

    graded = run(
        "grade", "--question", "Q07", "--answer", ANSWER, "--json",
        environment=environment, folder=tmp_path,
    )  # fmt: skip
    checked = run("check", environment=environment, folder=tmp_path)

    assert graded.returncode == 0, graded.stderr
    assert json.loads(graded.stdout)["status"] == "graded"
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert (unpacked / "bot" / "i18n" / "en" / "pages.yaml").is_file()


def test_an_interview_is_held(environment: dict[str, str], tmp_path: Path) -> None:
    held = run(
        "interview", "--count", "1", "--follow-ups", "0",
        environment=environment, folder=tmp_path, typed=f"{ANSWER}\n\n",
    )  # fmt: skip

    assert held.returncode == 0, held.stderr
    assert "离线评分 · 不判断事实对错" in held.stdout


def test_the_page_is_served(environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", MOCKBOT, "serve"]
    with (
        served(command, environment=environment, folder=tmp_path) as address,
        urllib.request.urlopen(address) as page,
    ):
        assert page.status == 200
