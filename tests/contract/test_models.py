"""The models of the settings, put together, against a server that plays them."""

from __future__ import annotations

import gc
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.adapters import local_model
from bot.bootstrap import Services
from bot.cli.doctor import examine
from bot.domain.claims import Flag
from bot.domain.grade import Grade
from bot.domain.session import Session
from bot.domain.target import target_of
from bot.domain.usage import Usage
from bot.errors import BotError, ConfigError
from bot.prompts.judge import JudgeReply
from bot.settings import Settings
from tests.conftest import SMALL_BANK
from tests.contract.quirk_server import QuirkServer

pytestmark = pytest.mark.contract

KEY = "sk-canary-key-7Wd"
ANSWER = (
    "canary-answer：KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"
)


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

    def make_one(model: str, **changes: Any) -> Services:
        fields: dict[str, Any] = {
            "data_dir": tmp_path / "data",
            "corpus_dir": Path(SMALL_BANK["BOT_CORPUS_DIR"]),
            "bank": SMALL_BANK["BOT_BANK"],
            "model": model,
            "openai_base_url": server.url,
            "openai_api_key": SecretStr(KEY),
            "judge_exam": "override",
        }
        made.append(Services(Settings(_env_file=None, **(fields | changes))))
        return made[-1]

    yield make_one
    for one in made:
        wait_for(lambda one=one: not one.models.exam_run.is_running)  # type: ignore[misc]
        if "chat" in one.models.__dict__:
            one.models.chat.close()  # type: ignore[attr-defined]
        if "store" in one.__dict__:
            one.store.close()


def answered(services: Services, text: str = ANSWER) -> Session:
    """Return a session with one graded answer."""
    session = services.interviews.begin_with(("S01",), follow_ups=0)
    return services.interviews.grade_waiting(services.interviews.answer(session, text))


def grade_of(session: Session) -> Grade:
    found = session.turns[0].grade
    assert found is not None
    return found


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.02)


class TestGrades:
    @pytest.mark.parametrize(
        ("model", "sure", "is_unstable"), [("judge-sure", 0.97, False), ("judge-unsure", 0.6, True)]
    )
    def test_how_sure_the_model_was_is_stored_with_the_grade(
        self, make: Make, model: str, sure: float, is_unstable: bool
    ) -> None:
        services = make(model)

        stored = services.store.load(answered(services).id)

        assert grade_of(stored).confidence == pytest.approx(sure)
        assert (Flag.UNSTABLE in grade_of(stored).flags) == is_unstable

    def test_a_grade_counts_its_samples_and_the_month_counts_every_call(
        self, make: Make, server: QuirkServer
    ) -> None:
        services = make("judge-sure", judge_samples=3)

        session = answered(services)
        services.improve(services.interviews.target_of(session.turns[0]), ANSWER, grade_of(session))

        # Points that the question does not have are a fault, so each sample takes two calls.
        assert grade_of(session).provenance.usage.total == 6 * 120
        spoken, judged, improved = 120, 6 * 120, 120
        assert (
            services.models.spending.this_month()["judge-sure"].total == spoken + judged + improved
        )
        assert len(server.of("judge-sure")) == 8


class TestExam:
    def test_a_model_that_calls_everything_met_fails_and_is_told_why(self, make: Make) -> None:
        services = make("judge-sure", judge_exam="require")

        services.models.begin()
        wait_for(lambda: services.models.exam_result is not None)

        result = services.models.exam_result
        assert result is not None
        assert not result.passed
        assert {"wrong", "hollow", "other-question"} <= {one.id for one in result.failures}
        assert "该模型未通过评分考核" in services.models.says
        assert result.score in services.models.says
        assert grade_of(answered(services)).provenance.judge == "offline"

    def test_the_setting_that_overrides_it_is_said(self, make: Make) -> None:
        services = make("judge-sure", judge_exam="require")
        services.models.take_exam()

        overridden = make("judge-sure")

        assert "未通过；按 BOT_JUDGE_EXAM=override 由它评分" in overridden.models.says
        assert grade_of(answered(overridden)).provenance.judge == "llm"

    def test_an_endpoint_that_refuses_ends_the_exam_with_a_sentence_and_it_can_be_begun_again(
        self, make: Make, server: QuirkServer
    ) -> None:
        models = make("401", judge_exam="require").models

        models.begin()
        wait_for(lambda: models.exam_run.failure is not None)

        assert models.busy_says is None
        assert "评分考核没有完成" in models.says
        assert "OPENAI_API_KEY" in models.says
        before = len(server.of("401"))
        models.begin()
        assert len(server.of("401")) == before
        models.retry()
        wait_for(lambda: len(server.of("401")) > before)

    def test_an_exam_that_breaks_off_for_a_fault_of_ours_does_not_wait_for_ever(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        models = make("judge-sure", judge_exam="require").models
        monkeypatch.setitem(models.__dict__, "exam", None)

        models.begin_exam()
        wait_for(lambda: not models.exam_run.is_running)

        assert "意外中断" in str(models.exam_run.failure)

    def test_without_a_budget_no_exam_is_begun(self, make: Make, server: QuirkServer) -> None:
        services = make("judge-sure", judge_exam="require", budget_tokens=1)
        services.models.spending.spend("judge-sure", Usage(prompt=5, reply=5))

        services.models.begin()

        assert not services.models.exam_run.is_running
        assert server.of("judge-sure") == []
        assert "BOT_BUDGET_TOKENS" in services.models.says

    def test_however_an_address_is_written_the_result_is_the_same(
        self, make: Make, server: QuirkServer
    ) -> None:
        ways = (
            server.url,
            f"{server.url}/",
            f" {server.url}/chat/completions ",
            server.host + "/v1",
        )

        models = [make("judge-sure", openai_base_url=way).models for way in ways]

        assert len({one.exam_key for one in models}) == 1
        assert [one.address_note is None for one in models] == [True, True, False, False]
        assert server.url in str(models[2].address_note)

    def test_another_address_or_model_has_to_take_its_own(self, make: Make) -> None:
        keys = {
            make(model, openai_base_url=url).models.exam_key
            for model in ("deepseek:deepseek-chat", "deepseek:deepseek-reasoner")
            for url in (None, "http://127.0.0.1:9/v1")
        }
        same = make("deepseek-chat", openai_base_url="https://api.deepseek.com/v1/chat/completions")

        assert len(keys) == 4
        assert same.models.exam_key in keys

    def test_the_doctor_says_what_was_made_of_the_address(
        self, make: Make, server: QuirkServer
    ) -> None:
        services = make("willing", openai_base_url=f"{server.url}/chat/completions")

        said = {one.part: one.says for one in examine(services)}

        assert f"OPENAI_BASE_URL 已按 {server.url} 使用" in said["模型地址"]
        assert "输入" in said["本月用量"]


class TestLocal:
    """A model of this machine, with a small program in the place of llama.cpp."""

    @pytest.fixture
    def local(
        self, make: Make, server: QuirkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[..., tuple[Services, Path]]:
        def open_one(
            *, can_load: bool = True, guided: bool = False, **changes: Any
        ) -> tuple[Services, Path]:
            model, gate, stub = (tmp_path / name for name in ("judge-sure", "gate", "stub.py"))
            model.write_bytes(b"GGUF")
            address = server.url.removesuffix("/v1") if can_load else ""
            address += " guided" if guided else ""
            stub.write_text(
                "import pathlib, sys, time\n"
                "sys.stdin.readline()\n"
                f"while not pathlib.Path({str(gate)!r}).exists(): time.sleep(0.02)\n"
                f"print({address!r}, flush=True)\n"
                "sys.stdin.read()\n",
                encoding="utf-8",
            )
            monkeypatch.setattr(local_model, "find_spec", lambda _: True)
            monkeypatch.setattr(local_model.local_server, "__file__", str(stub))
            return make(f"local:{model}", **changes), gate

        return open_one

    def test_it_loads_in_the_background_and_the_first_question_does_not_wait(
        self, local: Callable[..., tuple[Services, Path]], server: QuirkServer
    ) -> None:
        services, gate = local()

        services.models.begin()
        session = services.interviews.begin_with(("S01",), follow_ups=0)

        assert "正在载入模型 judge-sure" in str(services.models.busy_says)
        assert "为什么 KV 缓存能让 Decode 变快？" in session.turns[0].says
        assert server.seen == []

        gate.touch()
        wait_for(lambda: services.models.busy_says is None)

        assert "请说说你的理解。" in services.interviews.begin_with(("S01",)).turns[0].says
        assert "由模型 judge-sure 评分" in services.models.says

    def test_an_answer_waits_for_the_model_and_is_graded_by_it(
        self, local: Callable[..., tuple[Services, Path]]
    ) -> None:
        services, gate = local()
        services.models.begin()
        threading.Timer(0.2, gate.touch).start()

        assert grade_of(answered(services)).provenance.judge == "llm"

    @pytest.mark.parametrize("guided", [True, False])
    def test_it_is_held_to_the_form_by_a_grammar_without_blanks_where_it_knows_such(
        self, local: Callable[..., tuple[Services, Path]], server: QuirkServer, guided: bool
    ) -> None:
        services, gate = local(guided=guided)
        gate.touch()

        given = grade_of(answered(services))

        body = next(seen.body for seen in server.seen if not seen.body.get("stream"))
        assert ("grammar" in body, "response_format" in body) == (guided, not guided)
        if guided:
            head, _, schema = body["grammar"].partition("%json ")
            assert head == "%llguidance {}\nstart: "
            assert json.loads(schema)["x-guidance"]["whitespace_flexible"] is False
            assert set(json.loads(schema)["properties"]) == set(JudgeReply.model_fields)
        assert given.provenance.method == "json_schema"
        assert given.confidence == pytest.approx(0.97)

    @pytest.mark.parametrize("exam", ["require", "override"])
    def test_one_that_cannot_be_loaded_is_said_and_the_offline_judge_grades(
        self, local: Callable[..., tuple[Services, Path]], exam: str
    ) -> None:
        services, gate = local(can_load=False, judge_exam=exam)
        services.models.begin()
        threading.Timer(0.2, gate.touch).start()

        found = grade_of(answered(services))

        assert found.provenance.judge == "offline"
        wait_for(lambda: services.models.busy_says is None)
        assert "无法载入模型文件" in services.models.says
        assert services.models.says.endswith("现在由离线评分代替。")
        assert "正在" not in services.models.says

    def test_loading_can_be_tried_again(
        self, local: Callable[..., tuple[Services, Path]], server: QuirkServer, tmp_path: Path
    ) -> None:
        services, gate = local(can_load=False)
        gate.touch()
        services.models.begin()
        wait_for(lambda: "无法载入" in services.models.says)
        stub = tmp_path / "stub.py"
        address = server.url.removesuffix("/v1")
        stub.write_text(
            stub.read_text(encoding="utf-8").replace("print(''", f"print('{address}'"),
            encoding="utf-8",
        )

        services.models.retry()
        wait_for(lambda: "由模型 judge-sure 评分" in services.models.says)

    def test_a_file_that_is_no_model_is_a_wrong_setting(self, make: Make, tmp_path: Path) -> None:
        (tmp_path / "x.gguf").write_bytes(b"text")

        with pytest.raises(ConfigError, match="不是 GGUF"):
            make(f"local:{tmp_path / 'x.gguf'}").models.begin()


@pytest.mark.parametrize("model", ["judge-unsure", "chatty", "echo-400", "echo-401"])
def test_no_key_prompt_or_answer_in_any_log_or_error(
    make: Make, model: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever is done with a model: the exam, speaking, grading, a better answer."""
    caplog.set_level(logging.INFO)
    services, strict = make(model), make(model, judge_exam="require")
    target = target_of(services.bank.find("S01"))
    offline = services.offline_grader.grade("x", target, ANSWER)
    assert isinstance(offline, Grade)
    said = []

    for do in (
        strict.models.take_exam,
        lambda: answered(services),
        lambda: services.improve(target, ANSWER, offline),
    ):
        try:
            do()
        except BotError as error:
            said.append(repr(error))
    strict.models.begin_exam()
    wait_for(lambda: not strict.models.exam_run.is_running)
    said += [one.says for one in examine(strict)]
    said += [record.getMessage() + str(record.exc_info) for record in caplog.records]
    said += capfd.readouterr()

    text = "\n".join(said)
    assert "canary" not in text
    assert "你是大模型推理方向的" not in text
