"""Every knob of the product; read from the environment and `.env`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError
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
        populate_by_name=True,
        hide_input_in_errors=True,
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
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias="OPENAI_API_KEY", description="模型服务的密钥"
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        description="兼容 OpenAI 的接口地址，通常以 /v1 结尾；默认由 BOT_MODEL 的服务商决定",
    )
    model: str | None = Field(
        default=None,
        description="语言模型：模型名、服务商:模型名，或 local:/路径/模型.gguf；留空则离线评分",
    )
    judge_model: str | None = Field(
        default=None, description="评分专用的（更强的）模型，写法同上；默认与 BOT_MODEL 相同"
    )
    vision_model: str | None = Field(
        default=None,
        description="能看图的模型，把手画的组件图读成 Mermaid，写法同 BOT_MODEL；留空则不能上传图片",
    )
    judge_samples: Annotated[int, Field(ge=1, le=9)] = Field(
        default=1, description="每个回答评几次，取中位数（1–9）"
    )
    judge_exam: Literal["require", "override"] = Field(
        default="require",
        description="评分考核：require 未通过的模型不评分；override 仍让它评分",
    )
    model_timeout: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=120.0, description="一次模型调用最多等多少秒"
    )
    model_price_in: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="每百万输入 token 的价格，用来估算花费"
    )
    model_price_cached: Annotated[float, Field(ge=0)] | None = Field(
        default=None,
        description="每百万命中缓存的输入 token 的价格；默认与 BOT_MODEL_PRICE_IN 相同",
    )
    model_price_out: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="每百万输出 token 的价格，用来估算花费"
    )
    budget_tokens: Annotated[int, Field(gt=0)] | None = Field(
        default=None, description="每月最多用多少 token；用完后改用离线评分"
    )
    stt_model: str | None = Field(
        default=None,
        description="语音转写模型：接口上的模型名，或 local:模型名、local:/模型文件夹"
        "（需要 mockbot[voice]）；留空则不能录音作答",
    )
    stt_base_url: str | None = Field(
        default=None, description="语音接口的地址；默认与 OPENAI_BASE_URL 相同"
    )
    stt_api_key: SecretStr | None = Field(
        default=None, description="语音接口的密钥；默认与 OPENAI_API_KEY 相同"
    )
    tts_model: str | None = Field(
        default=None, description="朗读题目的语音模型；留空则由浏览器朗读，不需要接口"
    )
    tts_voice: str = Field(default="alloy", description="朗读用的声音，由接口定义")
    keep_audio: bool = Field(
        default=False, description="是否把录音保存在数据文件夹（默认转写后即丢弃）"
    )
    pdf_font: Path | None = Field(
        default=None, description="PDF 报告用的中文字体文件（TTF、TTC、OTF）；默认在系统里寻找"
    )
    chroma_url: str | None = Field(
        default=None,
        description="Chroma 服务器的地址，如 http://chroma:8000；默认用数据文件夹里的索引",
    )
    shared: bool = Field(
        default=False, description="多人模式：每个人登录后只看到自己的记录；需要 [auth] 设置"
    )
    admins: str = Field(
        default="", description="多人模式的管理员：已验证的邮箱或用户编号，用逗号分开"
    )
    answers_per_hour: Annotated[int, Field(ge=1)] = Field(
        default=120, description="多人模式：每人每小时最多评分多少次"
    )
    private_endpoints: bool = Field(
        default=False, description="多人模式：用户自己填写的模型地址可否指向本机或内网"
    )
    metrics_port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None, description="在这个端口上给 Prometheus 提供运行指标；默认不提供"
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
    def index_place(self) -> Path | str:
        """Return the folder of the embedded Chroma index, or the address of a server."""
        return self.chroma_url or self.data_dir / "chroma"


def read_settings() -> Settings:
    """Return the settings, or raise `ConfigError` with one sentence that names the variable."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        given = "_".join(str(part) for part in first["loc"])
        name = given.upper() if first["type"] == "extra_forbidden" else _variable(given)
        raise ConfigError(
            f"设置 {name} 有误：{_said(first['type'], str(first['msg']))}；"
            "请对照 .env.example 修改环境变量或 .env 文件。"
        ) from error


def unknown_variables(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the `BOT_…` variables that no setting reads: most likely misspelt."""
    given = os.environ if environment is None else environment  # noqa: TID251 - this is the reader
    known = {_variable(name) for name in Settings.model_fields}
    return tuple(sorted(name for name in given if name.startswith(PREFIX) and name not in known))


def _variable(name: str) -> str:
    """Return the variable that sets a field, given the field's name or that variable."""
    field = Settings.model_fields.get(name)
    if field is None:
        return name.upper()
    return (
        field.validation_alias if isinstance(field.validation_alias, str) else PREFIX + name.upper()
    )


def _said(kind: str, message: str) -> str:
    return "没有这个设置，可能拼错了" if kind == "extra_forbidden" else message
