"""Where language models can be had: what the settings page offers to begin with."""

from __future__ import annotations

from typing import NamedTuple

from bot.adapters.base_url import PROVIDERS
from bot.domain.preferences import ENVIRONMENT

LOCAL_FILE = "local"


class Preset(NamedTuple):
    """A way to get at a model; the example names a model that such an endpoint usually has."""

    id: str
    title: str
    base_url: str = ""
    example: str = ""
    needs_key: bool = False


PRESETS: tuple[Preset, ...] = (
    Preset(ENVIRONMENT, "环境变量（默认）"),
    Preset("openai", "OpenAI", PROVIDERS["openai"], "gpt-4.1-mini", needs_key=True),
    Preset("deepseek", "DeepSeek", PROVIDERS["deepseek"], "deepseek-chat", needs_key=True),
    Preset("dashscope", "阿里云百炼 DashScope", PROVIDERS["dashscope"], "qwen-plus", True),
    Preset("moonshot", "Moonshot（Kimi）", PROVIDERS["moonshot"], "moonshot-v1-8k", True),
    Preset("zhipu", "智谱 Zhipu", PROVIDERS["zhipu"], "glm-4-flash", needs_key=True),
    Preset("siliconflow", "硅基流动", PROVIDERS["siliconflow"], "Qwen/Qwen2.5-7B-Instruct", True),
    Preset("ollama", "Ollama（本机）", PROVIDERS["ollama"], "qwen2.5:7b"),
    Preset("lmstudio", "LM Studio（本机）", PROVIDERS["lmstudio"], "qwen2.5-7b-instruct"),
    Preset("vllm", "vLLM（本机）", "http://127.0.0.1:8000/v1", "Qwen/Qwen2.5-7B-Instruct"),
    Preset(LOCAL_FILE, "本机的 GGUF 文件", "", "/路径/模型.gguf"),
    Preset("other", "其他兼容 OpenAI 的接口"),
)


def preset_of(preset_id: str) -> Preset:
    """Return the preset; one that there is not any more is any other endpoint."""
    return next((one for one in PRESETS if one.id == preset_id), PRESETS[-1])
