"""The language models of the settings: who interviews, who judges, and whether it may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters import yaml_file
from bot.bootstrap.background import Background
from bot.bootstrap.loading import Free, ModelLoad
from bot.bootstrap.secret import installation_secret
from bot.domain.bank import Bank
from bot.domain.exam import Exam, ExamResult
from bot.domain.usage import Usage
from bot.errors import ConfigError
from bot.ports import ChatModel, Clock, Interviewer, Judge, Ledger
from bot.services.budgeting import Price, Spending
from bot.services.examining import ExamGate, exam_key, examine
from bot.services.grading import Grader
from bot.services.interviewer import LlmInterviewer
from bot.services.judging import Gate, GatedJudge, first_reason
from bot.services.llm_judge import LlmJudge
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.base_url import BaseUrl
    from bot.adapters.endpoint_manner import MannerMemory


@dataclass(frozen=True)
class Models:
    """Everything about the models; nothing is loaded and nobody is asked before the first call."""

    settings: Settings
    ledger: Callable[[], Ledger]
    clock: Clock
    exam_file: Path
    exam_grader: Callable[[Judge], Grader]
    exam_bank: Callable[[], Bank]
    process: Models | None = None
    """Whose models these are, where an owner only has an account of their own."""
    is_typed: bool = False
    """Whether a visitor typed address and key: then nothing about them is kept."""

    def for_owner(self, ledger: Callable[[], Ledger]) -> Models:
        """Return the same models with an account of an owner's own."""
        return replace(self, ledger=ledger, process=self)

    @property
    def is_set(self) -> bool:
        """Say whether a model is configured."""
        return self.settings.model is not None or self.settings.judge_model is not None

    @cached_property
    def spending(self) -> Spending:
        """Return the account of tokens."""
        return Spending(ledger=self.ledger(), clock=self.clock, budget=self.settings.budget_tokens)

    @property
    def price(self) -> Price | None:
        """Return what tokens cost, where the prices of input and output are set."""
        price_in, price_out = self.settings.model_price_in, self.settings.model_price_out
        cached = self.settings.model_price_cached
        if price_in is None or price_out is None:
            return None
        return Price(
            prompt=Decimal(str(price_in)),
            cached=None if cached is None else Decimal(str(cached)),
            reply=Decimal(str(price_out)),
        )

    @cached_property
    def chat(self) -> ChatModel:
        """Return the model that interviews. Raises `ConfigError`."""
        given = self.settings.model
        return self.judge_chat if given is None else self._open(given)

    @cached_property
    def judge_chat(self) -> ChatModel:
        """Return the model that judges. Raises `ConfigError`."""
        given = self.settings.judge_model
        return self.chat if given is None or given == self.settings.model else self._open(given)

    @cached_property
    def vision_chat(self) -> ChatModel | None:
        """Return the model that reads drawings, or None without one. Raises `ConfigError`."""
        given = self.settings.vision_model
        if given is None:
            return None
        return self.chat if given == self.settings.model else self._open(given)

    @cached_property
    def llm_judge(self) -> LlmJudge:
        """Return the model's judge, whether or not it may grade. Raises `ConfigError`."""
        return self._llm_judge(weighed=True)

    def _llm_judge(self, *, weighed: bool) -> LlmJudge:
        from bot.adapters.local_model import LocalModel

        held = isinstance(self.judge_chat, LocalModel)
        return LlmJudge(self.judge_chat, secret=self.secret, held=held, weighed=weighed)

    def judge(self, offline: Judge, *, weighed: bool = True) -> GatedJudge:
        """Return the judge that grades: the model, or `offline` while the model may not.

        Without `weighed` no probabilities are asked for, and the grades have no confidence.
        """
        model = self.llm_judge if weighed else self._llm_judge(weighed=False)
        return GatedJudge(model=model, offline=offline, gates=self._gates)

    def interviewer(self, offline: Interviewer) -> Interviewer:
        """Return the interviewer: the model, or `offline` without one."""
        if self.settings.model is None:
            return offline
        gates: tuple[Gate, ...] = (self.spending, *self.loads)
        if self.loads:  # it can do one thing at a time, and a candidate should not wait for that
            gates = (*gates, Free(lambda: self.busy_says))
        return LlmInterviewer(self.chat, offline, gates=gates, secret=self.secret)

    @cached_property
    def exam(self) -> Exam:
        """Return the exam. Raises `ConfigError`."""
        return yaml_file.read(self.exam_file, Exam, ConfigError)

    @cached_property
    def exam_key(self) -> str:
        """Return the key under which the judging model's result is kept."""
        return exam_key(self.address, self.llm_judge.identity, self.exam)

    @property
    def address(self) -> str:
        """Return where the judging model is asked. Raises `ConfigError`."""
        return self._address.url

    @property
    def address_note(self) -> str | None:
        """Return what was changed in the address that was set. Raises `ConfigError`."""
        return self._address.note if self.is_set else None

    @cached_property
    def exam_gate(self) -> ExamGate:
        """Return what keeps a model from grading that has not passed."""
        return ExamGate(
            key=self.exam_key,
            model=self.judge_chat.name,
            results=self.ledger(),
            required=self.settings.judge_exam == "require",
        )

    @property
    def exam_result(self) -> ExamResult | None:
        """Return the stored result of the judging model, if it took the exam."""
        return self.ledger().get(self.exam_key)

    def take_exam(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> ExamResult:
        """Let the judging model take the exam now, and keep the result.

        Raises `JudgeUnavailableError` or `ConfigError` when the endpoint does not work.
        """
        result = examine(
            self.exam,
            key=self.exam_key,
            grader=self.exam_grader(self.llm_judge),
            bank=self.exam_bank(),
            clock=self.clock,
            progress=progress,
        )
        self.ledger().put(result)
        return result

    @cached_property
    def exam_run(self) -> Background:
        """Return the exam that is taken in the background."""
        return Background("exam", self.clock) if self.process is None else self.process.exam_run

    @cached_property
    def loads(self) -> tuple[ModelLoad, ...]:
        """Return the loading of each model of this machine. Raises `ConfigError`."""
        from bot.adapters.local_model import LocalModel

        if self.process is not None:
            return self.process.loads
        chats = dict.fromkeys((self.chat, self.judge_chat)) if self.is_set else {}
        return tuple(ModelLoad(one, self.clock) for one in chats if isinstance(one, LocalModel))

    def begin(self) -> None:
        """Begin in the background what the models need before they can work.

        Those of this machine are loaded, and the exam is taken unless there is a result or none is
        required. Raises `ConfigError`.
        """
        for load in self.loads:
            load.begin()
        if self.is_set and self.exam_gate.closed_because() and self.exam_result is None:
            self.begin_exam()

    def begin_exam(self, *, again: bool = False) -> None:
        """Begin the exam in the background, unless the month's budget is spent."""
        if self.process is not None:
            self.process.begin_exam(again=again)
        elif self.spending.closed_because() is None:
            self.exam_run.begin(self.take_exam, again=again)

    def retry(self) -> None:
        """Load what could not be loaded, and take the exam again. Raises `ConfigError`."""
        for load in self.loads:
            load.begin(again=True)
        self.begin_exam(again=True)

    @property
    def loading_says(self) -> str | None:
        """Return which model is being loaded, in a sentence, or None."""
        return next((load.says for load in self.loads if load.is_running), None)

    @property
    def busy_says(self) -> str | None:
        """Return what is done in the background now, in a sentence, or None."""
        run = self.exam_run
        if self.loading_says is not None or not run.is_running:
            return self.loading_says
        done = f"第 {run.done}/{run.total} 份" if run.total else "刚开始"
        return f"评分考核进行中：{done}，已用 {run.seconds:.0f} 秒。"

    @property
    def says(self) -> str:
        """Return in a sentence who grades now, and why."""
        if not self.is_set:
            return "离线评分：没有配置模型，不需要密钥，也不联网。"
        closed = first_reason(self._gates)
        result, run = self.exam_result, self.exam_run
        if closed is None:
            return f"由模型 {self.judge_chat.name} 评分（{_exam_says(result)}）。"
        if run.failure is not None and result is None and first_reason(self._gates[:-1]) is None:
            return f"评分考核没有完成：{run.failure}现在由离线评分代替。"
        return closed

    @cached_property
    def secret(self) -> str:
        """Return the installation's secret, made at the first use. Raises `ConfigError`."""
        return installation_secret(self.settings.data_dir)

    def opened(self, given: str) -> ChatModel:
        """Return one of the models of the settings. Raises `ConfigError`."""
        if given == self.settings.model:
            return self.chat
        if given == self.settings.judge_model:
            return self.judge_chat
        return self.vision_chat or self.chat

    def _open(self, given: str) -> ChatModel:
        from bot.adapters.chat_models import counting, open_chat_model

        def spent(usage: Usage) -> None:
            self.spending.spend(given, usage)

        if self.process is not None:
            return counting(self.process.opened(given), spent)
        return open_chat_model(
            given,
            key=self.settings.openai_api_key,
            base_url=self.settings.openai_base_url,
            timeout=self.settings.model_timeout,
            memory=self._memory,
            spent=spent,
            public_only=self.is_typed
            and self.settings.shared
            and not self.settings.private_endpoints,
        )

    @property
    def _gates(self) -> tuple[Gate, ...]:
        """Return what may keep the model from grading; the exam comes last."""
        return (self.spending, *self.loads, self.exam_gate)

    @property
    def _address(self) -> BaseUrl:
        """Return where the judging model is asked, however its address was written."""
        from bot.adapters.chat_models import address_of

        given = self.settings.judge_model or self.settings.model or ""
        return address_of(given, self.settings.openai_base_url)

    @cached_property
    def _memory(self) -> MannerMemory:
        from bot.adapters.chat_models import methods_memory
        from bot.adapters.endpoint_manner import ProcessMemory

        if self.is_typed:
            return ProcessMemory()

        return methods_memory(self.settings.data_dir)


def _exam_says(result: ExamResult | None) -> str:
    """Return what a model that grades has shown, and by which setting it grades all the same."""
    if result is not None and result.passed:
        return f"评分考核 {result.score}"
    shown = "没有做评分考核" if result is None else f"评分考核只通过 {result.score}，未通过"
    return f"{shown}；按 BOT_JUDGE_EXAM=override 由它评分"
