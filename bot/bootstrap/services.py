"""The product, put together for one owner."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from bot.adapters.owner_banks import OwnerBanks
from bot.adapters.pdf_printer import PdfPrinter
from bot.bootstrap.bank_parts import BankParts
from bot.bootstrap.choices import Choices
from bot.bootstrap.commons import Commons
from bot.bootstrap.index_state import IndexState
from bot.bootstrap.models import Models
from bot.bootstrap.typed_models import ModelSettings, typed_models
from bot.bootstrap.voice import Voice
from bot.domain.bank import Bank
from bot.domain.grade import BetterAnswer, Grade
from bot.domain.report import Report, report_of
from bot.domain.rubric import Rubric
from bot.domain.session import Session
from bot.domain.target import Target
from bot.errors import JudgeUnavailableError
from bot.offline.interviewer import OfflineInterviewer
from bot.offline.judge import OfflineJudge
from bot.offline.settings import OfflineSettings
from bot.services.comparing import Comparisons
from bot.services.grading import Grader
from bot.services.improving import improve
from bot.services.indexing import Retrieval
from bot.services.interviewing import Interviews
from bot.services.limiting import LimitedJudge, require
from bot.settings import Settings

if TYPE_CHECKING:
    from datetime import timedelta

    from bot.adapters.sql_store import SqlStore
    from bot.ports import Clock, Judge
    from bot.services.disputing import Disputes
    from bot.services.drilling import Drills
    from bot.services.editing import Editing
    from bot.services.imports import Imports
    from bot.services.own_rubrics import OwnRubrics
    from bot.services.planning import Planner
    from bot.services.reporting.files import ReportFiles

LOCAL = "local"
"""The owner of everything where nobody signs in."""


@dataclass(frozen=True)
class Services:
    """The product, put together for one owner; parts that cost time are made at the first use.

    Shared by all browser sessions of the owner: nothing changes after it is made. What has no
    owner is shared by all of them (`Commons`).
    """

    settings: Settings
    owner: str = LOCAL
    typed: ModelSettings | None = None
    """What a visitor typed into the page in place of the models of the settings."""
    choices: Choices = field(default_factory=Choices)
    """What the owner chose on the settings page."""
    _commons: Commons | None = None
    _siblings: dict[str, Services] = field(default_factory=dict)
    """One for each bank, this one included; they share the store and the models."""

    def __post_init__(self) -> None:
        """Take the place among the siblings."""
        self._siblings.setdefault(self.settings.bank, self)

    def for_owner(self, owner: str) -> Services:
        """Return the services of another owner: the same product over what is theirs alone."""
        return Services(self.settings, owner, _commons=self.commons)

    def with_models(self, typed: ModelSettings) -> Services:
        """Return services whose models are asked as a visitor typed it.

        They belong into that browser session: keep them there and nowhere else. Raises
        `ConfigError` when what was typed cannot be used.
        """
        made = Services(self.settings, self.owner, typed, _commons=self.commons)
        made.__dict__["models"] = typed_models(self.commons, typed, lambda: self.store.ledger)
        return made

    def with_choices(self, choices: Choices) -> Services:
        """Return the same services with what the owner chose; for one browser session, as above."""
        made = replace(self, choices=choices, _commons=self.commons, _siblings={})
        made.__dict__.update(store=self.store, banks=self.banks, models=self.models)
        return made

    def for_bank(self, bank_id: str) -> Services:
        """Return the services over another bank, as it is now.

        Raises `BankError`, `NotFoundError` or `StoreError`.
        """
        bank = self.banks.load(bank_id)
        kept = self._siblings.get(bank_id)
        # An own bank may have been changed by another process.
        if kept is None or kept.__dict__.get("bank", bank).name != bank.name:
            settings = self.settings.model_copy(update={"bank": bank_id})
            kept = replace(self, settings=settings, _commons=self.commons)
            kept.__dict__.update(store=self.store, banks=self.banks, models=self.models)
            self._siblings[bank_id] = kept
        return kept

    def forget_bank(self, bank_id: str) -> None:
        """Read the bank again at its next use: it has changed."""
        self.banks.forget(bank_id)
        self._siblings.pop(bank_id, None)

    @cached_property
    def commons(self) -> Commons:
        """Return what all owners share."""
        return self._commons or Commons(self.settings)

    @cached_property
    def parts(self) -> BankParts:
        """Return what is made of the bank; all owners share it unless the bank is the owner's."""
        if self.banks.is_stored(self.settings.bank):
            digest = hashlib.sha256(self.owner.encode()).hexdigest()[:16]
            return BankParts(self.commons, self.bank, space=f"own-{digest}")
        return self.commons.parts_of(self.bank)

    @property
    def clock(self) -> Clock:
        """Return the clock."""
        return self.commons.clock

    @property
    def rubrics(self) -> dict[str, Rubric]:
        """Return the shipped rubrics and the owner's own, by id. Raises `RubricError`."""
        return {**self.commons.rubrics, **self.choices.own}

    @cached_property
    def weights(self) -> dict[str, Rubric]:
        """Return the rubrics that grade, by the ids of the shipped ones. Raises `RubricError`."""
        return self.choices.weights(self.commons.rubrics)

    @cached_property
    def own_rubrics(self) -> OwnRubrics:
        """Return what takes rubrics that the owner writes."""
        from bot.adapters.yaml_rubrics import RubricTexts, read_texts
        from bot.services.own_rubrics import OwnRubrics

        return OwnRubrics(
            store=self.store.rubrics,
            reader=RubricTexts(),
            shipped=self.commons.rubrics,
            texts=lambda: read_texts(self.commons.rubrics_dir),
            clock=self.clock,
        )

    @property
    def lexicon(self) -> OfflineSettings:
        """Return the offline judge's lexicons and thresholds. Raises `ConfigError`."""
        return self.commons.lexicon

    @property
    def pdf_printer(self) -> PdfPrinter:
        """Return what prints reports."""
        return self.commons.pdf_printer

    @property
    def index_state(self) -> IndexState:
        """Return how far the index of the bank is."""
        return self.parts.index_state

    @property
    def offline_judge(self) -> OfflineJudge:
        """Return the judge that needs no model."""
        return self.parts.offline_judge

    @property
    def voice(self) -> Voice:
        """Return what hears and speaks."""
        typed = self._typed_voice
        return self.parts.voice if typed is None else typed

    @property
    def retrieval(self) -> Retrieval:
        """Return search and reference look-up."""
        return self.parts.retrieval

    @property
    def planner(self) -> Planner:
        """Return what makes study plans."""
        return self.parts.planner

    @cached_property
    def store(self) -> SqlStore:
        """Return the owner's session store, its tables made. Raises `StoreError`."""
        store = self.commons.store
        return store if self.owner == LOCAL else store.for_owner(self.owner)

    @property
    def has_data(self) -> bool:
        """Say whether anything may be stored yet; at the very first start nothing is."""
        settings = self.settings
        return settings.database_url is not None or (settings.data_dir / "sessions.db").exists()

    @cached_property
    def banks(self) -> OwnerBanks:
        """Return all banks that the owner sees, their own among them."""
        return OwnerBanks(
            shipped=self.commons.shipped,
            installed=self.commons.installed,
            stored=lambda: self.store.banks,
            clock=self.clock,
        )

    @cached_property
    def models(self) -> Models:
        """Return the language models, with the owner's account."""
        models = self.commons.models
        return models if self.owner == LOCAL else models.for_owner(lambda: self.store.ledger)

    @cached_property
    def imports(self) -> Imports:
        """Return what takes question documents into the user's own banks."""
        from bot.bootstrap.imports import imports_of

        return imports_of(self, self.commons.vectors_of(self.settings.bank))

    @cached_property
    def editing(self) -> Editing:
        """Return what changes questions of the user's own banks."""
        from bot.services.editing import Editing

        return Editing(
            banks=self.banks,
            own=self.banks,
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
    def grader(self) -> Grader:
        """Return the grader, whose judge is the model where one is set and may grade."""
        return self._grader(weighed=True)

    @cached_property
    def bulk_grader(self) -> Grader:
        """Return the grader of whole files: without confidence, which costs a tenth of the rate."""
        return self._grader(weighed=False)

    def _grader(self, *, weighed: bool) -> Grader:
        offline, models = self.offline_judge, self.models
        judge: Judge = models.judge(offline, weighed=weighed) if models.is_set else offline
        if self.is_limited:
            judge = LimitedJudge(judge, take=self.take, per_hour=self.settings.answers_per_hour)
        return self.grader_with(judge).observed(self.commons.telemetry.note)

    @cached_property
    def offline_grader(self) -> Grader:
        """Return the grader that needs no model."""
        return self.grader_with(self.offline_judge)

    def grader_with(self, judge: Judge) -> Grader:
        """Return a grader with any judge, such as one over recorded replies."""
        return self.commons.grader_with(
            judge, self.bank, rubrics=self.weights, samples=self.samples, rules=self.offline_judge
        )

    @property
    def samples(self) -> int | None:
        """Return how often to judge, where the owner may say so: it is paid for each time."""
        return None if self.settings.shared and self.typed is None else self.choices.samples

    @cached_property
    def _typed_voice(self) -> Voice | None:
        speech = self.choices.speech
        if speech is None:
            return None
        settings = speech.over(self.commons.settings)
        return Voice(settings=settings, bank=lambda: self.bank, is_typed=True)

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
            former_bank=self.banks.version,
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

    def improve(self, target: Target, answer: str, given: Grade) -> BetterAnswer:
        """Return the answer rewritten by the model.

        Raises `JudgeUnavailableError` when the budget is spent, and as the model does.
        """
        closed = self.models.spending.closed_because()
        if closed is not None:
            raise JudgeUnavailableError(closed)
        self.charge()
        return improve(self.models.chat, target, answer, given, secret=self.models.secret)

    @property
    def is_limited(self) -> bool:
        """Say whether the owner has an allowance; the command line on the server has none."""
        return self.settings.shared and self.owner != LOCAL

    def charge(self) -> None:
        """Take one of the allowance for a call of a model.

        Raises `JudgeUnavailableError` when nothing is left.
        """
        if self.is_limited:
            require(self.take, self.settings.answers_per_hour)

    def take(self) -> timedelta | None:
        """Take one of the owner's allowance of this hour, or return how long to wait."""
        return self.store.allowances.take(self.settings.answers_per_hour, self.clock.now())

    def export_mine(self) -> bytes:
        """Return everything that is stored of the owner as a zip file.

        Raises `StoreError` or `SpeechError`.
        """
        from bot.bootstrap.own_data import export

        return export(self)

    def delete_mine(self) -> None:
        """Delete everything that is stored of the owner but figures of usage.

        Raises `StoreError` or `SpeechError`.
        """
        from bot.bootstrap.own_data import delete

        delete(self)

    def delete_recordings(self, session_id: str) -> int:
        """Delete the recordings of a session of the owner, and return how many there were.

        Raises `NotFoundError` for a session of somebody else, `StoreError` or `SpeechError`.
        """
        self.store.load(session_id)
        return self.voice.recordings.delete(session_id)

    def delete_session(self, session_id: str) -> None:
        """Delete a session of the owner with all that belongs to it. Raises as above."""
        self.delete_recordings(session_id)
        self.store.delete(session_id)

    def build_index(self) -> None:
        """Begin to build the index in the background, unless that was done before."""
        self.index_state.build(lambda: self.retrieval)

    def report(self, session: Session) -> Report:
        """Return the report of a session."""
        return report_of(session, self.bank, self.rubrics)
