"""The address of an endpoint: what people paste is turned into what a client needs."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from bot.errors import ConfigError

OPENAI = "https://api.openai.com/v1"

PROVIDERS = {
    "openai": OPENAI,
    "deepseek": "https://api.deepseek.com/v1",
    "dashscope": "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "qwen": "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "moonshot": "https://api.moonshot.cn/v1",
    "kimi": "https://api.moonshot.cn/v1",
    "zhipu": "https://open.bigmodel.cn/api/paas/v4",
    "siliconflow": "https://api.siliconflow.cn/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
}
"""OpenAI-compatible providers by the name that stands before the colon of `provider:model`."""

_PATHS = {urlsplit(url).netloc: urlsplit(url).path for url in PROVIDERS.values()}
_PATHS["localhost:11434"] = _PATHS["localhost:1234"] = "/v1"
_OPERATION = re.compile(
    r"/(?:chat/completions|completions|responses|embeddings|models)$", re.IGNORECASE
)
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://")
_HOST = re.compile(r"[\w-][\w.-]*|[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_WRAPPING = " \t\r\n\"'`<>,;。"


class BaseUrl(NamedTuple):
    """An address that a client can use, and what was changed to get it, if anything was."""

    url: str
    note: str | None


def normalise(given: str) -> BaseUrl:
    """Return the base address in what was pasted, and a sentence that says what was changed.

    A path that names no operation is kept: only the provider knows whether /v1 belongs there.
    Raises `ConfigError`.
    """
    text = unicodedata.normalize("NFKC", given).strip(_WRAPPING)
    if not _SCHEME.match(text):
        text = f"{'http' if _is_near(text) else 'https'}://{text}"
    parts = _split(text)
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    while found := _OPERATION.search(path):
        path = path[: found.start()].rstrip("/")
    host = parts.netloc.lower().removesuffix(":")
    path = path or _PATHS.get(host, "")
    url = f"{parts.scheme.lower()}://{host}{path}"
    changed = url != given.strip().rstrip("/")
    return BaseUrl(url, f"OPENAI_BASE_URL 已按 {url} 使用，与填写的不同。" if changed else None)


def host_of(url: str) -> str:
    """Return the host with its port, as messages name it."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_loopback(url: str) -> bool:
    """Say whether the address is on this machine."""
    name = urlsplit(url).hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def is_provider(url: str) -> bool:
    """Say whether the address belongs to a known provider on the internet: it wants a key."""
    return host_of(url) in _PATHS and not is_loopback(url)


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        parts = None
    is_web = parts is not None and parts.scheme.lower() in ("http", "https")
    if (
        parts is None
        or not is_web
        or not _HOST.fullmatch(parts.hostname or "")
        or _BLANK.search(text)
    ):
        raise ConfigError(
            "OPENAI_BASE_URL 不是有效的网址；请填写形如 https://api.example.com/v1 的地址。"
        )
    if parts.username is not None:
        raise ConfigError(
            "OPENAI_BASE_URL 里不能有用户名和密码；请只留地址，密钥写在 OPENAI_API_KEY 里。"
        )
    return parts


def _is_near(text: str) -> bool:
    """Say whether an address without a scheme is one of this machine or of the local network."""
    name = re.split(r"[/?#:]", text, maxsplit=1)[0]
    try:
        return ip_address(name).is_private
    except ValueError:
        return "." not in name
