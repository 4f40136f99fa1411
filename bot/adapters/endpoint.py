"""A language model behind an endpoint: asked in the best way that it takes, bounded in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from copy import copy
from typing import Final, TypeVar

from pydantic import BaseModel, JsonValue

from bot.adapters.endpoint_driver import Driver, Reply, Request
from bot.adapters.endpoint_errors import Failure, error_of, failure_of, place_of
from bot.adapters.endpoint_manner import (
    Manner,
    MannerMemory,
    Method,
    ProcessMemory,
    Quirk,
    key_of,
)
from bot.adapters.endpoint_quirks import refuses_method, softened
from bot.adapters.endpoint_sentences import Kind
from bot.adapters.json_reply import read_object, spoken_parts, well_formed, without_thinking
from bot.adapters.reply_form import FormSchema, schema_of
from bot.domain.usage import Usage
from bot.errors import BotError
from bot.ports import Filled, Message

ResultT = TypeVar("ResultT")

MOST_REQUESTS: Final = len(Method) + len(Quirk) + 1
_RAN_OUT = "length"


class Endpoint:
    """A chat model behind an endpoint (语言模型). Safe to use from many threads at once."""

    def __init__(
        self,
        driver: Driver,
        *,
        name: str,
        address: str,
        memory: MannerMemory | None = None,
        max_retries: int = 2,
        sleep: Callable[[float], None] = time.sleep,
        spent: Callable[[Usage], None] | None = None,
    ) -> None:
        """Take what speaks to the model.

        Args:
            driver: Speaks to the model.
            name: The model's name, as grades quote it.
            address: Where it is; messages name its host.
            memory: Remembers how the endpoint wants to be asked.
            max_retries: How often a request is repeated that the server could not take.
            sleep: Waits between them.
            spent: Told the tokens of every request, also of those that came to nothing.
        """
        self._driver = driver
        self._name = name
        self._place = place_of(address, name)
        self._key = key_of(address, name)
        self._memory = memory or ProcessMemory()
        self._max_retries = max_retries
        self._sleep = sleep
        self._spent = spent or (lambda _: None)

    def counting(self, spent: Callable[[Usage], None]) -> Endpoint:
        """Return the same endpoint, over the same connections, with another account of tokens."""
        other = copy(self)
        other._spent = spent
        return other

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self._name

    @property
    def method(self) -> str | None:
        """Return the method that forms are filled by, if that is known."""
        return self._known.method

    def close(self) -> None:
        """Let connections go; a later call opens new ones."""
        self._driver.close()

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        """Return the form filled in, by the best method that the endpoint takes.

        Raises `JudgeUnavailableError`, `ConfigError` or `JudgeReplyError`.
        """
        schema = schema_of(form)
        known = self._known
        manner = refused = known.using(known.method or self._driver.methods[0])
        usage, limit = Usage(), max_tokens
        spoiled: Filled | None = None
        for _ in range(MOST_REQUESTS):
            request = Request(messages, limit, manner, schema, weighed)
            reply = self._asked(request)
            if isinstance(reply, Failure):
                manner = refused = self._after_refusal(request, reply)
                continue
            usage += reply.usage
            if value := self._value(reply, schema):
                spoiled = Filled(
                    value=value, method=_name_of(manner), usage=usage, tokens=reply.tokens
                )
                if not _is_endless(reply):
                    # A known method that failed once had bad luck; one that was refused is gone.
                    self._learn(refused if known.method else manner)
                    return spoiled
            elif _is_starved(reply) and limit == max_tokens:
                limit *= 2
                continue
            lower = self._below(manner.method)
            if lower is None:
                break
            manner = manner.using(lower)
        if spoiled is not None:
            return spoiled.model_copy(update={"usage": usage})
        raise error_of(Failure(Kind.NO_JSON), self._place)

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """Give the model's words as they come, without its thinking. Raises as `fill` does."""
        is_silent = True
        for part in spoken_parts(self._words(messages, max_tokens)):
            is_silent = False
            yield part
        if is_silent:
            raise error_of(Failure(Kind.EMPTY), self._place)

    def _asked(self, request: Request) -> Reply | Failure:
        """Return the reply, or the failure when it is a refusal of the way of asking."""
        reply = self._tried(lambda: self._driver.ask(request))
        if isinstance(reply, Reply):
            self._spent(reply.usage)
            if reply.is_filtered:
                raise error_of(Failure(Kind.FILTERED), self._place)
        return reply

    def _value(self, reply: Reply, schema: FormSchema) -> dict[str, JsonValue] | None:
        texts = tuple(without_thinking(text) for text in reply.texts)
        if reply.finish != _RAN_OUT and not "".join(texts).strip():
            texts = reply.texts  # thinking that was never closed may end with the object
        return read_object(texts, schema.fields, schema.name)

    def _words(self, messages: Sequence[Message], limit: int) -> Iterator[str]:
        manner = self._known
        request = Request(messages, limit, manner)
        first, parts = self._begun(request)
        for _ in Quirk:
            if not isinstance(first, Failure):
                break
            softer = self._softened(request, first)
            if softer is None:
                raise error_of(first, self._place)
            request = Request(messages, limit, softer)
            first, parts = self._begun(request)
        self._learn(request.manner)
        try:
            yield from self._rest(first, parts)
        finally:
            parts.close()

    def _begun(
        self, request: Request
    ) -> tuple[Reply | Failure | None, Generator[Reply, None, None]]:
        """Return the first part of a stream and the stream, after repeating what can be."""
        streams: list[Generator[Reply, None, None]] = []

        def begin() -> Reply | None:
            streams.append(self._driver.stream(request))
            return next(streams[-1], None)

        return self._tried(begin), streams[-1]

    def _rest(
        self, first: Reply | Failure | None, parts: Generator[Reply, None, None]
    ) -> Iterator[str]:
        part, usage, is_finished = first, Usage(), False
        while isinstance(part, Reply):
            usage = part.usage if part.usage.total else usage
            is_finished = is_finished or part.finish is not None
            if part.is_filtered:
                raise error_of(Failure(Kind.FILTERED), self._place)
            if text := well_formed(part.texts[-1]):
                yield text
            part = _outcome(lambda: next(parts, None))
        self._spent(usage)
        if isinstance(part, Failure):
            raise error_of(part, self._place)
        if not is_finished:  # closed in good order, but in the middle
            raise error_of(Failure(Kind.BROKEN), self._place)

    def _tried(self, call: Callable[[], ResultT]) -> ResultT | Failure:
        """Return what the call gives, after repeating it where that makes sense."""
        outcome = _outcome(call)
        for attempt in range(self._max_retries):
            if not isinstance(outcome, Failure) or refuses_method(outcome):
                break
            pause = outcome.pause(attempt)
            if pause is None:
                break
            self._sleep(pause)
            outcome = _outcome(call)
        return outcome

    def _after_refusal(self, request: Request, failure: Failure) -> Manner:
        """Return how to ask for a form next, or raise what the failure means."""
        manner = request.manner
        if softer := self._softened(request, failure):
            return softer
        is_tools = manner.method is Method.FUNCTION_CALLING
        if refuses_method(failure) or (failure.kind is Kind.STRANGE and is_tools):
            lower = self._below(manner.method)
            if lower is not None:
                return manner.using(lower)
        raise error_of(failure, self._place)

    def _softened(self, request: Request, failure: Failure) -> Manner | None:
        return softened(
            request.manner,
            failure,
            switches=self._driver.switches_thinking(request.manner),
            weighs=request.asks_logprobs,
        )

    def _below(self, method: Method | None) -> Method | None:
        ladder = self._driver.methods
        return next(iter(ladder[ladder.index(method) + 1 :]), None) if method in ladder else None

    @property
    def _known(self) -> Manner:
        return self._memory.get(self._key) or Manner()

    def _learn(self, manner: Manner) -> None:
        if manner != self._known:
            self._memory.put(self._key, manner)


def _outcome(call: Callable[[], ResultT]) -> ResultT | Failure:
    """Return what the call gives or what its failure means.

    The foreign exception ends here: it may hold the key, the prompt or the answer.
    """
    try:
        return call()
    except BotError:
        raise
    except Exception as error:
        return failure_of(error)


def _is_endless(reply: Reply) -> bool:
    """Say whether the model went on with blanks until the limit."""
    text = "".join(reply.texts)
    return reply.finish == _RAN_OUT and len(text.rstrip()) * 2 < len(text)


def _is_starved(reply: Reply) -> bool:
    """Say whether the limit left no room for a word."""
    return reply.finish == _RAN_OUT and not _is_endless(reply)


def _name_of(manner: Manner) -> str:
    return manner.method.value if manner.method else ""
