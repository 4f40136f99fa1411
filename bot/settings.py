"""Every knob of the product; read from the environment and `.env`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import ConfigError

PREFIX = "BOT_"


class Settings(BaseSettings):
    """The settings; an empty value means unset. `.env.example` lists them all."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
    )

    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("mockbot", appauthor=False)),
        description="数据文件夹：面试记录与检索索引",
    )
    database_url: str | None = Field(
        default=None, description="数据库地址；默认是数据文件夹里的 SQLite 文件"
    )
    bank: str = Field(default="vllm", description="默认题库")
    corpus_dir: Path | None = Field(default=None, description="题库文件夹；默认用随附的 corpus/")
    rubrics_dir: Path | None = Field(
        default=None, description="评分标准文件夹；默认用随附的 rubrics/"
    )
    host: str = Field(default="127.0.0.1", description="页面监听的地址")
    port: Annotated[int, Field(ge=1, le=65535)] = Field(default=8501, description="页面监听的端口")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="WARNING", description="日志级别"
    )

    @property
    def store_url(self) -> str:
        """Return the address of the session database."""
        return self.database_url or f"sqlite:///{self.data_dir / 'sessions.db'}"

    @property
    def banks_dir(self) -> Path:
        """Return the folder of the user's own banks."""
        return self.data_dir / "banks"

    @property
    def index_dir(self) -> Path:
        """Return the folder of the embedded Chroma index."""
        return self.data_dir / "chroma"


def read_settings() -> Settings:
    """Return the settings, or raise `ConfigError` with one sentence that names the variable."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = PREFIX + "_".join(str(part) for part in first["loc"]).upper().removeprefix(PREFIX)
        raise ConfigError(
            f"设置 {name} 有误：{_said(first['type'], str(first['msg']))}；"
            "请对照 .env.example 修改环境变量或 .env 文件。"
        ) from error


def unknown_variables(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the `BOT_…` variables that no setting reads: most likely misspelt."""
    given = os.environ if environment is None else environment  # noqa: TID251 - this is the reader
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    return tuple(sorted(name for name in given if name.startswith(PREFIX) and name not in known))


def _said(kind: str, message: str) -> str:
    return "没有这个设置，可能拼错了" if kind == "extra_forbidden" else message
