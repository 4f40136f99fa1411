"""Which judge a command uses."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from bot.bootstrap import Services
from bot.errors import ConfigError
from bot.services.grading import Grader

OFFLINE, LLM, REPLAY = "offline", "llm", "replay"


def is_offline(services: Services, judge: str | None) -> bool:
    """Say whether a `--judge` option means the offline judge: without a model it is the default."""
    return judge == OFFLINE or (judge is None and not services.models.is_set)


def grader_of(
    services: Services, judge: str | None, console: Console, *, in_bulk: bool = False
) -> Grader:
    """Return the grader of a `--judge` option; a model without an exam takes it first.

    For a whole file, that is `in_bulk`, it works faster and without confidence. Raises
    `ConfigError` for an unknown judge, or for `llm` without a model.
    """
    if is_offline(services, judge):
        return services.offline_grader
    if judge not in (None, LLM):
        raise ConfigError(f"没有评分者 {judge!r}；可用：{OFFLINE}、{LLM}。")
    if not services.models.is_set:
        raise ConfigError(
            "没有配置模型；请设置 BOT_MODEL（见 .env.example），或用 --judge offline。"
        )
    ensure_exam(services, console)
    console.print(services.models.says, markup=False, highlight=False)
    return services.bulk_grader if in_bulk else services.grader


def ensure_exam(services: Services, console: Console) -> None:
    """Let the model take the exam if one is required and there is no result yet."""
    models = services.models
    if models.exam_result is None and models.settings.judge_exam == "require":
        take_exam(services, console)


def take_exam(services: Services, console: Console) -> None:
    """Let the model take the exam, with a progress bar."""
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(f"评分考核 {services.models.judge_chat.name}", total=None)
        services.models.take_exam(lambda done, total: bar.update(task, completed=done, total=total))


def replay_grader(services: Services, replies: Path) -> Grader:
    """Return a grader over recorded replies. Raises `ConfigError`."""
    from bot.adapters.replay import SECRET, ReplayChat
    from bot.services.llm_judge import LlmJudge

    return services.grader_with(LlmJudge(ReplayChat(replies), secret=SECRET))
