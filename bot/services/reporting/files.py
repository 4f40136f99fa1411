"""Reports as files: written in every form, and read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from enum import StrEnum
from typing import Literal, NamedTuple

from bot.domain.delivery import means_of
from bot.domain.report import report_of
from bot.domain.rubric import Rubric
from bot.domain.self_score import self_score_of
from bot.domain.session import Session
from bot.errors import BankError, ImportFileError, NotFoundError, SessionConflictError
from bot.ports import QuestionBanks, ReportPrinter, SessionStore
from bot.services.budgeting import Price
from bot.services.costs import cost_of_session
from bot.services.reporting.document import document_of
from bot.services.reporting.exchange import as_json, id_by_content, session_in, with_id
from bot.services.reporting.grades_csv import grades_csv
from bot.services.reporting.html import as_html
from bot.services.reporting.markdown import as_markdown

MOST_SESSIONS = 100_000


class ReportForm(StrEnum):
    """The kinds of file a report can become; the value is the end of its name."""

    MARKDOWN = "md"
    HTML = "html"
    PDF = "pdf"
    JSON = "json"
    CSV = "csv"

    @property
    def mime(self) -> str:
        """Return the media type of the file."""
        return _MIMES[self]

    def file_name(self, session: Session) -> str:
        """Return what the file of a session is called."""
        return f"mock-interview-{session.id}.{self}"


_MIMES = {
    ReportForm.MARKDOWN: "text/markdown",
    ReportForm.HTML: "text/html",
    ReportForm.PDF: "application/pdf",
    ReportForm.JSON: "application/json",
    ReportForm.CSV: "text/csv",
}


MOST_IDS = 20
"""So many people may import one and the same report before somebody is refused."""


class Taken(NamedTuple):
    """What an import did: a stored session, and whether it is new, known, or under a new id."""

    session: Session
    done: Literal["added", "known", "renamed"]

    @property
    def says(self) -> str:
        """Return that in a sentence."""
        match self.done:
            case "added":
                return f"已导入场次 {self.session.id}。"
            case "known":
                return f"场次 {self.session.id} 已在记录里，内容相同，没有改动。"
            case "renamed":
                return f"记录里已有同名而内容不同的场次；这一份存为新的场次 {self.session.id}。"


class ReportFiles:
    """Writes and reads the files of one owner's sessions.

    All methods raise `StoreError` as the store does, and `BankError` or `NotFoundError` where a
    question is not there any more.
    """

    def __init__(
        self,
        *,
        store: SessionStore,
        banks: QuestionBanks,
        rubrics: Mapping[str, Rubric],
        printer: ReportPrinter,
        price: Price | None = None,
    ) -> None:
        """Connect the parts; with a price, costs are told in money too."""
        self._store = store
        self._banks = banks
        self._rubrics = rubrics
        self._printer = printer
        self._price = price

    def write(self, session: Session, form: ReportForm, zone: tzinfo) -> bytes:
        """Return the report of a session, with times in `zone`.

        Raises `FontMissingError` for a PDF where no font has Chinese characters.
        """
        bank = self._banks.load(session.plan.bank_id)
        report = report_of(session, bank, self._rubrics)
        if form is ReportForm.CSV:
            return self._csv([session], zone)
        if form is ReportForm.JSON:
            written = as_json(
                report,
                delivery=means_of(session, bank),
                self_score=self_score_of(session),
                cost=cost_of_session(session, self._price),
            )
            return written.encode()
        document = document_of(report, bank, self._rubrics, zone, self._price)
        match form:
            case ReportForm.MARKDOWN:
                return as_markdown(document).encode()
            case ReportForm.HTML:
                return as_html(document).encode()
            case ReportForm.PDF:
                return self._printer.pdf(document)

    def grades(self, zone: tzinfo) -> bytes:
        """Return every turn of every session as CSV, the newest session first."""
        summaries = self._store.summaries(MOST_SESSIONS)
        sessions = (self._store.load(one.id) for one in summaries)
        return self._csv(sessions, zone)

    def take(self, content: bytes) -> Taken:
        """Store the session of an exported JSON report again.

        One that is stored already is left as it is; where its id belongs to another one, it gets
        a new id. Raises `ImportFileError`.
        """
        session = session_in(content)
        self._require_questions(session)
        taken = self._taken(session, "added")
        for _ in range(MOST_IDS):
            if taken is not None:
                return taken
            session = with_id(session, id_by_content(session))
            taken = self._taken(session, "renamed")
        raise ImportFileError("这份报告的编号都被占用了，没有导入。")

    def _taken(self, session: Session, done: Literal["added", "renamed"]) -> Taken | None:
        """Store the session under its id; None where that id belongs to another one."""
        if (stored := self._stored(session.id)) is None:
            try:
                return Taken(self._store.save(session), done)
            except SessionConflictError:  # it is somebody else's
                return None
        return Taken(stored, "known") if _is_same(stored, session) else None

    def _csv(self, sessions: Iterable[Session], zone: tzinfo) -> bytes:
        return grades_csv(sessions, self._banks.load, self._rubrics, zone, self._price)

    def _stored(self, session_id: str) -> Session | None:
        try:
            return self._store.load(session_id)
        except NotFoundError:
            return None

    def _require_questions(self, session: Session) -> None:
        bank_id = session.plan.bank_id
        if bank_id not in self._banks.names():
            raise ImportFileError(f"这份报告属于题库 {bank_id!r}，这里没有；请先导入那个题库。")
        try:
            bank = self._banks.load(bank_id)
            for question_id in session.plan.question_ids:
                bank.find(question_id)
        except (BankError, NotFoundError) as error:
            raise ImportFileError(f"这份报告的题目在这里找不到：{error}") from error


def _is_same(stored: Session, session: Session) -> bool:
    return stored.model_copy(update={"revision": session.revision}) == session
