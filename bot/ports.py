"""What the core needs from the outside world; adapters implement it, bootstrap connects it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel, JsonValue

from bot.domain.bank import Bank
from bot.domain.card import Card, Rating, Schedule
from bot.domain.claims import Claims, Ruled
from bot.domain.confidence import Token
from bot.domain.dispute import Dispute
from bot.domain.document import Document
from bot.domain.drill import Drill
from bot.domain.exam import ExamResult
from bot.domain.passage import Hit, Near, Passage
from bot.domain.preferences import Preferences, ReadPreferences
from bot.domain.question import Frozen
from bot.domain.report_document import ReportDocument
from bot.domain.rubric import OwnRubric, Rubric
from bot.domain.session import AgainOf, Persona, Session, SessionSummary
from bot.domain.speech import Heard
from bot.domain.target import Target
from bot.domain.usage import Usage


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the time now, aware, in UTC."""
        ...

    def elapsed(self) -> float:
        """Return seconds of a clock that never goes back; only differences mean something."""
        ...


class JudgeIdentity(Frozen):
    """By which a grade is labelled."""

    kind: Literal["offline", "llm"]
    model: str | None = None
    prompt_version: str | None = None


class Judgement(Frozen):
    """A judge's claims, who made them, and what it cost to get them."""

    claims: Claims
    by: JudgeIdentity
    tokens: int = 0
    method: str | None = None
    usage: Usage = Usage()
    confidence: float | None = None
    """How sure the judge was of its verdicts, 0–1, where that can be told."""


class Judge(Protocol):
    """Says what an answer contains; never a score (阅卷)."""

    @property
    def identity(self) -> JudgeIdentity:
        """Return who would judge now."""
        ...

    def judge(self, target: Target, answer: str) -> Judgement:
        """Return claims about `answer`.

        Raises `JudgeUnavailableError` or `JudgeReplyError`.
        """
        ...


class Rules(Protocol):
    """Finds in an answer what needs no model, and what no model is believed against."""

    @property
    def version(self) -> str:
        """Return the name and version of the rules."""
        ...

    def foreign(self, target: Target, answer: str) -> tuple[tuple[int, int], ...]:
        """Return where sentences stand that are another question's and say nothing about this one."""
        ...

    def find(self, target: Target, answer: str, quotes: Sequence[str] = ()) -> Ruled:
        """Return what the rules find in `answer`, and in single quotes from it; raises nothing."""
        ...


class GroupTrace(Frozen):
    """One concept group of a key point: its spellings, and the words of the answer that hit it."""

    spellings: tuple[str, ...]
    found: str | None


class PointTrace(Frozen):
    """Why a key point got its verdict: group by group."""

    id: str
    says: str
    groups: tuple[GroupTrace, ...]


class Ledger(Protocol):
    """Keeps what models cost, by month (`2026-11`), and how they did in their exams."""

    def spend(self, month: str, model: str, usage: Usage) -> None:
        """Add a call. Raises `StoreError`."""
        ...

    def spent(self, month: str) -> dict[str, Usage]:
        """Return what each model cost in the month. Raises `StoreError`."""
        ...

    def total(self, month: str) -> int:
        """Return the tokens of the month. Raises `StoreError`."""
        ...

    def get(self, key: str) -> ExamResult | None:
        """Return an exam result, or None. Raises `StoreError`."""
        ...

    def put(self, result: ExamResult) -> None:
        """Store an exam result in the place of an earlier one. Raises `StoreError`."""
        ...


class Message(Frozen):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    text: str
    picture: bytes | None = None
    """A PNG image that is shown with the text, to models that can see."""


class Filled(Frozen):
    """What a chat model wrote into a form, as plain JSON values, and how it was got."""

    value: dict[str, JsonValue]
    method: str
    """json_schema, function_calling, json_mode or text."""
    usage: Usage = Usage()
    tokens: tuple[Token, ...] = ()
    """The reply token by token with probabilities, where they were asked for and given."""


class ChatModel(Protocol):
    """A chat model behind any endpoint (语言模型)."""

    @property
    def name(self) -> str:
        """Return the model's name, as grades quote it."""
        ...

    def fill(
        self,
        form: type[BaseModel],
        messages: Sequence[Message],
        *,
        max_tokens: int,
        weighed: bool = False,
    ) -> Filled:
        """Return the form filled in, by the best method that the endpoint takes.

        With `weighed` the probabilities of its tokens are asked for too; not every endpoint has
        them. The value is not validated against the form: valid parts of it may survive.
        Raises `JudgeUnavailableError` when the endpoint does not answer, `ConfigError` for a wrong
        key or an unknown model, `JudgeReplyError` when no JSON object came back.
        """
        ...

    def say(self, messages: Sequence[Message], *, max_tokens: int) -> Iterator[str]:
        """Give the model's words as they come. Raises as `fill` does."""
        ...


class IndexReport(Frozen):
    """What a refresh of the index did, in passages."""

    embedded: int
    reused: int
    """Vectors taken from the shipped file instead of being computed."""
    unchanged: int
    removed: int


Progress = Callable[[int, int], None]
"""Called with passages done and passages in all."""


class QuestionIndex(Protocol):
    """Finds passages by meaning (检索)."""

    def refresh(
        self, bank_id: str, passages: Sequence[Passage], progress: Progress | None = None
    ) -> IndexReport:
        """Make the index hold exactly these passages of the bank; unchanged ones cost nothing.

        Raises `IndexUnavailableError`.
        """
        ...

    def is_current(self, bank_id: str, passages: Sequence[Passage]) -> bool:
        """Say whether a refresh would change nothing. Raises `IndexUnavailableError`."""
        ...

    def passages_of(self, bank_id: str, question_id: str) -> tuple[Passage, ...]:
        """Return the indexed passages of one question, in the order of `Part`.

        Raises `IndexUnavailableError`.
        """
        ...

    def search(self, bank_id: str, text: str, limit: int) -> tuple[Hit, ...]:
        """Return the passages nearest to `text`, nearest first. Raises `IndexUnavailableError`."""
        ...

    def nearest(self, bank_id: str, text: str, limit: int) -> tuple[Near, ...]:
        """Return the questions nearest to `text`, each as the mean of its stem and reference.

        Nearest first. Raises `IndexUnavailableError`.
        """
        ...


class SessionStore(Protocol):
    """Keeps sessions."""

    def save(self, session: Session) -> Session:
        """Store the session in one transaction and return it with its new revision.

        A session of revision 0 is new. Raises `SessionConflictError` when a later revision is
        stored, `StoreError` when the database does not take it; then nothing was changed.
        """
        ...

    def load(self, session_id: str) -> Session:
        """Return the session. Raises `NotFoundError` or `StoreError`."""
        ...

    def summaries(self, limit: int = 200) -> tuple[SessionSummary, ...]:
        """Return the latest sessions, newest first. Raises `StoreError`."""
        ...

    def delete(self, session_id: str) -> None:
        """Remove the session and all its turns. Raises `NotFoundError` or `StoreError`."""
        ...


class DrillScheduler(Protocol):
    """Says when a card comes again (复习调度)."""

    def review(self, schedule: Schedule, rating: Rating, at: datetime) -> Schedule:
        """Return the schedule after a review at the time `at`; the same input, the same output."""
        ...


class DrillStore(Protocol):
    """Keeps the cards and the drills of one owner.

    Every step raises `StoreError` when the database does not take it; then nothing was changed.
    """

    def cards(self) -> tuple[Card, ...]:
        """Return the whole deck, by id."""
        ...

    def card(self, card_id: str) -> Card:
        """Return a card. Raises `NotFoundError`."""
        ...

    def save_cards(self, cards: Sequence[Card]) -> None:
        """Store cards, all or none; a card of revision 0 is new.

        Raises `SessionConflictError` when one of them was stored elsewhere since it was read.
        """
        ...

    def uncollected(self, limit: int) -> tuple[str, ...]:
        """Return the latest sessions that have changed since their cards were collected."""
        ...

    def collected(self, session: Session, cards: Sequence[Card]) -> None:
        """Store the cards of a session as `save_cards` does, and that it was collected."""
        ...

    def save(self, drill: Drill, card: Card | None = None) -> Drill:
        """Store the drill, and with it the card that it moved; all or nothing.

        Returns the drill with its new revision. Raises `SessionConflictError` when a later
        revision of either is stored.
        """
        ...

    def load(self, drill_id: str) -> Drill:
        """Return a drill. Raises `NotFoundError`."""
        ...

    def open_drill(self) -> Drill | None:
        """Return the latest drill that is not finished, if any."""
        ...


class EarlierAnswers(Protocol):
    """Finds what was answered before."""

    def before(
        self, bank_id: str, question_ids: Collection[str], moment: datetime
    ) -> dict[str, AgainOf]:
        """Return, by question, the latest graded main answer of earlier than `moment`.

        Questions without one are left out. Raises `StoreError`.
        """
        ...


class DisputeStore(Protocol):
    """Keeps disputes."""

    def save(self, dispute: Dispute) -> Dispute:
        """Store the dispute and return it with its new revision; one of revision 0 is new.

        Raises `DisputeError` when a later revision is stored or the dispute is gone, `StoreError`
        when the database does not take it; then nothing was changed.
        """
        ...

    def load(self, dispute_id: str) -> Dispute:
        """Return the dispute. Raises `NotFoundError` or `StoreError`."""
        ...

    def of_turn(self, session_id: str, turn_id: str) -> tuple[Dispute, ...]:
        """Return the disputes about the grade of a turn, newest first. Raises `StoreError`."""
        ...

    def latest(self, limit: int = 200) -> tuple[Dispute, ...]:
        """Return the latest disputes, newest first. Raises `StoreError`."""
        ...


Hear = Callable[[str], None]
"""Called with all that the interviewer has said so far of one utterance."""


class Interviewer(Protocol):
    """Finds the words of the interviewer (面试官)."""

    def ask(
        self, stem: str, *, number: int, total: int, persona: Persona, hear: Hear | None = None
    ) -> str:
        """Return a question of the bank in spoken words; `hear` gets them as they come."""
        ...

    def probe(self, asks: str, answer: str, *, persona: Persona, hear: Hear | None = None) -> str:
        """Return a follow-up to an answer in spoken words, with one neutral sentence before it."""
        ...


class QuestionBanks(Protocol):
    """Gives the banks."""

    def names(self) -> tuple[str, ...]:
        """Return the ids of all banks, the shipped one first."""
        ...

    def load(self, bank_id: str) -> Bank:
        """Return a bank. Raises `BankError` or `NotFoundError`."""
        ...


class DocumentReader(Protocol):
    """Reads documents."""

    def read(self, name: str, content: bytes) -> Document:
        """Return the document. Raises `ImportFileError`, and nothing else."""
        ...


class Pair(NamedTuple):
    """Two texts that mean nearly the same: their places in the lists, and the cosine."""

    first: int
    second: int
    similarity: float


class Likeness(Protocol):
    """Compares texts by meaning."""

    def pairs(
        self, texts: Sequence[str], others: Sequence[str], at_least: float, progress: Progress
    ) -> tuple[Pair, ...]:
        """Return the pairs of a text and another text that are at least so similar."""
        ...


class OwnBanks(Protocol):
    """Keeps the banks that a user imported, with their former versions."""

    def require_own(self, bank_id: str) -> None:
        """Raise `ImportFileError` unless a bank of that name may be written."""
        ...

    def next_version(self, bank_id: str) -> int:
        """Return a version number that no import into the bank has used yet."""
        ...

    def write(self, bank: Bank, *, over: int | None = None) -> None:
        """Put the bank in place of its former version, which is kept; all or nothing.

        Raises `ImportFileError` for a name that may not be used, `StoreError` when it cannot be
        written, or when the version in place is not `over`.
        """
        ...

    def former_version(self, bank_id: str) -> int | None:
        """Return the version that `undo` would bring back, or None where there is none."""
        ...

    def undo(self, bank_id: str) -> int | None:
        """Bring the former version back and return its number, or None if there was none.

        Without a former version the bank is removed. Raises `NotFoundError` or `StoreError`.
        """
        ...


class ReportPrinter(Protocol):
    """Prints reports."""

    def pdf(self, document: ReportDocument) -> bytes:
        """Return the report as a PDF with Chinese text.

        Raises `FontMissingError` without a font for it, `ConfigError` for a wrong setting.
        """
        ...


class Transcriber(Protocol):
    """Turns speech into text (语音转写)."""

    def transcribe(self, audio: bytes, *, prompt: str) -> Heard:
        """Return what the clip says in Chinese; `prompt` tells script and terms beforehand.

        Raises `SpeechError`.
        """
        ...


class Speaker(Protocol):
    """Turns text into speech (朗读)."""

    def say(self, text: str) -> bytes:
        """Return MP3. Raises `SpeechError`."""
        ...


class PreferenceStore(Protocol):
    """Keeps what a user chose in the settings. All methods raise `StoreError`."""

    def load(self) -> ReadPreferences:
        """Return what was chosen, and what could not be read."""
        ...

    def save(self, chosen: Preferences) -> None:
        """Store the preferences in the place of the former ones."""
        ...


class RubricStore(Protocol):
    """Keeps the rubrics that a user wrote. All methods raise `StoreError`."""

    def latest(self) -> tuple[OwnRubric, ...]:
        """Return the latest version of each rubric, by id."""
        ...

    def add(self, own: OwnRubric, at: datetime) -> None:
        """Store a new version. Raises `RubricError` when there is one of that number."""
        ...

    def delete(self, rubric_id: str) -> None:
        """Remove all versions of a rubric. Raises `NotFoundError`."""
        ...


class RubricReader(Protocol):
    """Reads and writes the text of rubrics."""

    def read(self, text: str) -> Rubric:
        """Return the rubric. Raises `RubricError`, which names line and field."""
        ...

    def with_version(self, text: str, version: int) -> str:
        """Return the text with another version number; all else stays as it was written."""
        ...

    def copy_of(self, text: str, rubric_id: str, based_on: str) -> str:
        """Return the text of a shipped rubric as the beginning of one of the user."""
        ...
