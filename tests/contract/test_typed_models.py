"""Models that a visitor typed in: asked with the visitor's key alone, and kept nowhere."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.bootstrap import Services
from bot.bootstrap.typed_models import ModelSettings
from bot.domain.grade import Grade, Ungraded
from bot.domain.target import target_of
from bot.errors import ConfigError, JudgeUnavailableError
from bot.settings import Settings
from tests.conftest import SMALL_BANK
from tests.contract.quirk_server import QuirkServer

pytestmark = pytest.mark.contract

SERVERS, VISITORS = "sk-key-of-the-server", "sk-key-of-the-visitor"
ANSWER = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"


@pytest.fixture(scope="module")
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()
    gc.collect()  # an open connection would warn


Make = Callable[..., Services]


@pytest.fixture
def make(server: QuirkServer, tmp_path: Path) -> Iterator[Make]:
    made: list[Services] = []
    server.seen.clear()

    def make_one(**changes: Any) -> Services:
        fields: dict[str, Any] = {
            "data_dir": tmp_path / "data",
            "corpus_dir": Path(SMALL_BANK["BOT_CORPUS_DIR"]),
            "bank": SMALL_BANK["BOT_BANK"],
            "openai_api_key": SecretStr(SERVERS),
            "model": "judge-sure",
            "openai_base_url": server.url,
            "judge_exam": "override",
        }
        made.append(Services(Settings(_env_file=None, **(fields | changes))))
        return made[-1]

    yield make_one
    for one in made:
        if "store" in one.commons.__dict__:
            one.store.close()
        if "chat" in one.models.__dict__:
            one.models.chat.close()  # type: ignore[attr-defined]


def graded(services: Services) -> Grade | Ungraded:
    target = target_of(services.bank.find("S01"))
    try:
        return services.grader.grade("a-1", target, ANSWER)
    finally:
        if services.typed is not None:
            services.models.chat.close()  # type: ignore[attr-defined]


def keys_seen(server: QuirkServer) -> set[str]:
    return {
        value
        for seen in server.seen
        for name, value in seen.headers.items()
        if name.lower() == "authorization"
    }


def test_the_visitors_key_is_sent_and_kept_nowhere(
    make: Make, server: QuirkServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    base = make()
    typed = ModelSettings(model="judge-sure", base_url=server.url, key=SecretStr(VISITORS))

    services = base.for_owner("anna").with_models(typed)
    outcome = graded(services)

    assert isinstance(outcome, Grade), outcome
    assert outcome.provenance.judge == "llm"
    assert keys_seen(server) == {f"Bearer {VISITORS}"}
    assert VISITORS not in caplog.text + repr(services) + repr(services.settings) + repr(typed)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert VISITORS.encode() not in stored
    assert services.export_mine().find(VISITORS.encode()) == -1
    assert base.models.chat is not services.models.chat


def test_the_servers_key_goes_to_no_address_that_was_typed(make: Make, server: QuirkServer) -> None:
    services = make().with_models(ModelSettings(model="judge-sure", base_url=server.url))

    graded(services)

    assert SERVERS not in str(keys_seen(server))


def test_a_visitors_own_tokens_are_not_on_the_servers_account(
    make: Make, server: QuirkServer
) -> None:
    base = make(budget_tokens=1)
    typed = ModelSettings(model="judge-sure", base_url=server.url, key=SecretStr(VISITORS))
    services = base.for_owner("anna").with_models(typed)

    outcome = graded(services)

    assert isinstance(outcome, Grade)
    assert outcome.provenance.judge == "llm"  # the budget of the server is not theirs to spend
    assert services.models.spending.this_month()
    assert base.for_owner("anna").store.ledger.spent(f"{base.clock.now():%Y-%m}") == {}


def test_tokens_of_the_servers_models_are_counted_for_who_used_them(
    make: Make, server: QuirkServer
) -> None:
    base = make()
    anna = base.for_owner("anna")

    outcome = graded(anna)

    assert isinstance(outcome, Grade)
    month = f"{base.clock.now():%Y-%m}"
    assert anna.store.ledger.spent(month)["judge-sure"].total == outcome.provenance.tokens
    assert base.store.ledger.spent(month) == {}
    assert base.store.ledger.total(month) == outcome.provenance.tokens
    assert keys_seen(server) == {f"Bearer {SERVERS}"}


def test_on_a_shared_server_an_inner_address_is_refused_unless_it_is_allowed(
    make: Make, server: QuirkServer
) -> None:
    typed = ModelSettings(model="judge-sure", base_url=server.url, key=SecretStr(VISITORS))

    with pytest.raises(ConfigError, match="指向本机或内网"):
        graded(make(shared=True).for_owner("anna").with_models(typed))
    assert server.seen == []
    allowed = make(shared=True, private_endpoints=True).for_owner("anna").with_models(typed)
    assert isinstance(graded(allowed), Grade)


def test_on_a_shared_server_a_model_without_a_key_of_ones_own_is_refused(make: Make) -> None:
    with pytest.raises(ConfigError, match="请填写自己的密钥"):
        make(shared=True).with_models(ModelSettings(model="expensive"))


@pytest.mark.parametrize("model", ["local:/etc/passwd", "anthropic:claude"])
def test_on_a_shared_server_no_file_and_no_key_of_the_server_is_used(
    make: Make, model: str
) -> None:
    typed = ModelSettings(model=model, base_url="https://x.example", key=SecretStr(VISITORS))
    services = make(shared=True).with_models(typed)

    with pytest.raises(ConfigError, match="多人模式下不能使用模型"):
        graded(services)


def test_an_allowance_that_is_used_up_stops_rewriting_too(make: Make) -> None:
    base = make(shared=True, answers_per_hour=1, model=None, judge_model=None)
    services = base.for_owner("anna")
    target = target_of(services.bank.find("S01"))
    given = services.grader.grade("a-1", target, ANSWER)
    assert isinstance(given, Grade)

    with pytest.raises(JudgeUnavailableError, match="评分太频繁"):
        services.improve(target, ANSWER, given)
    # The command line of the server is nobody's visitor.
    assert all(isinstance(graded(base), Grade) for _ in range(2))
