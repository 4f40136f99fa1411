"""Many answers at once: processes, kills, a judge that goes away, and files of the Batch API."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from bot.bootstrap import Services
from bot.bootstrap.batches import requests_of
from bot.cli import bulk
from bot.cli.bulk import GIVE_UP, grade_file, retry_file, work_of
from bot.cli.bulk_lines import LONGEST_LINE, Done, done, given, read_line
from bot.cli.bulk_workers import by_processes, by_threads
from bot.domain.grade import Ungraded, UngradedReason
from bot.domain.session import LONGEST_ANSWER
from bot.domain.target import target_of
from bot.errors import JudgeUnavailableError
from bot.settings import read_settings
from tests.contract.quirk_server import QuirkServer
from tests.contract.test_cli import FULL, MOCKBOT, Batch, lines, refused, run, wait_until

pytestmark = pytest.mark.contract

QUIET = Console(quiet=True)
MIXED = (("S03", FULL), ("S01", "不知道"), ("S02", "吞吐通常先上升"), ("S01", ""))


@pytest.fixture
def services(product: Path) -> Services:
    return Services(read_settings())


@pytest.fixture
def batch(product: Path, tmp_path: Path) -> Batch:
    return Batch(tmp_path)


def size(batch: Batch) -> int:
    return batch.output.stat().st_size if batch.output.exists() else 0


def ids(found: list[dict[str, object]]) -> list[object]:
    return [one["id"] for one in found]


def test_processes_give_what_one_thread_gives_in_the_same_order(
    services: Services, batch: Batch
) -> None:
    batch.input.write_text(lines(*MIXED * 40), encoding="utf-8")
    raw = batch.input.read_bytes().splitlines(keepends=True)

    one = list(by_threads(services.bank, services.offline_grader, iter(raw), 1))
    two = list(by_processes(services.settings, iter(raw), 2))

    def facts(found: list[Done]) -> list[object]:
        values = [json.loads(done.text) for done in found]
        for value in values:
            value.get("provenance", {}).pop("seconds", None)
        return values

    assert facts(one) == facts(two)
    assert len(two) == 160


def test_processes_are_only_started_for_much_offline_work(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(bulk, "by_processes", lambda *_: started.append(1) or iter(()))
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_text("{}")
    large.write_text("x" * 300_000)

    for source, computes, expected in ((small, True, 0), (large, False, 0), (large, True, 1)):
        work = work_of(
            services.settings, services.bank, services.grader, source, concurrency=4,
            computes=computes,
        )  # fmt: skip
        list(work(iter(())))
        assert len(started) == expected


def test_a_run_killed_five_times_at_random_is_complete_in_the_end(batch: Batch) -> None:
    total = 3000
    batch.input.write_text(lines(*(MIXED * total)[:total]), encoding="utf-8")
    rng = random.Random(7)
    words = ["grade", "--input", str(batch.input), "--output", str(batch.output), "--resume"]
    for kill in range(5):
        before = size(batch)
        process = subprocess.Popen(
            [str(MOCKBOT), *words, "--concurrency", "2"], stderr=subprocess.DEVNULL
        )
        more = rng.randrange(2000, 120_000)

        wait_until(lambda p=process, n=before + more: p.poll() is not None or size(batch) > n)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        assert kill or process.returncode == -signal.SIGKILL

    outcome = batch.run("--resume")

    assert outcome.code == 0, outcome
    assert ids(batch.found) == [f"n{number}" for number in range(total)]


def test_an_output_of_another_input_is_not_gone_on_with(batch: Batch) -> None:
    batch.input.write_text(lines(*MIXED), encoding="utf-8")
    batch.run()
    before = batch.output.read_bytes()
    other = lines(*MIXED).replace('"n1"', '"m1"')
    batch.input.write_text(other, encoding="utf-8")

    refused(batch.run("--resume"), "第 2 行", "--resume")
    assert batch.output.read_bytes() == before


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param(b'{"id":"a","question_id":"S01","answer":"\xff"}\n', "UTF-8", id="bytes"),
        pytest.param(b"x" * (LONGEST_LINE + 1), "超过", id="long line"),
        pytest.param(
            json.dumps({"id": "a", "question_id": "S01", "answer": "长" * (LONGEST_ANSWER + 1)}),
            "上限",
            id="long answer",
        ),
        pytest.param(b"[" * 100_000, "读不懂", id="deep"),
    ],
)
def test_a_bad_line_is_told_and_not_guessed(raw: bytes | str, said: str) -> None:
    found = read_line(raw.encode() if isinstance(raw, str) else raw)

    assert isinstance(found, Ungraded)
    assert found.reason is UngradedReason.BAD_INPUT
    assert said in found.message


def test_a_line_that_is_too_long_takes_nothing_of_the_next(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"x" * (3 * LONGEST_LINE) + b"\nshort\n")

    with file.open("rb") as opened:
        found = list(given(opened))

    assert [len(one) for one in found] == [LONGEST_LINE + 1, len(b"short\n")]


def outcomes(*available: bool) -> Callable[[Iterator[bytes]], Iterator[Done]]:
    """Return work whose judge is there or away, line by line."""
    there = iter(available)

    def work(raw: Iterator[bytes]) -> Iterator[Done]:
        for one in raw:
            name = json.loads(one)["id"]
            if next(there):
                yield Done(json.dumps({"id": name}) + "\n", level=3, judge="llm", tokens=10)
            else:
                reason = UngradedReason.JUDGE_UNAVAILABLE
                yield done(Ungraded(id=name, question_id="S01", reason=reason, message="连不上。"))

    return work


def test_a_judge_that_stays_away_ends_the_run_and_the_rest_waits_for_resume(
    services: Services, batch: Batch
) -> None:
    batch.input.write_text(lines(*MIXED * 20), encoding="utf-8")
    away = outcomes(True, True, False, True, *[False] * 76)

    with pytest.raises(JudgeUnavailableError, match=r"--resume"):
        grade_file(
            batch.input, batch.output, away, resume=False, console=QUIET, clock=services.clock
        )
    assert ids(batch.found) == ["n0", "n1", "n2", "n3"]

    back = outcomes(*[True] * 76)
    summary = grade_file(
        batch.input, batch.output, back, resume=True, console=QUIET, clock=services.clock
    )

    assert (summary.graded, summary.kept, summary.tokens) == (76, 4, 760)
    assert ids(batch.found) == [f"n{number}" for number in range(80)]


def test_a_judge_that_is_away_for_a_moment_ends_nothing(services: Services, batch: Batch) -> None:
    batch.input.write_text(lines(*MIXED * 20), encoding="utf-8")
    flapping = outcomes(*([False] * (GIVE_UP - 1) + [True]) * 4)

    summary = grade_file(
        batch.input, batch.output, flapping, resume=False, console=QUIET, clock=services.clock
    )

    assert (summary.graded, summary.ungraded) == (4, 76)


def test_what_was_left_ungraded_is_tried_again_and_the_rest_stays(
    services: Services, batch: Batch
) -> None:
    batch.input.write_text(lines(*MIXED * 2) + "no json\n", encoding="utf-8")
    work = outcomes(True, False, True, True, False, False, True, True)

    def first(raw: Iterator[bytes]) -> Iterator[Done]:
        good = list(raw)
        yield from work(iter(good[:-1]))
        found = read_line(good[-1])
        assert isinstance(found, Ungraded)
        yield done(found)

    grade_file(batch.input, batch.output, first, resume=False, console=QUIET, clock=services.clock)
    marked = batch.output.read_bytes().replace(b'{"id": "n0"}', b'{"id": "n0", "kept": 1}')
    # A stored grade is read again only to be counted: make these whole grades.
    whole = services.offline_grader.grade("n", target_of(services.bank.questions[0]), FULL)
    kept = [
        whole.model_copy(update={"id": json.loads(line)["id"]}).model_dump_json().encode() + b"\n"
        if b"ungraded" not in line
        else line
        for line in marked.splitlines(keepends=True)
    ]
    batch.output.write_bytes(b"".join(kept))

    summary = retry_file(
        batch.input, batch.output, outcomes(*[True] * 3), console=QUIET, clock=services.clock
    )

    found = batch.output.read_bytes().splitlines(keepends=True)
    assert (summary.graded, summary.ungraded) == (8, 1)
    assert ids(batch.found) == [*(f"n{number}" for number in range(8)), ""]
    assert [found[at] for at in (0, 2, 3, 6, 7, 8)] == [kept[at] for at in (0, 2, 3, 6, 7, 8)]
    assert [found[at] for at in (1, 4, 5)] != [kept[at] for at in (1, 4, 5)]
    assert not batch.output.with_name("grades.jsonl.retry").exists()


def test_retrying_without_an_output_says_what_to_do(batch: Batch) -> None:
    batch.input.write_text(lines(*MIXED), encoding="utf-8")

    refused(batch.run("--retry"), "--retry")


# -- the Batch API --------------------------------------------------------------------------------


@pytest.fixture
def with_model(product: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_MODEL", "gpt-test")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("BOT_JUDGE_EXAM", "override")


def replied(requests: Path, replies: Path, *, but: frozenset[int] = frozenset()) -> None:
    """Write the replies that a batch would bring: every point met by the first sentence."""
    found = []
    for at, line in enumerate(requests.read_text(encoding="utf-8").splitlines()):
        asked = json.loads(line)
        user = asked["body"]["messages"][-1]["content"]
        names = user.partition("points 要含 ")[2].partition("；")[0].split("、")
        slots = [
            part.partition("=")[0]
            for part in user.partition("槽位：")[2].partition("\n")[0].split("、")
        ]
        reply = {
            "points": [{"id": name, "s": [1], "v": "met"} for name in names],
            "slots": [{"slot": slot, "s": [1], "v": 2} for slot in slots],
            "overclaims": [],
            "errors": [],
            "probe": slots[-1],
        }
        content = json.dumps(reply, ensure_ascii=False)
        usage = {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000}
        body = {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": usage}
        response = {"status_code": 200, "request_id": "r", "body": body}
        if at in but:
            response = {"status_code": 429, "request_id": "r", "body": None}
        one = {"id": f"b{at}", "custom_id": asked["custom_id"], "response": response, "error": None}
        found.append(json.dumps(one, ensure_ascii=False))
    # A batch gives its replies in any order.
    replies.write_text("\n".join(reversed(found)) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("with_model")
def test_a_batch_is_written_read_and_graded(batch: Batch, tmp_path: Path) -> None:
    batch.input.write_text(lines(*MIXED * 2, ("S09", "x")), encoding="utf-8")
    requests, replies = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"

    outcome = run("grade", "--input", str(batch.input), "--batch", str(requests))

    assert outcome.code == 0, outcome
    sent = [json.loads(line) for line in requests.read_text(encoding="utf-8").splitlines()]
    # Empty answers and "不知道" need no model, and equal prompts are sent once.
    assert len(sent) == 2
    assert {one["url"] for one in sent} == {"/v1/chat/completions"}
    assert all(one["body"]["model"] == "gpt-test" for one in sent)
    assert all(one["body"]["response_format"]["type"] == "json_schema" for one in sent)
    assert "sk-canary" not in requests.read_text(encoding="utf-8")

    replied(requests, replies)
    outcome = batch.run("--batch", str(replies))

    assert outcome.code == 1
    found = batch.found
    assert ids(found) == [f"n{number}" for number in range(9)]
    assert [one["status"] for one in found] == ["graded"] * 8 + ["ungraded"]
    assert found[0]["provenance"]["model"] == "gpt-test"
    assert found[0]["provenance"]["method"] == "batch"
    assert found[0]["provenance"]["tokens"] == 1000
    assert found[1]["level"] == 0


@pytest.mark.usefixtures("with_model")
def test_a_reply_that_failed_leaves_the_answer_ungraded(batch: Batch, tmp_path: Path) -> None:
    batch.input.write_text(lines(*MIXED), encoding="utf-8")
    requests, replies = tmp_path / "requests.jsonl", tmp_path / "replies.jsonl"
    run("grade", "--input", str(batch.input), "--batch", str(requests))
    replied(requests, replies, but=frozenset({0}))

    batch.run("--batch", str(replies))

    first = batch.found[0]
    assert (first["status"], first["reason"]) == ("ungraded", "judge_unavailable")
    assert "429" in str(first["message"])


@pytest.mark.usefixtures("with_model")
def test_a_large_batch_is_split_at_the_limit_of_the_api(tmp_path: Path) -> None:
    from bot.bootstrap.batches import write_requests

    services = Services(read_settings())
    target = target_of(services.bank.questions[0])
    answers = [(target, f"因为每层都有通信，第 {number} 次。") for number in range(5)]

    files, count = write_requests(
        requests_of(services, answers), tmp_path / "requests.jsonl", most=2
    )

    assert [file.name for file in files] == [
        "requests.jsonl", "requests-2.jsonl", "requests-3.jsonl",
    ]  # fmt: skip
    assert count == 5
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) == 5


def test_a_batch_needs_a_model(batch: Batch, tmp_path: Path) -> None:
    batch.input.write_text(lines(*MIXED), encoding="utf-8")

    refused(run("grade", "--input", str(batch.input), "--batch", str(tmp_path / "x")), "BOT_MODEL")


@pytest.mark.usefixtures("with_model")
def test_a_model_that_did_not_pass_its_exam_gets_no_batch(
    batch: Batch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BOT_JUDGE_EXAM", "require")
    batch.input.write_text(lines(*MIXED), encoding="utf-8")
    (tmp_path / "replies").write_text("", encoding="utf-8")

    refused(batch.run("--batch", str(tmp_path / "replies")), "考核")


@pytest.mark.usefixtures("with_model")
def test_a_file_that_holds_no_replies_is_named(batch: Batch, tmp_path: Path) -> None:
    batch.input.write_text(lines(*MIXED), encoding="utf-8")
    (tmp_path / "replies").write_text('{"id": 1}\n', encoding="utf-8")

    refused(batch.run("--batch", str(tmp_path / "replies")), "replies:1", "custom_id")


def test_a_file_is_judged_without_probabilities_and_a_single_answer_with_them(
    product: Path, batch: Batch, obliging: QuirkServer
) -> None:
    batch.input.write_text(lines(("S03", FULL), ("S01", FULL)), encoding="utf-8")

    # In processes of their own, which close what they opened.
    command = [MOCKBOT, "grade", "--input", batch.input, "--output", batch.output]
    subprocess.run([*command, "--concurrency", "2"], check=True, capture_output=True)
    many = obliging.of("obliging")
    single = [MOCKBOT, "grade", "--question", "S03", "--answer", FULL]
    subprocess.run(single, check=True, capture_output=True)
    alone = obliging.of("obliging")[len(many) :]

    assert {one.body.get("logprobs") for one in many} == {None}
    assert {one.body.get("logprobs") for one in alone} == {True}
