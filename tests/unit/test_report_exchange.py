"""A report leaves as JSON and comes back as the same session; nothing else gets in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bank import Bank
from bot.domain.report_document import ReportDocument
from bot.domain.session import Session
from bot.errors import BankError, ImportFileError, NotFoundError
from bot.services.reporting.exchange import (
    FORMAT,
    LARGEST_FILE,
    MOST_TURNS,
    id_by_content,
    session_in,
    with_id,
)
from bot.services.reporting.files import ReportFiles, ReportForm
from tests import fakes
from tests.fakes import NOON, MemoryStore
from tests.strategies import BETTER, sessions
from tests.unit.test_reporting import ASKED, BANK, one_answer

Change = Callable[[dict[str, Any]], None]


class OneBank:
    """The bank of the tests, or one that cannot be read."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self._is_broken = is_broken

    def names(self) -> tuple[str, ...]:
        return ("demo",)

    def load(self, bank_id: str) -> Bank:
        if self._is_broken:
            raise BankError("a.yaml：第 3 行坏了。")
        if bank_id != "demo":
            raise NotFoundError(f"没有题库 {bank_id!r}。")
        return BANK


class NoPrinter:
    def pdf(self, document: ReportDocument) -> bytes:
        return b"%PDF " + document.title.encode()


def files(store: MemoryStore | None = None, *, banks: OneBank | None = None) -> ReportFiles:
    return ReportFiles(
        store=store or MemoryStore(),
        banks=banks or OneBank(),
        rubrics=fakes.rubrics(),
        printer=NoPrinter(),
    )


def exported(session: Session) -> bytes:
    return files().write(session, ReportForm.JSON, UTC)


def graded() -> Session:
    session = one_answer(outcome=fakes.graded(ASKED)).improve("s-1", BETTER)
    return session.finish(NOON + timedelta(minutes=9))


def changed(change: Change) -> bytes:
    """Return an exported report in which something was changed."""
    found = json.loads(exported(graded()))
    change(found)
    return json.dumps(found).encode()


class TestExport:
    def test_it_names_its_format_and_holds_the_session_and_all_figures(self) -> None:
        found = json.loads(exported(graded()))

        assert found["format"] == FORMAT
        assert found["session"]["turns"][0]["better"]["model"] == "m"
        assert (found["score"], found["level"], found["level_name"]) == (100, 5, "优秀")
        assert found["questions"][0]["question_id"] == "Q01"
        assert found["delivery"]["answers"] == 1
        assert found["self_score"] is None
        assert found["cost"]["tokens"] == 0
        assert found["provenances"][0]["judge"] == "offline"

    def test_how_often_the_session_was_stored_makes_no_difference(self) -> None:
        session = graded()

        assert exported(session) == exported(session.model_copy(update={"revision": 7}))


class TestRoundTrip:
    @given(sessions())
    def test_what_was_exported_comes_back_equal(self, session: Session) -> None:
        assert session_in(exported(session)) == session

    @given(sessions())
    def test_what_was_imported_exports_the_same_file(self, session: Session) -> None:
        found = files()
        content = exported(session)

        taken = found.take(content)

        assert taken.done == "added"
        assert found.write(taken.session, ReportForm.JSON, UTC) == content

    def test_a_byte_order_mark_does_no_harm(self) -> None:
        assert session_in(b"\xef\xbb\xbf" + exported(graded())) == graded()


class TestTaking:
    def test_a_session_that_is_stored_already_is_left_alone(self) -> None:
        store = MemoryStore()
        stored = store.save(graded())

        taken = files(store).take(exported(stored))

        assert (taken.session, taken.done) == (stored, "known")
        assert "内容相同" in taken.says
        assert store.sessions == {"s": stored}

    def test_another_session_of_the_same_id_gets_a_new_one_and_says_so(self) -> None:
        store = MemoryStore()
        stored = store.save(one_answer("别的作答"))

        taken = files(store).take(exported(graded()))

        assert taken.done == "renamed"
        assert taken.session.id in taken.says
        assert store.load("s") == stored
        (turn,) = store.load(taken.session.id).turns
        assert turn.id == f"{taken.session.id}-1"
        assert with_id(taken.session, "s").turns == graded().turns

    def test_importing_it_again_finds_the_renamed_one(self) -> None:
        store = MemoryStore()
        store.save(one_answer("别的作答"))
        found = files(store)

        first, second = found.take(exported(graded())), found.take(exported(graded()))

        assert (first.done, second.done) == ("renamed", "known")
        assert first.session == second.session
        assert len(store.sessions) == 2

    def test_a_grade_is_named_after_its_turn_as_before(self) -> None:
        session = graded()
        given_ = session.turns[0].grade
        assert given_ is not None
        named = session.record("s-1", given_.model_copy(update={"id": "s-1"}))

        renamed = with_id(named, "other")

        assert renamed.turns[0].grade is not None
        assert renamed.turns[0].grade.id == "other-1"
        assert id_by_content(named) != id_by_content(renamed)

    def test_the_bank_must_be_here(self) -> None:
        def elsewhere(found: dict[str, Any]) -> None:
            found["session"]["plan"]["bank_id"] = "../secret"

        with pytest.raises(ImportFileError, match=r"题库 '../secret'，这里没有；请先导入"):
            files().take(changed(elsewhere))

    def test_so_must_its_questions(self) -> None:
        def unknown(found: dict[str, Any]) -> None:
            found["session"]["plan"]["question_ids"] = ["Q01", "Q77"]

        with pytest.raises(ImportFileError, match="Q77"):
            files().take(changed(unknown))

    def test_a_bank_that_cannot_be_read_is_named(self) -> None:
        with pytest.raises(ImportFileError, match="第 3 行坏了"):
            files(banks=OneBank(is_broken=True)).take(exported(graded()))


def no_answer(found: dict[str, Any]) -> None:
    found["session"]["turns"][0]["answer"] = None


def skipped(found: dict[str, Any]) -> None:
    found["session"]["turns"][0]["answer"]["kind"] = "skipped"


def put(*path: str | int, value: object) -> Change:
    """Return a change of the value at a path below the session."""

    def change(found: dict[str, Any]) -> None:
        at: Any = found["session"]
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = value

    return change


class TestRefusing:
    @pytest.mark.parametrize(
        ("change", "why"),
        [
            pytest.param(put("id", value="../etc"), "场次 id", id="path as id"),
            pytest.param(put("id", value="a" * 65), "场次 id", id="long id"),
            pytest.param(put("id", value="other"), "第 1 轮的 id", id="foreign turn"),
            pytest.param(put("turns", 0, "outcome", "score", value=101), "超出范围", id="score"),
            pytest.param(put("turns", 0, "outcome", "level", value=6), "超出范围", id="level"),
            pytest.param(put("turns", 0, "outcome", "level", value=-1), "超出范围", id="below"),
            pytest.param(
                put("turns", 0, "outcome", "score", value=float("nan")), "不合常理", id="nan"
            ),
            pytest.param(
                put("turns", 0, "answer", "seconds", value=float("inf")), "不合常理", id="infinite"
            ),
            pytest.param(
                put("turns", 0, "outcome", "provenance", "tokens", value=10**400),
                "不合常理",
                id="huge",
            ),
            pytest.param(put("begun_at", value="0001-01-01T00:00:00+14:00"), "不合常理", id="old"),
            pytest.param(put("begun_at", value="9999-12-31T23:59:59-14:00"), "不合常理", id="far"),
            pytest.param(put("begun_at", value="2026-11-30T12:00:00"), "begun_at", id="no zone"),
            pytest.param(put("plan", "question_ids", value=["Q02"]), "次序", id="other plan"),
            pytest.param(put("plan", "question_ids", value=[]), "question_ids", id="no plan"),
            pytest.param(
                put("plan", "question_ids", value=["Q01"] * (MOST_TURNS + 1)), "超过", id="many"
            ),
            pytest.param(
                put("plan", "question_ids", value=["Q01", "C-KV-" + "9" * 5000]),
                "64 个字符",
                id="long seed",
            ),
            pytest.param(put("turns", 0, "follow_up_id", value="f1"), "没有问过", id="only probe"),
            pytest.param(
                put("turns", 0, "answer", "text", value="长" * 20_001), "20000", id="long"
            ),
            pytest.param(put("turns", 0, "surprise", value=1), "surprise", id="unknown field"),
            pytest.param(no_answer, "没有作答", id="graded without an answer"),
            pytest.param(skipped, "没有作答，却有评分", id="graded though skipped"),
            pytest.param(lambda found: found.pop("format"), "format", id="no format"),
            pytest.param(
                lambda found: found.update(format="mockbot-report@2"), "这一版", id="other version"
            ),
            pytest.param(lambda found: found.pop("session"), "session", id="no session"),
        ],
    )
    def test_what_no_interview_could_have_made_is_refused(self, change: Change, why: str) -> None:
        with pytest.raises(ImportFileError, match=re.escape(why)) as refused:
            session_in(changed(change))

        assert "--format json" in str(refused.value)

    @pytest.mark.parametrize(
        "content",
        [
            pytest.param(b"", id="empty"),
            pytest.param(b"# Markdown", id="markdown"),
            pytest.param(b"\xff\xfe\x00", id="no utf-8"),
            pytest.param(b"[" * 100_000, id="deep"),
            pytest.param(b'{"format":"mockbot-report@1","session":"\\ud800"}', id="surrogate"),
            pytest.param(b"null", id="null"),
        ],
    )
    def test_any_other_file_is_refused(self, content: bytes) -> None:
        with pytest.raises(ImportFileError):
            session_in(content)

    def test_a_huge_file_is_not_even_read(self) -> None:
        with pytest.raises(ImportFileError, match="10 MB"):
            session_in(b" " * (LARGEST_FILE + 1))

    @given(st.binary(max_size=200))
    def test_no_bytes_raise_anything_else(self, content: bytes) -> None:
        with pytest.raises(ImportFileError):
            session_in(content)

    @given(st.data())
    def test_no_change_of_a_report_raises_anything_else(self, data: st.DataObject) -> None:
        """Whatever stands at any place of the file: it is refused, or shown without an error."""
        found = json.loads(exported(graded()))
        places = list(_places(found["session"]))
        *path, last = data.draw(st.sampled_from(places))
        at = found["session"]
        for name in path:
            at = at[name]
        at[last] = data.draw(_JSON)
        store = files()

        try:
            taken = store.take(json.dumps(found).encode())
        except ImportFileError:
            return
        for form in ReportForm:
            store.write(taken.session, form, UTC)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def _places(value: Any, *path: str | int) -> Any:
    """Give the path of every value within plain JSON."""
    named = value.items() if isinstance(value, dict) else enumerate(value)
    for name, one in named:
        yield (*path, name)
        if isinstance(one, dict | list):
            yield from _places(one, *path, name)
