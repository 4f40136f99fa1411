"""Processes that are killed anywhere in an interview: nothing answered is lost or graded twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.adapters.sql_store import open_store
from bot.domain.session import Session
from tests.contract.kill_driver import DATABASE, JUDGED, REPORT, STORED

pytestmark = [
    pytest.mark.contract,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes are forks"),
]

ROOT = Path(__file__).parents[2]
SEED = 20261130


class Driver(NamedTuple):
    """The program that starts the processes to be killed."""

    process: subprocess.Popen[str]
    folder: Path

    def run(self, name: str, kill_at: int = 0) -> tuple[int, int]:
        """Return the steps of a process that came to the end, else 0, and how it ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{name} {kill_at}\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline().split()
        assert said, "the driver is gone"
        return (0 if said[1] == "-" else int(said[1])), int(said[2])

    def lines(self, name: str, file: str) -> list[str]:
        """Return what the processes of that name noted."""
        path = self.folder / name / file
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def session(self, name: str) -> Session | None:
        """Return the interview as it is stored."""
        with closing(open_store(f"sqlite:///{self.folder / name / DATABASE}")) as store:
            found = store.summaries(1)
            return store.load(found[0].id) if found else None


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    folder = tmp_path_factory.mktemp("kills")
    command = [sys.executable, "-m", "tests.contract.kill_driver", str(folder)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        yield Driver(process, folder)
        assert process.stdin is not None
        process.stdin.close()
    assert process.returncode == 0


def said_in(session: Session | None, *, graded: bool = False) -> list[str]:
    turns = session.turns if session is not None else ()
    return [
        turn.answer.text
        for turn in turns
        if turn.answer is not None and (turn.outcome is not None or not graded)
    ]


def survives(driver: Driver, points: list[int], undisturbed: str) -> None:
    """Kill an interview at each of the points, go on with it, and compare."""
    for point in points:
        name = f"killed-at-{point}"
        assert driver.run(name, point) == (0, -signal.SIGKILL)
        before = driver.session(name)
        judged_before = driver.lines(name, JUDGED)
        assert set(driver.lines(name, STORED)) <= set(said_in(before)), point

        assert driver.run(name)[1] == 0

        after = driver.session(name)
        judged_after = driver.lines(name, JUDGED)[len(judged_before) :]
        assert said_in(after)[: len(said_in(before))] == said_in(before), point
        assert not set(judged_after) & set(said_in(before, graded=True)), point
        assert all(times == 1 for times in Counter(judged_after).values()), point
        assert (driver.folder / name / REPORT).read_text(encoding="utf-8") == undisturbed, point


@pytest.fixture(scope="module")
def undisturbed(driver: Driver) -> tuple[int, str]:
    """Return the steps of an interview that nothing disturbs, and its report."""
    steps, ended = driver.run("undisturbed")
    assert ended == 0
    assert steps > 100
    session = driver.session("undisturbed")
    assert session is not None
    assert len(session.turns) >= 5
    assert sorted(driver.lines("undisturbed", JUDGED)) == sorted(said_in(session))
    return steps, (driver.folder / "undisturbed" / REPORT).read_text(encoding="utf-8")


def test_an_interview_survives_a_kill_early_and_late(
    driver: Driver, undisturbed: tuple[int, str]
) -> None:
    steps, report = undisturbed

    survives(driver, [steps // 3, 2 * steps // 3], report)


@pytest.mark.slow
def test_an_interview_survives_a_kill_at_any_of_thirty_points(
    driver: Driver, undisturbed: tuple[int, str]
) -> None:
    steps, report = undisturbed

    survives(driver, random.Random(SEED).sample(range(1, steps + 1), 30), report)
