"""Key points drafted over a real endpoint: the form, the correction, and what it cost."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from bot.adapters.chat_models import open_chat_model
from bot.adapters.endpoint import Endpoint
from bot.bootstrap.imports import unmet_with
from bot.domain.usage import Usage
from bot.services.point_drafting import PointDrafting
from tests import fakes
from tests.answers import services
from tests.contract.quirk_server import QuirkServer

pytestmark = pytest.mark.contract


class Open:
    """A gate that is open."""

    def closed_because(self) -> str | None:
        return None


@pytest.fixture
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()
    gc.collect()  # an open connection would warn


def test_a_fault_is_named_to_the_model_and_every_call_is_counted(server: QuirkServer):
    spent: list[Usage] = []
    chat = open_chat_model("drafts", base_url=server.url, key=SecretStr("sk-x"), spent=spent.append)
    assert isinstance(chat, Endpoint)
    plain = fakes.question()
    reference = plain.reference.model_copy(
        update={"conclusion": "缓存省去重复计算。", "premise_cost": "代价是显存随长度增长。"}
    )
    points = tuple(one.model_copy(update={"generated": True}) for one in plain.key_points)
    question = plain.model_copy(update={"reference": reference, "key_points": points})
    banks = fakes.MemoryBanks(fakes.bank(question).model_copy(update={"id": "mine"}))
    drafting = PointDrafting(
        chat=lambda: chat,
        gate=Open(),
        secret=lambda: "s",
        banks=banks,
        own=banks,
        unmet=lambda terms: unmet_with(services(), terms),
        forget=lambda _: None,
    )

    drafts = drafting.draft("mine", question)
    chat.close()

    assert [one.says for one in drafts.points] == ["省去重复计算", "代价是显存增长"]
    assert (drafts.dropped, drafts.model) == ((), "drafts")
    first, second = server.of("drafts")
    assert first.format == "json_schema"
    assert "<answer-" in first.text
    assert "的槽位 'cost' 不是这类题的槽位" in second.text
    assert len(spent) == 2
