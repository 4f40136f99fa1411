"""The command `mockbot`: its JSON, its exit codes, and one sentence for whatever goes wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from bot.bootstrap import Services
from bot.cli.main import app
from bot.domain.session import LONGEST_ANSWER, Session
from bot.settings import read_settings
from tests.serving import free_port

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[2]
MOCKBOT = Path(sys.executable).with_name("mockbot")

FULL = "不一定减半，通常比一半要长。因为每层都有集合通信。前提是互联够快，跨机时可能更慢。"
WRONG = "张量并行没有通信，所以卡数加倍单步时间就减半，任何情况下都能更快。"


class Outcome:
    """What a run of the command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    def __repr__(self) -> str:
        return f"exit {self.code}\n{self.out}\n{self.err}"


def run(*words: str, stdin: str | bytes | None = None) -> Outcome:
    """Run the command in this process."""
    found = CliRunner().invoke(app, words, input=stdin)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return Outcome(found.exit_code, found.stdout, found.stderr)


def really_run(*words: str | bytes, stdin: bytes = b"", **variables: str) -> Outcome:
    """Run the installed command in a process of its own, as a user does."""
    found = subprocess.run(
        [str(MOCKBOT), *words],
        input=stdin,
        capture_output=True,
        env={**os.environ, **variables},
        check=False,
    )
    return Outcome(found.returncode, found.stdout.decode(), found.stderr.decode())


def refused(outcome: Outcome, *parts: str) -> str:
    """Return the one sentence that a command which could not run says, with these parts in it."""
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    sentence = outcome.err.strip()
    assert "Traceback" not in sentence
    assert len(sentence.splitlines()) == 1, sentence
    for part in parts:
        assert part in sentence
    return sentence


@pytest.fixture
def bank(product: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the small bank that a test may break."""
    copy = tmp_path / "corpus"
    shutil.copytree(ROOT / "tests" / "data" / "bank", copy)
    monkeypatch.setenv("BOT_CORPUS_DIR", str(copy))
    return copy / "small"


@pytest.fixture
def rubrics(product: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the rubrics that a test may break."""
    copy = tmp_path / "rubrics"
    shutil.copytree(ROOT / "rubrics", copy)
    monkeypatch.setenv("BOT_RUBRICS_DIR", str(copy))
    return copy


# -- one grade as JSON ------------------------------------------------------------------------

EVIDENCE = {"start": int, "end": int, "quote": str, "match": {"verified", "close"}}
GRADE = {
    "id": str,
    "question_id": str,
    "status": {"graded"},
    "score": float,
    "level": int,
    "criteria": [
        {
            "id": {"coverage", "conclusion", "reason", "premise_cost", "calibration"},
            "points": float,
            "max": float,
            "level": int,
            "evidence": [EVIDENCE],
        }
    ],
    "key_points": [
        {
            "id": str,
            "verdict": {"met", "partly_met", "not_met", "contradicted"},
            "evidence": [EVIDENCE],
        }
    ],
    "overclaims": [{**EVIDENCE, "why": str, "rewrite": str}],
    "errors": [{**EVIDENCE, "why": str}],
    "flags": [str],
    "spread": (float, None),
    "confidence": (float, None),
    "provenance": {
        "judge": {"offline", "llm"},
        "model": (str, None),
        "method": (str, None),
        "prompt_version": (str, None),
        "rubric": str,
        "based_on": (str, None),
        "bank": str,
        "tokens": int,
        "usage": {"prompt": int, "cached": int, "reply": int},
        "seconds": float,
    },
}
UNGRADED = {
    "id": str,
    "question_id": str,
    "status": {"ungraded"},
    "reason": {"judge_unavailable", "reply_invalid", "bad_input"},
    "message": str,
}


def departures(value: Any, form: Any, at: str = "$") -> Iterator[str]:
    """Give every place where a JSON value departs from its form."""
    if isinstance(form, dict):
        keys = set(value) if isinstance(value, dict) else set()
        if keys != set(form):
            yield f"{at}: keys {sorted(keys ^ set(form))}"
        for key in keys & set(form):
            yield from departures(value[key], form[key], f"{at}.{key}")
    elif isinstance(form, list):
        if not isinstance(value, list):
            yield f"{at}: {value!r} is no list"
            return
        for number, item in enumerate(value):
            yield from departures(item, form[0], f"{at}[{number}]")
    elif not any(fits(value, one) for one in (form if isinstance(form, tuple) else (form,))):
        yield f"{at}: {value!r} is not {form}"


def fits(value: Any, form: Any) -> bool:
    """Say whether a JSON value is null, one of a set of words, or of a type."""
    if form is None:
        return value is None
    if isinstance(form, set):
        return value in form
    return isinstance(value, (int, float) if form is float else form) and value is not True


def spans(value: Any) -> Iterator[Mapping[str, Any]]:
    """Give every piece of evidence in a grade, wherever it stands."""
    if isinstance(value, dict):
        if "quote" in value:
            yield value
        for inner in value.values():
            yield from spans(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from spans(inner)


def graded(question: str, answer: str) -> dict[str, Any]:
    """Return a grade from `mockbot grade --json`, which has the form of the contract."""
    outcome = run("grade", "--question", question, "--answer", answer, "--json")
    assert outcome.code == 0, outcome
    (line,) = outcome.out.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert list(departures(found, GRADE)) == []
    return found


class TestGradeAsJson:
    @pytest.mark.parametrize("answer", [FULL, WRONG, FULL + WRONG, "不知道", "", "fine", "🙂" * 30])
    def test_it_has_the_form_of_the_contract(self, product: Path, answer: str) -> None:
        found = graded("S03", answer)

        assert (found["id"], found["question_id"]) == ("S03", "S03")
        assert 0 <= found["score"] <= 100
        assert 0 <= found["level"] <= 5

    def test_offsets_are_slices_of_the_answer(self, product: Path) -> None:
        answer = f"  🙂 {FULL}\n\n- {WRONG}\u200b"

        found = list(spans(graded("S03", answer)))

        assert len(found) > 5
        for one in found:
            assert answer[one["start"] : one["end"]] == one["quote"] != ""

    def test_every_criterion_and_key_point_is_there_once(self, product: Path) -> None:
        found = graded("S03", FULL)

        assert [one["id"] for one in found["criteria"]] == [
            "coverage",
            "conclusion",
            "reason",
            "premise_cost",
            "calibration",
        ]
        assert [one["id"] for one in found["key_points"]] == ["S03.a", "S03.b", "S03.c"]
        assert sum(one["max"] for one in found["criteria"]) == 100

    def test_a_good_answer_earns_its_points(self, product: Path) -> None:
        found = graded("S03", FULL)

        assert found["level"] == 5
        assert found["score"] == sum(one["points"] for one in found["criteria"])
        assert {one["verdict"] for one in found["key_points"]} == {"met"}
        assert found["overclaims"] == found["errors"] == found["flags"] == []

    def test_what_is_wrong_is_named(self, product: Path) -> None:
        found = graded("S03", WRONG)

        assert found["errors"][0]["why"]
        assert found["overclaims"][0]["why"]
        assert found["overclaims"][0]["rewrite"]
        assert "contradicted" in {one["verdict"] for one in found["key_points"]}
        assert found["level"] <= 1

    def test_the_judge_the_rubric_and_the_bank_are_named(self, product: Path) -> None:
        found = graded("S03", FULL)["provenance"]

        assert found["judge"] == "offline"
        assert found["model"] is None
        assert re.fullmatch(r"structured-answer@\d+", found["rubric"])
        assert found["bank"] == "small@1"
        assert found["tokens"] == 0

    @pytest.mark.parametrize("answer", ["不知道", "", "fine", " \n", "。", "🙂"])
    def test_nothing_said_is_level_0_and_flagged(self, product: Path, answer: str) -> None:
        found = graded("S03", answer)

        assert (found["level"], found["score"]) == (0, 0)
        assert "no_content" in found["flags"]

    def test_two_runs_say_the_same(self, product: Path) -> None:
        first, second = graded("S03", FULL + WRONG), graded("S03", FULL + WRONG)

        for one in (first, second):
            one["provenance"].pop("seconds")
        assert first == second

    def test_the_installed_command_says_the_same_of_the_shipped_bank(self, tmp_path: Path) -> None:
        answer = "每个 token 每层都要存 K 和 V，所以等于层数乘 KV 头数乘维度乘 2 再乘字节数。"

        outcome = really_run(
            *("grade", "--question", "Q04", "--answer", answer, "--json"),
            BOT_DATA_DIR=str(tmp_path),
        )

        assert outcome.code == 0, outcome
        found = json.loads(outcome.out)
        assert list(departures(found, GRADE)) == []
        assert found["question_id"] == "Q04"
        assert all(answer[one["start"] : one["end"]] == one["quote"] for one in spans(found))
        assert found["level"] >= 1
        assert outcome.err == ""


class TestGradeForPeople:
    def test_the_score_its_parts_and_the_label_are_shown(self, product: Path) -> None:
        outcome = run("grade", "--question", "S03", "--answer", FULL)

        assert outcome.code == 0
        for part in ("离线评分 · 不判断事实对错", "结论", "原因", "前提/代价", "参考答案", "5 级"):
            assert part in outcome.out

    def test_what_looks_like_markup_is_shown_as_it_is(self, product: Path) -> None:
        answer = "不一定减半 [red]红[/red] [/] [link=x]。"

        outcome = run("grade", "--question", "S03", "--answer", answer)

        assert outcome.code == 0
        assert "[red]红[/red]" in outcome.out.replace("\n", "")

    def test_an_answer_may_come_from_a_file_or_from_stdin(
        self, product: Path, tmp_path: Path
    ) -> None:
        file = tmp_path / "answer.txt"
        file.write_text(FULL, encoding="utf-8")

        from_file = run("grade", "--question", "S03", "--answer-file", str(file), "--json")
        from_stdin = run(
            "grade", "--question", "S03", "--answer-file", "-", "--json", stdin=FULL.encode()
        )

        expected = graded("S03", FULL)["score"]
        assert json.loads(from_file.out)["score"] == expected
        assert json.loads(from_stdin.out)["score"] == expected


class TestGradeRefuses:
    def test_an_unknown_question(self, product: Path) -> None:
        refused(run("grade", "--question", "S99", "--answer", "x"), "S99", "mockbot search")

    @pytest.mark.parametrize(
        "words",
        [
            pytest.param((), id="nothing"),
            pytest.param(("--question", "S03"), id="no-answer"),
            pytest.param(("--answer", "x"), id="no-question"),
            pytest.param(
                ("--question", "S03", "--answer", "x", "--answer-file", "y"), id="two-answers"
            ),
        ],
    )
    def test_options_that_do_not_fit(self, product: Path, words: Sequence[str]) -> None:
        refused(run("grade", *words), "--question", "--answer", "--answer-file")

    def test_a_missing_file(self, product: Path, tmp_path: Path) -> None:
        missing = str(tmp_path / "nothing.txt")

        refused(run("grade", "--question", "S03", "--answer-file", missing), missing)

    def test_a_folder_instead_of_a_file(self, product: Path, tmp_path: Path) -> None:
        refused(run("grade", "--question", "S03", "--answer-file", str(tmp_path)), str(tmp_path))

    def test_a_file_that_is_not_utf_8(self, product: Path, tmp_path: Path) -> None:
        file = tmp_path / "answer.txt"
        file.write_bytes("不一定减半".encode("gbk"))

        refused(run("grade", "--question", "S03", "--answer-file", str(file)), "UTF-8")

    def test_stdin_that_is_not_utf_8(self, product: Path) -> None:
        refused(
            run("grade", "--question", "S03", "--answer-file", "-", stdin=b"\xff\xfe\x00"), "UTF-8"
        )

    def test_an_argument_that_is_not_utf_8(self, product: Path) -> None:
        refused(really_run("grade", "--question", "S03", "--answer", b"\xff\xfe"), "UTF-8")

    def test_an_unknown_judge(self, product: Path) -> None:
        refused(run("grade", "--question", "S03", "--answer", "x", "--judge", "oracle"), "oracle")

    def test_an_unknown_option_or_command(self, product: Path) -> None:
        for words in (("grade", "--nonsense"), ("nonsense",)):
            outcome = run(*words)
            assert outcome.code == 2
            assert "nonsense" in outcome.err
            assert "Traceback" not in outcome.err

    def test_really(self, product: Path) -> None:
        """One refusal through the installed command: no traceback comes on another way."""
        refused(really_run("grade", "--question", "S99", "--answer", "x"), "S99")


# -- settings, bank, rubrics --------------------------------------------------------------------


class TestSettings:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("BOT_PORT", "abc"),
            ("BOT_PORT", "70000"),
            ("BOT_LOG_LEVEL", "LOUD"),
        ],
    )
    @pytest.mark.parametrize("words", [("serve",), ("sessions",)])
    def test_a_wrong_value_is_named(
        self,
        product: Path,
        monkeypatch: pytest.MonkeyPatch,
        name: str,
        value: str,
        words: Sequence[str],
    ) -> None:
        monkeypatch.setenv(name, value)

        refused(run(*words), name)

    def test_a_misspelt_variable_is_reported_and_does_no_harm(
        self, product: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_PROT", "8502")

        outcome = run("grade", "--question", "S03", "--answer", FULL, "--json")

        assert outcome.code == 0
        assert "BOT_PROT" in outcome.err
        assert json.loads(outcome.out)["level"] == 5

    def test_an_empty_value_means_unset(
        self, product: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_PORT", "")

        assert run("sessions").code == 0

    def test_an_unknown_bank_is_named_with_those_there_are(
        self, product: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_BANK", "nothing")

        refused(run("check"), "nothing", "small")

    def test_a_wrong_database_address_tells_no_password(
        self, product: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_DATABASE_URL", "nonsense:secret@nowhere")

        assert "secret" not in refused(run("sessions"), "BOT_DATABASE_URL")

    @pytest.mark.parametrize("words", [("sessions",), ("interview",), ("report", "x"), ("index",)])
    def test_an_unwritable_data_folder_is_named(
        self, product: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str]
    ) -> None:
        monkeypatch.setenv("BOT_DATA_DIR", "/proc/nobody")

        refused(run(*words), "/proc/nobody")

    def test_grading_needs_no_data_folder(
        self, product: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_DATA_DIR", "/proc/nobody")

        assert graded("S03", FULL)["level"] == 5


class TestBank:
    def test_the_shipped_bank_has_no_problems(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_DATA_DIR", str(tmp_path))

        outcome = run("check")

        assert outcome.err == ""
        assert outcome.code == 0
        assert "6 个章节，60 道题" in outcome.out
        for counted in ("个采分点", "个追问", "个误区", "个术语", "族计算题", "处必备数据"):
            assert re.search(rf"[1-9]\d* {counted}", outcome.out), counted
        assert outcome.out.count("\n") == 1

    def test_broken_yaml_is_named_with_its_line(self, bank: Path) -> None:
        (bank / "b.yaml").write_text("bank: small\nquestions: [\n", encoding="utf-8")

        for words in (("check",), ("grade", "--question", "S03", "--answer", "x")):
            refused(run(*words), f"{bank / 'b.yaml'}:", "YAML")

    def test_really(self, bank: Path) -> None:
        (bank / "b.yaml").write_text("bank: small\nquestions: [\n", encoding="utf-8")

        refused(really_run("check"), "b.yaml")

    @pytest.mark.parametrize(
        ("before", "after", "parts"),
        [
            pytest.param("difficulty: hard", "dificulty: hard", ("dificulty",), id="unknown-key"),
            pytest.param("    difficulty: hard\n", "", ("difficulty",), id="missing-key"),
            pytest.param("kind: explain", "kind: guess", ("kind", "guess"), id="unknown-kind"),
            pytest.param("id: S03", "id: S02", ("S02",), id="id-of-another-file"),
            pytest.param("bank: small", "bank: large", ("large", "small"), id="another-bank"),
            pytest.param("bank: small", "bank: small\nbank: small", ("bank",), id="key-twice"),
            pytest.param("bank: small", "? [bank]\n: small", ("b.yaml:1",), id="list-as-key"),
            pytest.param("bank: small", "bank: !!python/name:os.getcwd", ("b.yaml:1",), id="code"),
        ],
    )
    def test_what_breaks_the_format_is_named(
        self, bank: Path, before: str, after: str, parts: Sequence[str]
    ) -> None:
        file = bank / "b.yaml"
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after, 1), encoding="utf-8")

        refused(run("check"), ".yaml", *parts)

    def test_a_file_that_is_not_utf_8_is_named(self, bank: Path) -> None:
        (bank / "b.yaml").write_bytes("bank: 题库".encode("gbk"))

        refused(run("check"), "b.yaml", "UTF-8")

    def test_an_empty_file_is_named(self, bank: Path) -> None:
        (bank / "b.yaml").write_text("", encoding="utf-8")

        refused(run("check"), "b.yaml")

    def test_a_bank_without_questions_is_named(self, bank: Path) -> None:
        for file in ("a.yaml", "b.yaml"):
            (bank / file).unlink()

        refused(run("check"), str(bank), "没有题目")

    def test_a_folder_without_banks_is_named(
        self, product: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "empty").mkdir()
        monkeypatch.setenv("BOT_CORPUS_DIR", str(tmp_path / "empty"))

        refused(run("check"), "small")

    def test_content_that_does_not_hold_is_listed(self, bank: Path) -> None:
        file = bank / "b.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("[[集合通信]]", "[[从不提到]]"), encoding="utf-8")

        outcome = run("check")

        assert outcome.code == 1
        assert "S03.b" in outcome.err
        assert "Traceback" not in outcome.err

    def test_a_figure_that_got_lost_is_one_line(self, bank: Path) -> None:
        figures = "bank: small\nfigures: [{question: S03, spellings: [21.5 ms]}]\n"
        (bank / "figures.yaml").write_text(figures, encoding="utf-8")

        outcome = run("check")

        assert outcome.code == 1
        assert outcome.err == (
            "S03：参考答案里没有数据“21.5 ms”；请写回去，或在 figures.yaml 里给出新写法。\n"
        )

    def test_an_unknown_term_is_named(self, bank: Path) -> None:
        file = bank / "b.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("[[集合通信]]", "[['{nothing}']]"), encoding="utf-8")

        refused(run("grade", "--question", "S03", "--answer", FULL), "nothing")


class TestRubrics:
    def test_weights_that_do_not_add_up_are_named(self, rubrics: Path) -> None:
        file = rubrics / "structured-answer.yaml"
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
        found["criteria"][0]["max"] += 1
        file.write_text(yaml.safe_dump(found, allow_unicode=True), encoding="utf-8")

        refused(run("grade", "--question", "S03", "--answer", FULL), file.name, "101", "100")

    def test_a_folder_without_rubrics_is_named(
        self, product: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_RUBRICS_DIR", str(tmp_path))

        refused(run("check"), str(tmp_path))

    def test_a_pattern_that_is_none_is_named(self, rubrics: Path) -> None:
        file = rubrics / "judges" / "offline.yaml"
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
        found["negation"] = "(不"
        file.write_text(yaml.safe_dump(found, allow_unicode=True), encoding="utf-8")

        refused(run("grade", "--question", "S03", "--answer", FULL), "offline.yaml", "negation")

    def test_a_rubric_that_is_missing_is_named(self, rubrics: Path) -> None:
        (rubrics / "structured-answer.yaml").unlink()

        refused(run("grade", "--question", "S03", "--answer", FULL), "structured-answer")


# -- many grades ----------------------------------------------------------------------------------


def lines(*answers: tuple[str, str]) -> str:
    """Return an input file: one line for each question id and answer."""
    return "".join(
        json.dumps({"id": f"n{number}", "question_id": question, "answer": answer}) + "\n"
        for number, (question, answer) in enumerate(answers)
    )


class Batch:
    """The files of `mockbot grade --input --output` and how to run it on them."""

    def __init__(self, folder: Path) -> None:
        self.input = folder / "answers.jsonl"
        self.output = folder / "grades.jsonl"

    def run(self, *words: str) -> Outcome:
        return run("grade", "--input", str(self.input), "--output", str(self.output), *words)

    @property
    def found(self) -> list[dict[str, Any]]:
        text = self.output.read_text(encoding="utf-8")
        assert text == "" or text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def batch(product: Path, tmp_path: Path) -> Batch:
    return Batch(tmp_path)


MIXED = (("S03", FULL), ("S01", "不知道"), ("S02", "吞吐通常先上升"), ("S03", WRONG), ("S01", ""))


class TestBatch:
    @pytest.mark.parametrize("concurrency", ["1", "8"])
    def test_grades_come_in_the_order_of_the_input(self, batch: Batch, concurrency: str) -> None:
        batch.input.write_text(lines(*MIXED * 20), encoding="utf-8")

        outcome = batch.run("--concurrency", concurrency)

        assert outcome.code == 0, outcome
        found = batch.found
        assert [one["id"] for one in found] == [f"n{number}" for number in range(100)]
        assert [one["question_id"] for one in found] == [question for question, _ in MIXED * 20]
        assert all(list(departures(one, GRADE)) == [] for one in found)
        assert found[0]["level"] == 5
        assert found[1]["level"] == 0
        assert "已评 100 份" in outcome.err

    def test_a_line_that_cannot_be_graded_stays_ungraded(self, batch: Batch) -> None:
        bad = [
            "no json",
            "[1, 2]",
            '{"id": "x1", "question_id": "S03"}',
            '{"id": "x2", "question_id": "S03", "answer": 7}',
            '{"id": "x3", "question_id": "S99", "answer": "x"}',
            '{"id": "", "question_id": "S03", "answer": "x"}',
            '{"id": "x4", "question_id": "S03", "answer": "\\ud800"}',
        ]
        batch.input.write_text("\n".join([*bad, lines(("S03", FULL))]), encoding="utf-8")

        outcome = batch.run()

        assert outcome.code == 1
        *ungraded, last = batch.found
        assert [list(departures(one, UNGRADED)) for one in ungraded] == [[]] * len(bad)
        assert {one["reason"] for one in ungraded} == {"bad_input"}
        assert [one["id"] for one in ungraded] == ["", "", "x1", "x2", "x3", "", "x4"]
        assert "S99" in ungraded[4]["message"]
        assert last["level"] == 5
        assert "未评 7 份" in outcome.err

    def test_blank_lines_are_passed_over(self, batch: Batch) -> None:
        batch.input.write_text("\n\n" + lines(("S03", FULL)) + "\n  \n", encoding="utf-8")

        assert batch.run().code == 0
        assert len(batch.found) == 1

    def test_a_byte_order_mark_is_no_content(self, batch: Batch) -> None:
        batch.input.write_text(lines(("S03", FULL)), encoding="utf-8-sig")

        assert batch.run().code == 0

    def test_an_empty_input_gives_an_empty_output(self, batch: Batch) -> None:
        batch.input.write_text("", encoding="utf-8")

        assert batch.run().code == 0
        assert batch.found == []

    def test_an_existing_output_is_refused_and_kept(self, batch: Batch) -> None:
        batch.input.write_text(lines(("S03", FULL)), encoding="utf-8")
        batch.output.write_text("precious\n", encoding="utf-8")

        refused(batch.run(), str(batch.output), "--resume")
        assert batch.output.read_text(encoding="utf-8") == "precious\n"

    def test_resuming_keeps_whole_lines_and_cuts_a_broken_last_one(self, batch: Batch) -> None:
        batch.input.write_text(lines(*MIXED), encoding="utf-8")
        batch.run()
        whole = batch.output.read_bytes().splitlines(keepends=True)
        # A kept line is told by its mark: grading it again would take the mark away.
        marked = whole[1].replace(b'"seconds"', b'"kept":true,"seconds"')
        batch.output.write_bytes(whole[0] + marked + whole[2][:40])

        outcome = batch.run("--resume")

        assert outcome.code == 0
        assert batch.output.read_bytes().startswith(whole[0] + marked)
        assert [one["id"] for one in batch.found] == ["n0", "n1", "n2", "n3", "n4"]
        assert "沿用上次 2 份" in outcome.err

    def test_a_break_inside_a_character_is_cut_too(self, batch: Batch) -> None:
        batch.input.write_text(lines(*MIXED), encoding="utf-8")
        batch.run()
        whole = batch.output.read_bytes().splitlines(keepends=True)
        middle = whole[0].index("不".encode()) + 1
        batch.output.write_bytes(whole[0][:middle])

        assert batch.run("--resume").code == 0
        assert len(batch.found) == 5

    def test_resuming_a_finished_run_changes_nothing(self, batch: Batch) -> None:
        batch.input.write_text(lines(*MIXED), encoding="utf-8")
        batch.run()
        before = batch.output.read_bytes()

        outcome = batch.run("--resume")

        assert outcome.code == 0
        assert batch.output.read_bytes() == before
        assert "已评 0 份" in outcome.err

    def test_resuming_counts_the_same_lines_as_the_first_run(self, batch: Batch) -> None:
        first, *rest = lines(*MIXED).splitlines(keepends=True)
        batch.input.write_text("\n" + first + "\n\n" + "".join(rest), encoding="utf-8")
        batch.run()
        whole = batch.output.read_bytes().splitlines(keepends=True)
        batch.output.write_bytes(b"".join(whole[:2]))

        batch.run("--resume")

        assert [one["id"] for one in batch.found] == ["n0", "n1", "n2", "n3", "n4"]

    def test_resuming_without_an_output_begins(self, batch: Batch) -> None:
        batch.input.write_text(lines(("S03", FULL)), encoding="utf-8")

        assert batch.run("--resume").code == 0
        assert len(batch.found) == 1

    def test_a_missing_input_is_named(self, batch: Batch) -> None:
        refused(batch.run(), str(batch.input))
        assert not batch.output.exists()

    def test_an_output_is_required(self, batch: Batch) -> None:
        refused(run("grade", "--input", str(batch.input)), "--output")

    def test_an_output_that_cannot_be_written_is_named(self, batch: Batch) -> None:
        batch.input.write_text(lines(("S03", FULL)), encoding="utf-8")
        batch.output = batch.output.parent / "nowhere" / "grades.jsonl"

        refused(batch.run(), str(batch.output))

    def test_a_kill_in_the_middle_loses_no_whole_line(self, batch: Batch) -> None:
        batch.input.write_text(lines(*MIXED * 2000), encoding="utf-8")
        words = ("grade", "--input", str(batch.input), "--output", str(batch.output))
        process = subprocess.Popen([str(MOCKBOT), *words], stderr=subprocess.DEVNULL)
        wait_until(lambda: batch.output.exists() and batch.output.stat().st_size > 5000)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        done = batch.output.read_bytes().count(b"\n")
        assert 0 < done < 10_000

        batch.input.write_text(lines(*(MIXED * 2000)[: done + 3]), encoding="utf-8")
        outcome = batch.run("--resume")

        assert f"已评 3 份，未评 0 份，沿用上次 {done} 份" in outcome.err.replace("\n", "")
        assert [one["id"] for one in batch.found] == [f"n{number}" for number in range(done + 3)]


def wait_until(claim: Any, seconds: float = 60) -> None:
    """Wait until a claim holds."""
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


# -- index and search -----------------------------------------------------------------------------


class TestSearch:
    def test_the_second_index_run_embeds_nothing_and_search_goes_by_meaning(
        self, product: Path
    ) -> None:
        first = run("index")
        second = run("index")
        found = run("search", "GPU memory grows with the context", "--json")
        table = run("search", "集合通信")

        assert first.code == second.code == found.code == table.code == 0
        assert re.search(r"新计算 [1-9]\d* 段", first.out)
        assert "新计算 0 段，取用随附向量 0 段" in second.out.replace("\n", "")
        results = json.loads(found.out)
        assert results[0]["question_id"] in {"S01", "S02"}
        assert {one["by_meaning"] for one in results} == {True}
        assert table.out.index("S03")
        assert "只按词查找" not in table.err

    def test_without_an_index_words_decide_and_it_says_so(self, product: Path) -> None:
        product.mkdir()
        (product / "chroma").write_text("in the way", encoding="utf-8")

        found = run("search", "集合通信", "--json")
        table = run("search", "集合通信")

        (first, *_) = json.loads(found.out)
        assert (first["question_id"], first["by_meaning"]) == ("S03", False)
        assert table.code == 0
        assert "只按词查找" in table.err

    @pytest.mark.parametrize("text", ["", "  ", "？？", "量子纠缠"])
    def test_nothing_found_is_said(self, product: Path, text: str) -> None:
        product.mkdir()
        (product / "chroma").write_text("in the way", encoding="utf-8")

        assert "没有找到" in run("search", text).out
        assert json.loads(run("search", text, "--json").out) == []

    def test_no_more_than_the_limit(self, product: Path) -> None:
        product.mkdir()
        (product / "chroma").write_text("in the way", encoding="utf-8")

        found = run("search", "显存 吞吐 通信 token", "--limit", "2", "--json")

        assert len(json.loads(found.out)) == 2


# -- sessions and reports --------------------------------------------------------------------------


@pytest.fixture
def session(product: Path) -> Session:
    """A finished session: one question with its follow-up."""
    services = Services(read_settings())
    interviews = services.interviews
    found = interviews.begin_with(("S03",), follow_ups=1)
    for text in (FULL + "| <b>x</b> |", "会有气泡。"):
        found = interviews.go_on(interviews.grade_waiting(interviews.answer(found, text)))
    assert found.is_finished
    return found


class TestReports:
    def test_without_sessions_there_is_a_hint(self, product: Path) -> None:
        assert "mockbot interview" in run("sessions").out
        assert json.loads(run("sessions", "--json").out) == []

    def test_sessions_are_listed(self, session: Session) -> None:
        assert session.id in run("sessions").out
        (found,) = json.loads(run("sessions", "--json").out)
        assert found["id"] == session.id
        assert found["answered"] == 2
        assert found["judge"] == "offline"
        assert found["finished_at"] is not None

    def test_a_report_as_markdown(self, session: Session) -> None:
        outcome = run("report", session.id)

        assert outcome.code == 0
        assert outcome.out.startswith("# ")
        for part in ("离线评分 · 不判断事实对错", "S03", "结论", "会有气泡"):
            assert part in outcome.out
        assert "<b>" not in outcome.out

    def test_a_report_as_json(self, session: Session) -> None:
        outcome = run("report", session.id, "--format", "json")

        found = json.loads(outcome.out)
        assert found["session"]["id"] == session.id
        assert found["score"] == pytest.approx(session.turns[0].grade.score)  # type: ignore[union-attr]
        assert found["level"] == 5

    def test_a_report_into_a_file(self, session: Session, tmp_path: Path) -> None:
        file = tmp_path / "report.md"

        outcome = run("report", session.id, "-o", str(file))

        assert (outcome.code, outcome.out) == (0, "")
        assert file.read_text(encoding="utf-8") == run("report", session.id).out

    def test_an_unknown_session_is_named(self, product: Path) -> None:
        refused(run("report", "nothing"), "nothing")
        refused(run("interview", "--session", "nothing"), "nothing")

    def test_an_unknown_format_is_named(self, session: Session) -> None:
        refused(
            run("report", session.id, "--format", "docx"),
            "docx",
            "md",
            "html",
            "pdf",
            "json",
            "csv",
        )

    def test_a_file_name_of_an_unknown_form_is_refused_and_nothing_is_written(
        self, session: Session, tmp_path: Path
    ) -> None:
        refused(run("report", session.id, "-o", str(tmp_path / "r.docx")), "docx", "pdf")

        assert not (tmp_path / "r.docx").exists()

    def test_a_file_that_cannot_be_written_is_named(self, session: Session, tmp_path: Path) -> None:
        refused(run("report", session.id, "-o", str(tmp_path)), str(tmp_path))

    @pytest.mark.parametrize(
        ("name", "begins"),
        [("a.md", b"# "), ("a.HTML", b"<!DOCTYPE html>"), ("a.json", b"{"), ("a.csv", b"\xef\xbb\xbf"),
         ("a.txt", b"# ")],
    )  # fmt: skip
    def test_the_end_of_the_file_s_name_tells_the_form(
        self, session: Session, tmp_path: Path, name: str, begins: bytes
    ) -> None:
        assert run("report", session.id, "-o", str(tmp_path / name)).code == 0
        assert (tmp_path / name).read_bytes().startswith(begins)

    def test_a_form_that_was_named_wins(self, session: Session, tmp_path: Path) -> None:
        file = tmp_path / "a.json"

        assert run("report", session.id, "--format", "html", "-o", str(file)).code == 0

        assert file.read_bytes().startswith(b"<!DOCTYPE html>")

    def test_a_pdf_needs_a_font_with_chinese(
        self, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOT_PDF_FONT", str(tmp_path / "none.ttf"))

        refused(run("report", session.id, "--format", "pdf"), "BOT_PDF_FONT", "none.ttf")
        assert "BOT_PDF_FONT" in run("doctor").out

    def test_all_grades_as_a_table(self, session: Session, tmp_path: Path) -> None:
        file = tmp_path / "grades.csv"

        assert run("sessions", "export", "-o", str(file)).code == 0

        text = file.read_text(encoding="utf-8-sig")
        assert text.startswith("场次,开始,题库,")
        assert text.count(session.id) == 2
        assert "离线评分 · 不判断事实对错" in text

    def test_an_exported_session_can_be_deleted_and_imported_again(
        self, session: Session, tmp_path: Path
    ) -> None:
        file = tmp_path / "report.json"
        run("report", session.id, "-o", str(file))
        store = Services(read_settings()).store
        store.delete(session.id)

        outcome = run("sessions", "import", str(file))

        assert (outcome.code, outcome.out.strip()) == (0, f"已导入场次 {session.id}。")
        back = store.load(session.id)
        assert back.model_copy(update={"revision": session.revision}) == session
        assert run("report", session.id, "--format", "json").out == file.read_text(encoding="utf-8")
        assert "内容相同" in run("sessions", "import", str(file)).out

    def test_a_file_that_is_no_report_is_refused(self, product: Path, tmp_path: Path) -> None:
        file = tmp_path / "report.md"
        file.write_text("# 报告", encoding="utf-8")

        refused(run("sessions", "import", str(file)), "不是 JSON", "--format json")
        refused(run("sessions", "import", str(tmp_path / "none")), "none", "无法读取")

    def test_a_session_of_another_bank_is_reported_from_that_bank(
        self, session: Session, bank: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = bank.parent / "other"
        shutil.copytree(bank, other)
        for file in other.glob("*.yaml"):
            text = file.read_text(encoding="utf-8")
            text = text.replace("bank: small", "bank: other").replace("S0", "T0")
            file.write_text(text, encoding="utf-8")
        monkeypatch.setenv("BOT_BANK", "other")

        outcome = run("report", session.id)

        assert outcome.code == 0
        assert "张量并行" in outcome.out

    def test_an_unfinished_session_without_a_grade_says_so(self, product: Path) -> None:
        found = Services(read_settings()).interviews.begin_with(("S03",))

        outcome = run("report", found.id)

        assert outcome.code == 0
        assert "没有可评分的回答" in outcome.out
        assert json.loads(run("report", found.id, "--format", "json").out)["score"] is None


# -- the interview ----------------------------------------------------------------------------------


def interview(*typed: str, words: Sequence[str] = ("--section", "B", "--count", "1")) -> Outcome:
    """Run an interview about the one question of section B; what is typed ends with Ctrl-D."""
    return run("interview", *words, stdin="\n".join(typed) + "\n")


def only_session() -> Session:
    """Return the session that was stored."""
    store = Services(read_settings()).store
    (found,) = store.summaries(10)
    return store.load(found.id)


class TestInterview:
    def test_a_whole_interview_with_a_follow_up(self, product: Path) -> None:
        outcome = interview(*FULL.split("因为"), "", "会有气泡。", "")

        assert outcome.code == 0, outcome
        assert outcome.out.index("第 1/1 题") < outcome.out.index("追问")
        for part in ("5 级", "总评", "离线评分 · 不判断事实对错", "mockbot report"):
            assert part in outcome.out
        found = only_session()
        assert found.is_finished
        assert [turn.target_id for turn in found.turns] == ["S03", "S03.f1"]
        assert found.turns[0].answer is not None
        assert found.turns[0].answer.text == "\n".join(FULL.split("因为"))
        assert all(turn.grade is not None for turn in found.turns)
        assert found.id in outcome.out

    def test_skipping_gives_no_grade_and_no_follow_up(self, product: Path) -> None:
        outcome = interview("/跳过")

        assert outcome.code == 0
        assert "没有可评分的回答" in outcome.out
        assert "追问" not in outcome.out.split("第 1/1 题")[1]
        assert only_session().is_finished

    def test_not_knowing_is_level_0(self, product: Path) -> None:
        outcome = interview("/不知道", "/不知道")

        assert "0 级" in outcome.out
        found = only_session()
        assert found.is_finished
        assert [turn.grade.level for turn in found.turns if turn.grade] == [0, 0]

    def test_a_question_can_be_heard_again(self, product: Path) -> None:
        outcome = interview("/重复", "/重复", "/结束")

        assert outcome.out.count("第 1/1 题") == 3

    def test_ending_early_keeps_what_was_answered(self, product: Path) -> None:
        outcome = interview(FULL, "", "/结束")

        assert outcome.code == 0
        assert "总评" in outcome.out
        found = only_session()
        assert found.is_finished
        assert [turn.target_id for turn in found.turns] == ["S03"]

    def test_ending_at_once_has_nothing_to_grade(self, product: Path) -> None:
        assert "没有可评分的回答" in interview("/结束").out

    def test_an_empty_line_is_no_answer(self, product: Path) -> None:
        outcome = interview("", "", FULL, "", "/结束")

        assert "5 级" in outcome.out
        assert only_session().turns[0].answer is not None

    def test_leaving_saves_and_says_how_to_go_on(self, product: Path) -> None:
        first = interview(FULL, "")

        found = only_session()
        assert first.code == 0
        assert f"mockbot interview --session {found.id}" in first.out.replace("\n", "")
        assert not found.is_finished
        assert found.turns[0].grade is not None

        second = interview("会有气泡。", "", words=("--session", found.id))

        assert "第 1/1 题" not in second.out
        assert "追问" in second.out
        assert only_session().is_finished
        assert "总评" in second.out

    def test_leaving_in_the_middle_of_an_answer_keeps_the_question_open(
        self, product: Path
    ) -> None:
        outcome = interview("半句")

        found = only_session()
        assert "已保存" in outcome.out
        assert found.current is not None

        again = interview("/跳过", words=("--session", found.id))

        assert "第 1/1 题" in again.out

    def test_going_on_begins_the_clock_of_the_open_question_anew(self, product: Path) -> None:
        services = Services(read_settings())
        begun = services.interviews.begin_with(("S03",), follow_ups=0)
        services.store.save(begun.resumed(begun.begun_at - timedelta(minutes=10)))

        outcome = interview(FULL, "", words=("--session", begun.id))

        assert "接着答：这一题重新计时。" in outcome.out
        answer = only_session().turns[0].answer
        assert answer is not None
        assert answer.seconds < 300

    def test_a_finished_session_shows_its_end(self, product: Path) -> None:
        interview(FULL, "", "/结束")

        outcome = interview(words=("--session", only_session().id))

        assert outcome.code == 0
        assert "总评" in outcome.out
        assert "第 1/1 题" not in outcome.out

    def test_an_answer_that_waits_for_its_grade_is_graded_on_return(self, product: Path) -> None:
        interviews = Services(read_settings()).interviews
        stored = interviews.answer(interviews.begin_with(("S03",), follow_ups=0), FULL)

        outcome = interview(words=("--session", stored.id))

        assert outcome.code == 0
        found = only_session()
        assert found.is_finished
        assert found.turns[0].grade is not None

    def test_an_answer_that_is_too_long_can_be_given_again(self, product: Path) -> None:
        outcome = interview("长" * (LONGEST_ANSWER + 1), "", FULL, "", "/结束")

        assert str(LONGEST_ANSWER) in outcome.out
        assert "5 级" in outcome.out

    def test_as_many_follow_ups_as_were_asked_for(self, product: Path) -> None:
        interview(FULL, "", words=("--section", "B", "--count", "1", "--follow-ups", "0"))

        assert [turn.target_id for turn in only_session().turns] == ["S03"]

    def test_an_unknown_section_is_refused(self, product: Path) -> None:
        refused(run("interview", "--section", "Z"), "章节")

    def test_what_looks_like_markup_is_kept(self, product: Path) -> None:
        interview("[bold]不一定减半[/bold] [/]", "", "/结束")

        found = only_session().turns[0].answer
        assert found is not None
        assert found.text == "[bold]不一定减半[/bold] [/]"

    def test_really(self, product: Path) -> None:
        words = ("interview", "--section", "B", "--count", "1")

        outcome = really_run(*words, stdin=f"{FULL}\n\n/不知道\n".encode())

        assert outcome.code == 0, outcome
        assert outcome.err == ""
        assert "总评" in outcome.out


# -- doctor and serve -------------------------------------------------------------------------------


class TestDoctor:
    def test_a_healthy_product(self, product: Path) -> None:
        outcome = run("doctor")

        assert outcome.code == 0, outcome
        for part in ("题库", "评分标准", "评分者", "面试记录", "检索", "mockbot index"):
            assert part in outcome.out
        assert "✗" not in outcome.out

    def test_one_broken_part_does_not_hide_the_others(self, product: Path) -> None:
        product.mkdir()
        (product / "sessions.db").write_bytes(b"no database" * 100)

        outcome = run("doctor")

        assert outcome.code == 1
        assert outcome.out.count("✗") == 1
        assert "sessions.db" in outcome.out.replace("\n", "")
        assert "✓ 检索" in outcome.out

    def test_nothing_works_and_everything_is_named(
        self, product: Path, bank: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (bank / "b.yaml").write_text("[", encoding="utf-8")
        monkeypatch.setenv("BOT_DATA_DIR", "/proc/nobody")

        outcome = run("doctor")

        assert outcome.code == 1
        assert outcome.out.count("✗") >= 3
        assert "Traceback" not in outcome.out + outcome.err


class TestServe:
    def test_a_port_in_use_is_named(self, product: Path) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])

            refused(run("serve", "--port", port), port, "--port")

    def test_an_address_that_is_not_ours_is_named(self, product: Path) -> None:
        refused(run("serve", "--host", "192.0.2.1"), "192.0.2.1")

    @pytest.mark.parametrize("port", ["0", "-1", "99999", "http"])
    def test_a_port_that_is_none_is_refused(self, product: Path, port: str) -> None:
        outcome = run("serve", "--port", port)

        assert outcome.code == 2
        assert "--port" in outcome.err
        assert "Traceback" not in outcome.err

    @pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
    def test_the_page_comes_up_and_goes_down(self, product: Path, stop: signal.Signals) -> None:
        port = free_port()
        process = subprocess.Popen(
            [str(MOCKBOT), "serve", "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            wait_until(lambda: is_healthy(port))
            process.send_signal(stop)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
            process.wait()

        assert f"127.0.0.1:{port}" in out.decode()
        assert "Traceback" not in out.decode() + err.decode()


def is_healthy(port: int) -> bool:
    """Say whether the page answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


@pytest.mark.parametrize(
    "command",
    ["serve", "grade", "index", "search", "check", "sessions", "report", "interview", "doctor"],
)
def test_every_command_explains_itself(command: str) -> None:
    outcome = run(command, "--help")

    assert outcome.code == 0
    assert re.search(r"[\u4e00-\u9fff]", outcome.out)


def test_without_a_command_the_commands_are_listed() -> None:
    outcome = run()

    assert "grade" in outcome.out + outcome.err
    assert "Traceback" not in outcome.err
