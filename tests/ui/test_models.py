"""What the pages say of a model: who grades and why, its exam, how sure it was, what it cost."""

import gc
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.usage import Usage
from tests.contract.quirk_server import QuirkServer
from tests.ui.reading import shown

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]
ANSWER = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"


@pytest.fixture(scope="module")
def server() -> Iterator[QuirkServer]:
    running = QuirkServer()
    yield running
    running.close()
    gc.collect()  # an open connection would warn


@pytest.fixture
def model(product: Path, server: QuirkServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Set a model that grades by override; to be asked for before the services are."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/chat/completions")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    for name, value in (
        ("MODEL", "judge-unsure"),
        ("JUDGE_EXAM", "override"),
        ("MODEL_PRICE_IN", "2"),
        ("MODEL_PRICE_CACHED", "0.5"),
        ("MODEL_PRICE_OUT", "8"),
    ):
        monkeypatch.setenv(f"BOT_{name}", value)
    return "judge-unsure"


@pytest.fixture
def used(model: str, services: Services) -> Iterator[Services]:
    """The services with that model."""
    yield services
    services.models.chat.close()  # type: ignore[attr-defined]


def answer(at: AppTest) -> AppTest:
    return at.chat_input[0].set_value(ANSWER).run()


def test_a_card_shows_how_sure_the_model_was_and_what_the_grade_cost(
    used: Services, open_page: OpenPage
):
    at = open_page(session=used.interviews.begin_with(("S01", "S02"), follow_ups=0).id)

    text = shown(answer(at))

    assert "模型评分 · judge-unsure" in text
    # Two calls: the reply named points that the question does not have, and was corrected once.
    assert "240 token（输入 200，其中缓存 128；输出 40），约 0.0005 元" in text
    assert "判定把握 0.60" in text
    assert "评分不稳定：" in text
    assert not at.error


def test_a_report_shows_what_its_grades_cost_and_what_that_leaves_out(
    used: Services, open_page: OpenPage
):
    session = used.interviews.begin_with(("S01",), follow_ups=0)
    session = used.interviews.grade_waiting(used.interviews.answer(session, ANSWER))

    text = shown(open_page("report", session=session.id))

    assert "本场评分用量：240 token" in text
    assert "面试官措辞、改写和重评另计入本月用量" in text


def test_an_offline_report_speaks_of_no_cost(services: Services, open_page: OpenPage):
    session = services.interviews.begin_with(("S01",), follow_ups=0)
    services.interviews.grade_waiting(services.interviews.answer(session, ANSWER))

    assert "用量" not in shown(open_page("report", session=session.id))


def test_a_month_and_what_is_left_of_its_budget_are_shown(
    model: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    monkeypatch.setenv("BOT_BUDGET_TOKENS", "1000000")
    used: Services = request.getfixturevalue("used")
    used.models.spending.spend(model, Usage(prompt=200_000, cached=100_000, reply=50_000))

    at = request.getfixturevalue("open_page")("scoring")

    month = next(one.value for one in at.table if "输出" in one.value.columns)
    assert list(month.iloc[0].astype(str)) == [
        "judge-unsure",
        "200,000",
        "100,000",
        "50,000",
        "约 0.6500 元",
    ]
    assert "本月预算 1,000,000 token，还剩 750,000。" in shown(at)


def test_a_spent_budget_is_said_and_the_offline_judge_grades_under_its_own_label(
    model: str,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    server: QuirkServer,
):
    monkeypatch.setenv("BOT_BUDGET_TOKENS", "1000")
    used: Services = request.getfixturevalue("used")
    open_page: OpenPage = request.getfixturevalue("open_page")
    used.models.spending.spend(model, Usage(prompt=1000))
    server.seen.clear()

    said = shown(open_page())
    text = shown(answer(open_page(session=used.interviews.begin_with(("S01",)).id)))

    assert "本月已用 1,000 token，达到预算 1,000" in said
    assert "改用离线评分" in said
    assert "离线评分 · 不判断事实对错" in text
    assert "模型评分" not in text
    assert server.seen == []


def test_what_was_made_of_the_address_is_said(
    used: Services, open_page: OpenPage, server: QuirkServer
):
    for name in ("interview", "scoring"):
        assert f"OPENAI_BASE_URL 已按 `{server.url}` 使用" in plain(shown(open_page(name)))


def test_an_override_is_said(used: Services, open_page: OpenPage):
    assert "没有做评分考核；按 BOT_JUDGE_EXAM=override 由它评分" in plain(shown(open_page()))


class TestExam:
    @pytest.fixture
    def strict(self, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOT_JUDGE_EXAM", "require")

    def test_a_model_that_fails_is_named_with_every_probe_and_why(
        self, strict: None, used: Services, open_page: OpenPage
    ):
        used.models.take_exam()
        score = used.models.exam_result.score  # type: ignore[union-attr]

        at = open_page("scoring")

        text = plain(shown(at))
        assert f"该模型未通过评分考核（{score}）" in text
        assert f"模型 judge-unsure 未通过评分考核（{score}，" in text
        probes = next(one.value for one in at.table if "考核作答" in one.value.columns)
        assert list(probes["考核作答"]) == [one.title for one in used.models.exam.probes]
        says = [plain(one) for one in probes["结果"]]
        assert says[2] == "不合理：评为 5 级，应在 0–1 级"
        assert sum(one.startswith("合理：") for one in says) == int(score.partition("/")[0])
        assert "重新考核" in [one.label for one in at.button]

    def test_an_exam_under_way_shows_how_far_it_is_and_ends(
        self, strict: None, used: Services, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
    ):
        held = True

        def take(report: Callable[[int, int], None]) -> None:
            report(3, 12)
            while held:
                time.sleep(0.02)

        monkeypatch.setattr(type(used.models), "take_exam", lambda _, report: take(report))

        at = open_page("scoring")

        text = shown(at)
        assert "评分考核进行中：第 3/12 份" in plain(text)
        assert [one.value for one in at.progress] == [25]
        assert at.button(key="exam.begin").disabled

        held = False
        while used.models.exam_run.is_running:
            time.sleep(0.02)

        assert not at.run().progress

    def test_an_exam_that_could_not_be_taken_is_said_and_can_be_begun_again(
        self,
        strict: None,
        server: QuirkServer,
        monkeypatch: pytest.MonkeyPatch,
        request: pytest.FixtureRequest,
    ):
        monkeypatch.setenv("BOT_MODEL", "401")
        used: Services = request.getfixturevalue("used")
        open_page: OpenPage = request.getfixturevalue("open_page")
        used.models.begin()
        while used.models.exam_run.is_running:
            time.sleep(0.02)
        before = len(server.of("401"))

        at = open_page("scoring")

        assert "上一次考核没有完成" in at.warning[0].value
        assert "现在由离线评分代替" in shown(at)
        assert not at.progress

        at.button(key="exam.begin").click().run()
        while used.models.exam_run.is_running:
            time.sleep(0.02)

        assert len(server.of("401")) == before + 1


def plain(text: str) -> str:
    """Return what a reader sees of Markdown."""
    return re.sub(r"\\(.)", r"\1", text)
