"""Figures for Prometheus (extra `server`): counts, seconds and tokens; no names and no words."""

from __future__ import annotations

from collections.abc import Callable

from bot.domain.grade import Grade, Ungraded
from bot.errors import BotError, ConfigError

_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)


class Figures:
    """What one process did since it began; served at `/metrics`."""

    def __init__(self, open_sessions: Callable[[], int]) -> None:
        """Take what counts the sessions that go on now. Raises `ConfigError` without the extra."""
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        except ModuleNotFoundError:
            raise ConfigError(
                "运行指标需要额外的组件；请运行 pip install 'mockbot[server]'，或清空 BOT_METRICS_PORT。"
            ) from None

        def counted() -> float:
            try:
                return float(open_sessions())
            except BotError:
                return float("nan")  # to Prometheus: unknown now

        self.registry = CollectorRegistry()
        self._answers = Counter(
            "mockbot_answers",
            "Answers that were graded or not, by judge",
            ("judge", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "mockbot_grading_seconds",
            "Seconds that an answer took to be graded",
            ("judge",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._tokens = Counter(
            "mockbot_grading_tokens",
            "Tokens that grading cost",
            ("kind",),
            registry=self.registry,
        )
        Gauge(
            "mockbot_open_sessions",
            "Interviews of the last day that were not ended, of all processes",
            registry=self.registry,
        ).set_function(counted)

    def serve(self, port: int, address: str) -> None:
        """Serve the figures from a thread of its own. Raises `ConfigError`."""
        from prometheus_client import start_http_server

        try:
            start_http_server(port, addr=address, registry=self.registry)
        except OSError as error:
            raise ConfigError(
                f"无法在 {address}:{port} 上提供运行指标（{error.strerror}）；"
                "请换一个 BOT_METRICS_PORT，同一台机器上的每个进程要各用一个。"
            ) from error

    def note(self, outcome: Grade | Ungraded, judge: str, seconds: float) -> None:
        """Count an answer."""
        self._answers.labels(judge, outcome.status).inc()
        self._seconds.labels(judge).observe(seconds)
        if isinstance(outcome, Grade):
            usage = outcome.provenance.usage
            self._tokens.labels("prompt").inc(usage.prompt)
            self._tokens.labels("reply").inc(usage.reply)
