"""What works on this machine and what to do where it does not."""

from __future__ import annotations

from collections.abc import Callable

from bot.bootstrap import Services
from bot.domain.question import Frozen
from bot.errors import BotError
from bot.services.checking import counts
from bot.services.reporting import OFFLINE_LABEL


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
        "评分者": _judge,
        "面试记录": _store,
        "检索": _index,
    }
    return tuple(_tried(part, says, services) for part, says in parts.items())


def _tried(part: str, says: Callable[[Services], str], services: Services) -> Finding:
    try:
        return Finding(part=part, ok=True, says=says(services))
    except BotError as error:
        return Finding(part=part, ok=False, says=str(error))


def _bank(services: Services) -> str:
    size = counts(services.bank)
    return f"{services.bank.name}，{size.questions} 道题，{size.follow_ups} 个追问"


def _judge(services: Services) -> str:
    _ = services.grader
    return f"{OFFLINE_LABEL}；没有配置模型，不需要密钥"


def _store(services: Services) -> str:
    return f"可用，最近 {len(services.store.summaries(20))} 场"


def _index(services: Services) -> str:
    if services.retrieval.is_current():
        return "索引是最新的"
    return "索引还没有建立或已过期；运行 `mockbot index`（网页会自动在后台建立）"
