"""The real llama.cpp server with a real small model (see `../shared/tools/get-models.sh`)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from bot.adapters import local_model
from bot.adapters.chat_models import open_chat_model
from bot.adapters.local_model import LocalModel
from bot.errors import ConfigError
from bot.ports import Message

MODELS = os.environ.get("MOCKBOT_TEST_MODELS", "")
MESSAGES = (
    Message(role="system", text="你是阅卷人，只按 JSON 表单作答。"),
    Message(
        role="user", text="要点：分页减少显存碎片。\n[1] 分页让显存碎片变少。\n[2] 今天天气好。"
    ),
)


class Small(BaseModel):
    """A form."""

    sentences: list[int] = Field(description="支持要点的句子编号", max_length=3)
    verdict: Literal["met", "partly_met", "not_met"]
    comment: str = Field(description="一句话说明", max_length=60)


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    path = Path(MODELS) / "chat.gguf"
    if not MODELS or not path.is_file():
        pytest.skip("MOCKBOT_TEST_MODELS names no folder with chat.gguf")
    pytest.importorskip("xllamacpp")
    opened = open_chat_model(f"local:{path}")
    assert isinstance(opened, LocalModel)
    yield opened
    opened.close()


@pytest.mark.live
def test_a_local_model_loads_with_progress_and_fills_a_form(model: LocalModel) -> None:
    seconds: list[float] = []
    assert not model.is_loaded

    model.start(seconds.append)
    filled = model.fill(Small, MESSAGES, max_tokens=200)

    assert model.is_loaded
    assert seconds == sorted(seconds)
    assert seconds[0] < 1
    assert filled.method == "json_schema"
    form = Small.model_validate(filled.value)
    assert form.verdict in {"met", "partly_met", "not_met"}
    assert filled.usage.prompt > 20
    assert 5 < filled.usage.reply <= 200
    sys.stderr.write(f"\nload {seconds[-1]:.1f} s; {filled.value}; {filled.usage}\n")


@pytest.mark.live
def test_a_second_call_finds_the_prompt_in_the_cache(model: LocalModel) -> None:
    model.fill(Small, MESSAGES, max_tokens=200)

    again = model.fill(Small, MESSAGES, max_tokens=200)

    assert again.usage.cached > again.usage.prompt / 2


@pytest.mark.live
def test_a_local_model_speaks(model: LocalModel) -> None:
    parts = list(model.say((Message(role="user", text="用一句话介绍显存。"),), max_tokens=40))

    assert len(parts) > 3


@pytest.mark.live
def test_nobody_else_on_the_machine_may_ask(model: LocalModel) -> None:
    address = model.start()._driver._base_url  # type: ignore[attr-defined]
    request = urllib.request.Request(f"{address}/chat/completions", data=b"{}")

    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(request)


@pytest.mark.live
def test_a_server_that_died_is_started_again(model: LocalModel) -> None:
    model.start()
    assert model._process is not None
    model._process.kill()
    model._process.wait()

    assert model.fill(Small, MESSAGES, max_tokens=200).value


@pytest.mark.live
def test_the_server_does_not_outlive_the_process_that_started_it(model: LocalModel) -> None:
    script = (
        "import sys, os; from pathlib import Path; "
        "from bot.adapters.local_model import LocalModel; "
        "m = LocalModel(Path(sys.argv[1])); m.start(); print(m._process.pid, flush=True); "
        "os.kill(os.getpid(), 9)"
    )

    run = subprocess.run(
        [sys.executable, "-c", script, str(model._path)], stdout=subprocess.PIPE, check=False
    )

    child = Path(f"/proc/{int(run.stdout)}")
    until = time.monotonic() + 10
    while child.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not child.exists()


@pytest.mark.contract
def test_a_missing_file_is_said() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.gguf.*local:/"):
        open_chat_model("local:/nowhere.gguf")


@pytest.mark.contract
def test_a_file_of_another_kind_is_said(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"PK\x03\x04")

    with pytest.raises(ConfigError, match="不是 GGUF"):
        open_chat_model(f"local:{path}")


@pytest.mark.contract
def test_a_missing_extra_is_said_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setattr(local_model, "find_spec", lambda _: None)

    with pytest.raises(ConfigError, match=r"pip install 'mockbot\[local\]'"):
        open_chat_model(f"local:{path}")


@pytest.mark.contract
def test_a_file_that_llama_cannot_load_is_said(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\0" * 64)

    with pytest.raises(ConfigError, match="无法载入"):
        LocalModel(path).start()
