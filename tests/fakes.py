"""Small stand-ins for the outside world, and builders of the smallest values that are valid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from bot.adapters import yaml_file
from bot.domain.bank import Bank, Section, SectionFile
from bot.domain.claims import Claims, Findings, PointFinding, SlotFinding, Verdict
from bot.domain.dispute import Dispute
from bot.domain.evidence import Evidence
from bot.domain.grade import Grade, Provenance, grade
from bot.domain.passage import Hit, Near, Part, Passage
from bot.domain.question import (
    Difficulty,
    FollowUp,
    KeyPoint,
    Kind,
    Misconception,
    Question,
    ReferenceAnswer,
    Slot,
    Term,
)
from bot.domain.rubric import (
    CalibrationCriterion,
    CoverageCriterion,
    Criterion,
    Gates,
    Rubric,
    SlotCriterion,
)
from bot.domain.session import AnswerKind, Persona, Session, SessionSummary
from bot.domain.target import Target, target_of
from bot.errors import (
    ConfigError,
    DisputeError,
    ImportFileError,
    IndexUnavailableError,
    JudgeReplyError,
    JudgeUnavailableError,
    NotFoundError,
    SessionConflictError,
    StoreError,
)
from bot.offline.settings import OfflineSettings
from bot.ports import Hear, IndexReport, JudgeIdentity, Judgement, Progress

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
BANK_YAML = """\
# yaml-language-server: $schema=../bank.schema.json
bank: demo
version: 1
title: 示例题库
terms:
  - {id: kv, says: KV, spellings: [KV, 键值]}
  - id: decode
    says: Decode
    spellings: [decode]
"""
SECTION_YAML = """\
bank: demo
section: {id: A, title: 基础}
questions:
  - id: Q01
    stem: 为什么？
    difficulty: easy
    topics: [kv]
    reference: {conclusion: 结论。, reason: 原因。, premise_cost: 前提。}
    key_points:
      - id: a
        says: 并行
        slot: conclusion
        weight: 3
        concepts:
          - [并行, 一起算]
"""

SHIPPED_LEXICON = Path(__file__).parents[1] / "rubrics" / "judges" / "offline.yaml"
LEVEL_NAMES = ("没有可用内容", "只有术语", "单薄", "合格", "良好", "优秀")


class FakeClock:
    """A clock that moves only when it is told to; each reading of `elapsed` adds `tick`."""

    def __init__(self, now: datetime = NOON, tick: float = 0.0) -> None:
        self._now = now
        self._elapsed = 0.0
        self._tick = tick

    def now(self) -> datetime:
        return self._now

    def elapsed(self) -> float:
        self._elapsed += self._tick
        return self._elapsed

    def jump(self, seconds: float) -> None:
        """Let somebody set the clock forward, or back; no time passes."""
        self._now += timedelta(seconds=seconds)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)
        self._elapsed += seconds


class MemoryStore:
    """Keeps sessions in a dict, by the revision rule of the real store."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}

    def save(self, session: Session) -> Session:
        stored = self.sessions.get(session.id)
        if (0 if stored is None else stored.revision) != session.revision:
            raise SessionConflictError("这场面试已在别处更新或删除，这次没有保存。")
        saved = session.model_copy(update={"revision": session.revision + 1})
        self.sessions[session.id] = saved
        return saved

    def load(self, session_id: str) -> Session:
        if session_id not in self.sessions:
            raise NotFoundError(f"找不到面试 {session_id!r}。")
        return self.sessions[session_id]

    def summaries(self, limit: int = 200) -> tuple[SessionSummary, ...]:
        newest = sorted(self.sessions.values(), key=lambda one: (one.begun_at, one.id))[::-1]
        return tuple(summary_of(session) for session in newest[:limit])

    def delete(self, session_id: str) -> None:
        self.load(session_id)
        del self.sessions[session_id]


def summary_of(session: Session) -> SessionSummary:
    """Return the line of the list that a store gives for a session."""
    grades = [turn.grade for turn in session.turns if turn.grade]
    mains = [turn.grade.score for turn in session.turns if turn.grade and not turn.follow_up_id]
    judges = {one.provenance.judge for one in grades}
    return SessionSummary(
        id=session.id,
        bank_id=session.plan.bank_id,
        begun_at=session.begun_at,
        finished_at=session.finished_at,
        questions=len(session.plan.question_ids),
        answered=sum(
            turn.answer is not None and turn.answer.kind is not AnswerKind.SKIPPED
            for turn in session.turns
        ),
        mean_score=sum(mains) / len(mains) if mains else None,
        judge="mixed" if len(judges) > 1 else next(iter(judges), None),
    )


class MemoryDisputes:
    """Keeps disputes in a dict, by the revision rule of the real store."""

    def __init__(self) -> None:
        self.held: dict[str, Dispute] = {}

    def save(self, dispute: Dispute) -> Dispute:
        stored = self.held.get(dispute.id)
        if (0 if stored is None else stored.revision) != dispute.revision:
            raise DisputeError("这条异议刚在别处处理过。")
        saved = dispute.model_copy(update={"revision": dispute.revision + 1})
        self.held[dispute.id] = saved
        return saved

    def load(self, dispute_id: str) -> Dispute:
        if dispute_id not in self.held:
            raise NotFoundError(f"找不到异议 {dispute_id!r}。")
        return self.held[dispute_id]

    def of_turn(self, session_id: str, turn_id: str) -> tuple[Dispute, ...]:
        return tuple(one for one in self.latest() if one.turn_id == turn_id)

    def latest(self, limit: int = 200) -> tuple[Dispute, ...]:
        newest = sorted(self.held.values(), key=lambda one: (one.made_at, one.id))[::-1]
        return tuple(newest[:limit])


class MemoryBanks:
    """Holds every version of some banks; `demo` stands for a shipped one, which is not written."""

    def __init__(self, *banks: Bank, shipped: str = "demo") -> None:
        self.versions: dict[str, list[Bank]] = {one.id: [one] for one in banks}
        self._shipped = shipped
        self._used = {one.id: one.version for one in banks}

    def names(self) -> tuple[str, ...]:
        return tuple(name for name, held in self.versions.items() if held)

    def load(self, bank_id: str) -> Bank:
        if bank_id not in self.names():
            raise NotFoundError(f"没有题库 {bank_id!r}。")
        return self.versions[bank_id][-1]

    def require_own(self, bank_id: str) -> None:
        if bank_id == self._shipped:
            raise ImportFileError(f"{bank_id!r} 是随附的题库，不能改动。")

    def next_version(self, bank_id: str) -> int:
        return self._used.get(bank_id, 0) + 1

    def former_version(self, bank_id: str) -> int | None:
        held = self.versions.get(bank_id, [])
        return held[-2].version if len(held) > 1 else None

    def write(self, bank: Bank, *, over: int | None = None) -> None:
        self.require_own(bank.id)
        if over is not None and self.load(bank.id).version != over:
            raise StoreError(f"题库 {bank.id} 已在别处改过。")
        self.versions.setdefault(bank.id, []).append(bank)
        self._used[bank.id] = bank.version

    def undo(self, bank_id: str) -> int | None:
        self.versions[bank_id].pop()
        return self.versions[bank_id][-1].version if self.versions[bank_id] else None


class CannedJudge:
    """Says what it was given, raises what it was given, and remembers what it was asked.

    Of several things to say it says one each time, and the last one for ever.
    """

    def __init__(
        self,
        *says: Claims | JudgeUnavailableError | JudgeReplyError,
        kind: Literal["offline", "llm"] = "llm",
        before: Callable[[str], None] = lambda answer: None,
    ) -> None:
        self.identity = JudgeIdentity(kind=kind, model="canned", prompt_version="canned-1")
        self.asked: list[tuple[Target, str]] = []
        self._says = says or (Claims(),)
        self._before = before

    def judge(self, target: Target, answer: str) -> Judgement:
        self._before(answer)
        said = self._says[min(len(self.asked), len(self._says) - 1)]
        self.asked.append((target, answer))
        if isinstance(said, Exception):
            raise said
        return Judgement(by=self.identity, claims=said, tokens=7, method="canned")


class PlainInterviewer:
    """Says the bank's words and nothing else, and remembers in which tone it was asked to."""

    def __init__(self) -> None:
        self.personas: list[Persona] = []

    def ask(
        self, stem: str, *, number: int, total: int, persona: Persona, hear: Hear | None = None
    ) -> str:
        return self._say(f"{number}/{total} {stem}", persona, hear)

    def probe(self, asks: str, answer: str, *, persona: Persona, hear: Hear | None = None) -> str:
        return self._say(f"追问 {asks}", persona, hear)

    def _say(self, words: str, persona: Persona, hear: Hear | None) -> str:
        self.personas.append(persona)
        if hear is not None:
            hear(words)
        return words


class ListIndex:
    """An index that holds passages in a list; a search gives the prepared hits."""

    def __init__(self, hits: Sequence[Hit] = (), *, is_available: bool = True) -> None:
        self.is_available = is_available
        self.hits = tuple(hits)
        self.held: dict[str, tuple[Passage, ...]] = {}
        self.searched = 0

    def refresh(
        self, bank_id: str, passages: Sequence[Passage], progress: Progress | None = None
    ) -> IndexReport:
        self._open()
        before, self.held[bank_id] = self.held.get(bank_id, ()), tuple(passages)
        same = len(set(before) & set(passages))
        if progress is not None:
            progress(len(passages), len(passages))
        return IndexReport(
            embedded=len(passages) - same, reused=0, unchanged=same, removed=len(before) - same
        )

    def is_current(self, bank_id: str, passages: Sequence[Passage]) -> bool:
        self._open()
        return self.held.get(bank_id) == tuple(passages)

    def passages_of(self, bank_id: str, question_id: str) -> tuple[Passage, ...]:
        self._open()
        order = list(Part)
        mine = [one for one in self.held.get(bank_id, ()) if one.question_id == question_id]
        return tuple(sorted(mine, key=lambda one: order.index(one.part)))

    def search(self, bank_id: str, text: str, limit: int) -> tuple[Hit, ...]:
        self._open()
        self.searched += 1
        return self.hits[:limit]

    def nearest(self, bank_id: str, text: str, limit: int) -> tuple[Near, ...]:
        self._open()
        self.searched += 1
        best = {one.passage.question_id: one.similarity for one in reversed(self.hits)}
        nearest = sorted(best.items(), key=lambda one: -one[1])
        return tuple(Near(question_id=name, similarity=one) for name, one in nearest[:limit])

    def _open(self) -> None:
        if not self.is_available:
            raise IndexUnavailableError("检索索引打不开。")


def key_point(
    id: str = "a",
    slot: Slot = Slot.CONCLUSION,
    *,
    says: str = "",
    weight: int = 1,
    core: bool = False,
    concepts: Sequence[Sequence[str]] = (("并行",),),
) -> KeyPoint:
    """Return a key point."""
    groups = tuple(tuple(group) for group in concepts)
    return KeyPoint(
        id=id, says=says or f"采分点 {id}", slot=slot, weight=weight, core=core, concepts=groups
    )


THREE_POINTS = (
    key_point("a", Slot.CONCLUSION, weight=3, core=True, concepts=(("并行计算",),)),
    key_point("b", Slot.REASON, weight=2, concepts=(("读取权重",), ("分摊",))),
    key_point("c", Slot.PREMISE_COST, weight=1, concepts=(("显存占用",),)),
)
"""One key point a slot."""


def follow_up(
    id: str = "f1",
    aims_at: Slot = Slot.REASON,
    *,
    points: Sequence[KeyPoint] = (),
) -> FollowUp:
    """Return a follow-up with a key point of its own."""
    return FollowUp(
        id=id,
        asks=f"为什么会这样（{id}）？",
        aims_at=aims_at,
        reference="因为读取权重的开销被分摊。",
        key_points=tuple(points) or (key_point("a", aims_at, says=f"追问 {id} 的采分点"),),
    )


def question(
    id: str = "Q01",
    *,
    stem: str = "Prefill 和 Decode 有什么不同？",
    kind: Kind = Kind.EXPLAIN,
    difficulty: Difficulty = Difficulty.MEDIUM,
    points: Sequence[KeyPoint] = THREE_POINTS,
    misconceptions: Sequence[Misconception] = (),
    follow_ups: Sequence[FollowUp] = (),
) -> Question:
    """Return a question whose reference has one sentence a slot."""
    return Question(
        id=id,
        stem=stem,
        kind=kind,
        difficulty=difficulty,
        topics=("phases",),
        reference=ReferenceAnswer(
            conclusion="前者并行计算。",
            reason="批次让读取权重的开销分摊。",
            premise_cost="代价是显存占用。",
        ),
        key_points=tuple(points),
        misconceptions=tuple(misconceptions),
        follow_ups=tuple(follow_ups),
    )


def bank(
    *questions: Question,
    sections: Mapping[str, Sequence[Question]] | None = None,
    terms: Collection[Term] = (),
) -> Bank:
    """Return a bank with these questions in section A, or with these sections."""
    parts = sections or {"A": questions or (question(),)}
    return Bank(
        id="demo",
        version=1,
        title="示例题库",
        terms=tuple(terms),
        sections=tuple(
            SectionFile(
                bank="demo",
                section=Section(id=section_id, title=f"章节 {section_id}"),
                questions=tuple(held),
            )
            for section_id, held in parts.items()
        ),
    )


def rubric(id: str = "structured-answer", *criteria: Criterion, **changes: object) -> Rubric:
    """Return a rubric with the criteria of the house style, or with these."""
    fields: dict[str, object] = {
        "id": id,
        "version": 1,
        "title": "结论 → 原因 → 前提/代价",
        "criteria": criteria
        or (
            CoverageCriterion(kind="coverage", id="coverage", title="采分点", max=40),
            SlotCriterion(
                kind="slot",
                id="conclusion",
                title="结论",
                max=15,
                slot=Slot.CONCLUSION,
                opening_points=3,
            ),
            SlotCriterion(kind="slot", id="reason", title="原因", max=20, slot=Slot.REASON),
            SlotCriterion(kind="slot", id="limits", title="前提", max=15, slot=Slot.PREMISE_COST),
            CalibrationCriterion(
                kind="calibration",
                id="calibration",
                title="校准",
                max=10,
                per_overclaim=5,
                floor=-20,
            ),
        ),
        "gates": Gates(contradicted_core=30, no_point_met=5, one_error=55, more_errors=35),
        "levels": (10, 25, 50, 70, 85),
        "level_names": LEVEL_NAMES,
    }
    return Rubric.model_validate({**fields, **changes})


def rubrics() -> dict[str, Rubric]:
    """Return a rubric for explanations, designs and follow-ups."""
    follow_up_rubric = rubric(
        "follow-up",
        CoverageCriterion(kind="coverage", id="coverage", title="采分点", max=80),
        CalibrationCriterion(
            kind="calibration", id="calibration", title="校准", max=20, per_overclaim=10, floor=-40
        ),
    )
    design = rubric("system-design")
    return {one.id: one for one in (rubric(), design, follow_up_rubric)}


def provenance(judge: Literal["offline", "llm"] = "offline", **changes: object) -> Provenance:
    """Return the provenance of a grade."""
    fields = {"judge": judge, "rubric": "structured-answer@1", "bank": "demo@1"}
    return Provenance.model_validate({**fields, **changes})


def span(start: int = 0, end: int = 4) -> Evidence:
    """Return evidence at these characters."""
    return Evidence(start=start, end=end, quote="证" * (end - start))


def findings(
    asked: Question,
    verdicts: Mapping[str, Verdict] | Verdict = Verdict.MET,
    *,
    levels: Mapping[Slot, int] | int = 2,
    **changes: object,
) -> Findings:
    """Return findings in which each key point and its slot share the same evidence."""
    target = target_of(asked)
    at = {slot: span(10 * n, 10 * n + 9) for n, slot in enumerate(Slot)}
    made = Findings(
        points=tuple(
            PointFinding(
                id=target.point_id(point),
                verdict=verdicts
                if isinstance(verdicts, Verdict)
                else verdicts.get(point.id, Verdict.MET),
                evidence=(at[point.slot],),
            )
            for point in target.key_points
        ),
        slots=tuple(
            SlotFinding(
                slot=slot,
                level=levels if isinstance(levels, int) else levels.get(slot, 2),
                evidence=(at[slot],),
            )
            for slot in dict.fromkeys(point.slot for point in target.key_points)
        ),
        opening_ends=10,
    )
    return made.model_copy(update=changes)


def graded(
    asked: Question,
    verdicts: Mapping[str, Verdict] | Verdict = Verdict.MET,
    *,
    levels: Mapping[Slot, int] | int = 2,
    source: Provenance | None = None,
    **changes: object,
) -> Grade:
    """Return the grade that such findings earn."""
    found = findings(asked, verdicts, levels=levels, **changes)
    return grade("answer", target_of(asked), rubric(), found, source or provenance())


def lexicon(**changes: object) -> OfflineSettings:
    """Return a small lexicon of the offline judge; what it does not name is as shipped."""
    fields: dict[str, object] = {
        "version": 7,
        "window": 40,
        "partly_at": 0.5,
        "slot_full_at": 0.6,
        "slot_full_points": 2,
        "list_items": 4,
        "negation": "(?:不|没有|并非)(?:会|是|能|要|一定)*$",
        "own_negation": "不|没有|并非",
        "refutation": "误区|不对|其实|不成立",
        "hearsay": "有人说|很多人以为",
        "condition": "如果|当[^,。]{1,12}时",
        "retraction": "[,]?(?:说错了|口误)[,]?",
        "predicates": "的|是|会|要|把|让|读|写|算|能|可|在|is|are",
        "scope_negation": "不$|不能|没有|并非|避免",
        "exempt": ("一定程度", "绝对(?:值|位置)"),
        "overclaims": (
            {"pattern": "(?P<mark>一定)(?:会|能|更)?", "why": "取决于条件", "softer": "通常"},
            {"pattern": "永远", "why": "没有期限", "strong": True},
            {"pattern": "吞吐就翻倍", "why": "没有条件的倍数"},
        ),
    }
    return OfflineSettings.model_validate({**shipped_lexicon().model_dump(), **fields, **changes})


@cache
def shipped_lexicon() -> OfflineSettings:
    """Return the lexicon that ships with the product; it is still being tuned."""
    return yaml_file.read(SHIPPED_LEXICON, OfflineSettings, ConfigError)
