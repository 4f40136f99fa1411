"""Makes the chat model that a setting names."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from pydantic import SecretStr

from bot.adapters import base_url as addresses
from bot.adapters.endpoint import Endpoint
from bot.adapters.endpoint_driver import OpenAIDriver
from bot.adapters.endpoint_manner import FileMemory, MannerMemory
from bot.adapters.foreign_driver import ForeignDriver
from bot.adapters.local_model import LocalModel
from bot.domain.usage import Usage
from bot.errors import ConfigError
from bot.ports import ChatModel

LOCAL = "local:"
METHODS_FILE = "endpoint-methods.json"

FOREIGN = frozenset({
    "anthropic", "azure_ai", "azure_openai", "bedrock", "bedrock_converse", "cohere", "fireworks",
    "google_genai", "google_vertexai", "groq", "huggingface", "ibm", "mistralai", "nvidia",
    "perplexity", "together", "upstage", "xai",
})  # fmt: skip
"""Providers that LangChain knows by a package of their own, under its names for them."""


def open_chat_model(
    given: str,
    *,
    key: SecretStr | None = None,
    base_url: str | None = None,
    timeout: float = 120.0,
    memory: MannerMemory | None = None,
    spent: Callable[[Usage], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    public_only: bool = False,
) -> ChatModel:
    """Return the model that `provider:model`, a plain name or `local:/path.gguf` names.

    With `public_only` a file, a provider that takes its key from this machine, and an address that
    is not on the open internet are refused. Nothing is loaded and nobody is asked before the first
    call. Raises `ConfigError`.
    """
    if public_only and (given.startswith(LOCAL) or provider_of(given)[0] in FOREIGN):
        raise ConfigError(
            f"多人模式下不能使用模型 {given!r}；请填写兼容 OpenAI 的接口地址、密钥和模型名。"
        )
    if given.startswith(LOCAL):
        return LocalModel(_path_of(given), spent=spent)
    provider, model = provider_of(given)
    address = address_of(given, base_url).url
    if provider in FOREIGN:
        driver = ForeignDriver(provider=provider, model=model, timeout=timeout)
        return Endpoint(
            driver, name=model, address=address, memory=memory, spent=spent, sleep=sleep
        )
    if key is None and addresses.is_provider(address):
        raise ConfigError(
            f"模型 {model!r}（{addresses.host_of(address)}）需要密钥；"
            "请设置 OPENAI_API_KEY，或清空 BOT_MODEL 改用离线评分。"
        )
    return Endpoint(
        OpenAIDriver(
            model=model,
            base_url=address,
            key=_sound(key),
            timeout=timeout,
            elapsed=time.monotonic,
            public_only=public_only,
        ),
        name=model,
        address=address,
        memory=memory,
        spent=spent,
        sleep=sleep,
    )


def counting(chat: ChatModel, spent: Callable[[Usage], None]) -> ChatModel:
    """Return the same model, over the same connections, with another account of its tokens."""
    return chat.counting(spent) if isinstance(chat, (Endpoint, LocalModel)) else chat


def provider_of(given: str) -> tuple[str, str]:
    """Return provider and model; the provider is empty for a plain name such as qwen2.5:7b."""
    provider, colon, model = given.strip().partition(":")
    if colon and model and (provider in addresses.PROVIDERS or provider in FOREIGN):
        return provider, model
    return "", given.strip()


def address_of(given: str, base_url: str | None) -> addresses.BaseUrl:
    """Return where a model is asked, and what was changed in the address that was set.

    Raises `ConfigError`.
    """
    if given.startswith(LOCAL):
        return addresses.BaseUrl(f"{LOCAL}{_path_of(given).absolute()}", None)
    provider, _ = provider_of(given)
    if provider in FOREIGN:  # its own package knows its address
        return addresses.BaseUrl(f"//{provider}", None)
    if base_url:
        return addresses.normalise(base_url)
    return addresses.BaseUrl(addresses.PROVIDERS.get(provider, addresses.OPENAI), None)


def _path_of(given: str) -> Path:
    return Path(given.removeprefix(LOCAL)).expanduser()


def methods_memory(data_dir: Path) -> FileMemory:
    """Return what remembers, in the data folder, how endpoints want to be asked."""
    return FileMemory(data_dir / METHODS_FILE)


def _sound(key: SecretStr | None) -> SecretStr | None:
    if key is None:
        return None
    text = key.get_secret_value().strip()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigError(
            "OPENAI_API_KEY 里有空格、换行或非英文字符；请重新复制密钥，只保留密钥本身。"
        )
    return SecretStr(text)
