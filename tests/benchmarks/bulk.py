"""Grading a large file offline: rate against the bare judge, and the memory it takes.

`python -m tests.benchmarks.bulk [answers]` (100 000 by default) grades 1 000 and then all answers
with `mockbot grade --input`, in processes of their own, and prints rates and peak memory.
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

import psutil

from bot.bootstrap import Services
from bot.settings import Settings
from tests.benchmarks.answers import mixed

FEW = 1_000


def main() -> int:
    """Grade and print."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    workers = os.cpu_count() or 1
    services = Services(Settings(_env_file=None))
    bare = _bare_rate(services)
    print(f"bare judge, one process: {bare:.0f} answers a second")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count, processes in ((FEW, 1), (FEW, workers), (wanted, workers)):
            source, output = folder / "answers.jsonl", folder / f"{count}-{processes}.jsonl"
            _write(services, source, count)
            seconds, peak = _run(source, output, processes, folder)
            rate, share = count / seconds, count / seconds / (bare * processes)
            print(
                f"{count} answers, {processes} processes: {seconds:.1f} s, {rate:.0f} a second = "
                f"{share:.0%} of bare × processes, peak {peak / 2**20:.0f} MiB"
            )
            ids = [json.loads(line)["id"] for line in output.open(encoding="utf-8")]
            assert ids == [f"n{number}" for number in range(count)]
    return 0


def _bare_rate(services: Services, rounds: int = 2_000) -> float:
    answers = mixed(services.bank)
    for one in answers:
        services.offline_grader.grade("warm", one.target, one.answer)
    begun = time.perf_counter()
    for number, one in enumerate(itertools.islice(itertools.cycle(answers), rounds)):
        services.offline_grader.grade("a", one.target, f"{one.answer}第{number}次")
    return rounds / (time.perf_counter() - begun)


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


def _run(source: Path, output: Path, processes: int, folder: Path) -> tuple[float, int]:
    """Return seconds and the greatest sum of resident memory of the command's processes."""
    command = [str(Path(sys.executable).with_name("mockbot")), "grade", "--judge", "offline"]
    command += ["--input", str(source), "--output", str(output), "--concurrency", str(processes)]
    environment = os.environ | {"BOT_DATA_DIR": str(folder / "data")}
    begun, peak = time.perf_counter(), 0
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            family = [watched, *watched.children(recursive=True)]
            peak = max(peak, sum(one.memory_info().rss for one in family))
        except psutil.Error:
            pass
        time.sleep(0.2)
    return time.perf_counter() - begun, peak


if __name__ == "__main__":
    sys.exit(main())
