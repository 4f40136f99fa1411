"""A server that several people share does not start without a way to sign in."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import main, serving
from tests.serving import free_port

ROOT = Path(__file__).parents[2]
GOOD = '[auth]\nredirect_uri = "https://x/oauth2callback"\ncookie_secret = "s"\nclient_id = "c"\n'


@pytest.fixture(autouse=True)
def _at_home(product: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own secrets are read, and nothing is really served."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(main.runpy, "run_module", lambda *_, **__: None)
    monkeypatch.setattr(main.sys, "argv", ["mockbot"])


def served(*words: str) -> tuple[int, str]:
    found = CliRunner().invoke(main.app, ["serve", "--port", str(free_port()), *words])
    return found.exit_code, found.stderr


def write(tmp_path: Path, text: str) -> None:
    folder = tmp_path / ".streamlit"
    folder.mkdir()
    (folder / "secrets.toml").write_text(text, encoding="utf-8")


def test_shared_without_a_provider_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_SHARED", "true")

    code, told = served()

    assert code == 2
    assert "secrets.toml 里写 [auth]" in told.replace("\n", "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "没有 [auth]"),
        ("[other]\n", "没有 [auth]"),
        ("auth = 1\n", "没有 [auth]"),
        ("[auth", "不是 TOML"),
        ('[auth]\nclient_id = "c"\n', "缺少 redirect_uri、cookie_secret"),
    ],
)
def test_what_is_wrong_with_the_secrets_is_said(tmp_path: Path, text: str, says: str) -> None:
    write(tmp_path, text)

    assert says in str(serving.problem_of_sign_in())


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda _: None)

    assert "mockbot[server]" in str(serving.problem_of_sign_in())


def test_shared_with_a_provider_starts_on_any_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, GOOD)
    monkeypatch.setenv("BOT_SHARED", "true")

    assert served("--host", "0.0.0.0") == (0, "")


def test_an_open_address_without_sign_in_is_warned_about_and_this_machine_is_not() -> None:
    code, told = served("--host", "0.0.0.0")

    assert code == 0
    assert "不用登录" in told
    assert served() == (0, "")


def test_requests_of_other_sites_are_refused() -> None:
    text = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    server = tomllib.loads(text)["server"]

    assert server["enableXsrfProtection"] is True
    assert server["enableCORS"] is True
    assert server["maxUploadSize"] <= 10
