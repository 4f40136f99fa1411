"""The language models of the settings: who interviews, who judges, and whether it may."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from bot.adapters import yaml_file
from bot.domain.bank import Bank
from bot.domain.exam import Exam, ExamResult
from bot.domain.usage import Usage
from bot.errors import BotError, ConfigError
from bot.ports import ChatModel, Clock, Interviewer, Judge, Ledger
from bot.services.budgeting import Price, Spending
from bot.services.examining import ExamGate, exam_key, examine
from bot.services.grading import Grader
from bot.services.interviewer import LlmInterviewer
from bot.services.judging import GatedJudge
from bot.services.llm_judge import LlmJudge
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.endpoint_manner import MannerMemory

SECRET_FILE = "installation.key"  # noqa: S105 - the name of the file


class ExamRun:
    """The exam of the model, taken in the background at most once a process."""

    def __init__(self) -> None:
        """Begin without an exam."""
        self._lock = Lock()
        self._begun = False
        self.done, self.total = 0, 0
        self.failure: str | None = None

    def begin(self, take: Callable[[Callable[[int, int], None]], object]) -> None:
        """Take the exam in a thread of its own, once."""
        with self._lock:
            if self._begun:
                return
            self._begun = True
        Thread(target=self._run, args=(take,), name="exam", daemon=True).start()

    def _run(self, take: Callable[[Callable[[int, int], None]], object]) -> None:
        try:
            take(self._progress)
        except BotError as error:
            self.failure = str(error)

    def _progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total


@dataclass(frozen=True)
class Models:
    """Everything about the models; nothing is loaded and nobody is asked before the first call."""

    settings: Settings
    ledger: Callable[[], Ledger]
    clock: Clock
    exam_file: Path
    exam_grader: Callable[[Judge], Grader]
    exam_bank: Callable[[], Bank]
    exam_run: ExamRun = field(default_factory=ExamRun)

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
        """Return what tokens cost, where both prices are set."""
        price_in, price_out = self.settings.model_price_in, self.settings.model_price_out
        if price_in is None or price_out is None:
            return None
        return Price(prompt=Decimal(str(price_in)), reply=Decimal(str(price_out)))

    @cached_property
    def chat(self) -> ChatModel:
        """Return the model that interviews. Raises `ConfigError`."""
        return self._open(self.settings.model or self.settings.judge_model or "")

    @cached_property
    def judge_chat(self) -> ChatModel:
        """Return the model that judges. Raises `ConfigError`."""
        given = self.settings.judge_model
        return self.chat if given in (None, self.settings.model) else self._open(str(given))

    @cached_property
    def llm_judge(self) -> LlmJudge:
        """Return the model's judge, whether or not it may grade. Raises `ConfigError`."""
        return LlmJudge(self.judge_chat, secret=self.secret)

    def judge(self, offline: Judge) -> GatedJudge:
        """Return the judge that grades: the model, or `offline` while the model may not."""
        return GatedJudge(
            model=self.llm_judge, offline=offline, gates=(self.spending, self.exam_gate)
        )

    def interviewer(self, offline: Interviewer) -> Interviewer:
        """Return the interviewer: the model, or `offline` without one."""
        if self.settings.model is None:
            return offline
        return LlmInterviewer(self.chat, offline, gate=self.spending, secret=self.secret)

    @cached_property
    def exam(self) -> Exam:
        """Return the exam. Raises `ConfigError`."""
        return yaml_file.read(self.exam_file, Exam, ConfigError)

    @cached_property
    def exam_key(self) -> str:
        """Return the key under which the judging model's result is kept."""
        address = self.settings.openai_base_url or self.settings.judge_model or self.settings.model
        return exam_key(address or "", self.llm_judge.identity, self.exam)

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

    def take_exam(self, progress: Callable[[int, int], None] | None = None) -> ExamResult:
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

    def begin_exam(self) -> None:
        """Begin the exam in the background, unless there is a result or none is required."""
        if self.is_set and self.exam_gate.closed_because() and self.exam_result is None:
            self.exam_run.begin(self.take_exam)

    @property
    def says(self) -> str:
        """Return in a sentence who grades now, and why."""
        if not self.is_set:
            return "离线评分：没有配置模型，不需要密钥，也不联网。"
        closed = self.spending.closed_because() or self.exam_gate.closed_because()
        if closed is None:
            result = self.exam_result
            passed = f"（评分考核 {result.score}）" if result is not None else ""
            return f"由模型 {self.judge_chat.name} 评分{passed}。"
        if self.exam_run.failure is not None and self.exam_result is None:
            return f"评分考核没有完成：{self.exam_run.failure}现在由离线评分代替。"
        run = self.exam_run
        done = f"（{run.done}/{run.total}）" if run.total and self.exam_result is None else ""
        return f"{closed}{done}"

    @cached_property
    def secret(self) -> str:
        """Return the installation's secret, made at the first use. Raises `ConfigError`."""
        path = self.settings.data_dir / SECRET_FILE
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Two processes may begin together: only one can make the file.
            try:
                with path.open("x", encoding="ascii") as file:
                    path.chmod(0o600)
                    file.write(secrets.token_hex(16))
            except FileExistsError:
                pass
            found = path.read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"{path}：无法读写；请检查 BOT_DATA_DIR 的权限，或删除这个文件后重试。"
            ) from error
        if not found:
            raise ConfigError(f"{path}：文件是空的；请删除它后重试。")
        return found

    def _open(self, given: str) -> ChatModel:
        from bot.adapters.chat_models import open_chat_model

        def spent(usage: Usage) -> None:
            self.spending.spend(given, usage)

        return open_chat_model(
            given,
            key=self.settings.openai_api_key,
            base_url=self.settings.openai_base_url,
            timeout=self.settings.model_timeout,
            memory=self._memory,
            spent=spent,
        )

    @cached_property
    def _memory(self) -> MannerMemory:
        from bot.adapters.chat_models import methods_memory

        return methods_memory(self.settings.data_dir)
