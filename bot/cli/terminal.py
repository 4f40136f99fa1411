"""The interview and its grades in a terminal."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from bot.bootstrap import Services
from bot.domain.claims import Verdict
from bot.domain.grade import Grade, Ungraded
from bot.domain.rubric import Rubric, rubric_named
from bot.domain.session import FeedbackMode, Session, Turn
from bot.domain.target import Target
from bot.errors import SessionStateError
from bot.services.reporting import (
    CLOCK_BEGINS_ANEW,
    FLAG_NAMES,
    NO_POINT_SAID,
    NOTHING_GRADED,
    VERDICT_NAMES,
    judge_label,
    minutes,
)

HELP = "输入作答，可多行，空行结束；/不知道 /跳过 /重复 /结束"
SHORTEST, LONGEST = 60, 90
"""Seconds that an answer should take."""
MARKS = {
    Verdict.MET: "✓",
    Verdict.PARTLY_MET: "◐",
    Verdict.NOT_MET: "✗",
    Verdict.CONTRADICTED: "⚠",
}


def print_grade(console: Console, given: Grade, target: Target, rubric: Rubric) -> None:
    """Print a grade with its parts, key points, overclaims and the reference answer."""
    console.print(
        f"{given.score:g} 分 · {given.level} 级 {rubric.level_names[given.level]}"
        f"  （{judge_label(given.provenance)}）",
        style="bold",
        markup=False,
        highlight=False,
    )
    table = Table("维度", "得分", "依据")
    titles = {one.id: one.title for one in rubric.criteria}
    for one in given.criteria:
        quotes = " / ".join(evidence.quote.strip() for evidence in one.evidence)
        table.add_row(titles.get(one.id, one.id), f"{one.points:g}/{one.max:g}", escape(quotes))
    console.print(table)
    says = {target.point_id(point): point.says for point in target.key_points}
    for point in given.key_points:
        line = f"{MARKS[point.verdict]} {VERDICT_NAMES[point.verdict]}：{says[point.id]}"
        console.print(line, markup=False, highlight=False)
    if given.is_hollow:
        console.print(NO_POINT_SAID, markup=False, highlight=False)
    for over in given.overclaims:
        console.print(
            f"⚠ 绝对化：“{over.quote}” {over.why}\n  改写：{over.rewrite}",
            markup=False,
            highlight=False,
        )
    for error in given.errors:
        console.print(f"⚠ 错误：“{error.quote}” {error.why}", markup=False, highlight=False)
    for flag in given.flags:
        console.print(f"· {FLAG_NAMES[flag]}", markup=False, highlight=False)
    console.print(Panel(escape(target.reference), title="参考答案"))


def run_interview(
    console: Console,
    services: Services,
    session: Session | None,
    *,
    count: int,
    sections: Sequence[str],
    follow_ups: int,
    calculations: int,
) -> None:
    """Run an interview to its end, or until the candidate leaves it; it can be taken up again."""
    interviews = services.interviews
    if session is None:
        _tell_unfinished(console, services)
        session = interviews.begin(
            count=count,
            rng=random.Random(),  # noqa: S311 - a draw of questions, no secret
            sections=sections,
            follow_ups=follow_ups,
            calculations=calculations,
        )
    else:
        left, session = session, interviews.resume(session)
        if session is not left:
            console.print(CLOCK_BEGINS_ANEW)
    console.print(f"场次 {session.id} · {HELP}", markup=False, highlight=False)
    try:
        while not session.is_finished:
            session = _step(console, services, session)
    except (KeyboardInterrupt, EOFError):
        console.print(
            f"\n已保存。继续：mockbot interview --session {session.id}",
            markup=False,
            highlight=False,
        )
        return
    _print_end(console, services, session)


def _tell_unfinished(console: Console, services: Services) -> None:
    """Say how to go on with an interview that was left."""
    found = next((one for one in services.store.summaries(5) if one.finished_at is None), None)
    if found is not None:
        console.print(
            f"有一场没做完的面试（已作答 {found.answered} 次）；"
            f"继续它：mockbot interview --session {found.id}",
            markup=False,
            highlight=False,
        )


def _step(console: Console, services: Services, session: Session) -> Session:
    interviews = services.interviews
    turn = session.current
    if turn is not None:
        console.print(Panel(escape(turn.says), title="面试官"))
        try:
            session = _reply(console, services, session)
        except SessionStateError as error:
            console.print(str(error), style="red", markup=False)
            return session
        if session.is_finished:
            return session
    graded = interviews.grade_waiting(session)
    if turn is not None and session.plan.mode is FeedbackMode.AFTER_EACH:
        _print_turn(console, services, next(one for one in graded.turns if one.id == turn.id))
    return interviews.go_on(graded)


def _reply(console: Console, services: Services, session: Session) -> Session:
    interviews = services.interviews
    turn = session.current
    asked_at = turn.asked_at if turn is not None else services.clock.now()

    def elapsed() -> float:
        return (services.clock.now() - asked_at).total_seconds()

    while True:
        text = read_answer(console, elapsed)
        match text.strip():
            case "/不知道":
                return interviews.dont_know(session)
            case "/跳过":
                return interviews.skip(session)
            case "/结束":
                return interviews.finish(session)
            case "/重复":
                says = session.current.says if session.current else ""
                console.print(Panel(escape(says), title="面试官"))
            case "":
                console.print(HELP, markup=False)
            case _:
                session = interviews.answer(session, text)
                console.print(pace(elapsed()), style="dim", markup=False, highlight=False)
                return session


def pace(seconds: float) -> str:
    """Return how long an answer took, against what it should take."""
    advice = "偏短，可以补上原因和代价" if seconds < SHORTEST else "偏长，先说结论"
    fits = SHORTEST <= seconds <= LONGEST
    return f"用时 {minutes(seconds)}（建议 {SHORTEST}–{LONGEST} 秒{'' if fits else f'；{advice}'}）"


def read_answer(console: Console, elapsed: Callable[[], float] | None = None) -> str:
    """Return what is typed up to an empty line, or a command at once.

    With `elapsed` each line begins with the time since the question. Ctrl-C with lines that were
    not sent asks first: a second one in a row raises `KeyboardInterrupt`. Raises `EOFError` when
    the input ends before.
    """
    lines: list[str] = []
    is_warned = False
    while True:
        clock = "" if elapsed is None else f"[{_clock(elapsed())}] "
        try:
            line = console.input(f"{clock}{'> ' if not lines else '  '}", markup=False)
        except KeyboardInterrupt:
            if is_warned or not lines:
                raise
            is_warned = True
            console.print(
                f"\n已输入的 {len(lines)} 行还没有发出：空行发送；再按一次 Ctrl+C 不发出就离开。",
                markup=False,
                highlight=False,
            )
            continue
        is_warned = False
        if line.startswith("/") and not lines:
            return line
        if not line.strip():
            return "\n".join(lines)
        lines.append(line)


def _clock(seconds: float) -> str:
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def _print_turn(console: Console, services: Services, turn: Turn) -> None:
    target = services.interviews.target_of(turn)
    match turn.outcome:
        case Grade() as given:
            rubric = rubric_named(given.provenance.rubric, services.rubrics, target.rubric_id)
            print_grade(console, given, target, rubric)
        case Ungraded() as reason:
            console.print(f"未评分：{reason.message}", markup=False)
        case None:
            console.print("（跳过，不评分）")


def _print_end(console: Console, services: Services, session: Session) -> None:
    report = services.report(session)
    if report.score is None:
        console.print(NOTHING_GRADED)
        return
    console.print(
        f"总评：{report.score:g} 分 · {report.level} 级 {report.level_name}",
        style="bold",
        markup=False,
        highlight=False,
    )
    for line in report.questions:
        score = "—" if line.score is None else f"{line.score:g}"
        spent = "—" if line.seconds is None else minutes(line.seconds)
        console.print(
            f"{line.question_id}  {line.state}  {score} 分  用时 {spent}",
            markup=False,
            highlight=False,
        )
    for one in report.practice:
        console.print(f"练习：{one.question_id} {one.says}（{one.why}）", markup=False)
    console.print(
        f"完整报告：mockbot report {session.id} --format md", markup=False, highlight=False
    )
