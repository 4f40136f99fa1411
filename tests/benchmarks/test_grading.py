"""How fast the offline judge grades mixed answers of about 250 characters, on one core.

`pytest tests/benchmarks/test_grading.py --benchmark-columns=median,ops,rounds` prints the figures;
the 95th percentile is among the extra info that `--benchmark-json FILE` writes. Nothing here
asserts a time: a busy machine must not fail a test.
"""

from __future__ import annotations

import itertools

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bot.bootstrap import Services
from bot.domain.grade import Grade
from bot.settings import Settings
from tests.benchmarks.answers import LENGTH, mixed


@pytest.fixture(scope="module")
def services() -> Services:
    return Services(Settings(_env_file=None))


def test_offline_grading(benchmark: BenchmarkFixture, services: Services) -> None:
    answers = mixed(services.bank)
    assert all(len(one.answer) <= LENGTH for one in answers)
    for one in answers:  # warm: patterns are compiled once a bank
        assert isinstance(services.grader.grade("warm", one.target, one.answer), Grade)
    turns = itertools.cycle(answers)

    def grade_next() -> None:
        one = next(turns)
        services.grader.grade("a", one.target, one.answer)

    benchmark.pedantic(grade_next, rounds=2 * len(answers))

    if benchmark.stats is not None:
        times = sorted(benchmark.stats.stats.data)
        benchmark.extra_info["answers_per_second"] = round(len(times) / sum(times), 1)
        benchmark.extra_info["p95_ms"] = round(times[int(len(times) * 0.95)] * 1000, 2)
