"""Grading a large file offline: rate against the bare judge, and the memory it takes.

`python -m tests.benchmarks.bulk [answers]` (100 000 by default) grades 1 000 and then all answers
with `mockbot grade --input`, in processes of their own, and prints rates and peak memory. Where
other work shares the machine, the processor's time tells more than the rate: how much of it went
into judging, and not into starting, reading and writing.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

from bot.bootstrap import Services
from bot.settings import Settings
from tests.benchmarks.answers import mixed

FEW = 1_000


class Run(NamedTuple):
    """What a run of the command took."""

    seconds: float
    busy: float
    """Seconds of the processor, of all its processes."""
    peak: int
    """The greatest sum of their resident memory, in bytes."""


def main() -> int:
    """Grade and print."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    workers = os.cpu_count() or 1
    services = Services(Settings(_env_file=None))
    bare, busy = _bare(services)
    print(
        f"bare judge, one process: {bare:.0f} answers a second, {busy * 1000:.2f} ms of the "
        f"processor each; load of the machine {os.getloadavg()[0]:.1f} on {workers} cores"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count, processes in ((FEW, 1), (FEW, workers), (wanted, workers)):
            source, output = folder / "answers.jsonl", folder / f"{count}-{processes}.jsonl"
            _write(services, source, count)
            run = _run(source, output, processes, folder)
            rate = count / run.seconds
            print(
                f"{count} answers, {processes} processes: {run.seconds:.1f} s, {rate:.0f} a second "
                f"= {rate / (bare * processes):.0%} of bare × processes, {count * busy / run.busy:.0%} "
                f"of the processor's time for judging, peak {run.peak / 2**20:.0f} MiB",
                flush=True,
            )
            ids = [json.loads(line)["id"] for line in output.open(encoding="utf-8")]
            assert ids == [f"n{number}" for number in range(count)]
    return 0


def _bare(services: Services, rounds: int = 2_000) -> tuple[float, float]:
    """Return answers a second, and seconds of the processor for one."""
    answers = mixed(services.bank)
    for one in answers:
        services.offline_grader.grade("warm", one.target, one.answer)
    begun, used = time.perf_counter(), time.process_time()
    for number, one in enumerate(itertools.islice(itertools.cycle(answers), rounds)):
        services.offline_grader.grade("a", one.target, f"{one.answer}第{number}次")
    used = time.process_time() - used
    return rounds / (time.perf_counter() - begun), used / rounds


def _write(services: Services, path: Path, count: int) -> None:
    answers = itertools.cycle(mixed(services.bank))
    with path.open("w", encoding="utf-8") as file:
        for number, one in enumerate(itertools.islice(answers, count)):
            line = {
                "id": f"n{number}",
                "question_id": one.target.question_id,
                "answer": f"{one.answer}第{number}次",
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _run(source: Path, output: Path, processes: int, folder: Path) -> Run:
    command = [str(Path(sys.executable).with_name("mockbot")), "grade", "--judge", "offline"]
    command += ["--input", str(source), "--output", str(output), "--concurrency", str(processes)]
    environment = os.environ | {"BOT_DATA_DIR": str(folder / "data")}
    begun, peak, busy = time.perf_counter(), 0, {}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            family = [watched, *watched.children(recursive=True)]
            peak = max(peak, sum(one.memory_info().rss for one in family))
            busy |= {one.pid: sum(one.cpu_times()[:2]) for one in family}
        except psutil.Error:
            pass
        time.sleep(0.2)
    return Run(time.perf_counter() - begun, sum(busy.values()), peak)


if __name__ == "__main__":
    sys.exit(main())
