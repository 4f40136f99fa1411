"""What works on this machine and what to do where it does not."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel

from bot.adapters.base_url import host_of
from bot.bootstrap import Services
from bot.cli.serving import problem_of_sign_in
from bot.domain.owner import admins_in
from bot.domain.question import Frozen
from bot.errors import BotError, ConfigError
from bot.ports import Message
from bot.services.budgeting import lines
from bot.services.checking import counts
from bot.services.reporting import OFFLINE_LABEL


class _Greeting(BaseModel):
    """A form that costs next to nothing to fill in."""

    word: str


_HELLO = (Message(role="user", text='只输出一个 JSON 对象：{"word":"好"}'),)


class Finding(Frozen):
    """The state of one part, in a sentence."""

    part: str
    ok: bool
    says: str


def examine(services: Services) -> tuple[Finding, ...]:
    """Try every part once; a broken one does not hide the others."""
    parts: dict[str, Callable[[Services], str]] = {
        "数据文件夹": lambda found: str(found.settings.data_dir),
        "题库": _bank,
        "评分标准": lambda found: "、".join(one.name for one in found.rubrics.values()),
        "面试记录": _store,
        "检索": _index,
        "登录": _sign_in,
        "PDF 报告": _pdf,
        "模型地址": lambda found: found.models.address_note or found.models.address,
        "语言模型": _model,
        "评分考核": _exam,
        "评分者": lambda found: found.models.says,
        "本月用量": _spending,
    }
    if not services.models.is_set:
        del parts["模型地址"], parts["评分考核"], parts["本月用量"]
    return tuple(_tried(part, says, services) for part, says in parts.items())


def _tried(part: str, says: Callable[[Services], str], services: Services) -> Finding:
    try:
        return Finding(part=part, ok=True, says=says(services))
    except BotError as error:
        return Finding(part=part, ok=False, says=str(error))


def _bank(services: Services) -> str:
    size = counts(services.bank)
    return f"{services.bank.name}，{size.questions} 道题，{size.follow_ups} 个追问，{size.calculations} 族计算题"


def _model(services: Services) -> str:
    models = services.models
    if not models.is_set:
        return f"没有配置，不需要密钥；现在是{OFFLINE_LABEL}。设置 BOT_MODEL 即可接入"
    begun = services.clock.elapsed()
    filled = models.judge_chat.fill(_Greeting, _HELLO, max_tokens=100)
    seconds = services.clock.elapsed() - begun
    return (
        f"{models.judge_chat.name} 可用，结构化输出方式 {filled.method}，"
        f"一次 {seconds:.1f} 秒，{filled.usage.total} token"
    )


def _exam(services: Services) -> str:
    result = services.models.exam_result
    if result is None:
        return "还没有考；运行 `mockbot doctor --exam`（网页会自动在后台进行）"
    told = [f"{'通过' if result.passed else '未通过'}（{result.score}，{result.at:%Y-%m-%d}）"]
    told += [f"    ✗ {one.title}：{one.says}" for one in result.failures]
    return "\n".join(told)


def _spending(services: Services) -> str:
    models = services.models
    told = "；".join(lines(models.spending.this_month(), models.price)) or "还没有用量"
    budget = models.spending.budget_says
    return told if budget is None else f"{told}。{budget}"


def _store(services: Services) -> str:
    return f"可用，最近 {len(services.store.summaries(20))} 场"


def _sign_in(services: Services) -> str:
    if not services.settings.shared:
        return "单人模式，不用登录；多人使用请设置 BOT_SHARED=true"
    if (problem := problem_of_sign_in()) is not None:
        raise ConfigError(problem)
    admins = len(admins_in(services.settings.admins))
    return f"多人模式，管理员 {admins} 位，每人每小时评分 {services.settings.answers_per_hour} 次"


def _index(services: Services) -> str:
    if services.retrieval.is_current():
        return f"索引是最新的（{_where(services)}）"
    return (
        f"索引还没有建立或已过期（{_where(services)}）；"
        "运行 `mockbot index`（网页会自动在后台建立）"
    )


def _where(services: Services) -> str:
    url = services.settings.chroma_url
    return "内嵌 Chroma" if url is None else f"Chroma 服务器 {host_of(url)}"


def _pdf(services: Services) -> str:
    problem = services.pdf_printer.problem
    if problem is not None and services.settings.pdf_font is not None:
        raise ConfigError(problem)
    return problem or "可用"
