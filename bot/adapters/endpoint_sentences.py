"""What can go wrong with a model call, and the sentence that says it: what, where, what to do."""

from __future__ import annotations

from enum import StrEnum, auto

from bot.errors import (
    BotError,
    ConfigError,
    JudgeReplyError,
    JudgeUnavailableError,
    QuotaError,
)


class Kind(StrEnum):
    """What went wrong, in our terms."""

    KEY = auto()
    PERMISSION = auto()
    QUOTA = auto()
    MODEL = auto()
    ADDRESS = auto()
    MOVED = auto()
    REFUSED = auto()
    OVERFLOW = auto()
    BLIND = auto()
    FILTERED = auto()
    BUSY = auto()
    SERVER = auto()
    TIMEOUT = auto()
    NAME = auto()
    CLOSED = auto()
    TLS = auto()
    BROKEN = auto()
    STRANGE = auto()
    EMPTY = auto()
    NO_JSON = auto()
    OTHER = auto()


SENTENCES: dict[Kind, tuple[type[BotError], str]] = {
    Kind.KEY: (ConfigError, "{place}不接受这个密钥（HTTP {status}）；请检查 OPENAI_API_KEY。"),
    Kind.PERMISSION: (
        ConfigError,
        "{place}拒绝访问（HTTP {status}）；"
        "请检查 OPENAI_API_KEY 是否有权使用这个模型，以及所在地区是否受支持。",
    ),
    Kind.QUOTA: (
        QuotaError,
        "{place}的账户余额或额度已用完（HTTP {status}）；请充值或更换 OPENAI_API_KEY，再重新评分。",
    ),
    Kind.MODEL: (ConfigError, "{place}没有这个模型（HTTP {status}）；请检查 BOT_MODEL 的写法。"),
    Kind.ADDRESS: (
        ConfigError,
        "{place}的这个地址不是模型接口（HTTP {status}）；"
        "请检查 OPENAI_BASE_URL，常见的原因是缺少结尾的 /v1。",
    ),
    Kind.MOVED: (
        ConfigError,
        "{place}把请求转向了 {target}，没有跟随，密钥也没有发过去；"
        "如果那里可信，请把 OPENAI_BASE_URL 改成新地址。",
    ),
    Kind.REFUSED: (
        JudgeUnavailableError,
        "{place}不接受请求的格式（HTTP {status}）；请换一个模型，或升级提供接口的软件。",
    ),
    Kind.OVERFLOW: (
        JudgeUnavailableError,
        "题目加回答超过了{place}的上下文长度；请换一个上下文更长的模型，或缩短回答。",
    ),
    Kind.BLIND: (
        JudgeUnavailableError,
        "{place}不能看图（HTTP {status}）；"
        "请把 BOT_VISION_MODEL 换成能看图的模型，或直接用文字、Mermaid 作答。",
    ),
    Kind.FILTERED: (
        JudgeReplyError,
        "{place}的内容审查拦下了这次请求；请换一种说法作答，或更换模型后重新评分。",
    ),
    Kind.BUSY: (
        JudgeUnavailableError,
        "{place}限制了请求的频率（HTTP {status}）；请{pause}重试，或降低并发。",
    ),
    Kind.SERVER: (JudgeUnavailableError, "{place}出错（HTTP {status}）；请稍后重试。"),
    Kind.TIMEOUT: (
        JudgeUnavailableError,
        "{place}没有在限定的时间内答完；请稍后重试，或调大 BOT_MODEL_TIMEOUT。",
    ),
    Kind.NAME: (
        JudgeUnavailableError,
        "连不上{place}：这个主机名找不到；请检查网络和 OPENAI_BASE_URL 的拼写。",
    ),
    Kind.CLOSED: (
        JudgeUnavailableError,
        "连不上{place}；请检查服务是否在运行、网络与代理是否可用，以及 OPENAI_BASE_URL 的端口。",
    ),
    Kind.TLS: (
        JudgeUnavailableError,
        "与{place}的加密连接没有建立起来（证书或协议不对）；"
        "请检查系统时间、代理，以及 OPENAI_BASE_URL 该用 https 还是 http。",
    ),
    Kind.BROKEN: (JudgeUnavailableError, "与{place}的连接中断了；请重试。"),
    Kind.STRANGE: (
        ConfigError,
        "{place}返回的不是模型接口的格式；"
        "请检查 OPENAI_BASE_URL，常见的原因是缺少结尾的 /v1，或填成了网页地址。",
    ),
    Kind.EMPTY: (JudgeReplyError, "{place}没有写出任何内容；请重试，或更换模型。"),
    Kind.NO_JSON: (
        JudgeReplyError,
        "{place}的回复里没有可用的 JSON；请重试，或换一个更强的模型。",
    ),
    Kind.OTHER: (JudgeUnavailableError, "调用{place}失败（{name}）；请重试，或更换模型。"),
}
