"""A report (复盘报告): what a session adds up to; made from stored grades alone."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from bot.domain.bank import Bank
from bot.domain.claims import Verdict
from bot.domain.grade import Grade, Provenance
from bot.domain.question import Frozen, Question, Slot
from bot.domain.rubric import Rubric, rubric_named
from bot.domain.session import AnswerKind, Session, Turn
from bot.domain.target import RUBRIC_OF_KIND, Target, target_of

GOOD = 4
"""From this level on, a follow-up counts as answered well."""


class CriterionMean(Frozen):
    """The mean of one criterion over the graded main answers, as a share of its maximum (≤ 1).

    It is below 0 where overclaims cost more than the criterion gives.
    """

    id: str
    title: str
    share: float
    answers: int

    @property
    def shown(self) -> float:
        """Return the share as people read it: less than nothing is nothing."""
        return max(0.0, self.share)


class QuestionLine(Frozen):
    """One row of the report: a question, its main answer and its follow-ups."""

    question_id: str
    stem: str
    state: str
    """已评分 · 未评分 · 跳过 · 未作答."""
    score: float | None
    level: int | None
    level_name: str | None
    follow_up_scores: tuple[float | None, ...]
    seconds: float | None
    overclaims: int
    missing: tuple[str, ...]
    """What key points not met say, heaviest first."""


class Practice(Frozen):
    """Something to practise next: a slot or key point of a question, and why."""

    question_id: str
    aims_at: Slot
    says: str
    why: str


class Report(Frozen):
    """The whole report; `score` and `level` are None when nothing was graded."""

    session: Session
    score: float | None
    level: int | None
    level_name: str | None
    criteria: tuple[CriterionMean, ...]
    questions: tuple[QuestionLine, ...]
    strongest: tuple[str, ...]
    weakest: tuple[str, ...]
    practice: tuple[Practice, ...]
    overclaims: int
    provenances: tuple[Provenance, ...]
    """One for each kind of grade in the session; more than one means that the mean is mixed."""


def report_of(session: Session, bank: Bank, rubrics: Mapping[str, Rubric]) -> Report:
    """Add a session up.

    The overall score is the mean of the graded main answers; follow-ups are shown beside them, and
    skipped or ungraded answers count neither as 0 nor otherwise.
    """
    mains = [turn for turn in session.turns if turn.follow_up_id is None]
    grades = [given for turn in mains if (given := turn.grade) is not None]
    rubric = _rubric(mains[0], bank, rubrics) if mains else None
    score = round(fmean(one.score for one in grades), 1) if grades else None
    level = (
        rubric.level_of(score, grades[0].provenance.judge)
        if rubric is not None and score is not None
        else None
    )
    criteria = _criteria(grades, rubrics)
    lines = tuple(_line(session, turn, bank, rubrics) for turn in mains)
    practice = _practice(session, bank)
    named = [one for one in criteria if one.answers]
    return Report(
        session=session,
        score=score,
        level=level,
        level_name=rubric.level_names[level] if rubric is not None and level is not None else None,
        criteria=criteria,
        questions=lines,
        strongest=_extremes(named, best=True),
        weakest=_extremes(named, best=False),
        practice=practice,
        overclaims=sum(len(one.overclaims) for one in grades),
        provenances=_provenances(session),
    )


def unmet(target: Target, given: Grade) -> tuple[str, ...]:
    """Return what the key points that were not met say, heaviest first."""
    verdicts = {point.id: point.verdict for point in given.key_points}
    missing = [
        point
        for point in target.key_points
        if verdicts.get(target.point_id(point)) is not Verdict.MET
    ]
    return tuple(point.says for point in sorted(missing, key=lambda one: -one.weight))


def _rubric(turn: Turn, bank: Bank, rubrics: Mapping[str, Rubric]) -> Rubric:
    """Return the rubric that graded the main answer, or the shipped one for its question."""
    otherwise = RUBRIC_OF_KIND[bank.find(turn.question_id).kind]
    name = turn.grade.provenance.rubric if turn.grade else otherwise
    return rubric_named(name, rubrics, otherwise)


def _criteria(grades: list[Grade], rubrics: Mapping[str, Rubric]) -> tuple[CriterionMean, ...]:
    titles: dict[str, str] = {}
    shares: dict[str, list[float]] = {}
    for given in grades:
        rubric = rubrics.get(given.provenance.rubric.partition("@")[0])
        for one in given.criteria:
            title = (
                next((c.title for c in rubric.criteria if c.id == one.id), one.id)
                if rubric
                else one.id
            )
            titles.setdefault(one.id, title)
            shares.setdefault(one.id, []).append(one.points / one.max if one.max else 0.0)
    return tuple(
        CriterionMean(id=name, title=titles[name], share=round(fmean(found), 4), answers=len(found))
        for name, found in shares.items()
    )


def _extremes(criteria: list[CriterionMean], *, best: bool) -> tuple[str, ...]:
    ranked = sorted(criteria, key=lambda one: one.share, reverse=best)
    wanted = [one for one in ranked if (one.share >= 0.7 if best else one.share < 0.6)]
    return tuple(one.title for one in wanted[:2])


def _line(session: Session, turn: Turn, bank: Bank, rubrics: Mapping[str, Rubric]) -> QuestionLine:
    question = bank.find(turn.question_id)
    given = turn.grade
    rubric = _rubric(turn, bank, rubrics)
    return QuestionLine(
        question_id=question.id,
        stem=question.stem,
        state=state_of(turn),
        score=given.score if given else None,
        level=given.level if given else None,
        level_name=rubric.level_names[given.level] if given else None,
        follow_up_scores=tuple(
            probe.grade.score if probe.grade else None
            for probe in session.follow_ups_of(question.id)
        ),
        seconds=turn.answer.seconds if turn.answer else None,
        overclaims=len(given.overclaims) if given else 0,
        missing=unmet(target_of(question), given) if given else (),
    )


def state_of(turn: Turn) -> str:
    """Return what became of a turn: 已评分, 未评分, 跳过 or 未作答."""
    if turn.answer is None:
        return "未作答"
    if turn.answer.kind is AnswerKind.SKIPPED:
        return "跳过"
    return "已评分" if turn.grade else "未评分"


def _practice(session: Session, bank: Bank, limit: int = 5) -> tuple[Practice, ...]:
    """Return what to practise: heavy key points that stayed missing, weakest answers first."""
    found: list[tuple[float, Practice]] = []
    for turn in session.turns:
        given = turn.grade
        if turn.follow_up_id is not None or given is None:
            continue
        question = bank.find(turn.question_id)
        made_up = _met_later(session, question)
        answered_well = _slots_made_good(session, question)
        verdicts = {point.id: point.verdict for point in given.key_points}
        for point in question.key_points:
            verdict = verdicts.get(f"{question.id}.{point.id}", Verdict.NOT_MET)
            # The result of a calculation is for once: it is the way there that can be practised.
            once = point.slot in (Slot.RESULT, Slot.UNIT)
            if verdict is Verdict.MET or point.says in made_up or once:
                continue
            why = {
                Verdict.CONTRADICTED: "说反了",
                Verdict.PARTLY_MET: "只说到一部分",
            }.get(verdict, "没有说到")
            urgency = given.score - 10 * point.weight - 30 * (verdict is Verdict.CONTRADICTED)
            if point.slot in answered_well:
                why, urgency = f"{why}，追问时才补上", urgency + 25
            practice = Practice(
                question_id=question.id, aims_at=point.slot, says=point.says, why=why
            )
            found.append((urgency, practice))
    return tuple(one for _, one in sorted(found, key=lambda item: item[0])[:limit])


def _met_later(session: Session, question: Question) -> set[str]:
    """Return what was said in the follow-ups of the question after all."""
    says: set[str] = set()
    for turn in session.follow_ups_of(question.id):
        probe = next((one for one in question.follow_ups if one.id == turn.follow_up_id), None)
        if probe is None or turn.grade is None:
            continue
        met = {point.id for point in turn.grade.key_points if point.verdict is Verdict.MET}
        says |= {
            point.says
            for point in probe.key_points
            if f"{question.id}.{probe.id}.{point.id}" in met
        }
    return says


def _slots_made_good(session: Session, question: Question) -> set[Slot]:
    """Return the slots whose follow-up was answered well."""
    well = {
        turn.follow_up_id
        for turn in session.follow_ups_of(question.id)
        if turn.grade is not None and turn.grade.level >= GOOD
    }
    return {one.aims_at for one in question.follow_ups if one.id in well}


def _provenances(session: Session) -> tuple[Provenance, ...]:
    kinds: list[Provenance] = []
    for turn in session.turns:
        given = turn.grade
        if given is None or turn.follow_up_id is not None:
            continue
        if not any(one.comparable(given.provenance) for one in kinds):
            kinds.append(given.provenance)
    return tuple(kinds)
