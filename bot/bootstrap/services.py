"""The product, put together."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters import yaml_file
from bot.adapters.pdf_printer import PdfPrinter
from bot.adapters.system_clock import SystemClock
from bot.adapters.user_banks import UserBanks
from bot.adapters.words import TermWords, words
from bot.adapters.yaml_banks import YamlBanks
from bot.adapters.yaml_rubrics import read_rubrics
from bot.bootstrap.index_state import IndexState
from bot.bootstrap.models import Models
from bot.bootstrap.shipped import shipped
from bot.bootstrap.voice import Voice
from bot.domain.bank import Bank
from bot.domain.grade import BetterAnswer, Grade
from bot.domain.report import Report, report_of
from bot.domain.rubric import Rubric
from bot.domain.session import Session
from bot.domain.target import Target
from bot.errors import ConfigError, JudgeUnavailableError, StoreError
from bot.offline.generic import Generic
from bot.offline.interviewer import OfflineInterviewer
from bot.offline.judge import OfflineJudge, terms_of, texts_of
from bot.offline.settings import OfflineSettings
from bot.services.comparing import Comparisons
from bot.services.grading import Grader
from bot.services.improving import improve
from bot.services.indexing import Retrieval, entries
from bot.services.interviewing import Interviews
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.sql_store import SqlStore
    from bot.ports import Clock, Judge
    from bot.services.disputing import Disputes
    from bot.services.drilling import Drills
    from bot.services.editing import Editing
    from bot.services.imports import Imports
    from bot.services.planning import Planner
    from bot.services.reporting.files import ReportFiles


@dataclass(frozen=True)
class Services:
    """The product, put together; parts that cost time are made when they are first used.

    Shared by all browser sessions of a process: nothing but `index_state` changes after it is made.
    """

    settings: Settings
    index_state: IndexState = field(default_factory=IndexState)
    _siblings: dict[str, Services] = field(default_factory=dict)
    """One for each bank, this one included; they share the store, the rubrics and the clock."""

    def __post_init__(self) -> None:
        """Take the place among the siblings."""
        self._siblings.setdefault(self.settings.bank, self)

    def for_bank(self, bank_id: str) -> Services:
        """Return the services over another bank. Raises `BankError` or `NotFoundError`."""
        if bank_id not in self._siblings:
            self.banks.load(bank_id)
            sibling = Services(
                self.settings.model_copy(update={"bank": bank_id}), _siblings=self._siblings
            )
            sibling.__dict__.update(
                store=self.store,
                rubrics=self.rubrics,
                banks=self.banks,
                own_banks=self.own_banks,
                models=self.models,
            )
            self._siblings[bank_id] = sibling
        return self._siblings[bank_id]

    def forget_bank(self, bank_id: str) -> None:
        """Read the bank again at its next use: its files have changed."""
        self.banks.forget(bank_id)
        self._siblings.pop(bank_id, None)

    @cached_property
    def clock(self) -> Clock:
        """Return the clock."""
        return SystemClock()

    @cached_property
    def banks(self) -> YamlBanks:
        """Return all banks: the shipped ones and the user's own."""
        with suppress(StoreError):
            self.own_banks.recover()
        return YamlBanks(self._corpus_dir, self.settings.banks_dir)

    @cached_property
    def own_banks(self) -> UserBanks:
        """Return where the user's own banks are written."""
        shipped_names = YamlBanks(self._corpus_dir).names()
        return UserBanks(self.settings.banks_dir, shipped_names)

    @cached_property
    def imports(self) -> Imports:
        """Return what takes question documents into the user's own banks."""
        from bot.bootstrap.imports import imports_of

        return imports_of(self, self._vectors)

    @cached_property
    def editing(self) -> Editing:
        """Return what changes questions of the user's own banks."""
        from bot.services.editing import Editing

        return Editing(
            banks=self.banks,
            own=self.own_banks,
            grader=lambda bank_id: self.for_bank(bank_id).offline_grader,
            forget=self.forget_bank,
        )

    @cached_property
    def disputes(self) -> Disputes:
        """Return what takes disputes about grades and references."""
        from bot.services.disputing import Disputes

        return Disputes(
            disputes=self.store.disputes,
            sessions=self.store,
            clock=self.clock,
            bank_name=lambda bank_id: self.banks.load(bank_id).name,
            grade=lambda bank_id, turn: self.for_bank(bank_id).interviews.outcome_of(turn),
        )

    @cached_property
    def bank(self) -> Bank:
        """Return the bank in use. Raises `BankError` or `NotFoundError`."""
        return self.banks.load(self.settings.bank)

    @cached_property
    def rubrics(self) -> dict[str, Rubric]:
        """Return the rubrics by id. Raises `RubricError`."""
        return read_rubrics(self._rubrics_dir)

    @cached_property
    def offline_judge(self) -> OfflineJudge:
        """Return the judge that needs no model."""
        return OfflineJudge(
            terms_of([self.bank]), self.lexicon, Generic(words), texts_of(self.bank)
        )

    @cached_property
    def lexicon(self) -> OfflineSettings:
        """Return the offline judge's lexicons and thresholds. Raises `ConfigError`."""
        path = self._rubrics_dir / "judges" / "offline.yaml"
        return yaml_file.read(path, OfflineSettings, ConfigError)

    @cached_property
    def grader(self) -> Grader:
        """Return the grader, whose judge is the model where one is set and may grade."""
        judge = self.models.judge(self.offline_judge) if self.models.is_set else self.offline_judge
        return self.grader_with(judge)

    @cached_property
    def offline_grader(self) -> Grader:
        """Return the grader that needs no model."""
        return self.grader_with(self.offline_judge)

    @cached_property
    def voice(self) -> Voice:
        """Return what hears and speaks."""
        return Voice(settings=self.settings, bank=lambda: self.bank)

    @cached_property
    def models(self) -> Models:
        """Return the language models of the settings, if there are any."""
        return Models(
            settings=self.settings,
            ledger=lambda: self.store.ledger,
            clock=self.clock,
            exam_file=self._rubrics_dir / "judges" / "exam.yaml",
            exam_grader=self.grader_with,
            # Its probes are answers to shipped questions, whatever banks are in use.
            exam_bank=lambda: YamlBanks(shipped("corpus")).load("vllm"),
        )

    def grader_with(self, judge: Judge) -> Grader:
        """Return a grader with any judge, such as one over recorded replies."""
        return Grader(
            judge=judge,
            rubrics=self.rubrics,
            bank_name=self.bank.name,
            clock=self.clock,
            samples=self.settings.judge_samples,
        )

    @cached_property
    def store(self) -> SqlStore:
        """Return the session store, its tables made. Raises `StoreError`."""
        from bot.adapters.sql_store import open_store

        return open_store(self.settings.store_url)

    @cached_property
    def pdf_printer(self) -> PdfPrinter:
        """Return what prints reports; fonts are looked for at the first use."""
        return PdfPrinter(self.settings.pdf_font)

    @cached_property
    def report_files(self) -> ReportFiles:
        """Return what writes and reads the files of reports."""
        from bot.services.reporting.files import ReportFiles

        return ReportFiles(
            store=self.store,
            banks=self.banks,
            rubrics=self.rubrics,
            printer=self.pdf_printer,
            price=self.models.price,
        )

    @cached_property
    def interviews(self) -> Interviews:
        """Return the interview service."""
        return Interviews(
            bank=self.bank,
            grader=self.grader,
            store=self.store,
            interviewer=self.models.interviewer(OfflineInterviewer()),
            clock=self.clock,
        )

    @cached_property
    def comparisons(self) -> Comparisons:
        """Return what sets two answers to a question side by side."""
        return Comparisons(
            bank=self.bank,
            rubrics=self.rubrics,
            store=self.store,
            earlier=self.store.earlier,
            former_bank=self.own_banks.version,
        )

    @cached_property
    def drills(self) -> Drills:
        """Return the drill service, over the decks of all banks; FSRS is loaded at the first use."""
        from bot.adapters.fsrs_scheduler import FsrsScheduler
        from bot.services.deck import Deck
        from bot.services.drilling import Drills

        store = self.store.drills
        deck = Deck(
            store=store,
            sessions=self.store,
            bank_of=lambda bank_id: self.for_bank(bank_id).bank,
            grader_of=lambda bank_id: self.for_bank(bank_id).grader,
            clock=self.clock,
        )
        return Drills(
            deck=deck,
            store=store,
            bank_of=lambda bank_id: self.for_bank(bank_id).bank,
            grader_of=lambda bank_id: self.for_bank(bank_id).grader,
            scheduler=FsrsScheduler(),
            clock=self.clock,
        )

    @cached_property
    def retrieval(self) -> Retrieval:
        """Return search and reference look-up; Chroma is opened at the first use."""
        from bot.adapters.bm25 import Bm25
        from bot.adapters.chroma_index import ChromaIndex
        from bot.adapters.e5 import E5Embeddings

        return Retrieval(
            bank=self.bank,
            index=ChromaIndex(self.settings.index_dir, E5Embeddings(self._vectors)),
            lexical=Bm25(tuple(entries(self.bank)), TermWords(self.bank.terms)).search,
        )

    @cached_property
    def planner(self) -> Planner:
        """Return what makes study plans; readers of documents are loaded at their first use."""
        from bot.adapters.documents import FileDocuments
        from bot.services.planning import Planner

        return Planner(bank=self.bank, words=words, reader=FileDocuments(), clock=self.clock)

    def improve(self, target: Target, answer: str, given: Grade) -> BetterAnswer:
        """Return the answer rewritten by the model.

        Raises `JudgeUnavailableError` when the budget is spent, and as the model does.
        """
        closed = self.models.spending.closed_because()
        if closed is not None:
            raise JudgeUnavailableError(closed)
        return improve(self.models.chat, target, answer, given, secret=self.models.secret)

    def build_index(self) -> None:
        """Begin to build the index in the background, unless that was done before."""
        self.index_state.build(lambda: self.retrieval)

    def report(self, session: Session) -> Report:
        """Return the report of a session."""
        return report_of(session, self.bank, self.rubrics)

    @property
    def _corpus_dir(self) -> Path:
        return self.settings.corpus_dir or shipped("corpus")

    @property
    def _vectors(self) -> Path:
        return self._corpus_dir / self.settings.bank / "vectors.npz"

    @property
    def _rubrics_dir(self) -> Path:
        return self.settings.rubrics_dir or shipped("rubrics")
