"""Two people sign in with a real provider, and neither finds what is the other's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, start
from tests.browser.identity_server import IdentityServer
from tests.browser.interviewing import answered, send
from tests.serving import free_port

pytestmark = pytest.mark.browser


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Server]:
    """A server that several people share."""
    provider, port = IdentityServer(), free_port()
    folder = tmp_path / "home" / ".streamlit"
    folder.mkdir(parents=True)
    secrets = provider.secrets(f"http://127.0.0.1:{port}")
    (folder / "secrets.toml").write_text(secrets, encoding="utf-8")
    variables = {
        "BOT_SHARED": "true",
        "HOME": str(tmp_path / "home"),
        "BOT_ADMINS": "bert@example.com",
    }
    running = start(tmp_path / "data", tmp_path / "log", variables=variables, port=port)
    yield running
    running.kill()
    provider.close()


def sign_in(page: Page, name: str) -> None:
    page.get_by_role("button", name="登录").click()
    page.get_by_role("link", name=name).click()
    expect(page.get_by_text(f"{name}@example.com")).to_be_visible()


def test_each_of_two_people_sees_their_own(page: Page, shared: Server) -> None:
    page.goto(shared.address)
    expect(page.get_by_role("button", name="登录")).to_be_visible()
    expect(page.get_by_role("button", name="开始面试")).to_have_count(0)

    sign_in(page, "anna")
    page.get_by_role("button", name="开始面试").click()
    expect(page.get_by_text("第 1 / 3 题")).to_be_visible()
    page.wait_for_url(re.compile(r"session=\w+"))
    hers = page.url
    send(page, "历史的键值不必重算，直接从显存读取，代价是占用显存。")
    expect(answered(page)).to_have_count(1)
    page.reload()
    expect(answered(page)).to_have_count(1)
    expect(page.get_by_role("link", name="用量")).to_have_count(0)

    page.get_by_role("button", name="退出").click()
    expect(page.get_by_role("button", name="登录")).to_be_visible()
    sign_in(page, "bert")
    page.goto(hers)
    expect(page.get_by_text("没有找到这场面试")).to_be_visible()
    expect(answered(page)).to_have_count(0)
    page.goto(f"{shared.address}/admin")
    expect(page.get_by_role("heading", name="用量")).to_be_visible()
    expect(page.get_by_text("2 个用户，1 场面试")).to_be_visible()
    expect(page.get_by_text("键值")).to_have_count(0)
