"""Settings come from the environment and `.env`; what is wrong is named by its variable."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.settings import Settings, read_settings, unknown_variables

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^([A-Z][A-Z0-9_]*)=(.*)$", re.MULTILINE)


def variables() -> set[str]:
    """Return the variable of every field."""
    return {
        str(field.validation_alias or f"BOT_{name.upper()}")
        for name, field in Settings.model_fields.items()
    }


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment without a setting, and a folder without `.env`."""
    for name in list(os.environ):
        if name.startswith("BOT_") or name in variables():
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str) -> None:
    (folder / ".env").write_text(text, encoding="utf-8")


class TestExample:
    def test_it_names_exactly_the_settings_each_in_a_line_of_its_own(self) -> None:
        text = (ROOT / ".env.example").read_text(encoding="utf-8")

        names = [found[1] for found in NAME.finditer(text)]

        assert sorted(names) == sorted(variables())

    def test_copied_as_it_is_it_changes_nothing(self, empty: Path) -> None:
        before = read_settings()
        write(empty, (ROOT / ".env.example").read_text(encoding="utf-8"))

        assert read_settings() == before

    def test_every_setting_says_what_it_is(self) -> None:
        assert all(field.description for field in Settings.model_fields.values())


class TestSources:
    def test_without_any_there_are_defaults(self) -> None:
        settings = read_settings()

        assert (settings.bank, settings.host, settings.port) == ("vllm", "127.0.0.1", 8501)
        assert settings.model is None

    def test_the_file_is_read_and_the_environment_wins(
        self, empty: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(empty, "BOT_PORT=9000\nBOT_BANK=mine\n")
        monkeypatch.setenv("BOT_PORT", "9001")

        settings = read_settings()

        assert (settings.port, settings.bank) == (9001, "mine")

    @pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in sorted(variables())])
    def test_empty_means_unset(
        self, empty: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        before = read_settings()
        monkeypatch.setenv(name, "")
        write(empty, f"{name}=\n")

        assert read_settings() == before

    def test_places_follow_from_the_data_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_DATA_DIR", "/somewhere/数据")

        settings = read_settings()

        assert settings.store_url == "sqlite:////somewhere/数据/sessions.db"
        assert settings.index_place == Path("/somewhere/数据/chroma")

    def test_a_database_of_its_own_wins(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_DATABASE_URL", "postgresql://db/mock")

        assert read_settings().store_url == "postgresql://db/mock"

    def test_settings_never_change(self) -> None:
        with pytest.raises(ValueError, match="frozen"):
            read_settings().port = 1


class TestWhatIsWrong:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            pytest.param("BOT_PORT", "abc", id="no number"),
            pytest.param("BOT_PORT", "0", id="too small"),
            pytest.param("BOT_PORT", "70000", id="too large"),
            pytest.param("BOT_LOG_LEVEL", "LOUD", id="no choice"),
        ],
    )
    def test_a_bad_value_is_one_sentence_that_names_its_variable(
        self, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        monkeypatch.setenv(name, value)

        with pytest.raises(ConfigError) as caught:
            read_settings()

        told = str(caught.value)
        assert told.startswith(f"设置 {name} 有误：")
        assert told.endswith("；请对照 .env.example 修改环境变量或 .env 文件。")
        assert "\n" not in told

    def test_a_misspelt_setting_in_the_file_is_named(self, empty: Path) -> None:
        write(empty, "BOT_PROT=9000\n")

        with pytest.raises(ConfigError, match="设置 BOT_PROT 有误：没有这个设置，可能拼错了"):
            read_settings()

    def test_a_foreign_setting_in_the_file_is_named(self, empty: Path) -> None:
        write(empty, "HTTP_PROXY=http://proxy\n")

        with pytest.raises(ConfigError, match="设置 HTTP_PROXY 有误：没有这个设置"):
            read_settings()

    def test_misspelt_variables_of_the_environment_are_found(self) -> None:
        given = {
            "BOT_PROT": "1",
            "BOT_PORT": "1",
            "PATH": "/bin",
            "BOT_": "",
            "OPENAI_API_KEY": "k",
        }

        assert unknown_variables(given) == ("BOT_", "BOT_PROT")

    def test_every_known_variable_is_known(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert unknown_variables(dict.fromkeys(variables(), "")) == ()
        assert unknown_variables() == ()
        monkeypatch.setenv("BOT_MODLE", "m")
        assert unknown_variables() == ("BOT_MODLE",)

    @pytest.mark.parametrize("place", [pytest.param("environment"), pytest.param("file")])
    def test_a_key_is_never_shown(
        self, empty: Path, monkeypatch: pytest.MonkeyPatch, place: str
    ) -> None:
        if place == "file":
            write(empty, "OPENAI_API_KEY=sk-secret\n")
        else:
            monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")

        settings = read_settings()
        monkeypatch.setenv("BOT_PORT", "abc")
        with pytest.raises(ConfigError) as caught:
            read_settings()

        assert "sk-secret" not in repr(settings) + str(settings) + settings.model_dump_json()
        assert "sk-secret" not in f"{caught.value}{caught.value.__cause__}"
