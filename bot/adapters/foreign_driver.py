"""Speaks to providers of another kind than OpenAI's through LangChain's packages for them."""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.adapters.endpoint_driver import Reply, Request, asking, pairs, reply_of, tool
from bot.adapters.endpoint_manner import Manner, Method
from bot.errors import ConfigError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


class ForeignDriver:
    """Speaks to a provider of another kind, by the LangChain package made for it.

    That package finds its key and address by itself, in the variables of its provider.
    """

    methods = (Method.FUNCTION_CALLING, Method.TEXT)

    def __init__(self, *, provider: str, model: str, timeout: float) -> None:
        """Take the provider by LangChain's name for it, and the model."""
        self._provider = provider
        self._model = model
        self._timeout = timeout
        self._chat = lru_cache(maxsize=8)(self._make)

    def ask(self, request: Request) -> Reply:
        """Return the reply."""
        chat, form = self._chat(request.limit), request.form
        method = request.manner.method or self.methods[0]
        if form is None:
            return reply_of(chat.invoke(pairs(request.messages)))
        messages = pairs(asking(method, request.messages, form))
        if method is Method.TEXT:
            return reply_of(chat.invoke(messages))
        return reply_of(chat.bind_tools([tool(form)], tool_choice=form.name).invoke(messages))

    def stream(self, request: Request) -> Generator[Reply, None, None]:
        """Give the reply in parts."""
        for chunk in self._chat(request.limit).stream(pairs(request.messages)):
            yield reply_of(chunk)

    def switches_thinking(self, manner: Manner) -> bool:
        """Say no: each provider does that in its own way."""
        return False

    def close(self) -> None:
        """Forget the clients."""
        self._chat.cache_clear()

    def _make(self, limit: int) -> BaseChatModel:
        from langchain.chat_models import init_chat_model

        try:
            return init_chat_model(
                self._model,
                model_provider=self._provider,
                temperature=0,
                timeout=self._timeout,
                max_retries=0,
                max_tokens=limit,
            )
        except ImportError:
            problem = f"缺少 {self._provider} 的 LangChain 扩展包；请安装它"
        except Exception as error:
            problem = f"{self._provider} 的设置不完整（{type(error).__name__}）；请设置它的密钥变量"
        raise ConfigError(f"BOT_MODEL：{problem}，或改用兼容 OpenAI 的接口。")
